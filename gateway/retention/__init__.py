"""What is kept how long, what is held about one person, and forgetting the rest."""
