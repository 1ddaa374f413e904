"""Quotes: how much practice a target takes."""
