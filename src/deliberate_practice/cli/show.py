"""``deliberate show``, ``sessions``, ``why``, ``forecast`` and ``robots``: how sessions go on."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deliberate_practice.cli.options import format_option
from deliberate_practice.cli.output import (
    answer,
    console,
    figure,
    paragraph,
    plan_lines,
    print_json,
    print_whole,
    say,
    settings,
    table,
)
from deliberate_practice.cli.session_options import db_option, name_argument, session_options
from deliberate_practice.foundation.command_line import command, journal_option

if TYPE_CHECKING:
    from deliberate_practice.practice.records import TrialRecord
    from deliberate_practice.practice.showing.forecast import Forecast
    from deliberate_practice.practice.showing.summary import Summary

MEASURED = {
    "force": "force {} N",
    "speed": "joint speed {} of its limit",
    "seconds": "time {} s",
}
"""How measurements read whose names have a meaning for every robot."""
FLAGS = ("touched", "stopped")
"""Measurements that are 0 or 1; their largest values tell nothing."""

SHOWN_TRIALS = 12
SHOWN_GAPS = 5


@click.command("show")
@click.option("--times", is_flag=True, help="Show when trials were asked and told.")
@click.option(
    "--all", "everything", is_flag=True, help=f"Show all trials, not only the last {SHOWN_TRIALS}."
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save a chart of what was learned (png, pdf, svg, csv, html).",
)
@session_options
def show_command(
    name: str, db: Path, output: str, times: bool, everything: bool, plot: Path | None
) -> None:
    """Show spending, plan, rewards and trials of session NAME.

    \b
    Examples:
      deliberate show monday
      deliberate show monday --plot learning.png
      deliberate show monday --format json --times
    """
    from deliberate_practice.practice.sessions import open_session
    from deliberate_practice.practice.showing.session_data import session_data
    from deliberate_practice.practice.showing.summary import summary

    if plot:
        from deliberate_practice.charts.write import check_format, write_chart

        check_format(plot)
    with open_session(db, name) as session:
        if plot:
            from deliberate_practice.practice.showing.session_chart import session_chart

            write_chart(session_chart(session), plot)
        if output == "json":
            print_json(session_data(session, times=times))
            return
        done = summary(session)
        looks = (session.state.left or done.probes) and done.state == "active"
        ahead = session.forecast() if looks else None
        records = session.trials()
    print_summary(done, ahead)
    shown = records if everything else records[-SHOWN_TRIALS:]
    if shown:
        console().print(_trial_table(shown, times))
    if plot:
        console().print(f"picture {plot}")


@click.command("sessions")
@click.option("--all", "everything", is_flag=True, help="List archived sessions too.")
@db_option
@format_option
def sessions_command(db: Path, output: str, everything: bool) -> None:
    """List the sessions of a journal. Damaged ones are named on stderr, with exit status 2.

    \b
    Examples:
      deliberate sessions
      deliberate sessions --db lab.db --format json
    """
    from deliberate_practice.practice.journal.journal import Journal
    from deliberate_practice.practice.journal.rows import JournalError
    from deliberate_practice.practice.sessions import open_session
    from deliberate_practice.practice.showing.session_data import session_row

    faults = dict[str, None]()
    with closing(Journal(db)) as journal:
        names = journal.names()
        try:
            journal.sessions()
        except JournalError as error:
            faults[str(error)] = None
    rows: list[dict[str, Any]] = []
    for name in names:
        try:
            with open_session(db, name) as session:
                row = session_row(session)
            rows += [row] if everything or row["state"] != "archived" else []
        except JournalError as error:
            faults[str(error)] = None
    if output == "json":
        print_json({"sessions": rows})
    elif rows or not faults:
        columns = ["name", "task", "strategy", "belief", "seed", "budget", "spent", "open", "state"]
        cells = [[str(row[column]) for column in columns] for row in rows]
        print_whole(console(), table(columns, cells, numeric=(4, 5, 6, 7)))
    for fault in faults:
        click.echo(f"deliberate: {fault}", err=True)
    if faults:
        raise click.exceptions.Exit(2)


@click.command("why")
@name_argument
@click.argument("trial", type=int, required=False)
@db_option
@format_option
def why_command(name: str, trial: int | None, db: Path, output: str) -> None:
    """Say why a trial of session NAME is run. Without TRIAL it is the last one.

    \b
    Examples:
      deliberate why monday
      deliberate why monday 7 --format json
    """
    from deliberate_practice.practice.sessions import open_session

    with open_session(db, name) as session:
        number = len(session.state.records) if trial is None else trial
        reason = session.why(number)
    answer(output, {"name": name, "id": number, "reason": reason}, f"trial {number}: {reason}")


@click.command("forecast")
@session_options
def forecast_command(name: str, db: Path, output: str) -> None:
    """Show what to expect of session NAME at its end.

    The band holds 80 % of the rewards that the belief expects once the budget is spent.

    \b
    Examples:
      deliberate forecast monday
      deliberate forecast monday --format json
    """
    from deliberate_practice.practice.sessions import open_session

    with open_session(db, name) as session:
        ahead = session.forecast()
    if output == "json":
        print_json({"name": name, **ahead.as_data()})
        return
    out = console()
    out.print(f"now     {figure(ahead.now)} is believed")
    out.print(f"ahead   {expected(ahead)}")
    columns = ["skill", "now", "attempts", "after", "80 % from", "to"]
    rows = [
        [
            policy,
            figure(growth.now),
            str(growth.attempts),
            *(figure(value) for value in (growth.after, growth.low, growth.high)),
        ]
        for policy, growth in ahead.policies.items()
    ]
    if rows:
        print_whole(out, table(columns, rows, numeric=range(1, len(columns))))
    for loss in ahead.gaps:
        out.print(f"gap     {loss.text}")


@click.command("robots")
@session_options
def robots_command(name: str, db: Path, output: str) -> None:
    """List the robots of session NAME with their outcomes. Open trials are listed, too.

    Robots have the names that they ask with; processes without a name are not listed.

    \b
    Examples:
      deliberate robots monday
      deliberate robots monday --format json
    """
    from deliberate_practice.practice.sessions import open_session

    with open_session(db, name) as session:
        robots = session.robots()
    if output == "json":
        print_json({"robots": robots})
        return
    if not robots:
        asking = command("ask", name, "--asker", "NAME") + journal_option(db)
        say(f"no robot has asked with a name; use: {asking}")
        return
    columns = ["robot", "open", "told", "outcomes", "success rate"]
    rows = [
        [
            row["name"],
            ", ".join(map(str, row["open"])),
            str(row["trials"]),
            ", ".join(f"{count} {outcome}" for outcome, count in row["outcomes"].items()),
            "" if row["success_rate"] is None else figure(row["success_rate"]),
        ]
        for row in robots
    ]
    print_whole(console(), table(columns, rows, numeric=(2, 4)))


def print_summary(done: Summary, ahead: Forecast | None = None) -> None:
    """A session for people, with the forecast if there is one."""
    out = console()
    goal = f"would now aim for {done.goal}" if done.goal else "would do nothing yet"
    out.print(
        f"{done.name}: {done.task}, {done.strategy} on {done.belief}, seed {done.seed}",
        style="bold",
    )
    state = "" if done.state == "active" else f"{done.state}; "
    out.print(f"spent   {part_of_budget(done, done.spent)}; {state}{goal}")
    tested = f", {_counted(done.test_episodes, 'test')}" if done.tests else ""
    tested += f", {_counted(done.probes, 'probe')}" if done.probes else ""
    out.print(
        f"took    {_counted(done.practice_episodes, 'episode')} of practice{tested}; "
        f"{_counted(done.skill_executions, 'skill')} executed in all"
    )
    counts = {"episodes": done.allocation, "not reached": done.unreached, "tests": done.tests}
    shown = {name: count for name, count in counts.items() if count}
    columns = ["skill", *shown, "believed competence"]
    rows = [
        [
            policy,
            *(str(count.get(policy, 0)) for count in shown.values()),
            figure(done.competence[policy]),
        ]
        for policy in done.allocation
    ]
    if rows:
        print_whole(out, table(columns, rows, numeric=range(1, len(columns))))
    for line in plan_lines(done.plan, done.goal, done.plans):
        paragraph("plan", line)
    for policy, values in done.deployed.items():
        if policy in done.allocation:
            paragraph("with", f"{policy}: {settings(values, done.units[policy])}")
    if done.reason:
        paragraph("why", done.reason)
    if ahead and ahead.left:
        out.print(f"ahead   {expected(ahead)}")
    if ahead:
        for loss in ahead.gaps[:SHOWN_GAPS]:
            out.print(f"gap     {loss.text}")
    if done.reward_after is None:
        out.print(f"reward  {figure(done.expected_reward)} is believed")
    else:
        before = "not measured" if done.reward_before is None else figure(done.reward_before)
        ends = done.measured[-1].earnings.interval
        interval = f", 95 % {figure(ends[0])} to {figure(ends[1])}" if ends else ""
        out.print(
            f"reward  {figure(done.reward_after)}{interval} (before practice {before}, "
            f"believed {figure(done.expected_reward)})"
        )
    most = [_measured(name, value) for name, value in done.largest.items() if name not in FLAGS]
    if most:
        paragraph("largest", f"{', '.join(most)} in all episodes")
    for warning in done.warnings:
        out.print(f"warning {warning}.")
    for skill, reason in done.blocked.items():
        out.print(f"blocked {skill}{f': {reason}' if reason else ''}")
    for note in done.notes:
        paragraph("note", note)


def part_of_budget(done: Summary, units: int) -> str:
    """A part of the budget in words: as times, if budget units are seconds."""
    from deliberate_practice.practice.showing.reasons import amount

    part, whole = (amount(n, done.in_seconds) for n in (units, done.budget))
    return f"{part} of {whole}{'' if done.in_seconds else ' units'}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _measured(name: str, value: float) -> str:
    """A measurement in words, with its unit if its name has one."""
    return MEASURED.get(name, f"{name} {{}}").format(figure(value))


def expected(ahead: Forecast) -> str:
    """A forecast in one line."""
    return (
        f"with the {ahead.left} left {figure(ahead.value)} is expected, "
        f"80 % {figure(ahead.low)} to {figure(ahead.high)}"
    )


def _trial_table(records: list[TrialRecord], times: bool) -> Any:
    rows = []
    for record in records:
        result = record.result
        outcome: str = result.outcome if result else "open"
        outcome += f" at {result.at}" if result and result.at else ""
        outcome += ", refunded" if record.refunded else ""
        outcome += f" (told as {record.corrected.outcome})" if record.corrected else ""
        outcome += "".join(f"; {note}" for note in record.notes)
        mode = record.trial.mode if record.kind == "practice" else record.kind
        asked = [record.asked.isoformat(sep=" ", timespec="seconds")] if times else []
        rows.append([str(record.trial.id), record.trial.skill, mode, outcome, *asked])
    columns = ["trial", "skill", "mode", "outcome", *(["asked"] if times else [])]
    return table(columns, rows, numeric=(0,))
