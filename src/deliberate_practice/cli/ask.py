"""``deliberate ask``: the next trial to run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from deliberate_practice.cli.output import (
    answer,
    arrows,
    console,
    figure,
    paragraph,
    print_json,
    say,
    settings,
    table,
)
from deliberate_practice.cli.session_options import session_options
from deliberate_practice.foundation.command_line import command, journal_option

if TYPE_CHECKING:
    from rich.table import Table

    from deliberate_practice.practice.records import TrialRecord
    from deliberate_practice.practice.robot import Choice
    from deliberate_practice.task.model import Task

STATUS = {"wait": 75, "paused": 75, "done": 3}
"""Exit status without a trial: 75 is EX_TEMPFAIL, so asking again later may help."""
WORDS = {"wait": "wait", "paused": "paused", "done": "nothing to do"}


@click.command("ask")
@click.option(
    "--evaluate",
    metavar="SKILL",
    help="Ask for a run of this skill as deployed, which costs no budget.",
)
@click.option(
    "--probe",
    is_flag=True,
    help="Ask for an execution of the whole present plan, which costs an episode.",
)
@click.option(
    "--asker", help="Name of the robot that asks; by default the calling shell or program."
)
@click.option(
    "--takeover", is_flag=True, help="Take over an open trial of an asker that has given up."
)
@click.option(
    "--wait",
    type=float,
    default=0.0,
    metavar="SECONDS",
    help="If there is no trial now, wait up to this time for one.",
)
@session_options
def ask_command(
    name: str,
    db: Path,
    output: str,
    evaluate: str | None,
    probe: bool,
    asker: str | None,
    takeover: bool,
    wait: float,
) -> None:
    """Hand out the next trial of session NAME. An open trial is offered again.

    If there is no trial, the exit status is 75 or 3. With 75 the session waits, for example for
    open trials of others, or is paused: ask again later. With 3 there is nothing more to do.

    \b
    Examples:
      deliberate ask monday
      deliberate ask monday --format json --asker left-arm
      deliberate ask monday --wait 60 || echo "nothing to do"
      deliberate ask monday --evaluate StartToaster
      deliberate ask monday --probe
    """
    from deliberate_practice.practice.operating.askers import parent_asker
    from deliberate_practice.practice.operating.idle import Idle
    from deliberate_practice.practice.operating.waiting import ask_or_wait
    from deliberate_practice.practice.sessions import open_session
    from deliberate_practice.practice.showing.session_data import ledger
    from deliberate_practice.practice.showing.trial_data import trial_data

    with open_session(db, name) as session:
        who = asker or parent_asker()
        trial = ask_or_wait(
            session, wait, evaluate=evaluate, asker=who, takeover=takeover, probe=probe
        )
        state, budget = session.state, ledger(session)
        if trial is None:
            idle = session.idle or Idle("wait", "something has just changed; ask again")
            data = {"id": None, "state": idle.state, "reason": idle.reason, **budget}
            theirs = (
                " (--takeover takes it over)" if idle.state == "wait" and state.open_trials else ""
            )
            answer(output, data, f"{WORDS[idle.state]}: {idle.reason}{theirs}")
            raise click.exceptions.Exit(STATUS[idle.state])
        record, task = state.records[trial.id], session.task
        data = trial_data(state, record)
    if output == "json":
        print_json({**data, **budget})
    else:
        _print(name, db, record, task, data.get("instruction", ""))
        paragraph("why", data["reason"])


def _print(name: str, db: Path, record: TrialRecord, task: Task, instruction: str) -> None:
    from deliberate_practice.practice.showing.trial_data import limits, needed

    trial = record.trial
    mode = trial.mode if record.kind == "practice" else record.kind
    what = instruction or f"{trial.skill} ({mode}, seed {trial.seed})"
    say(f"trial {trial.id}: {what}", bold=True)
    if trial.approach.start:
        start = [f"{key} = {value}" for key, value in trial.approach.start.items()]
        say(f"start   {', '.join(start)}")
    if trial.mode == "train":
        say(f"then    {command('tell', name, trial.id, 'success')}{journal_option(db)}")
        say("        with --version NAME, or failure, aborted: the old version stays")
        return
    if trial.approach.route:
        say(f"first   {arrows(trial.approach.skills)}")
    else:
        where = [f"{key} = {'|'.join(values)}" for key, values in needed(task, trial.skill).items()]
        say(f"where   {', '.join(where) or 'anywhere'}")
    if trial.approach.rule:
        say(f"rule    what to execute in each state, {trial.approach.limit} executions at most:")
        console().print(_rule_table(trial.approach.rule, task))
    if trial.parameters:
        say(f"set     {settings(trial.parameters, task.policies[record.policy].units)}")
    rows = (row.step for row in trial.approach.rule)
    for step in {step.skill: step for step in (*rows, *trial.approach.route)}.values():
        if step.parameters:
            units = task.policies[task.skill(step.skill).policy].units
            say(f"with    {step.skill}: {settings(step.parameters, units)}")
    for skill, stated in limits(task, trial).items():
        shown = ", ".join(f"{key} {figure(value)}" for key, value in stated.items())
        say(f"until   {skill}: {shown} at most")
    words = "failure, refused, aborted, assisted"
    if trial.mode == "demonstrate":
        words = "failure if it cannot be used, aborted"
    words += ", unreached --at SKILL" if trial.approach.executed else ""
    say(f"then    {command('tell', name, trial.id, 'success')}{journal_option(db)}")
    say(f"        or {words}")


def _rule_table(rule: Sequence[Choice], task: Task) -> Table:
    """The rule with a column for each variable that differs between its states."""
    varied = [name for name in task.variables if len({row.when[name] for row in rule}) > 1]
    shown = varied or list(task.variables)
    rows = [[*(row.when[name] for name in shown), row.step.skill] for row in rule]
    return table([*shown, "execute"], rows)
