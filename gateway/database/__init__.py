"""Connections, column types, the unit of work and the migrations; knows no noun of the product."""
