"""Many sessions: strategies, beliefs, budgets and seeds, with statistics."""
