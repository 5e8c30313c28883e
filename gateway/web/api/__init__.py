"""The partner API over HTTP: one table of operations makes its routes and its description."""
