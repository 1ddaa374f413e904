"""Write docs/benchmark-lab.md from the sessions of the lab benchmark; a test compares the two.

python benchmarks/lab_page.py            from the sessions in studies/measured
python benchmarks/lab_page.py FILE.csv   pack those of benchmarks/lab.py --out FILE.csv first
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from lab_results import Session, sessions_of
from lab_scores import COLUMNS, OURS, by_task, difference, rows, worst
from lab_tasks import BUDGETS

ROOT = Path(__file__).parents[1]
PACKED = ROOT / "studies" / "measured" / "lab-sessions.csv.gz"
TARGET = ROOT / "docs" / "benchmark-lab.md"
PAGE = """# Benchmark: lab tasks

In an ordinary lab, failures can be recovered: a grind is tried again, spilled milk is refilled, a
part falls back to its earlier place. How much of the possible reward does each strategy earn there?

{verdict}

```sh
python benchmarks/lab.py --seeds {seeds} --out lab.csv    # may be stopped, and goes on
python benchmarks/lab_page.py lab.csv                # writes this page
```

- **Tasks**: {tasks} random stations (`benchmarks/lab_tasks.py`) with 6 to 12 skills and 2 to 4
  goals. Failures may be retried, set a line back, make a mess that another skill mends, or end the
  episode. Costs are unequal, and some tasks have two starts. Stated curves are uncertain, and some
  skills cannot be learned. Generator and seeds were fixed before any strategy was run on them.
- **Sessions**: budgets of {budgets} units, {seeds} seeds each, on the synthetic robot. All
  strategies have the belief `{belief}`.
- **Score**: the true value of the robot's own plan in the end, relative to the best split for the
  true curves. With executed approaches that split pays for its approaches, in expectation; with
  free ones it is the clairvoyant's.
- **Intervals** are bootstrap intervals over tasks; differences are paired by task.

## Executed approaches

{execute}

Worst tasks of `{ours}`: {worst_execute}. In packing-15 the delivery of the product
that is easier to make never improves (0.15), although it is stated to reach 0.95.

## Free approaches

{free}

Worst tasks of `{ours}`: {worst_free}.

## What executed approaches cost

With executed approaches `{ours}` earns {ratio} of what it earns with free ones. Relative to the
clairvoyant, who never pays for an approach, the difference is {cost}.
"""


def page(packed: Path = PACKED) -> str:
    """The whole page."""
    with gzip.open(packed, "rt", encoding="utf-8") as file:
        head, _, *lines = file.read().splitlines()
    arguments = json.loads(head.removeprefix("# "))
    found = sorted(sessions_of(lines), key=lambda session: session.seed)
    by_kind = {
        words: [session for session in found if session.approach == kind]
        for words, kind in (("executed", "execute"), ("free", "free"))
    }
    execute, free = by_kind.values()
    earned, possible = _earned(execute), _earned(free)
    return PAGE.format(
        tasks=len(by_task(found, OURS)),
        seeds=arguments["seeds"],
        budgets=" and ".join(map(str, BUDGETS)),
        belief=arguments["belief"],
        ours=OURS,
        execute="\n".join(_table(execute)),
        free="\n".join(_table(free)),
        verdict=" ".join(_verdict(kind, mine) for kind, mine in by_kind.items()),
        worst_execute=worst(execute),
        worst_free=worst(free),
        cost=difference([earned[task] - possible[task] for task in earned]),
        ratio=f"{100 * sum(earned.values()) / sum(possible.values()):.0f} %",
    )


def _verdict(kind: str, found: Sequence[Session]) -> str:
    """Our share with one kind of approaches, and the best of the others."""
    shares = {name: float(cells[0]) for name, *cells in rows(found)}
    best = max((name for name in shares if name != OURS), key=lambda name: shares[name])
    return (
        f"With {kind} approaches `{OURS}` earns {shares[OURS]:.2f} of it, and the best of the "
        f"others, `{best}`, {shares[best]:.2f}."
    )


def _earned(found: Sequence[Session]) -> dict[int, float]:
    """What our strategy earned on each task, relative to the clairvoyant."""
    parts: dict[int, list[float]] = {}
    for session in found:
        if session.method == OURS:
            parts.setdefault(session.seed, []).append(session.earned / session.clairvoyant)
    return {seed: sum(mine) / len(mine) for seed, mine in parts.items()}


def _table(found: Sequence[Session]) -> Iterator[str]:
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|---" + "|---:" * (len(COLUMNS) - 1) + "|"
    for name, *cells in rows(found):
        yield f"| `{name}` | {' | '.join(cells)} |"


def pack(sessions: Path) -> None:
    """Keep the sessions of a run, the same bytes for the same sessions."""
    head, names, *lines = sessions.read_text(encoding="utf-8").splitlines()
    text = "\n".join([head, names, *sorted(lines, key=lambda line: int(line.split(",")[0]))])
    PACKED.write_bytes(gzip.compress(f"{text}\n".encode(), mtime=0))


if __name__ == "__main__":
    if sys.argv[1:] and not Path(sys.argv[1]).is_file():
        print(
            f"{sys.argv[1]} is not there; write it with benchmarks/lab.py --out.", file=sys.stderr
        )
        sys.exit(2)
    if sys.argv[1:]:
        pack(Path(sys.argv[1]))
    TARGET.write_text(page(), encoding="utf-8")
