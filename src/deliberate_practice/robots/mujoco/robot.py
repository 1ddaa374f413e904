"""A robot in physics: an episode is a reset, the approach, and one attempt.

The success of a skill is read from the abstract state of the final physics; no skill reports its
own success. Independent episodes run side by side, with the same results as one by one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.earning import measured_earnings
from deliberate_practice.practice.intention import Intention
from deliberate_practice.practice.robot import Approach, Earnings, Result, Step, Trial
from deliberate_practice.robots.mujoco.attempt import Attempt, Execution
from deliberate_practice.robots.mujoco.film import Film, Take
from deliberate_practice.robots.mujoco.limits import LIMITS
from deliberate_practice.robots.mujoco.motion_planning import NoPath
from deliberate_practice.robots.mujoco.workcell import SimulatedWorkcell, Unperceived
from deliberate_practice.task.model import Task, allowed_values
from deliberate_practice.task.skill import Condition, Skill

DECISIVE_STEPS = 5
"""Of how many states of a film one is looked at for the moment that decides."""


@dataclass(frozen=True)
class _Way:
    """How many skills of a plan succeeded, what came of the last one that was tried, the largest
    force [N] and joint speed on the way, and the states of each skill if they were filmed."""

    done: int
    last: Execution
    force: float = 0.0
    speed: float = 0.0
    films: tuple[FloatArray, ...] = ()


class MujocoRobot:
    """Runs trials in a workcell.

    Args:
        task: The task with its skills.
        workcell: The workcell that executes them.
    """

    limits = LIMITS
    """The limits of the measurements of a result."""

    parallel = 1_000
    """Trials that it takes at once; they run on as many processors as the workcell may use."""

    def __init__(self, task: Task, workcell: SimulatedWorkcell) -> None:
        self.workcell = workcell
        self._task = task
        self._start = task.start_states[0].state
        self._executed: dict[Hashable, _Way] = {}
        self._usual: dict[str, FloatArray] = {}  # a start of each skill, to look what is in reach

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        """Independent episodes, all side by side.

        A sample that the arm cannot reach is refused before anything moves. Episodes with deployed
        parameters only may repeat earlier ones, so results of equal beginnings are remembered.
        """
        able = [trial.mode == "deploy" or self._reaches(trial) for trial in trials]
        going = [trial for trial, reaches in zip(trials, able, strict=True) if reaches]
        starts = [self._begin(trial.steps[0].skill, trial.seed) for trial in going]
        known = self._executed if all(trial.mode == "deploy" for trial in going) else {}
        ways = iter(self._follow(starts, going, known))
        return [
            self._result(trial, next(ways) if reaches else None)
            for trial, reaches in zip(trials, able, strict=True)
        ]

    def earn(self, intention: Intention, executions: int) -> Earnings:
        """The mean reward of executing the plan, each time until its first failure."""
        return measured_earnings(self, intention, executions)

    def film(self, steps: Sequence[Step], seed: int) -> Film:
        """The execution of some steps until the first failure; :class:`FilmedRobot` says more."""
        start = self._begin(steps[0].skill, seed)
        trial = Trial(1, Approach(tuple(steps[:-1])), steps[-1], "deploy", seed)
        (way,) = self._follow([start], [trial], {}, film=True)
        takes, begin = list[Take](), 1
        for number, (step, states) in enumerate(zip(steps, way.films, strict=False)):
            camera = self.workcell.camera(step.skill, states[0])
            decisive = begin + self._decisive(states)
            takes.append(Take(step, begin, decisive, number < way.done, camera))
            begin += len(states)
        states = np.concatenate([start[None], *way.films])
        return Film(self.workcell.appearance(), states, takes, self.workcell.view)

    def _decisive(self, states: FloatArray) -> int:
        """The row from which on everything is as in the end; the middle if nothing changes."""
        last = self.workcell.abstract(states[-1])
        rows = range(len(states) - 1, -1, -DECISIVE_STEPS)
        changed = (row for row in rows if self.workcell.abstract(states[row]) != last)
        before = next(changed, len(states) // 2)
        return min(before + DECISIVE_STEPS, len(states) - 1)

    def _begin(self, skill: str, seed: int) -> FloatArray:
        """The task's start, or one at the precondition if that does not hold there."""
        needed = lacking(self._task.skill(skill).precondition, self._start)
        wanted = {**self.workcell.around(skill, seed), **needed}
        return self.workcell.prepare(wanted, seed) if wanted else self.workcell.reset(seed)

    def _reaches(self, trial: Trial) -> bool:
        """Whether a sample could be executed where things usually are, before its approach."""
        if not trial.approach.route:
            return True  # it will show where things are
        step = trial.attempt
        if step.skill not in self._usual:
            self._usual[step.skill] = self._begin(step.skill, 0)
        try:
            self.workcell.motion(Attempt(self._usual[step.skill], step.skill, step.parameters, 0))
        except NoPath:
            return False
        except Unperceived:
            return True
        return True

    def _follow(
        self,
        states: list[FloatArray],
        trials: Sequence[Trial],
        known: dict[Hashable, _Way],
        *,
        film: bool = False,
    ) -> list[_Way]:
        """How far each trial comes until its first failure, all trials side by side.

        Args:
            states: Where each begins.
            trials: Their steps and seeds.
            known: What came of trials that began in the same way, which is not executed again;
                afterwards what came of these.
            film: Whether to keep the states of every step.
        """
        ways, used = [_Way(0, Execution(state)) for state in states], dict[Hashable, _Way]()
        plans = [trial.steps for trial in trials]
        for step in range(max(map(len, plans), default=0)):
            going = [i for i, plan in enumerate(plans) if ways[i].done == step < len(plan)]
            begun = {i: _beginning(trials[i].seed, plans[i][: step + 1]) for i in going}
            new = [i for i in going if begun[i] not in known]
            attempts = [
                Attempt(
                    ways[i].last.state,
                    plans[i][step].skill,
                    plans[i][step].parameters,
                    _seed(trials[i].seed, step),
                )
                for i in new
            ]
            executions = self.workcell.execute_all(attempts, film=film)
            for i, attempt, execution in zip(new, attempts, executions, strict=True):
                done = step + self._succeeded(attempt, execution)
                films = (*ways[i].films, _joined(execution)) if film else ()
                force = max(ways[i].force, execution.force)
                speed = max(ways[i].speed, execution.speed)
                known[begun[i]] = _Way(done, execution, force, speed, films)
            for i in going:
                used[begun[i]] = ways[i] = known[begun[i]]
        known.clear()
        known.update(used)
        return ways

    def _result(self, trial: Trial, way: _Way | None) -> Result:
        """The result of a trial; None if it was refused."""
        if way is None or (way.last.refused and not trial.approach.route):
            return Result("refused")
        steps = trial.steps
        measurements = {"force": way.force, "speed": way.speed}
        if way.done < len(steps) - 1:
            return Result("unreached", at=steps[way.done].skill, measurements=measurements)
        success = way.done == len(steps)
        measurements["touched"] = float(self.workcell.touched(trial.skill, way.last))
        measurements["stopped"] = float(bool(way.last.stopped))
        score = self.workcell.score(trial.skill, success, way.last)
        return Result("success" if success else "failure", None, score, measurements)

    def _succeeded(self, attempt: Attempt, execution: Execution) -> bool:
        if execution.stopped:
            return False
        before = self.workcell.abstract(attempt.state)
        after = self.workcell.abstract(execution.state)
        return succeeded(self._task.skill(attempt.skill), before, after)


def succeeded(skill: Skill, before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Whether a skill's effect holds, and all other variables are unchanged."""
    effect = skill.effect if isinstance(skill.effect, Mapping) else {}
    return not lacking(skill.precondition, before) and dict(after) == {**before, **effect}


def lacking(condition: Condition, state: Mapping[str, str]) -> dict[str, str]:
    """The changes that make a condition hold: variable -> a valid value."""
    allowed = {name: allowed_values(values) for name, values in condition.items()}
    return {name: values[0] for name, values in allowed.items() if state[name] not in values}


def _beginning(seed: int, steps: Sequence[Step]) -> Hashable:
    """A key of everything that decides the result of some steps."""
    return seed, tuple((step.skill, *step.parameters.items()) for step in steps)


def _joined(execution: Execution) -> FloatArray:
    """All states of one skill; where it stood still, the one that it began and ended in."""
    return np.concatenate(execution.film or [execution.state[None]])


def _seed(seed: int, step: int) -> int:
    return int(np.random.SeedSequence([seed, 1 + step]).generate_state(1)[0])
