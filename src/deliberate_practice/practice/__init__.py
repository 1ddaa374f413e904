"""The practice session: budget, journal, ask and tell, resume."""
