"""Priors for new sessions, from earlier ones."""
