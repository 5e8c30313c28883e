"""What Prometheus reads: counts of this process and its siblings, and how the database stands."""
