"""The verb ``film``: a video of what sessions came to, from an untrained attempt to the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from deliberate_practice.foundation.errors import (
    ArgumentError,
    DeliberatePracticeError,
    choose_from,
)
from deliberate_practice.practice.domain import make_robot
from deliberate_practice.practice.earning import start_seeds
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.robot import Step
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.practice.showing.summary import Summary, summary

if TYPE_CHECKING:
    from deliberate_practice.robots.mujoco.canvas import Picture
    from deliberate_practice.robots.mujoco.film import Film, FilmedRobot
    from deliberate_practice.robots.mujoco.storyboard import Shot

MOST_SESSIONS = 4
"""Sessions that one film shows side by side."""

UNTRAINED_STARTS = 10
"""Starts from which an untrained attempt that fails is looked for."""

UNSEEN = "the robot '{}' cannot be filmed; take --robot mujoco."

Quality = Literal["full", "fast"]


class NothingToFilm(DeliberatePracticeError):
    """The robot of a session would do nothing yet."""


@dataclass(frozen=True)
class Filmed:
    """What a film shows.

    Attributes:
        shows: What is seen, one text per execution.
        speed: How many times as fast as it was everything is shown.
        frames: Pictures in the video; 0 if there is none.
        seconds: How long the video is [s].
    """

    shows: tuple[str, ...]
    speed: float
    frames: int
    seconds: float

    def as_data(self) -> dict[str, Any]:
        """The same as plain data."""
        return {**vars(self), "shows": list(self.shows)}


def film(
    sessions: str | Sequence[str],
    video: str | Path | None = None,
    *,
    picture: str | Path | None = None,
    journal: str | Path = "deliberate.db",
    quality: Quality = "full",
    progress: Callable[[int, int], None] | None = None,
) -> Filmed:
    """Film what practice came to.

    The film of one session begins with an attempt that fails: the skill of the plan that was
    practised most, with its parameters before practice, at its precondition. Then comes the plan
    that the robot would execute now, from the first measured start that succeeds. Several sessions
    of a task, of other budgets for example, are filmed side by side, each with its plan alone.

    Args:
        sessions: Name of a session, or names of up to four of one task.
        video: The mp4 to write.
        picture: A png of the moment that decides the skill of the plan that was practised most.
        journal: The file that keeps the sessions.
        quality: ``full`` has shadows and true speed; ``fast`` has no shadows, and is shown so
            fast that it has at most 300 pictures.
        progress: Called after every picture with their number so far and in all.

    Raises:
        ArgumentError: There are no such sessions, they are of several tasks, or their robot cannot
            be filmed.
        NothingToFilm: The robot would do nothing yet.
        RenderingUnavailable: Nothing can be drawn here; the message says what to install.
    """
    names = [sessions] if isinstance(sessions, str) else list(sessions)
    if not 1 <= len(names) <= MOST_SESSIONS:
        raise ArgumentError(f"sessions: {len(names)} names; give 1 to {MOST_SESSIONS}.")
    if video is None and picture is None:
        raise ArgumentError("video, picture: name at least one file to write.")
    alone = len(names) == 1 and video is not None
    recorded = [_record(Path(journal), name, untrained=alone) for name in names]
    tasks = list(dict.fromkeys(record.done.task for record in recorded))
    if len(tasks) > 1:
        raise ArgumentError(f"sessions: they are of the tasks {', '.join(tasks)}; film one task.")

    from deliberate_practice.robots.mujoco import rendering, storyboard as board

    if quality not in board.QUALITIES:
        raise ArgumentError("quality: " + choose_from(quality, board.QUALITIES))
    chosen = board.QUALITIES[quality]
    panes = [record.shots() for record in recorded]
    pace = board.pace(panes, chosen)
    lines = [f"{tasks[0]}, side by side", *(record.worth() for record in recorded)]
    timed = [*lines, f"Shown at {pace.word}: the first measured start that succeeds, if any does."]
    frames = [board.storyboard(shots, pace) for shots in panes]
    count = max(map(len, frames)) if video else 0
    if picture:
        stills = [
            [board.decisive(shots[-1], record.most_practised)]
            for record, shots in zip(recorded, panes, strict=True)
        ]
        (image,) = board.drawn(stills, board.STILL, lines)
        rendering.write_picture(picture, image)
    if video:
        pictures = _counted(board.drawn(frames, chosen, timed), count, progress)
        rendering.write_video(video, pictures, pace.fps)
    shows = tuple(words for record in recorded for words in record.words())
    return Filmed(shows, pace.speed, count, count / pace.fps)


def plan_film(journal: Path, name: str) -> Film:
    """The film of the plan alone, from the first measured start that succeeds.

    Raises:
        ArgumentError, NothingToFilm: As :func:`film`.
    """
    return _record(journal, name, untrained=False).plan


@dataclass(frozen=True)
class _Recorded:
    """What is filmed of a session.

    Attributes:
        done: The session.
        steps: Its plan.
        plan: Its plan's film.
        start: The measured start from which it is filmed, counted from 1.
        untrained: The film of an attempt before practice, if it is shown.
    """

    done: Summary
    steps: Sequence[Step]
    plan: Film
    start: int
    untrained: Film | None

    @property
    def most_practised(self) -> int:
        """The skill of the plan's film that was practised most; of several the last."""
        numbers = range(len(self.plan.takes))
        return max(numbers, key=lambda number: (self.steps[number].practised, number))

    def shots(self) -> list[Shot]:
        """The films with their words."""
        from deliberate_practice.robots.mujoco.storyboard import Shot

        done = self.done
        shots = []
        if self.untrained:
            attempts = _attempts(max(step.practised for step in self.steps))
            works = ", and it works" if self.untrained.success else ""
            detail = f"untrained{works}: before the first of {attempts}"
            shots.append(Shot(self.untrained, f"{done.task} before practice", [detail]))
        headline = f"{done.task} after practice, {self.worth()}, {self._which_start()}"
        return [*shots, Shot(self.plan, headline, [_practised(step) for step in self.steps])]

    def worth(self) -> str:
        """The budget, and what came of it."""
        reward = self.done.measured[-1].earnings.reward
        return f"budget {self.done.budget}, mean reward {reward:.2f}"

    def words(self) -> Iterator[str]:
        """What is seen, one text per film."""
        if self.untrained:
            take = self.untrained.takes[0]
            yield f"{take.step.skill} untrained ({_outcome(self.untrained)})"
        skills = ", ".join(step.skill for step in self.steps)
        yield (
            f"the plan {skills} after a budget of {self.done.budget} ({_outcome(self.plan)}; "
            f"{self._which_start()}{', the first that succeeds' * self.plan.success})"
        )

    def _which_start(self) -> str:
        return f"start {self.start} of {len(self.done.measured[-1].earnings.successes)}"


