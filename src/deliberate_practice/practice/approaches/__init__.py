"""Approaches: how a trial gets to its skill, and how many episodes of a budget arrive."""
