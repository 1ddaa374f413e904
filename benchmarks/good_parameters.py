"""How often skills and whole plans succeed with good parameters, in the usual scene and in others.

    python benchmarks/good_parameters.py                    5 minutes on two cores
    python benchmarks/good_parameters.py --executions 20    a quick look
    python benchmarks/good_parameters.py --out FILE.jsonl   keep what is finished, and go on

Nothing is learned: the good parameters were found by hand. A skill is executed from starts at its
precondition, a plan from starts of its task. The other scenes have twice the noise or steps of
2 ms; Cleanup also half the friction, or the cabinet 8 cm aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
from commands import COUNT, Benchmark, workers_option
from kept import practised
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.domains.cleanup import skills as cleanup_skills
from deliberate_practice.domains.kitchen import skills as kitchen_skills
from deliberate_practice.practice.domain import load_task, make_robot, practised_task
from deliberate_practice.practice.robot import Approach, Result, Step, Trial

GOOD: Mapping[str, Callable[[str], Mapping[str, float]]] = {
    "cleanup": cleanup_skills.good,
    "kitchen": kitchen_skills.good,
}
"""Good parameters of a skill, by domain."""
USUAL = "mujoco"
SCENES = {
    "cleanup": (
        USUAL,
        "mujoco:friction=0.5",
        "mujoco:noise=0.006",
        "mujoco:aside=0.08",
        "mujoco:timestep=0.002",
    ),
    "kitchen": (USUAL, "mujoco:noise=0.006", "mujoco:timestep=0.002"),
}
"""The usual scene and others, by domain."""
TEA = ("Turn(top)", "Push(kettle)")
FEAST = ("Turn(bottom)", "Open(microwave)", "Slide(cabinet)", "Open(hinge)")
PLANS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "cleanup": {
        "plan for top": ("Pick(object)", "Place(object,top)"),
        "plan for middle": ("Close(top)", "Pick(object)", "Place(object,middle)"),
        "plan for bottom": ("Close(top)", "Close(middle)", "Pick(object)", "Place(object,bottom)"),
    },
    "kitchen": {
        "plan for tea": TEA,
        "plan for feast": FEAST,
        "all skills in a row": ("Flip(light)", *TEA, *FEAST),
    },
}
"""Plans of several skills, by domain and name; they are executed in the usual scene."""
FIRST_SEED = 5_000_000
"""No session and no other measurement uses these seeds."""
BATCH = 50
"""Executions at once; more would need much memory."""
COLUMNS = ["skill or plan", "executions", "succeeded", "published rule", "reflex", "largest force"]


@dataclass(frozen=True)
class Outcome:
    """How executions of a skill or plan with good parameters ended.

    Attributes:
        domain, robot: The task, and the robot with the options of its scene.
        what: The skill, or the name of the plan.
        executions: How often it was executed.
        succeeded: How often all of it succeeded.
        published: How often FrankaKitchen's rule calls the subtask of a skill done; None elsewhere.
        stopped: How often the last skill met the reflex.
        force: The largest force of the hand [N].
    """

    domain: str
    robot: str
    what: str
    executions: int
    succeeded: int
    published: int | None
    stopped: int
    force: float

    @property
    def key(self) -> tuple[str, str, str]:
        """What was executed, and where."""
        return self.domain, self.robot, self.what


@click.command(cls=Benchmark)
@click.option("--executions", default=100, type=COUNT, help="Of each skill and plan (100).")
@click.option("--only", help="Only these skills and plans, separated by semicolons.")
@workers_option
@click.option("--out", type=Path, help="Keep what is finished here; a stopped run goes on.")
def main(executions: int, only: str | None, workers: int, out: Path | None) -> None:
    """Print how often skills and plans succeed."""
    chosen = only.split(";") if only else None
    keys = [key for key in _keys() if not chosen or key[2] in chosen]
    found = practised(Outcome, partial(executed, executions), keys, "skills", workers, out)
    console = Console(width=110)
    for domain, robot in dict.fromkeys((one.domain, one.robot) for one in found):
        mine = [one for one in found if (one.domain, one.robot) == (domain, robot)]
        console.print(f"{domain}, {robot}")
        console.print(table(COLUMNS, list(rows(mine)), numeric=range(1, len(COLUMNS))))


def _keys() -> Iterator[tuple[str, str, str]]:
    for domain, robots in SCENES.items():
        skills = [skill.name for skill in load_task(domain).skills]
        for robot in robots:
            for what in (*skills, *(PLANS[domain] if robot == USUAL else ())):
                yield domain, robot, what


def rows(found: Sequence[Outcome]) -> Iterator[list[str]]:
    """A row for each skill and plan."""
    for one in found:
        published = "–" if one.published is None else str(one.published)
        cells = [one.executions, one.succeeded, published, one.stopped, f"{one.force:.0f} N"]
        yield [one.what, *map(str, cells)]


def executed(executions: int, key: tuple[str, str, str]) -> Outcome:
    """Execute a skill or a plan with good parameters, each time from another start."""
    domain, robot, what = key
    steps = [Step(name, GOOD[domain](name)) for name in PLANS[domain].get(what, (what,))]
    body = make_robot(robot, practised_task(domain, robot), FIRST_SEED)
    approach = Approach(tuple(steps[:-1]))
    trials = [
        Trial(number, approach, steps[-1], "deploy", FIRST_SEED + number)
        for number in range(1, executions + 1)
    ]
    batches = [trials[begin : begin + BATCH] for begin in range(0, executions, BATCH)]
    results = [result for batch in batches for result in body.run(batch)]
    alone = domain == "kitchen" and len(steps) == 1
    return Outcome(
        *key,
        executions,
        succeeded=sum(result.outcome == "success" for result in results),
        published=_count("published", results) if alone else None,
        stopped=_count("stopped", results),
        force=round(max(result.measurements["force"] for result in results), 1),
    )


def _count(measured: str, results: Sequence[Result]) -> int:
    return sum(bool(result.measurements.get(measured)) for result in results)


if __name__ == "__main__":
    main()
