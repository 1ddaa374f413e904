"""Need and progress by a Kalman filter, whatever the plan."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from exact_belief import ExactBelief, situation

from deliberate_practice.beliefs.belief import Batch
from deliberate_practice.strategies.kalman_gain import VARIANCE, filtered, kalman_gain
from deliberate_practice.task.toml_reader import read_task

SO101 = read_task(Path(__file__).parents[2] / "examples" / "so101.toml")


def rounds(policy: str, *successes: int) -> tuple[Batch, ...]:
    """Rounds of 10 demonstrations with so many successes in 5 evaluations."""
    seen: list[Batch] = []
    for number, good in enumerate(successes, 1):
        b = 10 * number
        seen.append(Batch(policy, b, 0, 0, explore=False, training=True))
        seen.append(Batch(policy, b, 5, good, explore=False, test=True))
    return tuple(seen)


def test_one_round_is_a_kalman_update_by_hand() -> None:
    variance = VARIANCE + 0.1**2
    noise = (5 / 7) * (2 / 7) / 5
    gain = variance / (variance + noise)
    estimate, progress = filtered(0.3, rounds("u", 4), 0.1, 0.5)
    assert estimate == pytest.approx(0.3 + gain * (0.8 - 0.3))
    assert progress == pytest.approx(estimate - 0.3)


def test_the_estimate_approaches_the_success_rate() -> None:
    estimate, progress = filtered(0.1, rounds("u", *[4] * 30), 0.1, 0.5)
    assert estimate == pytest.approx(0.8, abs=0.01)
    assert progress == pytest.approx(0, abs=0.01)
    assert filtered(0.1, (), 0.1, 0.5) == (0.1, math.inf)


def test_each_policy_is_tried_once_and_then_need_and_progress_count() -> None:
    here = situation(SO101, ExactBelief(SO101, {}), 240)
    first = kalman_gain(here)
    assert first.policy == "OpenDrawer"  # of those without progress, the one with most need
    seen = {"OpenDrawer": rounds("OpenDrawer", 3)}
    assert kalman_gain(replace(here, batches=seen)).policy == "PlaceInDrawer"
    seen |= {"PickCube": rounds("PickCube", 5), "PlaceInDrawer": rounds("PlaceInDrawer", 0)}
    assert kalman_gain(replace(here, batches=seen), need=1.0).policy == "PlaceInDrawer"
    assert kalman_gain(replace(here, batches=seen), need=0.0).policy == "PickCube"


def test_rewards_and_plans_play_no_part() -> None:
    poor = replace(SO101, goals=[replace(goal, reward=0.001) for goal in SO101.goals[:1]])
    chosen = [
        kalman_gain(situation(task, ExactBelief(task, {}), 240)).policy for task in (SO101, poor)
    ]
    assert chosen[0] == "OpenDrawer"
    assert chosen[1] in ("PickCube", "OpenDrawer")
