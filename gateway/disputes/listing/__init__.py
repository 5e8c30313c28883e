"""What operators read of disputes: pages of lists, and how many there are."""
