"""The command line `gateway`: a module a noun."""
