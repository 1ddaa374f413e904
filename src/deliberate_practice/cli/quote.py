"""``deliberate quote``: how much practice a target takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from deliberate_practice.cli import options, session_options
from deliberate_practice.cli.output import console, print_json, table
from deliberate_practice.cli.progress import watched
from deliberate_practice.foundation.errors import ArgumentError

if TYPE_CHECKING:
    from deliberate_practice.study.quoting.actual import Actual
    from deliberate_practice.study.quoting.result import Quote
    from deliberate_practice.study.quoting.search import Measure
    from deliberate_practice.task.model import Task

BESIDE_QUOTED = (
    "task", "parameters", "robot", "learner", "output", "page", "quoted", "session", "db",
)  # fmt: skip
"""What says something with a quote that was saved; all else is about computing one."""
ADVICE = (
    "Give a lower target or confidence, or state better ceilings in the task. Or let the robot "
    "practise a little, and quote again with --experience."
)
"""What to do next if there is no answer for all worlds."""


@click.command("quote")
@click.option("--target", metavar="V|P%", help="A value, or a success rate such as 90%.")
@click.option("--goal", help="The goal of a success rate (default: the most rewarding one).")
@click.option("--confidence", type=float, default=0.9, help="Confidence of the answer (0.9).")
@click.option("--episode-seconds", type=float, help="Time of an episode, where TASK states none.")
@click.option(
    "--reset-seconds",
    type=float,
    help="Time of the reset before an episode, where TASK states none.",
)
@click.option(
    "--switch-seconds", type=float, help="Time to change to another skill, where TASK states none."
)
@click.option("--strategy", default="deliberate", help="The strategy that will practise.")
@click.option(
    "--approach",
    type=click.Choice(["execute", "free"]),
    default="execute",
    help=session_options.APPROACH,
)
@click.option(
    "--worlds",
    type=int,
    default=100,
    help="The most rehearsals of each budget (100); 40 give a rough answer sooner.",
)
@click.option("--seed", type=int, default=0, help="Number of the first world (0).")
@click.option("--workers", type=int, help="Processes (one per core).")
@click.option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the quote as a page that opens offline (.html).",
)
@click.option(
    "--quoted",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read a quote that was saved as JSON instead of computing one.",
)
@click.option("--session", help="Compare the quote with this session of --db.")
@session_options.db_option
@options.scene_options
@options.experience_option
@options.task_options
@click.pass_context
def quote_command(
    context: click.Context,
    task: str,
    parameters: tuple[str, ...],
    max_states: int | None,
    output: str,
    target: str | None,
    goal: str | None,
    confidence: float,
    episode_seconds: float | None,
    reset_seconds: float | None,
    switch_seconds: float | None,
    strategy: str,
    approach: str,
    worlds: int,
    seed: int,
    workers: int | None,
    page: Path | None,
    quoted: Path | None,
    session: str | None,
    db: Path,
    robot: str | None,
    learner: str | None,
    experience: Path | None,
) -> None:
    """Say how much practice TASK needs to reach a target. The robot's own plan is to reach it.

    The whole practice is rehearsed in many worlds that the stated curves leave possible. The answer
    is given at 50 % and at --confidence.

    \b
    Examples:
      deliberate quote breakfast --target 0.8
      deliberate quote breakfast --target 90% --goal toast --episode-seconds 40 --reset-seconds 20
      deliberate quote my_task.toml --target 1.5 --confidence 0.8 --page quote.html
      deliberate quote my_task.toml --target 1.5 --experience experience.toml
      deliberate quote my_task.toml --target 1.5 --format json > quote.json
      deliberate quote my_task.toml --quoted quote.json --session night --db lab.db
    """
    from deliberate_practice.practice.sessions import open_session
    from deliberate_practice.study.quoting.actual import actual, check_session
    from deliberate_practice.study.quoting.page import quote_page

    options.check_ending("--page", page, ".html")
    if goal is not None and not (target or "%").strip().endswith("%"):
        raise ArgumentError("--goal: it belongs to a success rate; write e.g. --target 90%.")
    if quoted:
        _refuse_what_is_quoted(context)
    described = options.load_for(robot, learner, task, parameters)
    if session:
        with open_session(db, session) as opened:  # refused before the rehearsals
            check_session(described.name, opened)
    if quoted:
        found = _read(quoted)
        if found.task != described.name:
            raise ArgumentError(
                f"--quoted: {quoted} is a quote for the task '{found.task}', not for "
                f"'{described.name}'; name that task."
            )
    else:
        from deliberate_practice.study.quoting.quote import quote

        measure, aim = _target(target)
        described = options.experienced(described, experience)
        described = _timed(described, episode_seconds, reset_seconds, switch_seconds)
        options.warn(options.grounded(task, described, max_states).task)
        with options.naming(task), watched("rehearsing", "sessions") as shown:
            found = quote(
                described,
                aim,
                measure=measure,
                goal=goal,
                confidence=confidence,
                strategy=strategy,
                approach=approach,
                worlds=worlds,
                seed=seed,
                workers=workers,
                progress=shown.update,
            )
    carried_out = None
    if session:
        with open_session(db, session) as opened:
            carried_out = actual(found, opened)
    if page:
        options.write_file(
            page, lambda path: path.write_text(quote_page(found, carried_out), encoding="utf-8")
        )
    if output == "json":
        beside = {"actual": carried_out.as_data()} if carried_out else {}
        print_json({**found.as_data(), **beside})
    else:
        _print(found, carried_out)
        if page:
            console().print(f"page    {page}")


def _refuse_what_is_quoted(context: click.Context) -> None:
    from click.core import ParameterSource

    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") == ParameterSource.COMMANDLINE
        if given and parameter.name not in BESIDE_QUOTED:
            raise ArgumentError(
                f"{parameter.opts[0]}: with --quoted nothing is computed; leave one of them out."
            )


def _timed(task: Task, episode: float | None, reset: float | None, switch: float | None) -> Task:
    """The task with the times that options give."""
    from deliberate_practice.task.seconds import with_seconds, without_times

    timed = with_seconds(task, episode=episode, reset=reset, switch=switch)
    given = {"--reset-seconds": reset, "--switch-seconds": switch}
    for option, seconds in given.items():
        if seconds is not None and (silent := without_times(timed)):
            raise ArgumentError(
                f"{option}: nothing states the time of an episode of {', '.join(silent)}; give "
                "--episode-seconds too."
            )
    return timed


def _target(text: str | None) -> tuple[Measure, float]:
    """The target as a value, or as a success rate in percent."""
    if text is None:
        raise ArgumentError("give --target V (a value) or --target P% (a success rate).")
    number = text.strip().removesuffix("%")
    try:
        value = float(number)
    except ValueError:
        raise ArgumentError(
            f"--target: '{text}' is neither a value such as 1.5 nor a rate such as 90%."
        ) from None
    if text.strip().endswith("%") and not 0 < value <= 100:
        raise ArgumentError(f"--target: '{text}' is no success rate; write more than 0% to 100%.")
    return ("success", value / 100) if text.strip().endswith("%") else ("value", value)


def _read(path: Path) -> Quote:
    """A quote that was saved as JSON."""
    from deliberate_practice.study.quoting.result import quote_of

    try:
        return quote_of(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, OSError) as error:
        raise ArgumentError(f"--quoted: {path} cannot be read ({error}).") from None
    except ArgumentError as error:
        raise ArgumentError(f"--quoted: {path}: {error}") from None


def _print(found: Quote, carried_out: Actual | None) -> None:
    from deliberate_practice.foundation.percent import percent
    from deliberate_practice.study.quoting.words import (
        amount_in_words,
        answer_in_words,
        condition_in_words,
        need_in_words,
        remark_in_words,
        saved_in_words,
        target_in_words,
    )

    out = console()
    out.print(f"{found.task}: practice until {target_in_words(found)}", style="bold")
    for level in (0.5, found.confidence):
        out.print(f"{percent(level):>6}  {answer_in_words(found, level)}")
    if found.if_reachable:
        need = need_in_words(found, found.if_reachable)
        out.print(f"{percent(found.confidence):>6}  {need}, {condition_in_words(found)}")
    remark = remark_in_words(found)
    if remark:
        out.print(remark if found.sure else f"{remark} {ADVICE}")
    rows = [
        [name, f"{share.episodes:.0f}", amount_in_words(found, share.budget), percent(share.part)]
        for name, share in found.policies.items()
    ]
    if rows:
        if found.answer:
            practice = amount_in_words(found, found.answer.budget)
            out.print(f"By skill, mean of the rehearsals with {practice} of practice:")
        out.print(table(["skill", "episodes", "practice", "part"], rows, numeric=(1, 2, 3)))
    for saving in found.savings:
        needed, saved = amount_in_words(found, saving.budget), saved_in_words(found, saving)
        out.print(f"with {saving.what}: {needed}, which saves {saved}")
    if carried_out:
        rows = [
            [name, f"{planned:.0f}", str(practised)]
            for name, (planned, practised) in carried_out.episodes(found).items()
        ]
        out.print(table(["skill", "planned", "practised"], rows, numeric=(1, 2)))
        out.print(carried_out.in_words(found))
