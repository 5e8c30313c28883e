"""What is agreed with a partner: how its tokens are sent, and how much it may issue."""
