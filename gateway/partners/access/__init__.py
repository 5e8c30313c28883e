"""Keys with which a partner's machines prove who they are, and what each may do."""
