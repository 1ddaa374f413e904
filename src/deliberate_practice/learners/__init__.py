"""How one skill improves by practice."""
