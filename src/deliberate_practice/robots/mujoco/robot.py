"""A robot in physics: an episode is a reset, the approach, and one attempt.

Whether a skill succeeded is read off the abstract state of the final physics, never said by the
skill itself. Independent episodes run side by side, with the same results as one by one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.trial import Result, Trial
from deliberate_practice.robots.mujoco.attempt import Attempt, Execution
from deliberate_practice.robots.mujoco.workcell import SimulatedWorkcell
from deliberate_practice.task.model import Task, allowed_values
from deliberate_practice.task.skill import Condition, Skill

Parameters = Mapping[str, Mapping[str, float]]
"""By policy."""


@dataclass(frozen=True)
class _Way:
    """How many skills of a plan succeeded, what came of the last one that was tried, and the
    largest force on the way [N]."""

    done: int
    last: Execution
    force: float = 0.0


class MujocoRobot:
    """Runs trials and plans in a workcell.

    Args:
        task: What the skills should do.
        workcell: Where they do it.
    """

    def __init__(self, task: Task, workcell: SimulatedWorkcell) -> None:
        self.workcell = workcell
        self._task = task
        self._start = task.start_states[0].state
        self._executed: dict[Hashable, _Way] = {}

    def run(self, trial: Trial) -> Result:
        """One episode."""
        return self.run_all([trial])[0]

    def run_all(self, trials: Sequence[Trial]) -> list[Result]:
        """Several independent episodes, e.g. a generation of the learner."""
        plans = [(*trial.approach, trial.skill) for trial in trials]
        values = [
            [
                *(trial.deployed[self._task.skill(skill).policy] for skill in trial.approach),
                trial.parameters,
            ]
            for trial in trials
        ]
        starts = [
            self._begin(plan[0], trial.seed) for plan, trial in zip(plans, trials, strict=True)
        ]
        ways = self._follow(starts, plans, values, [trial.seed for trial in trials], {})
        return [self._result(plan, way) for plan, way in zip(plans, ways, strict=True)]

    def execute(self, plan: Sequence[str], deployed: Parameters, seeds: Sequence[int]) -> list[int]:
        """Execute a plan as deployed from several starts, each until its first failure.

        Returns:
            How many skills of the plan succeeded from each start.
        """
        values = [deployed[self._task.skill(skill).policy] for skill in plan]
        starts = [self.workcell.reset(seed) for seed in seeds]
        plans, known = [tuple(plan)] * len(seeds), self._executed
        ways = self._follow(starts, plans, [values] * len(seeds), seeds, known)
        return [way.done for way in ways]

    def film(
        self, plan: Sequence[str], deployed: Parameters, seed: int
    ) -> tuple[FloatArray, list[int]]:
        """Every state of executing a plan as deployed, until its first failure.

        Returns:
            A state per step of the simulation, and the row at which each skill begins.
        """
        states, begins = self.workcell.reset(seed)[None], list[int]()
        for step, skill in enumerate(plan):
            values = deployed[self._task.skill(skill).policy]
            attempt = Attempt(states[-1], skill, values, _seed(seed, step))
            begins.append(len(states))
            states = np.concatenate([states, self.workcell.trajectory(attempt)])
            if not self._succeeded(attempt, states[-1]):
                break
        return states, begins

    def _begin(self, skill: str, seed: int) -> FloatArray:
        """The task's start, or one at the precondition if that does not hold there."""
        needed = lacking(self._task.skill(skill).precondition, self._start)
        wanted = {**self.workcell.around(skill, seed), **needed}
        return self.workcell.prepare(wanted, seed) if wanted else self.workcell.reset(seed)

    def _follow(
        self,
        states: list[FloatArray],
        plans: Sequence[Sequence[str]],
        values: Sequence[Sequence[Mapping[str, float]]],
        seeds: Sequence[int],
        known: dict[Hashable, _Way],
    ) -> list[_Way]:
        """How far each plan is followed until its first failure, all plans side by side.

        Args:
            states: Where each begins.
            plans: The skills of each.
            values: Their parameters.
            seeds: For everything random in each.
            known: What came of plans that began in the same way, which is not executed again;
                afterwards what came of these.
        """
        ways, used = [_Way(0, Execution(state)) for state in states], dict[Hashable, _Way]()
        for step in range(max(map(len, plans), default=0)):
            going = [i for i, plan in enumerate(plans) if ways[i].done == step < len(plan)]
            begun = {i: _beginning(seeds[i], plans[i], values[i], step) for i in going}
            new = [i for i in going if begun[i] not in known]
            attempts = [
                Attempt(ways[i].last.state, plans[i][step], values[i][step], _seed(seeds[i], step))
                for i in new
            ]
            executions = self.workcell.execute_all(attempts)
            for i, attempt, execution in zip(new, attempts, executions, strict=True):
                done = step + self._succeeded(attempt, execution.state)
                known[begun[i]] = _Way(done, execution, max(ways[i].force, execution.force))
            for i in going:
                used[begun[i]] = ways[i] = known[begun[i]]
        known.clear()
        known.update(used)
        return ways

    def _result(self, plan: Sequence[str], way: _Way) -> Result:
        """What came of a trial that ends with the last skill of a plan."""
        measurements = {"force": way.force} if self.workcell.limits_force else {}
        if way.done < len(plan) - 1:
            return Result("unreached", at=plan[way.done], measurements=measurements)
        success = way.done == len(plan)
        score = self.workcell.score(plan[-1], success, way.last)
        return Result("success" if success else "failure", None, score, measurements)

    def _succeeded(self, attempt: Attempt, state: FloatArray) -> bool:
        before, after = self.workcell.abstract(attempt.state), self.workcell.abstract(state)
        return succeeded(self._task.skill(attempt.skill), before, after)


def succeeded(skill: Skill, before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Whether a skill's effect holds, and everything it does not name is as it was."""
    effect = skill.effect if isinstance(skill.effect, Mapping) else {}
    return not lacking(skill.precondition, before) and dict(after) == {**before, **effect}


def lacking(condition: Condition, state: Mapping[str, str]) -> dict[str, str]:
    """What would have to change for a condition to hold: variable -> a value that would do."""
    allowed = {name: allowed_values(values) for name, values in condition.items()}
    return {name: values[0] for name, values in allowed.items() if state[name] not in values}


def _beginning(
    seed: int, plan: Sequence[str], values: Sequence[Mapping[str, float]], step: int
) -> Hashable:
    """All that decides what comes of a plan up to a step."""
    return seed, tuple((plan[i], *values[i].items()) for i in range(step + 1))


def _seed(seed: int, step: int) -> int:
    return int(np.random.SeedSequence([seed, 1 + step]).generate_state(1)[0])
