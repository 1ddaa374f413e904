"""Priors from labelled episodes of LeRobot datasets."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import runner
from lerobot_data import write_dataset

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.study.lerobot import labelled_episodes, lerobot_priors
from deliberate_practice.task.toml_reader import parse_task

pytest.importorskip("pyarrow")


def _improving(count: int, seed: int = 0) -> list[bool]:
    """Labels of a policy with f(b) = .1 + .8 (1 - exp(-.05 b))."""
    f = 0.9 - 0.8 * np.exp(-0.05 * np.arange(count))
    return [bool(label) for label in np.random.default_rng(seed).random(count) < f]


def test_labels_are_read_in_order_with_their_tasks(tmp_path: Path) -> None:
    episodes = [("Open", False), ("Close", True), ("Open", True), ("Open", True), ("Open", False)]
    folder = write_dataset(tmp_path / "d", episodes, chunk=2)
    assert labelled_episodes(folder) == episodes


def test_the_curve_of_an_improving_policy_is_found(tmp_path: Path) -> None:
    found = []
    for seed in range(20):
        labels = _improving(80, seed)
        folder = tmp_path / str(seed)
        write_dataset(folder, [("Open", label) for label in labels], chunk=80)
        (prior,) = lerobot_priors(folder)
        assert (prior.episodes, prior.successes) == (80, sum(labels))
        assert prior.competence <= prior.ceiling <= 1
        found.append(prior)
    mean = np.mean([prior.competence for prior in found])
    assert 0.885 - 0.06 < mean < 0.885 + 0.01  # 80 episodes leave some doubt, which lowers it
    assert np.std([prior.competence for prior in found]) < 0.07
    assert 0.02 < np.median([prior.rate for prior in found]) < 0.1


@pytest.mark.parametrize(("label", "low", "high"), [(True, 0.85, 0.99), (False, 0.02, 0.25)])
def test_equal_labels_are_no_certainty(
    tmp_path: Path, label: bool, low: float, high: float
) -> None:
    (prior,) = lerobot_priors(write_dataset(tmp_path / "d", [("Open", label)] * 20))
    assert low < prior.competence < high
    assert prior.competence < prior.ceiling < 1


def test_episodes_of_several_datasets_follow_each_other(tmp_path: Path) -> None:
    labels = _improving(30)
    whole = write_dataset(tmp_path / "whole", [("Open", label) for label in labels])
    parts = [
        write_dataset(tmp_path / f"part-{n}", [("Open", label)]) for n, label in enumerate(labels)
    ]
    assert lerobot_priors(parts) == lerobot_priors(whole)


def test_the_command_prints_a_part_of_a_task_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(monkeypatch, capsys)
    pairs = [("Open the drawer", label) for label in _improving(20)] + [("Close", True)] * 5
    folder = write_dataset(tmp_path / "d", pairs)
    printed = run(f"import-lerobot {folder}")
    assert printed.status == 0, printed.err
    head = 'name = "t"\nvariables = { drawer = ["shut", "open"] }\n'
    goal = 'goals = [{ name = "g", reward = 1.0, when = { drawer = "open" } }]\n'
    steps = 'precondition = { drawer = "shut" }\neffect = { drawer = "open" }\nname ='
    task = parse_task(head + goal + printed.out.replace("name =", steps))
    data = run(f"import-lerobot {folder} --format json").data["priors"]
    assert [skill.name for skill in task.skills] == ["Open the drawer", "Close"]
    assert [skill.competence for skill in task.skills] == [row["competence"] for row in data]


def _rewritten(folder: Path, part: str, column: str, values: list[Any]) -> Path:
    """The dataset with other values in a column of its only file."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    (file,) = (folder / part).glob("*/*.parquet")
    table = parquet.read_table(file)
    place, kind = table.column_names.index(column), table.schema.field(column).type
    changed = table.set_column(place, column, arrow.array(values, kind))
    parquet.write_table(changed, file)
    return folder


def test_datasets_without_labels_are_skipped_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(monkeypatch, capsys)
    labels: list[tuple[str, bool | None]] = [("Open", True), ("Open", None), ("Open", False)]
    for number, pair in enumerate(labels, 1):
        write_dataset(tmp_path / f"rollout-{number}", [pair])
    alone = run(f"import-lerobot {tmp_path}/rollout-1 {tmp_path}/rollout-3")
    mixed = run(f"import-lerobot {' '.join(map(str, sorted(tmp_path.glob('rollout-*'))))}")
    assert (mixed.status, mixed.out) == (0, alone.out)
    assert (alone.err, mixed.err) == (
        "",
        "deliberate: skipped 1 dataset without labels: rollout-2\n",
    )
    nulls = _rewritten(
        write_dataset(tmp_path / "n", labels[:1]), "data", "next.success", [None] * 3
    )
    with pytest.warns(UserWarning, match="skipped 2 datasets without labels: rollout-2, n"):
        (prior,) = lerobot_priors([tmp_path / "rollout-2", nulls, tmp_path / "rollout-3"])
    assert (prior.episodes, prior.successes) == (1, 0)
    with pytest.raises(ArgumentError, match="rollout-2: its episodes have no labels: feature"):
        lerobot_priors(tmp_path / "rollout-2")
    with pytest.raises(ArgumentError, match=r"all their next\.success are null"):
        lerobot_priors([tmp_path / "rollout-2", nulls])


def test_episodes_whose_labels_are_null_are_skipped(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "d", [("Open", True), ("Open", False), ("Open", True)])
    labels = [None, None, True, None, None, None, None, False, None]
    _rewritten(folder, "data", "next.success", labels)
    assert labelled_episodes(folder) == [("Open", True), ("Open", False)]


@pytest.mark.parametrize("tasks", [None, [None], []])
def test_an_episode_with_a_label_and_no_task_is_named(tmp_path: Path, tasks: Any) -> None:
    folder = write_dataset(tmp_path / "d", [("Open", True), ("Open", False)])
    _rewritten(folder, "meta/episodes", "tasks", [["Open"], tasks])
    with pytest.raises(ArgumentError, match="meta/episodes names no task for episode 1, which has"):
        labelled_episodes(folder)
    _rewritten(folder, "data", "next.success", [True] * 3 + [None] * 3)
    assert labelled_episodes(folder) == [("Open", True)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"codebase_version": "v2.1"}, "its layout is v2.1; convert it to v3.0 with LeRobot's"),
        ({"features": {"action": {}}}, "no labels: feature 'next.success' is not one of: action"),
        ({"features": None}, "meta/info.json cannot be read"),
    ],
)
def test_other_datasets_are_refused(tmp_path: Path, change: object, message: str) -> None:
    folder = write_dataset(tmp_path / "d", [("Open", True)])
    info = folder / "meta" / "info.json"
    assert isinstance(change, dict)
    info.write_text(json.dumps({**json.loads(info.read_text()), **change}))
    with pytest.raises(ArgumentError, match=message):
        lerobot_priors(folder)


def test_damaged_and_missing_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ArgumentError, match=r"there is no meta/info.json; name the folder of"):
        lerobot_priors(tmp_path)
    folder = write_dataset(tmp_path / "d", [("Open", True)])
    (file,) = (folder / "data").glob("*/*.parquet")
    file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(ArgumentError, match=r"file-000.parquet: it cannot be read"):
        lerobot_priors(folder)
    file.unlink()
    with pytest.raises(ArgumentError, match="there is no Parquet file in data"):
        lerobot_priors(folder)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ArgumentError) as refused:
        lerobot_priors(folder)
    assert str(refused.value).endswith(f"run: {install_command('lerobot')}")
