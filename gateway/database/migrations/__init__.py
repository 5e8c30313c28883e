"""The schema as the sum of its Alembic migrations; a test holds it equal to the tables in code."""
