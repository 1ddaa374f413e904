"""Videos and pictures of what a simulated robot does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from deliberate_practice.cli.progress import watched
from deliberate_practice.foundation.errors import ArgumentError

if TYPE_CHECKING:
    from deliberate_practice.practice.summary import Summary
    from deliberate_practice.robots.mujoco.canvas import Picture

FRAMES_PER_SECOND = 15.0
UNSEEN = "--video, --picture, --watch: the robot '{}' cannot be filmed; take --robot mujoco."
SPEED = 2.0
"""A film shows everything so many times as fast as it was."""


def film_plan(
    journal: Path,
    done: Summary,
    video: Path | None,
    picture: Path | None,
    *,
    watch: bool = False,
) -> None:
    """Film, or show in a window, what the robot would do now, from the first start that succeeds.

    Where nothing can be drawn, a message says what to install, and everything else goes on.
    """
    from deliberate_practice.practice.domain import make_robot
    from deliberate_practice.practice.earning import start_seeds
    from deliberate_practice.practice.intention import intention
    from deliberate_practice.practice.session import open_session
    from deliberate_practice.robots.mujoco import rendering
    from deliberate_practice.robots.mujoco.canvas import RenderingUnavailable
    from deliberate_practice.robots.mujoco.film import FilmedRobot
    from deliberate_practice.robots.mujoco.live_view import LiveView

    successes = done.measured[-1].earnings.successes if done.measured else ()
    if not done.plan or not successes:
        click.echo(
            "deliberate: there is nothing to film; the robot would do nothing yet.", err=True
        )
        return
    seed = start_seeds(len(successes))[successes.index(max(successes))]
    with open_session(journal, done.name) as session:
        robot = make_robot(str(done.robot), session.task, done.seed)
        plan = intention(session.ground, session.state).plan
    if not isinstance(robot, FilmedRobot):
        raise ArgumentError(UNSEEN.format(done.robot))
    film = robot.film(plan, seed)
    model, states, view = film.model, film.states, film.camera
    try:
        with watched("drawing a still") as progress:
            if picture:
                middle = (film.begins[-1] + len(states)) // 2
                rendering.write_picture(picture, rendering.picture(model, states[middle], view))
            if video:
                # A frame needs less care than a still, and takes a third of its time.
                camera = replace(view, oversampling=1.25, shadows=1024, reflections=False)
                shown = rendering.thinned(model, states, FRAMES_PER_SECOND, SPEED)
                progress.stage("filming", "frames", len(shown))
                frames = rendering.frames_of(model, shown, camera)
                counted = _counted(frames, len(shown), progress.update)
                rendering.write_video(video, counted, FRAMES_PER_SECOND)
        if watch:
            with LiveView(model, view) as window:
                window.play(states)
    except RenderingUnavailable as error:
        click.echo(f"deliberate: no pictures: {error}", err=True)


def _counted(
    frames: Iterable[Picture], count: int, progress: Callable[[int, int], None]
) -> Iterator[Picture]:
    for number, frame in enumerate(frames, 1):
        yield frame
        progress(number, count)
