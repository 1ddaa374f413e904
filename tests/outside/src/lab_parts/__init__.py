"""Parts of one laboratory."""
