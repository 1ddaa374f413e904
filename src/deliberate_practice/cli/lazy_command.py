"""A command that is listed without being imported."""

from __future__ import annotations

import importlib
from typing import Any

import click


class LazyCommand(click.Command):
    """Stands for a command until it is used: ``--help`` and completion only list it.

    Args:
        name: What the user types.
        module: The module of this package that has the command, as ``<name>_command`` (_ for -).
        help: The first sentence of the command's own help, short enough for a list.
    """

    def __init__(self, name: str, module: str, help: str) -> None:
        super().__init__(name, help=help)
        self._module = module

    def load(self) -> click.Command:
        """The command itself."""
        module = importlib.import_module(f"{__package__}.{self._module}")
        assert self.name is not None
        command = getattr(module, f"{self.name.replace('-', '_')}_command")
        assert isinstance(command, click.Command)  # a test loads every one
        return command

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """A context of the command itself, which click then parses, completes and invokes."""
        return self.load().make_context(info_name, args, parent, **extra)
