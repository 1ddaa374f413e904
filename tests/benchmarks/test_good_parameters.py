from __future__ import annotations

import pytest

pytest.importorskip("mujoco")

import good_parameters
from good_parameters import Outcome, executed, rows

SHORT = {"push": 0.03}


def test_skills_without_a_published_rule_show_none() -> None:
    one = Outcome("kitchen", "mujoco", "Turn(top)", 20, 19, 18, 1, 61.4)
    plan = Outcome("kitchen", "mujoco", "plan for tea", 20, 20, None, 0, 60.0)
    assert list(rows([one, plan])) == [
        ["Turn(top)", "20", "19", "18", "1", "61 N"],
        ["plan for tea", "20", "20", "–", "0", "60 N"],
    ]


@pytest.mark.slow
def test_good_parameters_succeed_and_others_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    key = ("kitchen", "mujoco", "Turn(top)")
    found = executed(2, key)
    assert (found.executions, found.succeeded, found.published) == (2, 2, 2)
    plan = executed(2, ("kitchen", "mujoco", "plan for tea"))
    assert (plan.succeeded, plan.published) == (2, None)
    assert plan.force >= 20
    usual = good_parameters.GOOD["kitchen"]
    monkeypatch.setitem(good_parameters.GOOD, "kitchen", lambda skill: {**usual(skill), **SHORT})
    assert (executed(2, key).succeeded, executed(2, key).published) == (0, 0)
    assert executed(2, ("kitchen", "mujoco", "plan for tea")).succeeded == 0


@pytest.mark.slow
def test_the_scene_is_that_of_the_options() -> None:
    usual, noisy = (
        executed(3, ("cleanup", robot, "Pick(object)")) for robot in ("mujoco", "mujoco:noise=0.05")
    )
    assert noisy.succeeded < usual.succeeded == 3
