"""``deliberate plugins``: every part that can be chosen by name."""

from __future__ import annotations

import click

from deliberate_practice.cli.options import format_option
from deliberate_practice.cli.output import console, print_json, table


@click.command("plugins")
@format_option
def plugins_command(output: str) -> None:
    """List every part that can be chosen by name. Each is listed with its source.

    Other packages offer parts through the entry points deliberate_practice.strategies, .beliefs,
    .learners, .robots, .domains, .charts and .sinks.

    \b
    Examples:
      deliberate plugins
      deliberate plugins --format json
    """
    from deliberate_practice.study.parts import REGISTRIES

    kinds = {kind: registry.offers() for kind, registry in REGISTRIES.items()}
    if output == "json":
        print_json({kind: [vars(offer) for offer in offers] for kind, offers in kinds.items()})
        return
    rows = [[kind, offer.name, offer.origin] for kind, offers in kinds.items() for offer in offers]
    console().print(table(["kind", "name", "from"], rows))
