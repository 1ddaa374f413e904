"""What can run a practice episode."""
