"""Who wants no more notices by SMS, and which texts are notices."""
