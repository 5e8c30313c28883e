"""Every morning: what providers and banks say against what we booked. It reports, never repairs."""
