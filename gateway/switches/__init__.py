"""Switches by which operators pause a part of the gateway, without a restart."""
