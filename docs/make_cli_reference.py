"""Write docs/cli.md from the commands' own help; a test checks that it is up to date."""

from __future__ import annotations

from pathlib import Path

import click

from deliberate_practice.cli.app import cli

TARGET = Path(__file__).with_name("cli.md")


def reference() -> str:
    """The whole page."""
    parts = ["# Command line", "Written by `make reference` from `deliberate COMMAND --help`."]
    for name, command in (("", cli), *cli.commands.items()):
        full = f"deliberate {name}".strip()
        context = click.Context(command, info_name=full, max_content_width=100, terminal_width=100)
        parts += [f"## `{full}`", f"```\n{command.get_help(context)}\n```"]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
