"""What operators read of deposits and their callbacks: pages of lists, and what came as it came."""
