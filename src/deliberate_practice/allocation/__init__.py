"""Splits of a practice budget, with proofs that they are optimal."""
