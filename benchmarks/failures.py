"""What failures leave behind in physics, of samples of the search priors.

    python benchmarks/failures.py                    6,800 samples; 5 minutes on two cores
    python benchmarks/failures.py --samples 20       a quick look
    python benchmarks/failures.py --out FILE.jsonl   keep finished skills, and go on

With ``--set failures=physical`` the tasks Cleanup and Kitchen state how often everything is as
before after a failure, or a placed object back on the table. Here draws from the search prior of
each skill are executed from starts at its precondition, and the abstract state after every failure
is compared. Draws and starts have seeds of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
import numpy as np
from commands import COUNT, Benchmark, workers_option
from kept import practised
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.estimates import rate
from deliberate_practice.practice.domain import load_task, make_robot, practised_task
from deliberate_practice.robots.mujoco.attempt import Attempt, Execution
from deliberate_practice.robots.mujoco.robot import MujocoRobot, lacking, succeeded
from deliberate_practice.robots.mujoco.workcell import SimulatedWorkcell
from deliberate_practice.study.prior_samples import draw
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Skill, verb

DOMAINS = ("cleanup", "kitchen")
FIRST_SEED = 4_000_000
"""No session, learning curve or sample of ``deliberate priors`` uses these seeds."""
BATCH = 50
"""Attempts at once; more would need much memory."""
ENDS = ("stayed", "returned", "stopped")
"""What is counted of failures; otherwise a thing is where the task has no state for it."""
COLUMNS = ["skill", "failures", "everything as before", "object on the table", "reflex", "stated"]


@dataclass(frozen=True)
class Failures:
    """What became of the samples of a skill.

    Attributes:
        domain, skill: The skill.
        policy: Its policy.
        samples: Draws from the search prior.
        executed: Those that the robot could execute; it refused the others.
        touched: Those in which it touched what the skill acts on.
        succeeded: Those that succeeded.
        stopped: Failures because of the robot's reflex.
        stayed: Other failures after which everything was as before.
        returned: Other failures after which the object stood on the table, all else as before.
        force: The largest force of the hand [N].
        speed: The largest speed of a joint, as a part of its limit.
    """

    domain: str
    skill: str
    policy: str
    samples: int
    executed: int
    touched: int
    succeeded: int
    stopped: int
    stayed: int
    returned: int
    force: float
    speed: float

    @property
    def key(self) -> tuple[str, str]:
        """The skill."""
        return self.domain, self.skill

    @property
    def failed(self) -> int:
        """Executed samples that did not succeed."""
        return self.executed - self.succeeded


@click.command(cls=Benchmark)
@click.option("--samples", default=400, type=COUNT, help="Of each skill (400).")
@click.option("--skills", help="Only these skills, separated by semicolons.")
@workers_option
@click.option("--out", type=Path, help="Keep finished skills here; a stopped run goes on.")
def main(samples: int, skills: str | None, workers: int, out: Path | None) -> None:
    """Print what failures left behind, by kind of skill."""
    chosen = skills.split(";") if skills else None
    keys = [
        (domain, skill.name)
        for domain in DOMAINS
        for skill in load_task(domain).skills
        if not chosen or skill.name in chosen
    ]
    found = practised(Failures, partial(measured, samples), keys, "skills", workers, out)
    for domain, kind in (("cleanup", by_verb), ("kitchen", by_policy)):
        lines = list(rows([one for one in found if one.domain == domain], kind))
        if lines:
            Console(width=110).print(table(COLUMNS, lines, numeric=range(1, len(COLUMNS))))


def by_verb(one: Failures) -> str:
    """The verb of a skill: drawers and objects are alike."""
    return verb(one.skill)


def by_policy(one: Failures) -> str:
    """The policy of a skill."""
    return one.policy


def rows(found: Sequence[Failures], kind: Callable[[Failures], str]) -> Iterator[list[str]]:
    """A row for each kind of skill."""
    for name in dict.fromkeys(map(kind, found)):
        mine = [one for one in found if kind(one) == name]
        failed = sum(one.failed for one in mine)
        (stated,) = {stated_end(one.domain, one.skill)[0] for one in mine}
        yield [
            name,
            str(failed),
            *(_share(sum(getattr(one, end) for one in mine), failed) for end in ENDS),
            f"{stated:.0%}",
        ]


def _share(count: int, failed: int) -> str:
    """A count, and its part of the failures with the 95 % interval."""
    share = rate(count, failed) if failed else None
    if share is None or share.interval is None:
        return str(count)
    low, high = share.interval
    if not count:
        return f"0 (up to {high:.1%})"
    return f"{count}: {share.value:.0%} ({100 * low:.0f} to {100 * high:.0f})"


def stated_end(domain: str, skill: str) -> tuple[float, Mapping[str, str]]:
    """The share of failures after which the episode goes on, and what has changed then."""
    kept, _ = load_task(domain, failures="physical").skill(skill).failure_effects
    return kept.probability, {} if isinstance(kept.effect, str) else kept.effect


def measured(samples: int, key: tuple[str, str]) -> Failures:
    """Execute draws from the search prior of a skill, each once."""
    domain, name = key
    task = practised_task(domain, "mujoco")
    skill = task.skill(name)
    robot = make_robot("mujoco", task, FIRST_SEED)
    assert isinstance(robot, MujocoRobot)
    cell = robot.workcell
    attempts = [_attempt(cell, task, skill, number) for number in range(samples)]
    batches = [attempts[begin : begin + BATCH] for begin in range(0, samples, BATCH)]
    done = [one for batch in batches for one in cell.execute_all(batch)]
    pairs = [pair for pair in zip(attempts, done, strict=True) if not pair[1].refused]
    _, left = stated_end(domain, name)
    ends = [_end(cell, skill, left, attempt, execution) for attempt, execution in pairs]
    return Failures(
        domain,
        name,
        skill.policy,
        samples,
        executed=len(pairs),
        touched=sum(cell.touched(name, execution) for _, execution in pairs),
        **{end: ends.count(end) for end in ("succeeded", "stopped", "stayed", "returned")},
        force=round(max((execution.force for _, execution in pairs), default=0.0), 3),
        speed=round(max((execution.speed for _, execution in pairs), default=0.0), 4),
    )


def _attempt(cell: SimulatedWorkcell, task: Task, skill: Skill, number: int) -> Attempt:
    """A draw, and a start at the skill's precondition."""
    seeds = np.random.SeedSequence([FIRST_SEED, number, *skill.name.encode()])
    values = draw(skill.parameters, np.random.default_rng(seeds))
    at, noise = (int(value) for value in seeds.spawn(1)[0].generate_state(2))
    needed = lacking(skill.precondition, task.start_states[0].state)
    wanted = {**cell.around(skill.name, at), **needed}
    start: FloatArray = cell.prepare(wanted, at) if wanted else cell.reset(at)
    return Attempt(start, skill.name, values, noise)


def _end(
    cell: SimulatedWorkcell,
    skill: Skill,
    left: Mapping[str, str],
    attempt: Attempt,
    execution: Execution,
) -> str:
    """How an executed attempt ended; ``left`` is what a failure may have changed."""
    if execution.stopped:
        return "stopped"
    before, after = cell.abstract(attempt.state), cell.abstract(execution.state)
    if succeeded(skill, before, after):
        return "succeeded"
    if after == before:
        return "stayed"
    return "returned" if left and after == {**before, **left} else "otherwise"


if __name__ == "__main__":
    main()
