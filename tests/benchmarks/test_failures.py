from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("mujoco")

import failures
from failures import Failures, by_policy, by_verb, measured, rows, stated_end

from deliberate_practice.domains.cleanup.skills import good
from deliberate_practice.domains.cleanup.task import DROPPED, STAYS

PICK, PLACE = "Pick(object)", "Place(object,top)"
ONE = Failures("cleanup", "Close(top)", "Close(top)", 100, 90, 80, 10, 8, 20, 0, 120.0, 0.9)


def test_the_stated_shares_are_those_of_the_task() -> None:
    assert stated_end("cleanup", PICK) == (STAYS["Pick"], {})
    assert stated_end("cleanup", PLACE) == (DROPPED, {"object": "table"})


def test_skills_of_a_kind_are_counted_together() -> None:
    other = replace(ONE, skill="Close(middle)", policy="Close(middle)", executed=30, stayed=0)
    ((name, failed, stayed, returned, stopped, stated),) = rows([ONE, other], by_verb)
    assert (name, failed, stated) == ("Close", "100", f"{STAYS['Close']:.0%}")
    assert (stayed, returned) == ("20: 20% (13 to 29)", "0 (up to 3.7%)")
    assert stopped.startswith("16: ")
    assert [row[1] for row in rows([ONE, other], by_policy)] == ["80", "20"]


@pytest.mark.slow
def test_ends_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A good pick and one above the object, a placement beside its place, a far push."""

    def ended(values: dict[str, float], skill: str = PICK) -> Failures:
        def draw(*_: Any) -> dict[str, float]:
            return {**good(skill), **values}

        monkeypatch.setattr(failures, "draw", draw)
        return measured(2, ("cleanup", skill))

    fine, missed = ended({}), ended({"height": 0.08})
    assert (fine.executed, fine.touched, fine.succeeded, fine.failed) == (2, 2, 2, 0)
    assert (missed.succeeded, missed.touched, missed.stayed, missed.failed) == (0, 0, 2, 2)
    beside = ended({"x": -0.06}, PLACE)
    assert (beside.succeeded, beside.stayed, beside.failed) == (0, 0, 2)
    far = ended({"push": 0.395}, "Close(top)")  # out of reach from one of the two starts
    assert (far.samples, far.executed, far.succeeded, far.failed) == (2, 1, 1, 0)


@pytest.mark.slow
def test_the_same_samples_are_measured_again() -> None:
    first = measured(3, ("kitchen", "Turn(bottom)"))
    assert first == measured(3, ("kitchen", "Turn(bottom)"))
    assert (first.policy, first.samples) == ("Turn", 3)
    assert first.force > 0
