"""Write the tables of pages from what was measured, and short ones from long ones.

Tables of what was measured come from the files in studies/measured. Frontiers are computed anew. A
test compares the pages, so every figure has one source.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import deliberate_practice as dp
from deliberate_practice.study.frontiers import (
    FrontierStudy,
    another_hour,
    frontier_study,
    parts_left,
)
from deliberate_practice.study.wrong_priors import STATED, VARIANTS

HERE = Path(__file__).parent
MEASURED = HERE.parent / "studies" / "measured"
PAPER = "running-average:estimator=window"
"""The belief of the paper in the benchmark."""
ROWS = {
    "`deliberate` on `bayes`": ("deliberate", "bayes"),
    "the paper's rule": ("deliberate-paper", PAPER),
    "the paper's rule on `bayes`": ("deliberate-paper", "bayes"),
    "`ees`": ("ees", PAPER),
    "`ees` on `bayes`": ("ees", "bayes"),
    "`random`": ("random", "bayes"),
}
AVERAGE = "running-average"
READINGS = {
    AVERAGE: "charged tests",
    f"{AVERAGE}:charged=false": "free tests",
    f"{AVERAGE}:estimator=window": "samples",
}
"""How p_t may be measured, by belief."""
SETTINGS = {
    "readings-paper-executed": "`cma-es-paper`, 180 | executed",
    "readings-paper-free": "`cma-es-paper`, 180 | free",
    "readings-executed": "`cma-es`, 100 | executed",
    "readings-free": "`cma-es`, 100 | free",
}
"""Learner, budget and approaches, by experiment."""
SCENES = {
    "cleanup": "as it is",
    "cleanup-half-friction": "half the friction",
    "cleanup-double-noise": "double noise",
    "cleanup-aside": "cabinet 8 cm aside",
    "cleanup-fine-step": "a step of 2 ms instead of 4",
}
"""What is changed in the scene, by experiment."""
COMPARED = ("deliberate", "deliberate-paper", "ees")
WRONG = {
    "cleanup-curves": STATED,
    "cleanup-rates-half": "rates × 1/2",
    "cleanup-rates-double": "rates × 2",
    "cleanup-start-lower": "start −30 %",
    "cleanup-start-higher": "start +30 %",
    "cleanup-harder": "competence −30 %",
    "cleanup-easier": "competence +30 %",
}
"""Which true curves differ from the stated ones, by experiment."""
REACH = {"cleanup": 310, "cleanup-multi": 760, "breakfast": 120}
"""The largest budget examined, by task."""
BUDGETS = {"cleanup": (100, 150, 250), "cleanup-multi": (400, 440, 500), "breakfast": (30, 60)}
EPISODE_SECONDS = 60.0
WORLDS = {
    "gaps, free approaches": "every second pair of skills loses 10 to 50 %",
    "no gaps, free approaches": "no composition gaps",
}
PROBES = (
    "| worlds | error of the forecast at the end, without and with probes | "
    "reward without probes | with probes, difference | probes |"
)
GROWTH = (
    "| task | skills | states that matter | grounding, CPU | `auto`, CPU | wall | memory | gap |"
)
AGAIN = "| study | experiments | sessions | the same reward | the same to the last bit |"
TABLE = r"(?<=^{}\n)(?:\|.*\n)+"
"""The table below its heading, up to its end."""


def pages() -> dict[Path, str]:
    """The pages with the figures of their sources."""
    import breakfast_tables  # of benchmarks
    import kept_tables
    import physics_tables
    import solver_tables

    tables = {
        "practice.md": {
            "| strategy, belief | free approaches | executed approaches |": _strategies(),
            "| strategy | prior competence 0.1 | prior competence 0.3 |": kept_tables.ties(),
            "| parameters, half width [prior sd] | `cma-es-paper` | `cma-es` |": (
                kept_tables.learners()
            ),
            PROBES: _probes(),
            "| command | Cleanup | Coffee |": kept_tables.startup(),
            "| budget spent when it was stated | 0 % | 25 % | 50 % | 75 % |": _forecasts(),
        },
        "breakfast.md": {
            "| strategy | 30 episodes | 70 episodes |": _results(
                "breakfast-paper", "running-average"
            ),
            "| strategy | 20 episodes | 40 episodes |": _results("breakfast", "bayes"),
            **breakfast_tables.tables(MEASURED),
        },
        "kitchen.md": {
            "| strategy | 40 episodes | 90 episodes | 150 episodes |": _results("kitchen", "bayes"),
            "| on `running-average` | 40 episodes | 90 episodes | 150 episodes |": _results(
                "kitchen-running-average", AVERAGE
            ),
            "| failures stay | 40 episodes | 90 episodes | 150 episodes |": _results(
                "kitchen-physical", "bayes"
            ),
            "| failures stay, on `running-average` | 40 episodes | 90 episodes | 150 episodes |": (
                _results("kitchen-physical-running-average", AVERAGE)
            ),
            "| strategy | budget | our rule | FrankaKitchen's rule |": kept_tables.published(),
            **physics_tables.of_kitchen(),
        },
        "simulation.md": physics_tables.of_cleanup(),
        "robots.md": {
            "| strategy | 60 units | 120 units | 240 units |": _results(
                "workshop-metaworld-execute", "bayes"
            ),
        },
        "experience.md": kept_tables.of_experience(),
        "demonstrations.md": {"| stated curves | tasks | difference |": _evaluations()},
        "plan-form.md": {
            "| tasks of Cleanup-Multi | gap | closed | largest gap left | median | longest |": (
                solver_tables.plan_form()
            ),
            "| variant | `auto` closed | longest | SCIP closed | gaps that SCIP left |": (
                solver_tables.plan_form_against_scip()
            ),
        },
        "shared-policies.md": {
            "| graphs | proven optimal | median | longest | SCIP |": solver_tables.sharing(),
        },
        "supersolution.md": {
            "| random tasks | closed | largest gap left | median | longest |": (
                solver_tables.supersolution()
            ),
            "| solver | closed | largest gap left | median | longest |": (
                solver_tables.supersolution_against_scip()
            ),
        },
        "how-it-works.md": {
            GROWTH: solver_tables.growth(),
            "| method | earns |": _coffee(),
        },
        "reproduction.md": {**_claims(), AGAIN: kept_tables.repeated()},
    }
    return {HERE / name: _written(HERE / name, found) for name, found in tables.items()}


def _written(page: Path, tables: dict[str, Iterator[str]]) -> str:
    text = page.read_text(encoding="utf-8")
    for heading, rows in tables.items():
        pattern = re.compile(TABLE.format(re.escape(heading)), re.MULTILINE)
        lines = ["|---" * (heading.count("|") - 1) + "|", *rows]
        text, count = pattern.subn("\n".join(lines) + "\n", text)
        if count != 1:
            raise ValueError(f"{page.name}: there is no table '{heading}'")
    return text


def _strategies() -> Iterator[str]:
    """The mean score of each strategy with free and with executed approaches."""
    free, execute = (_scores(approach) for approach in ("free", "execute"))
    for words, part in ROWS.items():
        cells = [f"{scores[part]:.0%}" if part in scores else "–" for scores in (free, execute)]
        yield f"| {words} | {' | '.join(cells).replace('%', ' %')} |"


def _scores(approach: str) -> dict[tuple[str, str], float]:
    section = _section("benchmark.md", rf"J.*approach {approach}")
    rows = re.findall(r"^\| (\S+) \| (\S+) \| ([\d.]+) \|", section, re.MULTILINE)
    return {(strategy, belief): float(score) for strategy, belief, score in rows}


def _forecasts() -> Iterator[str]:
    """The share of rewards within the band, for each stage."""
    section = _section("benchmark.md", "How often forecasts come true")
    (row,) = re.findall(r"^\| all \|(.*)$", section, re.MULTILINE)
    shares = [cell.split()[0] for cell in row.split("|")[:4]]
    yield f"| rewards within the band | {' | '.join(f'{share} %' for share in shares)} |"


def _evaluations() -> Iterator[str]:
    """What evaluations add, by the quality of stated curves."""
    text = (HERE / "benchmark-demonstrations.md").read_text(encoding="utf-8")
    section = text.partition("worth their price?")[2].partition("\n## ")[0]
    yield from re.findall(r"^\| (?!stated).*$", section, re.MULTILINE)


def _coffee() -> Iterator[str]:
    """What methods earn with 60 episodes where failures can be mended."""
    example = runpy.run_path(str(HERE.parent / "examples" / "recoverable.py"))
    task, budget = example["TASK"], 60
    ended = replace(task, skills=[replace(skill, failure="end") for skill in task.skills])
    blind = example["earned"](dp.allocate(ended, budget).allocation)
    study = dp.compare(task, [budget], strategies=["deliberate", "ees"], seeds=20, approach="free")
    ours, greedy = (row.mean for row in study.rows)
    yield f"| the best split | {dp.allocate(task, budget).value:.2f} |"
    yield f"| `deliberate` | {ours:.2f} |"
    yield f"| a model in which every failure ends the episode | {blind:.2f} |"
    yield f"| the greedy rule `ees` | {greedy:.2f} |"


def _probes() -> Iterator[str]:
    """Errors and rewards with probes and without, in random worlds with free approaches."""
    rows = re.findall(
        r"^\| (.*(?:free approaches|physics)) \|(.*)\|$",
        (HERE / "benchmark-probes.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    for name, figures in rows:
        without, informed, _, _, reward, gain, probes = (
            cell.strip() for cell in figures.split("|")
        )
        words = WORLDS.get(name, name)
        yield f"| {words} | {without}, {informed} | {reward} | {gain} | {probes} |"


def _results(experiment: str, belief: str) -> Iterator[str]:
    """The rewards and goals of every strategy of an experiment with one belief."""
    for strategy, mine, cells, _ in _rows(experiment):
        if mine == belief:
            yield f"| `{strategy}` | {cells} |"


def _claims() -> dict[str, Iterator[str]]:
    """The tables of the page that judges the paper's claims."""
    studies = [frontier_study(dp.load_task(task), reach) for task, reach in REACH.items()]
    variants = " | ".join(VARIANTS)
    tables = {
        "| strategy | 100 episodes | 180 episodes | 290 episodes |": _results(
            "cleanup-paper", AVERAGE
        ),
        "| strategy | 60 episodes | 100 episodes | 170 episodes |": _results("cleanup", "bayes"),
        "| strategy | 390 episodes | 560 episodes | 870 episodes |": _results(
            "cleanup-multi-paper", AVERAGE
        ),
        "| strategy | 210 episodes | 300 episodes | 470 episodes |": _results(
            "cleanup-multi", "bayes"
        ),
        "| learner | approaches | p_t from | `deliberate-paper` | `ees` | executions | settled |": (
            _readings()
        ),
        f"| scene | {' | '.join(f'`{name}`' for name in COMPARED)} | settled |": _scenes(),
        f"| strategy, belief | budget | {variants} |": _wrong_priors(),
        f"| task | {variants} |": map(_switches, studies),
        f"| task | {' | '.join(list(VARIANTS)[1:])} |": map(_left, studies),
        "| task | budget | value now | with another hour | gain |": (
            row for study in studies for row in _hours(study)
        ),
    }
    for experiment, words in {
        "cleanup-curves": "100 | 150 | 250",
        "cleanup-multi-curves": "400 | 440 | 500",
        "breakfast-curves": "30 | 60",
    }.items():
        tables[f"| strategy | belief | {words} |"] = _compared(experiment)
    return tables


