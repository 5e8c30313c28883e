"""The withdrawals of a wallet, as its owner knows them."""
