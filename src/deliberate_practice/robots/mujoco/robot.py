"""A robot in physics: an episode is a reset, the approach, and one attempt.

Whether a skill succeeded is read off the abstract state of the final physics, never said by the
skill itself. Independent episodes run side by side, with the same results as one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from deliberate_practice.practice.trial import OutcomeWord, Result, Trial
from deliberate_practice.robots.mujoco.attempt import Attempt, Workcell
from deliberate_practice.task.mdp import FloatArray
from deliberate_practice.task.model import Task, allowed_values
from deliberate_practice.task.skill import Condition, Skill

Parameters = Mapping[str, Mapping[str, float]]
"""By policy."""


class MujocoRobot:
    """Runs trials and plans in a workcell.

    Args:
        task: What the skills should do.
        workcell: Where they do it.
        forces: Whether results tell the largest force of the acting hands in the episode [N]; then
            of two successes the one with less force has the better score.
    """

    def __init__(self, task: Task, workcell: Workcell, forces: bool = False) -> None:
        self.workcell = workcell
        self._forces = forces
        self._task = task
        self._start = task.start_states[0].state

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
        reached, forces = self._follow(starts, plans, values, [trial.seed for trial in trials])
        return [
            self._result(plan, done, force)
            for plan, done, force in zip(plans, reached, forces, strict=True)
        ]

    def execute(self, plan: Sequence[str], deployed: Parameters, seeds: Sequence[int]) -> list[int]:
        """Execute a plan as deployed from several starts, each until its first failure.

        Returns:
            How many skills of the plan succeeded from each start.
        """
        values = [deployed[self._task.skill(skill).policy] for skill in plan]
        starts = [self.workcell.reset(seed) for seed in seeds]
        return self._follow(starts, [tuple(plan)] * len(seeds), [values] * len(seeds), seeds)[0]

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
        wanted = lacking(self._task.skill(skill).precondition, self._start)
        return self.workcell.prepare(wanted, seed) if wanted else self.workcell.reset(seed)

    def _follow(
        self,
        states: list[FloatArray],
        plans: Sequence[Sequence[str]],
        values: Sequence[Sequence[Mapping[str, float]]],
        seeds: Sequence[int],
    ) -> tuple[list[int], list[list[float]]]:
        """How many skills of each plan succeed in a row, all plans side by side.

        And the largest force in each attempt of each plan [N].
        """
        states, done = list(states), [0] * len(plans)
        forces: list[list[float]] = [[] for _ in plans]
        for step in range(max(map(len, plans), default=0)):
            going = [i for i, plan in enumerate(plans) if done[i] == step < len(plan)]
            attempts = [
                Attempt(states[i], plans[i][step], values[i][step], _seed(seeds[i], step))
                for i in going
            ]
            executions = self.workcell.execute_all(attempts)
            for i, attempt, execution in zip(going, attempts, executions, strict=True):
                forces[i].append(execution.force)
                if self._succeeded(attempt, execution.state):
                    states[i], done[i] = execution.state, step + 1
        return done, forces

    def _result(self, plan: Sequence[str], done: int, forces: Sequence[float]) -> Result:
        """What an episode is told as, from how many skills of its plan succeeded."""
        unreached = done < len(plan) - 1
        outcome: OutcomeWord = "success" if done == len(plan) else "failure"
        result = Result("unreached", at=plan[done]) if unreached else Result(outcome)
        if not self._forces:
            return result
        # Only successes are compared by it: a hand that touches nothing fails without any force.
        score = -forces[-1] if result.outcome == "success" else None
        return replace(result, score=score, measurements={"force": max(forces)})

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


def _seed(seed: int, step: int) -> int:
    return int(np.random.SeedSequence([seed, 1 + step]).generate_state(1)[0])
