"""``deliberate import-lerobot``: priors from labelled episodes of LeRobot datasets."""

from __future__ import annotations

from pathlib import Path

import click

from deliberate_practice.cli.output import print_json


@click.command("import-lerobot")
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...", type=Path)
@click.option(
    "--format",
    "output",
    type=click.Choice(["toml", "json"]),
    default="toml",
    help="A part of a task file (default), or one JSON object.",
)
def import_lerobot_command(datasets: tuple[Path, ...], output: str) -> None:
    """Print priors for a task file, from the labelled episodes of LeRobot datasets.

    DATASET is the folder of a dataset (layout v3) whose frames have next.success. The episodes of
    several datasets follow each other. Each task of the datasets becomes a skill: its competence
    after all episodes, and its curve from there on.

    \b
    Examples:
      deliberate import-lerobot ~/.cache/huggingface/lerobot/lab/rollout_open
      deliberate import-lerobot datasets/rollout_open-* >> my_task.toml
    """
    from deliberate_practice.study.lerobot import lerobot_priors

    priors = lerobot_priors(datasets)
    if output == "json":
        print_json({"priors": [vars(prior) for prior in priors]})
    else:
        click.echo("\n".join(prior.toml() for prior in priors), nl=False)
