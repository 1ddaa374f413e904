"""Tables of studies and of measured priors, for people."""
