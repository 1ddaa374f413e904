"""The addresses of the service, by subject."""
