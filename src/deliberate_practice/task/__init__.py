"""Tasks: their vocabulary and their files."""
