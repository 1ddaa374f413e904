"""Write docs/results.md from the sessions of the studies; a test compares the two.

python docs/make_results.py                                   from the sessions in studies/measured
python docs/make_results.py results/paper/results.sqlite      pack those of `make paper` first
python docs/make_results.py results/kitchen/results.sqlite    or those of `make paper-kitchen`
python docs/make_results.py results/metaworld/results.sqlite  or those of Meta-World
"""

from __future__ import annotations

import gzip
import itertools
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from deliberate_practice.study.cell import CellResult, rewards_by_seed
from deliberate_practice.study.grouping import grouped
from deliberate_practice.study.loaded import Loaded, load
from deliberate_practice.study.results import Results
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.statistics import improvement_by_seed, is_settled
from deliberate_practice.study.study_file import read_study
from deliberate_practice.study.summary import Row, number_of_seeds

STUDIES = Path(__file__).parents[1] / "studies"
PACKED = {
    study: STUDIES / "measured" / f"{name}-sessions.sqlite.gz"
    for study, name in {
        "paper": "paper",
        "kitchen": "kitchen",
        "workshop-metaworld-execute": "metaworld",
    }.items()
}
"""The sessions of each study."""
TARGET = Path(__file__).with_name("results.md")
NO_BREAK = "\u00a0"
"""A space at which no line ends."""
INTRODUCTION = """# All results of the studies

`make results` writes this page from the sessions in `studies/measured`: those of `make paper`, on
which [the claims](reproduction.md) are judged, those of `make paper-kitchen`, which
[Kitchen](kitchen.md) sums up, and those of `examples/metaworld/study.py`
([Meta-World](robots.md#meta-world)).

- **Cells**: the mean reward with its 95 % bootstrap interval over seeds; where the true curves are
  known, its share of the clairvoyant's; the number of sessions that chose each goal in the end.
- **Executions**: the skill executions of a session, tests and approaches included, as means for
  each budget.
- **Settled**: one strategy earned more than another with the same seed so often that the exact
  95 % interval excludes one half ([the rule](studies.md#report)).

| experiments | question |
|---|---|
| `cleanup`, `cleanup-paper` | Cleanup in physics: with our learner, with the paper's |
| `readings-*` | how the paper measures competence |
| `cleanup-multi`, `breakfast`, and either with `-paper` | the other tasks in physics |
| `cleanup-half-friction`, `-double-noise`, `-aside`, `-fine-step` | changed scenes |
| `*-curves`, `breakfast-curves-free` | the same tasks without physics |
| `cleanup-rates-*`, `-start-*`, `-harder`, `-easier` | stated curves that are wrong |
| `kitchen*`, `workshop-metaworld-*` | Kitchen and Meta-World |"""


def page() -> str:
    """The whole page."""
    parts = (part for packed in PACKED.values() if packed.exists() for part in _study(packed))
    return "\n\n".join([INTRODUCTION, *parts]) + "\n"


def _study(sessions: Path) -> list[str]:
    """The experiments of a study."""
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder) / "results.sqlite"
        with gzip.open(sessions) as packed, unpacked.open("wb") as file:
            shutil.copyfileobj(packed, file)
        with closing(Results(unpacked)) as results:
            return [_experiment(loaded, results) for loaded in results.experiments()]


def _experiment(loaded: Loaded, results: Results) -> str:
    finished = Finished(loaded, tuple(results.known(loaded).values()))
    asked, done = finished.experiment, len(finished.sessions)
    if done < len(asked.cells):
        return f"## {asked.name}\n\nNot finished: {done} of {len(asked.cells)} sessions."
    rows = finished.rows
    seeds = number_of_seeds([row.seeds for row in rows])
    learner = " and ".join(f"`{name}`" for name in asked.learners)
    measured = f"; a plan is executed {finished.executions} times" if finished.executions else ""
    truth = ", ".join(f"{name} × {factor:g}" for name, factor in asked.truth.items())
    said = [
        f"## {asked.name}",
        f"{loaded.task.name.capitalize()} on `{asked.robot}`, approaches "
        f"{'free' if asked.approach == 'free' else 'executed'}, learner {learner}, {seeds}"
        f"{measured}.{f' The truth is not as stated: {truth}.' if truth else ''}",
        "\n".join(_table(rows)),
        _settled(finished.sessions),
    ]
    return "\n\n".join(said)


def _table(rows: Sequence[Row]) -> Iterable[str]:
    budgets = list(dict.fromkeys(row.budget for row in rows))
    columns = ["strategy", "belief", *map(str, budgets), "executions"]
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    for (strategy, belief, _), mine in grouped(rows, _part).items():
        by_budget = {row.budget: row for row in mine}
        cells = [_cell(by_budget[budget]) if budget in by_budget else "" for budget in budgets]
        executions = ", ".join(f"{row.skill_executions:.0f}" for row in mine)
        yield f"| {' | '.join([f'`{strategy}`', belief, *cells, executions])} |"


def _part(row: Row) -> tuple[str, str, str]:
    return row.strategy, row.belief, row.learner


def _cell(row: Row) -> str:
    ends = f" ({row.ci95[0]:.2f}{NO_BREAK}to{NO_BREAK}{row.ci95[1]:.2f})" if row.ci95 else ""
    part = f", {row.fraction:.0%}".replace("%", " %") if row.fraction is not None else ""
    goals = ", ".join(f"{goal} {row.goals[goal]}" for goal in sorted(row.goals))
    return f"{row.mean:.2f}{ends}{part};<br>{goals}"


def _settled(sessions: Sequence[CellResult]) -> str:
    """The settled pairs, for each belief and budget."""
    lines = []
    for (belief, budget), mine in grouped(sessions, _company).items():
        rewards = rewards_by_seed(mine)
        beaten: dict[str, list[str]] = {}
        for first, second in itertools.combinations(rewards, 2):
            better = improvement_by_seed(rewards[first], rewards[second])
            if better and is_settled(better):
                won, lost = (first, second) if better.value > 0.5 else (second, first)
                beaten.setdefault(won, []).append(f"`{lost}`")
        said = [f"`{won}` over {', '.join(lost)}" for won, lost in beaten.items()]
        if said:
            lines.append(f"- {belief}, {budget}: {'; '.join(said)}")
    return "\n".join(["Settled pairs:", "", *lines]) if lines else "No pair is settled."


def _company(session: CellResult) -> tuple[str, int]:
    return session.cell.belief, session.cell.budget


def pack(source: Path) -> None:
    """Pack the sessions of a file of results, with the experiments of its study file as it is now.

    A study that Python ran has no file, and is packed as it was run.
    """
    with closing(sqlite3.connect(source)) as results:
        (name,) = results.execute("SELECT DISTINCT study FROM experiments").fetchone()
    file = STUDIES / f"{name}.toml"
    with tempfile.TemporaryDirectory() as folder:
        copy, small = Path(folder) / "results.sqlite", Path(folder) / "small.sqlite"
        with closing(sqlite3.connect(source)) as results:
            results.execute("VACUUM INTO ?", (str(copy),))
        if file.exists():
            study = read_study(file)
            with closing(Results(copy)) as results:
                results.declare(study.name, [load(study.name, one) for one in study.experiments])
        with closing(sqlite3.connect(copy)) as results:
            results.execute("VACUUM INTO ?", (str(small),))
        PACKED[name].write_bytes(gzip.compress(small.read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    if sys.argv[1:]:
        pack(Path(sys.argv[1]))
    TARGET.write_text(page(), encoding="utf-8")
