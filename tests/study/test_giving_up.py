"""An impossible skill with an optimistic prior on the most rewarding plan is given up in time."""

from __future__ import annotations

from counts import count

from deliberate_practice.study.comparison import compare
from deliberate_practice.task.curves import PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill

MEDIUM, HIGH = 120, 200


def test_a_dream_is_given_up() -> None:
    """Within 10 % of what practice is worth when the truth about the skill is stated."""
    seeds = max(2, count(10))
    dreamt, told = (
        compare(
            _task(told=told),
            [MEDIUM, HIGH],
            strategies=["deliberate"],
            seeds=seeds,
            approach="free",
        )
        for told in (False, True)
    )
    for with_dream, without in zip(dreamt.rows, told.rows, strict=True):
        assert with_dream.mean >= 0.9 * without.mean
        assert with_dream.goals == {"modest": seeds}
    for session in dreamt.sessions:
        assert session.attempts["Dream"] > 0  # it was tried


def _task(*, told: bool) -> Task:
    learnable = PiecewiseLinear(rate=0.03)
    dream = PiecewiseLinear(rate=0.04)
    nothing = Table([0.05])
    first = (
        Skill("Dream", {"at": "start"}, {"at": "half"}, curve=nothing)
        if told
        else Skill("Dream", {"at": "start"}, {"at": "half"}, 0.2, curve=dream, truth=nothing)
    )
    return Task(
        "dream",
        {"at": ["start", "half", "rich", "middle", "modest"]},
        [Goal("rich", 4.0, {"at": "rich"}), Goal("modest", 1.0, {"at": "modest"})],
        [
            first,
            Skill("Finish", {"at": "half"}, {"at": "rich"}, 0.2, curve=learnable),
            Skill("Begin", {"at": "start"}, {"at": "middle"}, 0.2, curve=learnable),
            Skill("End", {"at": "middle"}, {"at": "modest"}, 0.2, curve=learnable),
        ],
    )
