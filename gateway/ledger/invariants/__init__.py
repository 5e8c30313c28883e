"""What must always hold of the books, checked in production as in the tests."""
