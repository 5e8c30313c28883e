"""What people hear by SMS of what others did to what is theirs."""
