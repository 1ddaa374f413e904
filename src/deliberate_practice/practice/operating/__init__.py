"""People and robots around a session: who asks, who waits, and what an operator may do."""