def _compared(experiment: str) -> Iterator[str]:
    """The rewards and goals of three strategies with every belief."""
    beliefs = {"bayes": "`bayes`"} | {
        b: words for b, words in READINGS.items() if "window" not in b
    }
    for belief, words in beliefs.items():
        rows = [row.split(" | ", 1) for row in _results(experiment, belief)]
        for strategy, cells in rows:
            if strategy.strip("|` ") in COMPARED:
                yield f"{strategy} | {words} | {cells}"


def _readings() -> Iterator[str]:
    """The published rule and its rival by learner, approaches and reading of p_t."""
    for experiment, words in SETTINGS.items():
        cells, settled = _rewards(experiment), _settled(experiment)
        budget = re.findall(r"\d+", words)[0]
        for number, (belief, reading) in enumerate(READINGS.items()):
            mine = [cells[strategy, belief] for strategy in ("deliberate-paper", "ees")]
            rewards = " | ".join(cell[0] for cell, _ in mine)
            won = settled.get((belief, budget), "no")
            first = words if number == 0 else " | "
            yield f"| {first} | {reading} | {rewards} | {mine[0][1]} | {won} |"


def _scenes() -> Iterator[str]:
    """Three strategies at the medium budget, in the scene as it is and changed."""
    for experiment, words in SCENES.items():
        cells = _rewards(experiment)
        index = -2 if experiment == "cleanup" else 0  # it has three budgets
        rewards = " | ".join(cells[strategy, "bayes"][0][index] for strategy in COMPARED)
        won = _settled(experiment, COMPARED).get(("bayes", "100"), "no")
        yield f"| {words} | {rewards} | {won} |"


