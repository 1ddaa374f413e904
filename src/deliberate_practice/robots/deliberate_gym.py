"""Run trials in Gymnasium environments. One file, Python 3.8 or newer, without our package.

All that you write is a function with the next action, and how success is seen::

    import deliberate_client, deliberate_gym, gymnasium

    def act(skill, parameters, observation, info):
        return [parameters["force"]]

    env = gymnasium.make("MountainCarContinuous-v0", max_episode_steps=-1)
    gym = deliberate_gym.Gym(env, act, success=lambda skill, observation, info: observation[0] > 0)
    deliberate_client.practise("http://127.0.0.1:8712", "monday", gym.run, token="dp_...")

``act`` may also be a generator, which keeps what it likes from one action to the next::

    def act(skill, parameters, observation, info):
        while info.get("contact") is None:
            observation, info = yield [0.0]
        for _ in range(20):
            yield [parameters["force"]]

A step of a trial succeeds as soon as ``success`` holds after an action. It fails when its generator
ends, after ``limit`` actions, or when the environment ends the episode.
"""

from __future__ import annotations

from types import GeneratorType
from typing import Any, Callable, Dict, Iterator, Mapping, Union

LIMIT = 500
"""The most actions of one skill, unless the user says otherwise."""

Json = Dict[str, Any]
State = Mapping[str, str]
Act = Callable[[str, Mapping[str, float], Any, Mapping[str, Any]], Any]
Judge = Union[str, Callable[[str, Any, Mapping[str, Any]], Any]]


class GymError(Exception):
    """An environment and the functions beside it do not fit together."""


class Gym:
    """Executes skills in an environment, or each in an environment of its own.

    Attributes:
        actions: How many actions the last skill took.

    Args:
        env: The environment. Or one for each skill, as skill -> environment: stations that have
            nothing to do with each other, each reset before its first skill in an episode.
        act: The next action, from the skill, its parameters, the last observation and info; or a
            generator of actions, which is sent the observation and info after each.
        success: Whether a skill has succeeded: a key of ``info``, or a function of the skill, the
            last observation and info.
        reset: The options of ``env.reset``, from the abstract state in which the episode begins.
            The state has the variables that matter; it is empty for the start of the task.
        observe: The abstract state, from the last observation and info; None if nobody can tell.
            With it the robot recovers from failures on the way to a skill.
        score: The quality of an attempt, like ``success``.
        limit: The most actions of one skill.
    """

    def __init__(
        self,
        env: Any,
        act: Act,
        success: Judge,
        reset: Callable[[State], Json | None] | None = None,
        observe: Callable[[Any, Mapping[str, Any]], State | None] | None = None,
        score: Judge | None = None,
        limit: int = LIMIT,
    ) -> None:
        if observe and isinstance(env, Mapping):
            raise GymError("observe: it needs one environment for all skills.")
        self._env, self._act, self._success, self._score = env, act, success, score
        self._reset, self._observe, self._limit = reset, observe, limit
        self._seed: int = 0
        self._state: State = {}
        self._stations: dict[int, _Station] = {}
        self._judged: tuple[str, Any, Mapping[str, Any]] = ("", None, {})
        self.actions = 0

    def run(self, trial: Json) -> Json:
        """Run a trial that the client got; the outcome to tell."""
        self.begin(trial["seed"], first_state(trial))
        observe = self.observe if self._observe else None
        result = walk(trial, lambda step: self.execute(step["skill"], step["parameters"]), observe)
        if result["outcome"] == "unreached":
            return result
        return dict(result, score=self.score, measurements={"actions": self.actions})

    def begin(self, seed: int, state: State) -> None:
        """Begin an episode; environments are reset when they are needed.

        Args:
            seed: Seed of everything random in the episode.
            state: The abstract state in which it begins; empty for the start of the task.
        """
        self._seed, self._state, self._stations = seed, state, {}

    def execute(self, skill: str, parameters: Mapping[str, float]) -> bool:
        """Execute a skill; whether it succeeded.

        Raises:
            GymError: The environment ended the episode with the success of the skill before.
        """
        station = self._station(skill)
        self.actions, success = 0, False
        if station.over and station.succeeded:
            raise GymError(
                f"the environment ended the episode before {skill!r} began; make it with "
                "max_episode_steps=-1, and without an end at the success of a skill."
            )
        for action in self._next_actions(skill, parameters, station) if not station.over else ():
            station.step(action)
            self.actions += 1
            self._judged = (skill, station.observation, station.info)
            success = bool(_judge(self._success, "success", *self._judged))
            station.succeeded = success
            if success or station.over or self.actions >= self._limit:
                break
        return success

    def observe(self) -> State | None:
        """The abstract state now; None if nobody can tell."""
        assert self._observe
        station = self._station("")
        return None if station.over else self._observe(station.observation, station.info)

    @property
    def score(self) -> float | None:
        """The quality of the last skill; None if nobody said how to judge it."""
        if self._score is None or not self.actions:
            return None
        return float(_judge(self._score, "score", *self._judged))

    def _station(self, skill: str) -> _Station:
        env = self._env
        if isinstance(env, Mapping):
            if skill not in env:
                raise GymError(f"env: there is none for the skill {skill!r}.")
            env = env[skill]
        if id(env) not in self._stations:
            options = self._reset(self._state) if self._reset else None
            self._stations[id(env)] = _Station(env, self._seed, options)
        return self._stations[id(env)]

    def _next_actions(
        self, skill: str, parameters: Mapping[str, float], station: _Station
    ) -> Iterator[Any]:
        """Every action in turn, from a generator or from a function that is called each time."""
        answer = self._act(skill, parameters, station.observation, station.info)
        if not isinstance(answer, GeneratorType):
            while True:
                yield answer
                answer = self._act(skill, parameters, station.observation, station.info)
        try:
            action = next(answer)
            while True:
                yield action
                action = answer.send((station.observation, station.info))
        except StopIteration:
            return
        finally:
            answer.close()


