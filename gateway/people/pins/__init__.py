"""PINs of subscribers: how they are hashed, set, proved, locked and reset."""