def _wrong_priors() -> Iterator[str]:
    """Rewards in percent of the clairvoyant's, by strategy, belief and budget."""
    cells = [_rewards(experiment) for experiment in WRONG]
    for strategy in ("deliberate-paper", "deliberate"):
        for belief in (AVERAGE, "bayes"):
            for number, budget in enumerate(BUDGETS["cleanup"]):
                parts = [
                    re.findall(r"\d+ %", found[strategy, belief][0][number]) for found in cells
                ]
                listed = " | ".join(part for (part,) in parts)
                yield f"| `{strategy}`, {belief} | {budget} | {listed} |"


def _switches(study: FrontierStudy) -> str:
    """The budgets from which another goal is the best one, by variant."""
    cells = []
    for found in study.frontiers.values():
        goals = found.goals
        changes = [
            budget
            for budget in range(1, len(goals))
            if goals[budget] != goals[budget - 1] and goals[budget - 1] is not None
        ]
        expected = len({goal for goal in study.stated.goals if goal}) - 1
        cells.append(", ".join([*map(str, changes), *["–"] * (expected - len(changes))]))
    return f"| `{study.task}` | {' | '.join(cells)} |"


def _left(study: FrontierStudy) -> str:
    """The least part of the possible value that a split for the stated priors keeps, by variant."""
    parts = [min(parts_left(study, name).values()) for name in list(VARIANTS)[1:]]
    return f"| `{study.task}` | {' | '.join(f'{part * 100:.0f} %' for part in parts)} |"


