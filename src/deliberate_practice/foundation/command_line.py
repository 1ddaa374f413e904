"""Commands that a message proposes, written so that they can be pasted into a shell."""

from __future__ import annotations

import shlex


def command(*words: object) -> str:
    """A command of this package; words with blanks or special characters are quoted.

    >>> command("ask", "my night", "--db", "lab.db")
    "deliberate ask 'my night' --db lab.db"
    """
    return shlex.join(["deliberate", *map(str, words)])
