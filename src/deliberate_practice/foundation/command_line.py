"""Commands in messages, quoted so that they can be pasted into a shell."""

from __future__ import annotations

import shlex
from pathlib import Path

JOURNAL_FILE = Path("deliberate.db")
"""The default journal of all commands."""


def command(*words: object) -> str:
    """A command of this package; words with blanks or special characters are quoted.

    >>> command("ask", "my night", "--db", "lab.db")
    "deliberate ask 'my night' --db lab.db"
    """
    return shlex.join(["deliberate", *map(str, words)])


def journal_option(journal: Path) -> str:
    """The option ``--db`` for a proposed command; empty for the default journal."""
    return "" if journal == JOURNAL_FILE else f" --db {shlex.quote(str(journal))}"
