"""What nobody knows the end of yet: asked about, and reported while it stays so."""
