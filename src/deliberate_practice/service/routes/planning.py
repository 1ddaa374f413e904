"""What is left to do: the split of the rest, the forecast, what more would buy; the robots."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.beliefs.expected import with_believed_curves
from deliberate_practice.practice.session import Session
from deliberate_practice.service.answers import Forecast, Robots
from deliberate_practice.service.described import answers
from deliberate_practice.service.errors import Answer
from deliberate_practice.service.plan_answers import Allocation, Frontier
from deliberate_practice.service.service import READ, Here
from deliberate_practice.task.model import Task

LARGEST_FRONTIER = 2_000
"""The largest budget of a frontier here."""

router = APIRouter(prefix="/api/sessions/{name}", tags=["planning"])


@router.get(
    "/allocation",
    summary="The best split of what is left, under the present belief",
    dependencies=[READ],
    responses=answers(Allocation, 404),
)
async def allocation(name: str, service: Here) -> Answer:
    """The best split of what is left of the budget, approaches free, with its bound."""

    def left(session: Session) -> tuple[Task, int]:
        state = session.state
        return with_believed_curves(state.task, state.belief, state.left), state.left

    task, budget = await service.sessions.use(name, left)
    limit = service.settings.limits.work
    found = await asyncio.to_thread(allocate, task, budget, time_limit=limit)
    return Answer(found.as_data())


@router.get(
    "/frontier",
    summary="What more budget would buy, under the present belief",
    dependencies=[READ],
    responses=answers(Frontier, 404),
)
async def what_more_buys(
    name: str,
    service: Here,
    budget: Annotated[
        int | None,
        Query(ge=0, le=LARGEST_FRONTIER, description="The largest one; by default what is left."),
    ] = None,
) -> Answer:
    """The best value, plan and split for every budget from now on, approaches free."""

    def believed(session: Session) -> tuple[Task, int]:
        largest = min(session.state.left, LARGEST_FRONTIER) if budget is None else budget
        return with_believed_curves(session.task, session.state.belief, largest + 1), largest

    task, largest = await service.sessions.use(name, believed)
    limit = service.settings.limits.work
    found = await asyncio.to_thread(frontier, task, largest, time_limit=limit)
    return Answer(found.as_data())


@router.get(
    "/forecast",
    summary="What the robot will be worth when the budget is spent",
    dependencies=[READ],
    responses=answers(Forecast, 404),
)
async def forecast(name: str, service: Here) -> Answer:
    """The reward that is expected at the end, with its band, and every skill's growth."""

    def ahead(session: Session) -> dict[str, Any]:
        return session.forecast().as_data()

    return Answer(await service.sessions.use(name, ahead))


@router.get(
    "/robots",
    summary="The robots of a session",
    dependencies=[READ],
    responses=answers(Robots, 404),
)
async def robots(name: str, service: Here) -> Answer:
    """Each robot's open trials, outcomes, success rate, and when it was seen last."""

    seen = service.seen_in(name)

    def listed(session: Session) -> dict[str, Any]:
        return {"robots": session.robots(seen)}

    return Answer(await service.sessions.use(name, listed))
