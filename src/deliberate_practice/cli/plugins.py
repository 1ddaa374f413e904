"""``deliberate plugins``: every part that can be chosen by name."""

from __future__ import annotations

import click

from deliberate_practice.cli.output import console, print_json, table
from deliberate_practice.cli.session_options import format_option


@click.command("plugins")
@format_option
def plugins_command(output: str) -> None:
    """List every part that can be chosen by name, and where it comes from.

    Other packages offer parts through the entry points deliberate_practice.strategies, .beliefs,
    .learners, .robots, .domains and .charts.

    \b
    Examples:
      deliberate plugins
      deliberate plugins --format json
    """
    from deliberate_practice.study.parts import REGISTRIES

    offers = [(kind, offer) for kind, registry in REGISTRIES.items() for offer in registry.offers()]
    if output == "json":
        kinds: dict[str, list[dict[str, str]]] = {kind: [] for kind in REGISTRIES}
        for kind, offer in offers:
            kinds[kind].append(vars(offer))
        print_json(kinds)
        return
    rows = [[kind, offer.name, offer.origin] for kind, offer in offers]
    console().print(table(["kind", "name", "from"], rows))
