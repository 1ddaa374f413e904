"""An episode step by step: what to execute next, by what happened so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real

from deliberate_practice.foundation.checks import check_flag
from deliberate_practice.practice.robot import Choice, Followed, Result, Step, Trial
from deliberate_practice.task.outcome import Outcome

Observed = Mapping[str, str] | None
"""An abstract state; None if it is not known."""


def run_episode(
    trial: Trial,
    execute: Callable[[Step], bool],
    observe: Callable[[], Observed] | None = None,
) -> Result:
    """Execute the approach of a trial, then its attempt.

    A robot that observes follows the approach's rule. One that does not executes the route, and
    repeats a failed step if its failure leaves everything as it was.

    Args:
        trial: What to run; its robot is at the start, or without an approach at the precondition.
        execute: Executes one step, and says whether it succeeded.
        observe: The abstract state as variable -> value; None if the robot cannot tell.
    """
    episode = Episode(trial, observe() if observe and trial.approach.rule else None)
    while episode.step:
        success = _succeeded(execute, episode.step)
        episode.tell(success, observe() if observe and episode.follows else None)
    assert episode.result is not None
    return episode.result


def follow_rule(
    rule: Sequence[Choice],
    limit: int,
    execute: Callable[[Step], bool],
    observe: Callable[[], Observed],
) -> Followed:
    """Follow a decision rule until no row fits, or the limit of executions is reached.

    Args:
        rule: The step for each abstract state.
        limit: The most executions.
        execute: Executes one step, and says whether it succeeded.
        observe: The abstract state as variable -> value; None if the robot cannot tell.
    """
    following = Following(rule, limit, observe())
    while following.step:
        following.tell(_succeeded(execute, following.step), observe())
    return following.followed


def _succeeded(execute: Callable[[Step], bool], step: Step) -> bool:
    """Whether a step succeeded; as a truth value, the word "failure" would be a success."""
    answer = execute(step)
    if isinstance(answer, Real) and answer in (0, 1):  # environments report 1.0, too
        return bool(answer)
    return check_flag(f"execute: skill '{step.skill}'", answer)


class Following:
    """An execution of a decision rule.

    Attributes:
        step: The step to execute now; None at the end.

    Args:
        rule: The step for each abstract state.
        limit: The most executions.
        state: The abstract state at the start.
    """

    def __init__(self, rule: Sequence[Choice], limit: int, state: Observed) -> None:
        self._rule = {_key(row.when): row.step for row in rule}
        self._limit = limit
        self._executed: list[tuple[str, bool]] = []
        self._look(state)

    def tell(self, success: bool, state: Observed) -> None:
        """Go on after the step: whether it succeeded, and the state that it led to."""
        assert self.step is not None
        self._executed.append((self.step.skill, bool(success)))
        self._look(state)

    @property
    def followed(self) -> Followed:
        """What happened so far."""
        return Followed(tuple(self._executed), self._state)

    def _look(self, state: Observed) -> None:
        self._state = state
        fits = state is not None and len(self._executed) < self._limit
        self.step: Step | None = self._rule.get(_key(state)) if state and fits else None


class Episode:
    """A trial under way.

    Attributes:
        step: The step to execute now; None at the end.
        result: The result; None before the end.
        follows: Whether it follows the rule of its approach, and so needs to know each state.

    Args:
        trial: The trial.
        state: The abstract state at its start; None if the robot cannot tell.
    """

    def __init__(self, trial: Trial, state: Observed = None) -> None:
        self._trial, self._executed = trial, list[tuple[str, bool]]()
        self.step: Step | None = None
        self.result: Result | None = None
        self.follows = bool(trial.approach.rule) and state is not None
        self._rule = {_key(row.when): row.step for row in trial.approach.rule}
        self._place = 0
        self._attempting = False
        if self.follows:
            self._look(state)
        else:
            self._go_on()

    def tell(self, success: bool, state: Observed = None) -> None:
        """Go on after the step: whether it succeeded, and the state that it led to."""
        assert self.step is not None
        if self._attempting:
            self._end("success" if success else "failure")
            return
        self._executed.append((self.step.skill, bool(success)))
        if self.follows:
            self._look(state)
        elif success == (self.step.on_failure != "continue"):
            self._place += 1
            self._go_on()
        elif success or self.step.on_failure == "end" or self._spent:
            self._end("unreached")

    @property
    def _spent(self) -> bool:
        return len(self._executed) >= self._trial.approach.limit

    def _look(self, state: Observed) -> None:
        """Attempt the skill if it may begin, or take the next step of the rule, or give up."""
        until = self._trial.approach.until
        if state is not None and all(state.get(name) in until[name] for name in until):
            self._attempt()
            return
        self.step = self._rule.get(_key(state)) if state is not None and not self._spent else None
        if self.step is None:
            self._end("unreached")

    def _go_on(self) -> None:
        """The next step of the route, or the attempt."""
        route, limit = self._trial.approach.route, self._trial.approach.limit
        if self._place == len(route):
            self._attempt()
        elif 0 < limit <= len(self._executed):
            self._end("unreached")
        else:
            self.step = route[self._place]

    def _attempt(self) -> None:
        self._attempting, self.step = True, self._trial.attempt

    def _end(self, outcome: Outcome) -> None:
        """End the episode; its executions are told unless the outcome alone implies them."""
        self.step = None
        approach, executed = self._trial.approach, tuple(self._executed)
        plain = not approach.rule and all(step.on_failure == "end" for step in approach.route)
        at = executed[-1][0] if outcome == "unreached" and executed else None
        self.result = Result(outcome, at, executed=None if plain else executed)


def _key(state: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset(state.items())
