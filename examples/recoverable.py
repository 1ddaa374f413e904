"""Failures that can be recovered: the value of a split when the plan allows for recoveries.

Run it with ``python examples/recoverable.py``; it writes ``recoverable.png`` into the current
folder. It compares the best split of each budget with that of a model in which every failure ends
the episode, and with what two strategies earn on the synthetic robot. A number after the script's
name is that of the sessions behind each point (20).
"""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import deliberate_practice as dp

TASK = dp.load_task(Path(__file__).parent / "coffee_station.toml")
BUDGETS = (0, 10, 20, 30, 40, 60, 80, 100, 120)
PRACTISED = (30, 60, 120)
LOOKS = {"deliberate": dp.Look("#0072B2", (), "circle"), "ees": dp.Look("#D55E00", (), "square")}


def earned(split: Mapping[str, float]) -> float:
    """The value of the task after a split, with all its recoveries."""
    tables = {
        name: [float(policy.table(int(split.get(name, 0)))[-1])]
        for name, policy in TASK.policies.items()
    }
    return dp.allocate(TASK, 0, curves=tables).value


def planned() -> list[dp.Series]:
    """The value of each budget: with the best split, and with that of the wrong model."""
    absorbing = replace(TASK, skills=[replace(skill, failure="end") for skill in TASK.skills])
    best, blind = [], []
    for budget in BUDGETS:
        certified, ended = dp.allocate(TASK, budget), dp.allocate(absorbing, budget)
        best.append(certified.value)
        blind.append(earned(ended.allocation))
        print(f"{budget:3} episodes: {certified.goal}, worth {best[-1]:.2f}; ", end="")
        print(f"if failures ended the episode: {ended.goal}, earns {blind[-1]:.2f}")
    without = "split of a model without recoveries"
    return [
        dp.Series("best split", BUDGETS, best, look=dp.Look("#0072B2")),
        dp.Series(without, BUDGETS, blind, look=dp.Look("#595959", (4, 2))),
    ]


def practised(seeds: int) -> list[dp.Series]:
    """The mean reward of two strategies."""
    study = dp.compare(TASK, budgets=PRACTISED, strategies=[*LOOKS], seeds=seeds, approach="free")
    points = []
    for strategy, look in LOOKS.items():
        mine = [row for row in study.rows if row.strategy == strategy]
        means, ends = [row.mean for row in mine], [row.ci95 for row in mine]
        print(f"{strategy}: {', '.join(f'{mean:.2f}' for mean in means)} at {PRACTISED}")
        name = f"practised by {strategy}"
        points.append(dp.Series(name, PRACTISED, means, "points", ends=ends, look=look))
    return points


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    chart = dp.Chart(
        "Failures that can be mended",
        "Expected reward after practice. A model in which every failure ends the episode prefers "
        "the espresso, and so does the greedy rule; with recoveries the cappuccino is worth twice "
        "as much.",
        [dp.Panel("", [*planned(), *practised(seeds)])],
        x_label="practice budget [episodes]",
        y_label="expected reward",
    )
    dp.write_chart(chart, "recoverable.png")
    print("The chart is in recoverable.png.")
