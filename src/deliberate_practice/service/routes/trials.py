"""Robots ask and tell; people correct, refund and release trials."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from deliberate_practice.practice.journal.events import Executed
from deliberate_practice.practice.robot import Earnings, Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.showing.session_data import ledger
from deliberate_practice.practice.telling import ToldOtherwise
from deliberate_practice.service.answers import (
    Budget,
    Done,
    NoTrial,
    Reason,
    TrialsTogether,
    TrialToRun,
)
from deliberate_practice.service.asked import (
    Ask,
    AskTogether,
    By,
    Correct,
    Label,
    Note,
    Reward,
    Tell,
)
from deliberate_practice.service.asking import ask_or_wait
from deliberate_practice.service.described import answers
from deliberate_practice.service.errors import Answer
from deliberate_practice.service.service import ADMIN, PRACTISE, READ, Here, Service, Whose

router = APIRouter(prefix="/api/sessions/{name}", tags=["trials"])


@router.post(
    "/ask",
    summary="Ask for the next trial",
    dependencies=[PRACTISE],
    responses=answers(TrialToRun | NoTrial, 404, 409),
)
async def ask(name: str, body: Ask, service: Here) -> Answer:
    """Hand out the next trial, or offer an open trial of this robot again.

    Without a trial ``id`` is null and ``state`` says what to do: ``wait`` and ``paused``, so that
    asking again may help, or ``done``. Repeating a request is harmless.
    """

    def one(session: Session) -> list[Trial]:
        trial = session.ask(
            evaluate=body.evaluate, asker=body.robot, takeover=body.takeover, probe=body.probe
        )
        return [trial] if trial else []

    special = body.evaluate is not None or body.takeover or body.probe
    answer = await ask_or_wait(service, name, body.robot, body.wait, one, special=special)
    found = answer.pop("trials")
    if not found:
        return Answer({"id": None, **answer})
    return Answer({**found[0], **{key: answer[key] for key in ("name", "budget", "spent", "left")}})


@router.post(
    "/ask_together",
    summary="Ask for trials to run side by side",
    dependencies=[PRACTISE],
    responses=answers(TrialsTogether, 404, 409),
)
async def ask_together(name: str, body: AskTogether, service: Here) -> Answer:
    """Hand out trials that can be run side by side: at most so many, of one decision or test."""

    def some(session: Session) -> list[Trial]:
        return session.ask_together(body.most, body.robot)

    return Answer(await ask_or_wait(service, name, body.robot, body.wait, some))


@router.get(
    "/why",
    summary="Why the last trial is run, in one sentence",
    dependencies=[READ],
    responses=answers(Reason, 404),
)
async def why_last(name: str, service: Here) -> Answer:
    """The reason for the trial that was asked last; not found before the first one."""
    return await _reason(service, name, None)


@router.get(
    "/trials/{trial}/why",
    summary="Why a trial is run, in one sentence",
    dependencies=[READ],
    responses=answers(Reason, 404),
)
async def why(name: str, trial: int, service: Here) -> Answer:
    """The reason for a trial, as it was when the trial was asked."""
    return await _reason(service, name, trial)


@router.post(
    "/trials/{trial}/tell",
    summary="Record the outcome of a trial; telling it twice is harmless",
    dependencies=[PRACTISE],
    responses=answers(Done, 404, 409),
)
async def tell(name: str, trial: int, body: Tell, service: Here) -> Answer:
    """Record what happened in a trial, and a note on it if there is one."""

    def told(session: Session) -> tuple[str | None, dict[str, Any]]:
        record = session.state.records.get(trial)
        if record and body.seed not in (None, record.trial.seed):
            raise ToldOtherwise(f"trial {trial}: the result is of a trial with another seed.")
        session.tell(
            trial,
            body.outcome,
            *_label(body),
            by=body.by,
            robot=body.robot,
            version=body.version,
        )
        if body.note and body.note not in session.state.records[trial].notes:
            session.note(body.note, trial, by=body.by)
        robot = session.state.records[trial].robot
        return robot, {"id": trial, "outcome": body.outcome, **ledger(session)}

    robot, data = await service.change(name, told)
    if robot:
        service.saw(name, robot)
    return Answer(data)


@router.post(
    "/trials/{trial}/correct",
    summary="Take a wrong label back",
    dependencies=[ADMIN],
    responses=answers(Done, 404, 409),
)
async def correct(
    name: str, trial: int, body: Correct, service: Here, whose: Whose, request: Request
) -> Answer:
    """Correct a label: the session is as if the trial had been told right.

    With an Idempotency-Key a repeated request changes nothing, also after a newer correction.
    """

    def corrected(session: Session) -> dict[str, Any]:
        session.correct(trial, body.outcome, *_label(body), by=body.by or whose.name)
        return {"id": trial, "outcome": body.outcome, **ledger(session)}

    return await service.replies.once(request, lambda: service.change(name, corrected))


@router.post(
    "/trials/{trial}/refund",
    summary="Refund the cost of an aborted trial",
    dependencies=[ADMIN],
    responses=answers(Done, 404, 409),
)
async def refund(
    name: str, trial: int, service: Here, whose: Whose, request: Request, body: By | None = None
) -> Answer:
    """Refund an aborted trial, once; with an Idempotency-Key a repeated request is no error."""

    def refunded(session: Session) -> dict[str, Any]:
        session.refund(trial, by=(body and body.by) or whose.name)
        return {"id": trial, **ledger(session)}

    return await service.replies.once(request, lambda: service.change(name, refunded))


@router.post(
    "/trials/{trial}/ready",
    summary="Say that the scene of an open trial is set, so that its robot may move",
    dependencies=[ADMIN],
    responses=answers(Done, 404, 409),
)
async def ready(
    name: str, trial: int, service: Here, whose: Whose, body: By | None = None
) -> Answer:
    """Release a trial that waits; it is no emergency stop."""

    def readied(session: Session) -> dict[str, Any]:
        session.ready(trial, by=(body and body.by) or whose.name)
        return {"id": trial, **ledger(session)}

    return Answer(await service.change(name, readied))


@router.post(
    "/trials/{trial}/note",
    summary="Write a note on a trial",
    dependencies=[PRACTISE],
    responses=answers(Done, 404, 409),
)
async def note(
    name: str, trial: int, body: Note, service: Here, whose: Whose, request: Request
) -> Answer:
    """Write a note on a trial; with an Idempotency-Key only once."""

    def noted(session: Session) -> dict[str, Any]:
        session.note(body.text, trial, by=body.by or whose.name)
        return {"id": trial, **ledger(session)}

    return await service.replies.once(request, lambda: service.change(name, noted))


@router.post(
    "/rewards",
    summary="Record the reward of the robot's own plan",
    dependencies=[PRACTISE],
    responses=answers(Budget, 404),
)
async def reward(name: str, body: Reward, service: Here) -> Answer:
    """Record a reward that the robot computed, or measured by executions; twice is harmless."""
    interval = (body.interval[0], body.interval[1]) if body.interval else None
    earned = Earnings(body.reward, body.undiscounted, interval, tuple(body.successes))
    executed = Executed(body.spent, body.goal, tuple(body.plan), earned)

    def recorded(session: Session) -> dict[str, Any]:
        if executed not in session.state.fresh:
            for skill in executed.plan:
                session.task.skill(skill)  # an unknown one is refused
            session.record(executed)
        return ledger(session)

    return Answer(await service.change(name, recorded))


async def _reason(service: Service, name: str, trial: int | None) -> Answer:
    def reason(session: Session) -> dict[str, Any]:
        number = len(session.state.records) if trial is None else trial
        return {"name": name, "id": number, "reason": session.why(number)}

    return Answer(await service.sessions.use(name, reason))


def _label(body: Label) -> tuple[Any, ...]:
    """The arguments of ``tell`` and ``correct`` behind the outcome."""
    executed = None
    if body.executed is not None:
        executed = [(execution.skill, execution.success) for execution in body.executed]
    return body.at, body.score, body.measurements, executed