def _hours(study: FrontierStudy) -> Iterator[str]:
    """What another hour of practice buys at each budget."""
    for hour in another_hour(study.stated, BUDGETS[study.task], EPISODE_SECONDS):
        now, then = f"{hour.value:.2f} ({hour.goal})", f"{hour.value_after:.2f} ({hour.goal_after})"
        yield f"| `{study.task}` | {hour.budget} | {now} | {then} | {hour.gain:+.2f} |"


def _rewards(experiment: str) -> dict[tuple[str, str], tuple[list[str], str]]:
    """For each strategy and belief: its rewards at each budget, and its executions."""
    return {
        (strategy, belief): ([cell.split(";")[0] for cell in cells.split(" | ")], executions)
        for strategy, belief, cells, executions in _rows(experiment)
    }


def _rows(experiment: str) -> list[tuple[str, str, str, str]]:
    """Strategy, belief, cells and executions of each row of an experiment."""
    return re.findall(
        r"^\| `(\S+)` \| (\S+) \| (.*) \| ([\d, ]+) \|$",
        _section("results.md", experiment),
        re.MULTILINE,
    )


def _settled(experiment: str, among: Sequence[str] = ()) -> Mapping[tuple[str, str], str]:
    """For each belief and budget: the settled pairs in words."""
    lines = re.findall(r"^- (\S+), (\d+): (.*)$", _section("results.md", experiment), re.MULTILINE)
    words = {}
    for belief, budget, pairs in lines:
        shown = []
        for pair in pairs.split("; "):
            won, lost = pair.split(" over ")
            named = [name for name in lost.split(", ") if not among or name.strip("`") in among]
            if named and (not among or won.strip("`") in among):
                shown.append(f"{won} over {', '.join(named)}")
        if shown:
            words[belief, budget] = "; ".join(shown)
    return words


def _section(page: str, heading: str) -> str:
    """The text of a page below a heading, up to the next one."""
    text = (HERE / page).read_text(encoding="utf-8")
    pattern = rf"^## {heading}\n(.*?)(?=^## |\Z)"
    (found,) = re.findall(pattern, text, re.DOTALL | re.MULTILINE)
    return str(found)


if __name__ == "__main__":
    sys.path.append(str(HERE.parent / "benchmarks"))
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
