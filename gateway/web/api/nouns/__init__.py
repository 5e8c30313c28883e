"""The operations of the partner API, a file for each noun."""
