"""``deliberate film``: videos and pictures of what sessions on a simulated robot came to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from deliberate_practice.cli.options import check_ending, format_option, together
from deliberate_practice.cli.output import answer, stopped
from deliberate_practice.cli.progress import watched
from deliberate_practice.cli.session_options import db_option
from deliberate_practice.foundation.errors import ArgumentError

if TYPE_CHECKING:
    from deliberate_practice.robots.filming import Filmed

film_options: Callable[[Any], Any] = together(
    click.option(
        "--video",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Film an untrained attempt that fails, then the plan after practice (mp4); needs "
        "--robot mujoco.",
    ),
    click.option(
        "--picture",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Save a still of the decisive moment of the skill that was practised most (png).",
    ),
    click.option(
        "--video-quality",
        "quality",
        type=click.Choice(["full", "fast"]),
        default="full",
        help="full: with shadows, at true speed (default); fast: without shadows, sped up to at "
        "most 300 frames.",
    ),
)
"""What to film into which files, and how well."""


@click.command("film")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@film_options
@db_option
@format_option
def film_command(
    names: tuple[str, ...],
    video: Path | None,
    picture: Path | None,
    quality: Literal["full", "fast"],
    db: Path,
    output: str,
) -> None:
    """Film what session NAME came to. Up to four sessions of a task are shown side by side.

    Each session needs a robot that can be filmed (run --robot mujoco). A film of one session begins
    with an untrained attempt; a film of several sessions shows their plans alone.

    \b
    Examples:
      deliberate film cleanup-1 --video cleanup.mp4
      deliberate film cleanup-1 --picture cleanup.png --video cleanup.mp4 --video-quality fast
      deliberate film short medium long --db lab.db --video budgets.mp4
    """
    if not (video or picture):
        raise ArgumentError("--video, --picture: name at least one file to write.")
    check_files(video, picture)
    try:
        filmed = make_film(db, names, video, picture, quality)
    except KeyboardInterrupt:
        raise stopped("the same command makes the film anew.") from None
    answer(output, filmed.as_data(), sentence(filmed, video, picture))


def check_files(video: Path | None, picture: Path | None) -> None:
    """Refuse files that cannot be written before doing any work for them."""
    check_ending("--video", video, ".mp4")
    check_ending("--picture", picture, ".png")


def make_film(
    journal: Path,
    names: Sequence[str],
    video: Path | None,
    picture: Path | None,
    quality: Literal["full", "fast"],
) -> Filmed:
    """Film sessions, and show the progress."""
    from deliberate_practice.robots.filming import film

    with watched("filming", "frames") as shown:
        return film(
            names,
            video,
            picture=picture,
            journal=journal,
            quality=quality,
            progress=shown.update,
        )


def sentence(filmed: Filmed, video: Path | None, picture: Path | None) -> str:
    """One line for people: the files, and what they show."""
    length = f" ({filmed.seconds:.0f} s at {filmed.speed:g}x)" if video else ""
    files = " and ".join(str(file) for file in (video, picture) if file)
    return f"filmed  {files}{length}: {'; '.join(filmed.shows)}"


def film_run(
    journal: Path,
    name: str,
    video: Path | None,
    picture: Path | None,
    quality: Literal["full", "fast"],
    *,
    watch: bool,
) -> str | None:
    """Film, or show in a window, what a run came to; returns one line that says what is filmed.

    Where nothing can be drawn, a message says what to install, and everything else goes on.
    """
    from deliberate_practice.robots.filming import NothingToFilm, plan_film
    from deliberate_practice.robots.mujoco.canvas import RenderingUnavailable
    from deliberate_practice.robots.mujoco.live_view import LiveView

    said = None
    try:
        if video or picture:
            said = sentence(make_film(journal, [name], video, picture, quality), video, picture)
        if watch:
            film = plan_film(journal, name)
            with LiveView(film.model, film.camera) as window:
                window.play(film.states)
    except RenderingUnavailable as error:
        click.echo(f"deliberate: no pictures: {error}", err=True)
    except NothingToFilm as error:
        click.echo(f"deliberate: {error}", err=True)
    return said
