"""All simulated skills: good parameters work, the robot keeps its limits, samples are as hard as
they should be, and what is not rolled does not matter."""

from __future__ import annotations

import pytest
from counts import FULL, count
from simulated_station import (
    CLEANUP_SKILLS,
    EVERY_SKILL,
    KITCHEN_SKILLS,
    station,
    stopped,
    succeeded,
)

from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.practice.robot import Result
from deliberate_practice.robots.mujoco.limits import LIMITS

pytestmark = pytest.mark.slow

DRAWS = 400 if FULL else 5
"""Of the search prior of each skill: 12,800 of both Cleanups, 2,800 of Breakfast and of Kitchen."""

SLACK = 0 if FULL else 2
"""So many of a small number of draws may be more or less than they should be."""


@pytest.mark.parametrize(("domain", "skill"), EVERY_SKILL)
def test_good_parameters_work_and_hardly_meet_a_limit(domain: str, skill: str) -> None:
    number = count(100)
    at = station(domain)
    results = at.run(skill, [at.good(skill)] * number)
    assert number - succeeded(results) <= 0.02 * number
    assert stopped(results) <= 0.01 * number


@pytest.mark.parametrize(("domain", "skill"), EVERY_SKILL)
def test_no_attempt_goes_on_past_a_limit(domain: str, skill: str) -> None:
    """Samples of the search prior; all but Breakfast's are executable, touch, and rarely succeed.

    ``pytest -rP`` prints the counts and the largest force and speed, as parts of their limits.
    """
    at = station(domain)
    results = at.run(skill, at.draws(skill, DRAWS))
    for name, limit in LIMITS.items():
        assert _largest([r for r in results if not r.measurements.get("stopped")], name) <= limit
    assert not any(r.outcome == "success" for r in results if r.measurements.get("stopped"))
    executed = [result for result in results if result.outcome != "refused"]
    touched = [result for result in executed if result.measurements["touched"]]
    loads = [f"{name} {_largest(results, name) / limit:.2f}" for name, limit in LIMITS.items()]
    counts = f"executed {len(executed)}, touched {len(touched)}, succeeded {succeeded(results)}"
    print(f"{domain} {skill} of {DRAWS}: {counts}, stopped {stopped(results)}, {', '.join(loads)}")
    if domain == "breakfast" or not _planned(skill):
        return
    assert len(executed) >= 0.95 * DRAWS - SLACK
    assert len(touched) >= 0.80 * DRAWS - SLACK
    assert 0.01 * DRAWS - SLACK <= succeeded(results) <= 0.30 * DRAWS + SLACK


def _largest(results: list[Result], measured: str) -> float:
    return max((result.measurements.get(measured, 0.0) for result in results), default=0.0)


def _planned(skill: str) -> bool:
    """Whether the shortest way to some goal has the skill."""
    return skill not in (*(f"Open({drawer})" for drawer in DRAWERS), "Close(bottom)")


@pytest.mark.parametrize(
    ("domain", "skill"),
    [
        *CLEANUP_SKILLS[:10],
        # The door of the sliding cabinet is so light that only push and heading matter.
        *(pair for pair in KITCHEN_SKILLS if pair[1] != "Slide(cabinet)"),
    ],
)
def test_three_parameters_of_each_skill_matter(domain: str, skill: str) -> None:
    """Moved two standard deviations from a good value, to both sides."""
    at, number = station(domain), count(20)
    failing = {}
    for parameter in at.robot.workcell.primitives[skill].parameters:
        value = at.good(skill)[parameter.name]
        moved = [
            {**at.good(skill), parameter.name: value + way * parameter.sd}
            for way in (-2.0, 2.0)
            for _ in range(number)
        ]
        failing[parameter.name] = 1 - succeeded(at.run(skill, moved)) / len(moved)
    assert sum(share >= 0.5 for share in failing.values()) >= 3, failing


def test_what_is_not_rolled_hardly_changes_an_outcome() -> None:
    """The free motions of an empty hand, of good values and of samples of the search prior."""
    number = 26 if FULL else 1
    compared, different = 0, []
    for place, (domain, skill) in enumerate(EVERY_SKILL):
        at = station(domain)
        values = [
            at.good(skill) if (place + turn) % 2 else drawn
            for turn, drawn in enumerate(at.draws(skill, number, seed=1))
        ]
        executor, outcomes = at.robot.workcell.executor, []
        for rolled in (False, True):
            executor.rolls_free_motion = rolled
            try:
                results = at.run(skill, values, first=7_000)
            finally:
                executor.rolls_free_motion = False
            outcomes.append([result.outcome for result in results])
        compared += number
        pairs = zip(*outcomes, strict=True)
        different += [(skill, turn) for turn, (one, two) in enumerate(pairs) if one != two]
    assert compared >= (1_000 if FULL else len(EVERY_SKILL))
    assert len(different) <= (0.005 * compared if FULL else 1), different
