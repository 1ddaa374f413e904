"""Tasks: their vocabulary, their files, and the abstract MDP they stand for."""
