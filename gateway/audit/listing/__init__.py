"""What operators read of approvals: pages of lists, and how many wait."""
