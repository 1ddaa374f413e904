"""A study as one page that opens offline, and as a folder of figures."""
