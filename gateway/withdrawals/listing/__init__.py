"""What operators read of withdrawals: pages of lists, and how many need them."""