def _record(journal: Path, name: str, *, untrained: bool) -> _Recorded:
    with open_session(journal, name) as session:
        done = summary(session)
        now = intention(session.ground, session.state)
        if now.starts:
            raise ArgumentError(
                f"session '{name}' has {len(now.starts)} plans, one for each start; a film shows "
                "one plan. Film a session of a task with one start."
            )
        plan = now.plan
        successes = done.measured[-1].earnings.successes if done.measured else ()
        robot = _filmed_robot(done, session)
        if not plan or not successes:
            raise NothingToFilm(
                f"there is nothing to film of session '{name}'; the robot would do nothing yet."
            )
        first = successes.index(max(successes))
        before = _untrained(robot, session, plan) if untrained else None
        seed = start_seeds(len(successes))[first]
        return _Recorded(done, plan, robot.film(plan, seed), first + 1, before)


def _filmed_robot(done: Summary, session: Session) -> FilmedRobot:
    """The robot of a session.

    Raises:
        ArgumentError: It cannot be filmed.
    """
    if done.robot is None:
        raise ArgumentError(
            f"session '{done.name}' is for a robot of your own; film that yourself."
        )
    robot = make_robot(done.robot, session.task, done.seed)
    if not hasattr(robot, "film"):
        raise ArgumentError(f"session '{done.name}': {UNSEEN.format(done.robot)}")
    return cast("FilmedRobot", robot)


def _untrained(robot: FilmedRobot, session: Session, plan: Sequence[Step]) -> Film | None:
    """The first attempt of the most practised skill that fails before practice.

    If it never fails, the first attempt; an attempt in which nothing moves shows nothing, and is
    the last choice. None if nothing was practised.
    """
    *_, step = sorted(plan, key=lambda step: step.practised)
    if not step.practised:
        return None
    parameters = session.task.skill(step.skill).parameters
    before = Step(step.skill, {parameter.name: parameter.mean for parameter in parameters})
    seeds = np.random.SeedSequence([20261115, 1]).generate_state(UNTRAINED_STARTS)
    films: list[Film] = []
    for seed in seeds:
        films.append(robot.film([before], int(seed)))
        if not films[-1].success and films[-1].moves:
            return films[-1]
    return max(films, key=lambda film: film.moves)


def _counted(
    pictures: Iterable[Picture], count: int, progress: Callable[[int, int], None] | None
) -> Iterator[Picture]:
    for number, image in enumerate(pictures, 1):
        yield image
        if progress:
            progress(number, count)


def _practised(step: Step) -> str:
    if step.practised:
        return f"after {_attempts(step.practised)}"
    return "untrained" if step.parameters else "works without practice"


def _attempts(count: int) -> str:
    return f"{count} attempt{'s' * (count != 1)}"


def _outcome(film: Film) -> str:
    return "success" if film.success else "failure"
