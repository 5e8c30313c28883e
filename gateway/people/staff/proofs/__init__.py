"""What is kept of the staff's proofs with a PIN."""
