"""The command ``deliberate``: parse, call one public verb, print."""

from deliberate_practice.cli.app import main

__all__ = ["main"]
