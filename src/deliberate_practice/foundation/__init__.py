"""Shared foundations: errors, checks, registries, deadlines, and files that detect damage."""
