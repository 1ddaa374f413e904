"""Write docs/cli.md from the commands' own help; a test checks that it is up to date."""

from __future__ import annotations

from pathlib import Path

import click

from deliberate_practice.cli.app import cli

TARGET = Path(__file__).with_name("cli.md")


def reference() -> str:
    """The whole page."""
    parts = [
        "# Command line",
        "Written by `make reference` from `deliberate COMMAND --help`. Where another program has "
        "the name `deliberate`, `python -m deliberate_practice COMMAND` is the same.",
    ]
    root = click.Context(cli, info_name="deliberate", terminal_width=84, **cli.context_settings)
    contexts = [
        command.make_context(name, [], root, resilient_parsing=True)
        for name, command in cli.commands.items()
    ]
    for context in (root, *contexts):
        help_text = context.command.get_help(context)
        parts += [f"## `{context.command_path}`", f"```\n{help_text}\n```"]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
