"""What is known of a person, as somebody looks them up."""
