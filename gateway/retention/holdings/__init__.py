"""What is held about one person: everything that names a phone, for whoever asks for it."""
