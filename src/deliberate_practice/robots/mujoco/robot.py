"""A robot in physics: an episode is a reset, the approach, and one attempt.

The success of a skill is read from the abstract state of the final physics; no skill reports its
own success. A failure leaves things where the physics left them, and the robot goes on if its
approach has a rule for that state. Independent episodes run side by side, with the same results as
one by one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.earning import measured_earnings
from deliberate_practice.practice.episode import Episode, Following
from deliberate_practice.practice.intention import Intention
from deliberate_practice.practice.robot import (
    Approach,
    Choice,
    Earnings,
    Followed,
    Result,
    Step,
    Trial,
)
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
    """What came of some steps.

    Attributes:
        last: What came of the last step that was executed.
        success: Whether that step succeeded.
        force, speed: The largest force [N] and joint speed on the way.
        films: The states of each step, if they were filmed.
    """

    last: Execution
    success: bool = False
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
        starts = [
            self._begin(trial.steps[0].skill, trial.seed, trial.approach.start) for trial in going
        ]
        episodes = [
            Episode(trial, self.workcell.abstract(state) if trial.approach.rule else None)
            for trial, state in zip(going, starts, strict=True)
        ]
        known = self._executed if all(trial.mode == "deploy" for trial in going) else {}
        seeds = [trial.seed for trial in going]
        ways = self._follow(starts, seeds, episodes, known)
        told = iter(zip(episodes, ways, strict=True))
        return [
            self._result(trial, *next(told)) if reaches else Result("refused")
            for trial, reaches in zip(trials, able, strict=True)
        ]

    def follow(
        self, rule: Sequence[Choice], limit: int, seeds: Sequence[int], start: Mapping[str, str]
    ) -> list[Followed]:
        """Follow a decision rule from the start of each seed, by what the physics shows."""
        wanted = self._unusual(start)
        starts = [
            self.workcell.prepare(wanted, seed) if wanted else self.workcell.reset(seed)
            for seed in seeds
        ]
        courses = [Following(rule, limit, self.workcell.abstract(state)) for state in starts]
        self._follow(starts, seeds, courses, self._executed)
        return [course.followed for course in courses]

    def earn(self, intention: Intention, executions: int) -> Earnings:
        """The mean reward of following the decision rule, or the plan where that is all of it."""
        return measured_earnings(self, intention, executions)

    def film(self, steps: Sequence[Step], seed: int) -> Film:
        """The execution of some steps until the first failure; :class:`FilmedRobot` says more."""
        start = self._begin(steps[0].skill, seed)
        trial = Trial(1, Approach(tuple(steps[:-1])), steps[-1], "deploy", seed)
        episode = Episode(trial)
        (way,) = self._follow([start], [seed], [episode], {}, film=True)
        takes, begin = list[Take](), 1
        for number, (step, states) in enumerate(zip(steps, way.films, strict=False)):
            camera = self.workcell.camera(step.skill, states[0])
            decisive = begin + self._decisive(states)
            success = number < len(way.films) - 1 or way.success
            takes.append(Take(step, begin, decisive, success, camera))
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

    def _begin(self, skill: str, seed: int, start: Mapping[str, str] = {}) -> FloatArray:
        """A start of the task, or one at the precondition if that does not hold there.

        Args:
            skill: What is executed first.
            seed: For everything random.
            start: The start state, if the task has several.
        """
        needed = lacking(self._task.skill(skill).precondition, {**self._start, **start})
        wanted = {**self.workcell.around(skill, seed), **self._unusual(start), **needed}
        return self.workcell.prepare(wanted, seed) if wanted else self.workcell.reset(seed)

    def _unusual(self, start: Mapping[str, str]) -> dict[str, str]:
        """The values of a start that differ from those of the first one."""
        return {name: value for name, value in start.items() if value != self._start[name]}

    def _reaches(self, trial: Trial) -> bool:
        """Whether a sample could be executed where things usually are, before its approach."""
        if not trial.approach.executed:
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
        seeds: Sequence[int],
        courses: Sequence[Episode | Following],
        known: dict[Hashable, _Way],
        *,
        film: bool = False,
    ) -> list[_Way]:
        """Execute each course step by step until it ends, all courses side by side.

        Args:
            states: Where each begins.
            seeds: Their seeds.
            courses: Each says what to execute next; afterwards all have ended.
            known: What came of courses that began in the same way, which is not executed again;
                afterwards what came of these.
            film: Whether to keep the states of every step.
        """
        ways, used = [_Way(Execution(state)) for state in states], dict[Hashable, _Way]()
        done: list[tuple[Step, ...]] = [() for _ in states]
        origins = [state.tobytes() for state in states]
        while going := {i: course.step for i, course in enumerate(courses) if course.step}:
            for i, step in going.items():
                done[i] = (*done[i], step)
            begun = {i: _beginning(origins[i], seeds[i], done[i]) for i in going}
            new = [i for i in going if begun[i] not in known]
            attempts = [
                Attempt(
                    ways[i].last.state,
                    going[i].skill,
                    going[i].parameters,
                    _seed(seeds[i], len(done[i]) - 1),
                )
                for i in new
            ]
            executions = self.workcell.execute_all(attempts, film=film)
            for i, attempt, execution in zip(new, attempts, executions, strict=True):
                films = (*ways[i].films, _joined(execution)) if film else ()
                force = max(ways[i].force, execution.force)
                speed = max(ways[i].speed, execution.speed)
                success = self._succeeded(attempt, execution)
                known[begun[i]] = _Way(execution, success, force, speed, films)
            for i in going:
                used[begun[i]] = ways[i] = known[begun[i]]
                courses[i].tell(ways[i].success, self._observed(ways[i].last))
        known.clear()
        known.update(used)
        return ways

    def _observed(self, execution: Execution) -> dict[str, str] | None:
        """The abstract state after an execution; a reflex stop ends the episode unseen."""
        return None if execution.stopped else self.workcell.abstract(execution.state)

    def _result(self, trial: Trial, episode: Episode, way: _Way) -> Result:
        """The result of a trial with all that was measured."""
        if way.last.refused and not trial.approach.executed:
            return Result("refused")
        assert episode.result is not None
        result = replace(episode.result, measurements={"force": way.force, "speed": way.speed})
        if result.outcome == "unreached":
            return result
        measurements = {
            **result.measurements,
            "touched": float(self.workcell.touched(trial.skill, way.last)),
            "stopped": float(bool(way.last.stopped)),
            **self.workcell.measured(trial.skill, way.last),
        }
        score = self.workcell.score(trial.skill, way.success, way.last)
        return replace(result, score=score, measurements=measurements)

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


def _beginning(origin: bytes, seed: int, steps: Sequence[Step]) -> Hashable:
    """A key of everything that decides the result of some steps."""
    return origin, seed, tuple((step.skill, *step.parameters.items()) for step in steps)


def _joined(execution: Execution) -> FloatArray:
    """All states of one skill; where it stood still, the one that it began and ended in."""
    return np.concatenate(execution.film or [execution.state[None]])


def _seed(seed: int, step: int) -> int:
    return int(np.random.SeedSequence([seed, 1 + step]).generate_state(1)[0])
