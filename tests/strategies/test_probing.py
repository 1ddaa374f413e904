"""When ``deliberate`` probes its plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from exact_belief import ExactBelief, situation

from deliberate_practice.strategies.deliberate import deliberate
from deliberate_practice.strategies.strategy import Decision, Situation, probe_price
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill
from deliberate_practice.testing import check_strategy

CHAIN = Task(
    "chain",
    {"at": ["a", "b", "c"]},
    [Goal("end", 1.0, {"at": "c"})],
    [
        Skill("Go", {"at": "a"}, {"at": "b"}, 0.8, curve=PiecewiseLinear(rate=0.01), cost=2),
        Skill("Stop", {"at": "b"}, {"at": "c"}, 0.7, curve=PiecewiseLinear(rate=0.01), cost=3),
    ],
)


def later(task: Task = CHAIN, spent: int = 80, spare: int = 20, **changes: Any) -> Situation:
    now = situation(task, ExactBelief(task, {}), spare)
    return replace(now, spent=spent, spare=spare, **changes)


def probes(now: Situation) -> bool:
    usual = deliberate(now)
    assert usual is None or not usual.probe  # nobody asked for probes
    decision = deliberate(now, probes="auto")
    return decision is not None and decision.probe


def test_a_due_probe_executes_the_plan_that_is_practised() -> None:
    decision = deliberate(later(), probes="auto")
    assert isinstance(decision, Decision)
    assert decision.probe
    assert decision.plan == ("Go", "Stop")
    assert decision.policy == "Stop"
    assert decision.why["alone"] == pytest.approx(0.56)
    assert probe_price(CHAIN, decision.plan) == 3


def test_probes_come_late_and_take_a_tenth() -> None:
    assert not probes(later(spent=40, spare=60))
    assert not probes(later(spent=60, spare=40))  # 2 units by now, and a probe costs 3
    assert probes(later(spent=65, spare=35))
    assert not probes(later(spent=65, spare=35, probed=3))
    assert probes(later(spent=90, spare=10, probed=3))
    assert not probes(later(spent=95, spare=5, probed=9))


def test_a_probe_is_paid_for_and_uses_no_blocked_skill() -> None:
    assert not probes(later(spent=98, spare=2))
    assert not probes(later(blocked=("Go",)))


def test_a_plan_that_hardly_ever_works_is_not_probed() -> None:
    weak = replace(CHAIN.skills[0], competence=0.12)
    assert not probes(later(replace(CHAIN, skills=[weak, CHAIN.skills[1]])))


def test_a_plan_of_one_skill_is_not_probed() -> None:
    short = replace(CHAIN, goals=[Goal("end", 1.0, {"at": "b"})])
    assert not probes(later(short))


def test_a_plan_that_practice_cannot_improve_is_probed_at_once() -> None:
    done = [replace(skill, competence=1.0) for skill in CHAIN.skills]
    perfect = replace(CHAIN, skills=done)
    assert deliberate(later(perfect, spent=10, spare=90)) is None
    assert probes(later(perfect, spent=10, spare=90))
    assert deliberate(later(perfect, spent=10, spare=90, probed=9), probes="auto") is None


def test_sessions_with_probes_keep_every_promise() -> None:
    check_strategy("deliberate:probes=auto")
