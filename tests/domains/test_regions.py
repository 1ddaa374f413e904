"""Hidden regions in our domains: the parameters of physics, and searches as hard as there."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deliberate_practice.practice.domain import load_task, make_robot, practised_task
from deliberate_practice.practice.run import run
from deliberate_practice.robots.regions import Region, RegionRobot
from deliberate_practice.study.learning_curves import learning_curves
from deliberate_practice.task.skill import verb

DOMAINS = ["cleanup", "breakfast"]
BAND = 0.14
"""How far the curves of a verb may be from the measured ones (root mean square)."""


def rows(domain: str) -> dict[str, dict[str, Any]]:
    """The regions of a domain by verb."""
    file = files(f"deliberate_practice.domains.{domain}") / "regions.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_practised_verb_has_a_region_that_cannot_be_missed_or_hit_at_once(
    domain: str,
) -> None:
    task = practised_task(domain, "regions")
    practised = {verb(name) for name, policy in task.policies.items() if policy.practisable}
    assert set(rows(domain)) == practised
    for row in rows(domain).values():
        region = Region(row["radius"], row["displacement"], row["noise"])
        assert region.noise < region.radius < region.displacement + 2 * region.noise


VERBS = [(domain, name) for domain in DOMAINS for name in rows(domain)]


@pytest.mark.parametrize(("domain", "name"), VERBS)
def test_curves_on_a_region_are_near_those_in_physics(domain: str, name: str) -> None:
    row = rows(domain)[name]
    task = practised_task("cleanup-multi" if domain == "cleanup" else domain, "regions")
    policies = [policy for policy in task.policies if verb(policy) == name]
    attempts = row["attempts"]
    curves = learning_curves(
        task,
        "regions",
        seeds=32 // len(policies),
        attempts=attempts[-1],
        executions=5,
        every=attempts[1],
        policies=policies,
    )
    assert all(list(curve.attempts) == attempts for curve in curves)
    gaps = np.concatenate(
        [
            np.mean([curve.competence for curve in curves], axis=0) - row["measured"],
            np.mean([curve.explored for curve in curves], axis=0) - row["explored"],
        ]
    )
    assert np.sqrt(np.mean(gaps**2)) < BAND


def test_practice_on_regions_changes_parameters_and_earns_more() -> None:
    runs = [run("cleanup", "regions", 150, approach="free", seed=s, journal=None) for s in range(4)]
    for done in runs:
        assert all(done.deployed[skill] for skill in done.plan)
    before = np.mean([done.measured[0].earnings.reward for done in runs])
    after = np.mean([done.measured[-1].earnings.reward for done in runs])
    assert before < 0.1
    assert after > 0.4


def test_no_physics_is_needed(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['mujoco'] = None\n"
        "import deliberate_practice as dp\n"
        "for task in ('cleanup', 'cleanup-multi:objects=2', 'breakfast'):\n"
        "    print(dp.run(task, 'regions', 6, approach='free', journal=None).spent)"
    )
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["6"] * 3


def test_given_lengths_win_over_fitted_ones() -> None:
    task = practised_task("breakfast", "regions")
    mean = {p.name: p.mean for p in task.policies["StartToaster"].parameters}
    fitted = make_robot("regions", task, 3)
    given = make_robot("regions:displacement=0.3,noise=0.01", task, 3)
    assert isinstance(fitted, RegionRobot)
    assert isinstance(given, RegionRobot)
    assert fitted.competence("StartToaster", mean) < 0.3
    assert given.competence("StartToaster", mean) == 1.0  # the fitted radius is larger than 0.3
    small = make_robot("regions:radius=0.1,displacement=0.3,noise=0.01", task, 3)
    assert isinstance(small, RegionRobot)
    assert small.competence("StartToaster", mean) == 0.0


def test_regions_lie_elsewhere_with_another_seed() -> None:
    task = practised_task("cleanup", "regions")
    prior = task.policies["Close(top)"].parameters
    tried = {p.name: p.mean + p.sd for p in prior}
    robots = [make_robot("regions", task, seed) for seed in (0, 0, 1)]
    first, again, other = (r.competence("Close(top)", tried) for r in robots)  # type: ignore[attr-defined]
    assert first == again != other


def test_a_task_that_is_given_as_it_is_keeps_its_skills_without_parameters() -> None:
    task = load_task("breakfast")
    done = run(task, "regions", 12, journal=None)
    assert not any(done.deployed.values())
