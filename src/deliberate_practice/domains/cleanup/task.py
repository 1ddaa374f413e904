"""Cleanup: clear a table into one of three drawers; lower drawers pay more and need more skills.

Drawers are open at the start, and an open drawer blocks those below it. One object gives the
paper's Cleanup (10 skills, 41 states), four give Cleanup-Multi (22 skills, 5,001 states).
"""

from __future__ import annotations

from collections.abc import Mapping

from deliberate_practice.foundation.checks import one_of, whole_number
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Condition, Effect, PossibleEffect, Skill, verb

DRAWERS = ("top", "middle", "bottom")
MOST_OBJECTS = 60
REWARDS = {"top": 1.0, "middle": 2.0, "bottom": 4.0}

FAILURES = ("end", "physical")
"""Kinds of failures: the paper's, which end the episode, or those of physics."""

STAYS = {"Open": 0.65, "Close": 0.1, "Pick": 0.9}
"""Shares of failures in physics after which everything is as before. Otherwise a drawer is ajar, an
object has fallen over, or a reflex has stopped the arm, and the episode ends. They were measured
with samples of the search priors."""

DROPPED = 0.01
"""Share of failed placements after which the object stands on the table again; mostly it lies in
the drawer, where nothing can take it out."""


def cleanup(
    objects: int = 1,
    competence: float = 0.1,
    rate: float = 0.018,
    discount: float = 0.99,
    failures: str = "end",
) -> Task:
    """The task with a number of objects, and one prior for all its skills.

    Args:
        objects: How many objects lie on the table.
        competence: Competence of every skill before practice.
        rate: Improvement per attempt.
        discount: Factor per executed skill.
        failures: ``end``: every failure ends the episode. ``physical``: a failed pick mostly leaves
            the object on the table, a drawer may not have moved, and an object that is dropped may
            stand on the table again; else the episode ends.
    """
    one_of("failures", failures, FAILURES)
    things = (
        ["object"]
        if whole_number("objects", objects, 1, MOST_OBJECTS, TaskError) == 1
        else [f"object{i + 1}" for i in range(objects)]
    )
    curve = PiecewiseLinear(rate=rate)

    def skill(name: str, precondition: Condition, effect: dict[str, str]) -> Skill:
        failure: Effect | list[PossibleEffect] = "end"
        if failures == "physical":
            failure = _physical(name, effect)
        return Skill(name, precondition, effect, competence, failure, curve)

    def not_in_hand(*others: str) -> dict[str, list[str]]:
        return {o: ["table", *DRAWERS] for o in others}

    def closed_above(drawer: str) -> dict[str, str]:
        return dict.fromkeys(DRAWERS[: DRAWERS.index(drawer)], "closed")

    hand_empty = not_in_hand(*things)
    skills = [
        *(skill(f"Open({d})", {d: "closed", **hand_empty}, {d: "open"}) for d in DRAWERS),
        *(  # closing a lower drawer would drag open upper ones with it
            skill(f"Close({d})", {d: "open", **closed_above(d), **hand_empty}, {d: "closed"})
            for d in DRAWERS
        ),
        *(
            skill(
                f"Pick({o})",
                {o: "table", **not_in_hand(*(other for other in things if other != o))},
                {o: "hand"},
            )
            for o in things
        ),
        *(
            skill(f"Place({o},{d})", {o: "hand", d: "open", **closed_above(d)}, {o: d})
            for o in things
            for d in DRAWERS
        ),
    ]
    return Task(
        name="cleanup" if objects == 1 else "cleanup-multi",
        discount=discount,
        variables={
            **{d: ["open", "closed"] for d in DRAWERS},
            **{o: ["table", "hand", *DRAWERS] for o in things},
        },
        goals=[Goal(d, REWARDS[d], dict.fromkeys(things, d)) for d in DRAWERS],
        skills=skills,
    )


def _physical(name: str, effect: Mapping[str, str]) -> list[PossibleEffect]:
    """What a failure of a skill leaves behind in physics."""
    remains: Effect = "stay" if verb(name) in STAYS else dict.fromkeys(effect, "table")
    share = STAYS.get(verb(name), DROPPED)
    return [PossibleEffect(share, remains), PossibleEffect(1 - share, "end")]