class _Station:
    """An environment in an episode.

    Attributes:
        observation, info: The last ones.
        over: Whether the environment has ended the episode.
        succeeded: Whether the last skill here succeeded.
    """

    def __init__(self, env: Any, seed: int, options: Json | None) -> None:
        self._env = env
        self.observation, self.info = env.reset(seed=seed, options=options)
        self.over = self.succeeded = False

    def step(self, action: Any) -> None:
        """Take an action."""
        self.observation, _, terminated, truncated, self.info = self._env.step(action)
        self.over = bool(terminated or truncated)


def first_state(trial: Json) -> dict[str, str]:
    """The abstract state in which a trial begins, without the variables that nobody asks for.

    Without an approach the precondition holds. Of several values that of the start is taken if it
    is one of them, otherwise the first one. A trial lists the value of the task's start first.
    """
    state = dict(trial.get("start", {}))
    if not (trial["approach"]["route"] or trial["approach"]["rule"]):
        for name, values in trial["precondition"].items():
            state[name] = state[name] if state.get(name) in values else values[0]
    return state


def walk(
    trial: Json,
    execute: Callable[[Json], bool],
    observe: Callable[[], State | None] | None = None,
) -> Json:
    """Execute the approach of a trial, then its attempt; the outcome to tell.

    A robot that observes follows the rule of the approach. Others execute its route, and repeat a
    failed step if its failure leaves everything as it was.

    Args:
        trial: The trial, as the client gets it.
        execute: Executes a step, which has ``skill`` and ``parameters``; whether it succeeded.
        observe: The abstract state as variable -> value; None if nobody can tell.
    """
    approach = trial["approach"]
    executed: list[tuple[str, bool]] = []

    def done(step: Json) -> bool:
        executed.append((step["skill"], bool(execute(step))))
        return executed[-1][1]

    first = observe() if observe and approach["rule"] else None
    if observe and first is not None:
        reached = _follow(trial, first, done, observe)
    else:
        reached = all(_reach(step, approach["limit"], executed, done) for step in approach["route"])
    result: Json = {"outcome": "unreached"}
    if reached:
        result["outcome"] = "success" if execute(trial) else "failure"
    elif executed:
        result["at"] = executed[-1][0]
    if approach["rule"] or any(step["on_failure"] != "end" for step in approach["route"]):
        result["executed"] = executed
    return result


def _follow(
    trial: Json,
    state: State | None,
    done: Callable[[Json], bool],
    observe: Callable[[], State | None],
) -> bool:
    """Follow the rule of an approach; whether it led to where the attempt begins."""
    rows = {frozenset(row["when"].items()): row for row in trial["approach"]["rule"]}
    for left in range(trial["approach"]["limit"], -1, -1):
        if state is None:
            return False
        if all(state.get(name) in values for name, values in trial["precondition"].items()):
            return True
        row = rows.get(frozenset(state.items()))
        if row is None or not left:
            return False
        done(row)
        state = observe()
    return False


def _reach(
    step: Json, limit: int, executed: list[tuple[str, bool]], done: Callable[[Json], bool]
) -> bool:
    """Execute a step of a route, again if its failure allows that; whether the route goes on."""
    while not 0 < limit <= len(executed):
        success = done(step)
        if success == (step["on_failure"] != "continue"):
            return True
        if success or step["on_failure"] == "end" or len(executed) >= limit:
            return False
    return False


def _judge(judge: Judge, name: str, skill: str, observation: Any, info: Mapping[str, Any]) -> Any:
    if not isinstance(judge, str):
        return judge(skill, observation, info)
    if judge not in info:
        valid = ", ".join(map(str, info)) or "nothing"
        raise GymError(
            f"{name}: info has no {judge!r}; it has {valid}. Name one of these, or give a function "
            "of skill, observation and info."
        )
    return info[judge]
