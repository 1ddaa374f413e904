"""``deliberate completion``: let the shell complete commands, options and tasks."""

from __future__ import annotations

import click

HINTS = {
    "bash": "deliberate completion bash >> ~/.bashrc",
    "zsh": "deliberate completion zsh >> ~/.zshrc",
    "fish": "deliberate completion fish > ~/.config/fish/completions/deliberate.fish",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(HINTS)))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print a script that makes a shell complete this command.

    \b
    Examples:
      deliberate completion bash >> ~/.bashrc
      deliberate completion zsh >> ~/.zshrc
      deliberate completion fish > ~/.config/fish/completions/deliberate.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # every choice above has one
    click.echo(kind(ctx.find_root().command, {}, "deliberate", "_DELIBERATE_COMPLETE").source())
