"""How to split a practice budget, and the proof that the split is best."""
