"""Priors from labelled episodes of LeRobot datasets (layout v3)."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray
from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.foundation.installing import install_command

SUCCESS = "next.success"
"""The field of a frame that holds the label."""
STARTS = np.linspace(0.02, 0.98, 25)
RATES = np.geomspace(0.003, 0.3, 16)
DECIMALS = 4


@dataclass(frozen=True)
class LeRobotPrior:
    """What labelled episodes say about the policy of one task.

    Attributes:
        task: The task, as the dataset words it.
        episodes, successes: How many episodes have a label, and how many of them succeeded.
        competence: Competence after all of them.
        rate, ceiling: The exponential curve from there on.
    """

    task: str
    episodes: int
    successes: int
    competence: float
    rate: float
    ceiling: float

    def toml(self) -> str:
        """The prior as a part of a task file; precondition and effect are the user's to add."""
        return (
            f"# {self.successes} successes in {self.episodes} episodes\n"
            f"[[skills]]\nname = {json.dumps(self.task, ensure_ascii=False)}\n"
            f"competence = {self.competence}\n"
            f'curve = {{ kind = "exponential", rate = {self.rate}, ceiling = {self.ceiling} }}\n'
        )


def lerobot_priors(datasets: str | Path | Sequence[str | Path]) -> list[LeRobotPrior]:
    """A prior for each task of labelled LeRobot datasets, in the order of their first episodes.

    Of several datasets, those without labels are skipped with a warning.

    Args:
        datasets: The folder of a dataset, or of several whose episodes follow each other.

    Raises:
        ArgumentError: A folder is no such dataset, none has labels, or pyarrow is not installed.
    """
    folders = [datasets] if isinstance(datasets, str | Path) else list(datasets)
    labels: dict[str, list[bool]] = {}
    skipped: list[str] = []
    for folder in folders:
        try:
            episodes = labelled_episodes(folder)
        except _Unlabelled:
            skipped.append(Path(folder).name)
            if len(skipped) == len(folders):
                raise
            continue
        for task, success in episodes:
            labels.setdefault(task, []).append(success)
    if skipped:
        some = f"{len(skipped)} dataset{'s' * (len(skipped) > 1)}"
        warnings.warn(f"skipped {some} without labels: {', '.join(skipped)}", stacklevel=2)
    return [_prior(task, np.array(successes)) for task, successes in labels.items()]


def labelled_episodes(folder: str | Path) -> list[tuple[str, bool]]:
    """The task of each labelled episode of a dataset and whether it succeeded, in order.

    An episode has succeeded if one of its frames says so. It has no label if all of its frames say
    nothing.

    Raises:
        ArgumentError: The folder is no such dataset, has no labels, or pyarrow is not installed.
    """
    folder = Path(folder)
    _check_info(folder)
    tasks = {
        row["episode_index"]: " ".join(row["tasks"])
        for row in _rows(folder, "meta/episodes", ["episode_index", "tasks"])
        if row["tasks"] and None not in row["tasks"]
    }
    successes: dict[int, bool] = {}
    for row in _rows(folder, "data", ["episode_index", SUCCESS]):
        said = row[SUCCESS] if isinstance(row[SUCCESS], list) else [row[SUCCESS]]
        if any(label is not None for label in said):
            number = row["episode_index"]
            successes[number] = successes.get(number, False) or any(said)
    if not successes:
        raise _Unlabelled(f"{folder}: its episodes have no labels: all their {SUCCESS} are null.")
    missing = [number for number in successes if number not in tasks]
    if missing:
        raise ArgumentError(
            f"{folder}: meta/episodes names no task for episode {missing[0]}, which has a label."
        )
    return [(tasks[number], successes[number]) for number in sorted(successes)]


class _Unlabelled(ArgumentError):
    """A dataset whose episodes have no labels."""


def _check_info(folder: Path) -> None:
    """Refuse what is not a labelled dataset of layout v3."""
    try:
        info = json.loads((folder / "meta" / "info.json").read_text(encoding="utf-8"))
        version, features = str(info["codebase_version"]), list(info["features"])
    except FileNotFoundError:
        raise ArgumentError(
            f"{folder}: there is no meta/info.json; name the folder of a LeRobot dataset, e.g. "
            "~/.cache/huggingface/lerobot/user/name."
        ) from None
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ArgumentError(f"{folder}: meta/info.json cannot be read: {error}.") from None
    if not version.startswith("v3"):
        raise ArgumentError(
            f"{folder}: its layout is {version}; convert it to v3.0 with LeRobot's "
            "convert_dataset_v21_to_v30."
        )
    if SUCCESS not in features:
        raise _Unlabelled(
            f"{folder}: its episodes have no labels: feature {choose_from(SUCCESS, features)} "
            "docs/robots.md says how to label them."
        )


def _rows(folder: Path, part: str, columns: list[str]) -> Iterable[dict[str, Any]]:
    """Some columns of all Parquet files of a part, in order."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ModuleNotFoundError:
        raise ArgumentError(
            f"import-lerobot: the package pyarrow is not installed; run: "
            f"{install_command('lerobot')}"
        ) from None
    files = sorted((folder / part).glob("*/*.parquet"))
    if not files:
        raise ArgumentError(f"{folder}: there is no Parquet file in {part}; record episodes first.")
    for file in files:
        try:
            yield from parquet.read_table(file, columns=columns).to_pylist()
        except (OSError, arrow.ArrowException, KeyError) as error:
            raise ArgumentError(f"{file}: it cannot be read: {error}.") from None


def _prior(task: str, successes: BoolArray) -> LeRobotPrior:
    """The posterior means of exponential curves, f(b) = c + (C - c)(1 - exp(-r b)).

    All starts c, ceilings C >= c and rates r of a grid are equally likely beforehand, so few
    episodes leave much to learn, and neither 0 nor all successes give a certain answer.
    """
    start, ceiling, rate = (axis.ravel() for axis in np.meshgrid(STARTS, STARTS, RATES))
    rising = ceiling >= start
    start, ceiling, rate = start[rising], ceiling[rising], rate[rising]
    log = np.zeros(len(start))
    for b, success in enumerate(successes):
        f = ceiling - (ceiling - start) * np.exp(-rate * b)
        log += np.log(f if success else 1 - f)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    now = ceiling - (ceiling - start) * np.exp(-rate * len(successes))
    return LeRobotPrior(
        task,
        len(successes),
        int(successes.sum()),
        round(float(weight @ now), DECIMALS),
        round(float(np.exp(weight @ np.log(rate))), DECIMALS),
        round(float(weight @ ceiling), DECIMALS),
    )
