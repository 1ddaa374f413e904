from __future__ import annotations

import ast
import itertools
from pathlib import Path

import foreign_worlds
import numpy as np
import pytest
from benchmark_page import write_forecasts, write_foreign, write_strategies
from foreign import BEFORE, EXACT, OURS, _notes
from foreign_exact import ExactBelief
from foreign_worlds import CELLS, HORIZON, STYLES, Truths, draw_truths, foreign_world, log_density

from deliberate_practice.beliefs.belief import Batch
from deliberate_practice.robots.curves import true_curve


def test_the_generator_imports_no_other_benchmark() -> None:
    tree = ast.parse(Path(foreign_worlds.__file__).read_text())
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ours = {path.stem for path in Path(foreign_worlds.__file__).parent.glob("*.py")}
    assert not ours & set(modules)


def test_a_seed_gives_the_same_world_and_something_can_be_won() -> None:
    for seed in (3, 11, 21):
        one, other = foreign_world(seed), foreign_world(seed)
        assert one == other
        assert one.clairvoyant >= 0.03
        assert one.task.name == CELLS[seed % len(CELLS)][0]


def test_half_of_the_gain_comes_at_half_time() -> None:
    truths = draw_truths(np.random.default_rng(1), 400)
    alive = truths.curves[:, -1] > truths.curves[:, 0]
    assert 0.78 < alive.mean() < 0.92  # 15 % are impossible
    for start, half, top, curve in zip(
        truths.start[alive],
        truths.half[alive],
        truths.top[alive],
        truths.curves[alive],
        strict=True,
    ):
        assert curve[0] == pytest.approx(start)
        now = np.interp(half, np.arange(HORIZON + 1.0), curve)
        assert now == pytest.approx((start + top) / 2, abs=0.06)


@pytest.mark.parametrize("style", STYLES)
def test_statements_have_a_density(style: str) -> None:
    """It is 1 in all: over logit(start) and log(half), at ceilings of 1 and below."""
    truth = Truths(np.array([0.2]), np.array([20.0]), np.array([0.8]), np.zeros((1, 1)))
    step, fine = 0.5, 0.04
    total = 0.0
    for x, y in itertools.product(np.arange(-4, 4.1, step), repeat=2):
        start, half = 1 / (1 + np.exp(-x - np.log(0.25))), 20 * np.exp(y)
        at_one, *below = (
            float(np.exp(log_density(style, start, half, ceiling, truth)[0]))
            for ceiling in (1.0, *np.arange(0.8 - 4 * fine, 0.99, fine))
        )
        total += step**2 * (at_one + fine * sum(below))
    assert total == pytest.approx(1.0, abs=0.01)


def test_the_exact_belief_is_that_of_plain_loops() -> None:
    task = foreign_world(5).task
    belief = ExactBelief.prior(task)
    name = next(iter(belief.posteriors))
    batches = [Batch(name, 0, 6, 1), Batch(name, 6, 6, 3)]
    for batch in batches:
        belief = belief.after(batch)
    truths = draw_truths(np.random.default_rng(20_261), 20_000)
    weights, means = [], []
    for style in STYLES:
        evidence, mean = 1.0, 0.0
        for other in belief.posteriors:
            policy = task.policies[other]
            half, ceiling = np.log(2) / policy.curve.rate, policy.curve.ceiling  # type: ignore[union-attr]
            joint = np.exp(log_density(style, policy.competence, half, ceiling, truths))
            if other == name:
                for batch in batches:
                    p = truths.curves[:, batch.before]
                    joint = joint * p**batch.successes * (1 - p) ** (6 - batch.successes)
                mean = joint @ truths.curves[:, 12 + 20] / max(joint.sum(), 1e-300)
            evidence *= joint.sum()
        weights.append(evidence)
        means.append(mean)
    assert belief.weights == pytest.approx(np.array(weights) / sum(weights), abs=1e-6)
    assert belief.curve(name, 20)[-1] == pytest.approx(np.dot(weights, means) / sum(weights))
    assert true_curve(task.policies[name], HORIZON).shape == (HORIZON + 1,)


def test_the_closed_part_of_the_gap() -> None:
    rng = np.random.default_rng(0)
    before = rng.uniform(0.5, 0.9, 96)
    found = {BEFORE: before, EXACT: before + 0.1, OURS: before + 0.04, "uniform:bayes": before}
    gap, uniform = _notes(found)
    assert "40% of that gap" in gap
    assert "+0.040" in uniform
    assert "below in 0 of 24" in uniform


def test_three_benchmarks_write_one_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    write_forecasts(page, "forecasts\n")
    write_strategies(page, "# Strategies\n\nold\n")
    write_foreign(page, "foreign\n")
    write_strategies(page, "# Strategies\n\nnew\n")
    assert page.read_text() == (
        "# Strategies\n\nnew\n\n## Foreign worlds\n\nforeign\n\n"
        "## How often forecasts come true\n\nforecasts\n"
    )
