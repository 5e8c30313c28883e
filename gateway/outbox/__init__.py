"""Everything that leaves: rows written with their cause, claimed with a lease, sent, recorded."""
