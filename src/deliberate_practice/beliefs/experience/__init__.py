"""Priors learned from earlier sessions: their fit, and the belief that they give."""
