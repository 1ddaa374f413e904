"""Splits of a budget for fixed decision rules, on uncertain curves, with approaches paid for."""
