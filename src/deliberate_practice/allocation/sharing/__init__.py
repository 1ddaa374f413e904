"""Certificates for tasks whose plans share few policies."""
