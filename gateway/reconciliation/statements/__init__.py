"""What a provider or bank says happened, read from its file line by line."""
