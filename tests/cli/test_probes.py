"""Probes of the whole plan on the command line."""

from __future__ import annotations

import pytest
from command import Run


@pytest.fixture
def night(run: Run) -> str:
    chosen = "--approach free --strategy deliberate:probes=auto"
    started = run(f"start breakfast --budget 30 --name night {chosen}")
    assert started.status == 0, started.err
    return "night"


def test_a_probe_is_asked_for_told_and_shown(run: Run, night: str) -> None:
    asked = run(f"ask {night} --probe")
    plan = "PickBread, PlaceBread, StartToaster"
    assert asked.out.startswith(f"trial 1: execute the whole plan: {plan}\n")
    assert "probing the whole plan" in asked.out
    assert run(f"tell {night} 1 success").status == 0
    again = run(f"ask {night} --probe --format json").data
    assert (again["kind"], again["left"]) == ("probe", 28)
    assert run(f"tell {night} 2 unreached --at PlaceBread").status == 0
    loss = "PickBread then PlaceBread: "
    assert loss in run(f"forecast {night}").out
    shown = run(f"show {night}")
    assert loss in shown.out
    assert "2 probes" in shown.out
    assert run(f"why {night} 1").out.startswith("trial 1: probing the whole plan")
    found = run(f"forecast {night} --format json").data["gaps"]
    assert [(row["executions"], row["successes"]) for row in found] == [(2, 1), (1, 1)]
    assert run(f"show {night} --format json").data["trials"][0]["kind"] == "probe"
    assert "probe" in run(f"export {night}").out


def test_wrong_requests_are_refused_in_one_message(run: Run, night: str) -> None:
    both = run(f"ask {night} --probe --evaluate PickBread")
    assert (both.status, both.out) == (2, "")
    assert "not both" in both.err
    assert run(f"block {night} PlaceBread").status == 0
    blocked = run(f"ask {night} --probe")
    assert (blocked.status, blocked.out) == (2, "")
    assert "'PlaceBread' is blocked; unblock it first" in blocked.err
    wrong = run("start breakfast --budget 5 --name w --strategy deliberate:probes=often")
    assert wrong.status == 2
    assert "'often' is not one of: auto, never" in wrong.err


def test_the_plan_is_probed_by_itself(run: Run) -> None:
    chosen = "--approach free --strategy deliberate:probes=auto"
    done = run(f"run breakfast --budget 60 --name auto --seed 2 --format json {chosen}").data
    assert 1 <= done["probes"] <= 6
    assert done["spent"] == 60
    assert done["losses"]["pairs"]
