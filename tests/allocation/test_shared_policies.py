"""Boxes of episodes and uses against every plan and every split."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from brute_force import best_by_brute_force
from counts import count

from deliberate_practice.allocation import certified_plans
from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.longest_paths import LongestPaths
from deliberate_practice.allocation.plan_search import NOTHING, search_plans
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.allocation.sharing.boxes import BoxBounds
from deliberate_practice.allocation.sharing.priced_uses import Boxes
from deliberate_practice.allocation.sharing.shared_policies import SharedPolicies
from deliberate_practice.allocation.verification import verify
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.task.curves import Curve, Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill

ROUNDING = 1e-12
"""Relative rounding of brute force itself."""


def random_graph(rng: np.random.Generator) -> Task:
    """Layers of places, one or two goals; few policies of any curve and cost, sometimes a cycle."""
    length, width, policies = (int(n) for n in rng.integers([2, 1, 1], [5, 4, 4]))
    layers = [["start"], *([f"{i}.{j}" for j in range(width)] for i in range(length)), ["end"]]
    ways = [
        (source, str(rng.choice(after)))
        for before, after in itertools.pairwise(layers)
        for source in before
        for _ in range(rng.integers(1, 3))
    ]
    if rng.random() < 0.3:
        ways.append((layers[length][0], layers[1][0]))
    discount = float(rng.choice([0.9, 0.99, 1.0]))
    tiny = 1e-12 if discount < 1 else 1e-6  # brute force computes 1 - (1 - f) for endless retries
    stated: set[int] = set()
    skills = []
    for i, (source, target) in enumerate(ways):
        u = int(rng.integers(policies))
        learning = {} if u in stated else _learning(rng, tiny)
        stated.add(u)
        skills.append(
            Skill(
                f"skill{i}",
                {"at": source},
                {"at": target},
                failure="stay" if rng.random() < 0.3 else "end",
                policy=f"policy{u}",
                **learning,  # type: ignore[arg-type]  # competence, curve and cost
            )
        )
    goals = [Goal("end", 1.0, {"at": "end"})]
    if rng.random() < 0.5:
        goals.append(Goal("early", float(rng.uniform(0.2, 3.0)), {"at": layers[length][-1]}))
    places = [place for layer in layers for place in layer]
    return Task("graph", {"at": places}, goals, skills, discount=discount)


def _learning(rng: np.random.Generator, tiny: float) -> dict[str, object]:
    competence = float(rng.choice([0.0, tiny, 0.05, 0.3, 0.6]))
    curves: list[Curve | None] = [
        None,
        PiecewiseLinear(rate=float(rng.uniform(0.02, 0.5))),
        Exponential(rate=float(rng.uniform(0.05, 0.5)), ceiling=0.95),
        Table([competence, *np.sort(rng.uniform(competence, 1.0, 5)).tolist()]),  # not concave
    ]
    weights = [0.05, 0.3, 0.3, 0.35]
    curve = curves[int(rng.choice(4, p=weights))]
    return {"competence": competence, "curve": curve, "cost": int(rng.choice([1, 1, 2, 3]))}


def random_case(
    rng: np.random.Generator,
) -> tuple[Task, ProductForm, WholeEpisodes, int]:
    """A random task in which practice matters, with its graph of plans and a budget."""
    while True:
        task, budget = random_graph(rng), int(rng.integers(1, 9))
        grounded = ground(task)
        form, problem = product_form(grounded), build_problem(grounded, budget)
        assert isinstance(form, ProductForm)
        practice = WholeEpisodes(problem, form)
        if practice.practised_kinds:
            return task, form, practice, min(budget, problem.useful_budget)


def all_plans(form: ProductForm) -> Iterator[list[int]]:
    """The edges of every way from the start to a goal that visits no state twice."""

    def extend(state: int, edges: list[int], visited: set[int]) -> Iterator[list[int]]:
        if form.goal_log[state] > -np.inf:
            yield edges
            return
        for edge in np.flatnonzero(form.source == state).tolist():
            target = int(form.target[edge])
            if target not in visited:
                yield from extend(target, [*edges, edge], visited | {target})

    return extend(form.start, [], {form.start})


def random_box(rng: np.random.Generator, root: Boxes) -> Boxes:
    def interval(first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ends = np.sort(rng.integers(first, last + 1, size=(2, *first.shape)), axis=0)
        whole = rng.random() < 0.3
        return (first, last) if whole else (ends[0], ends[1])

    return Boxes(*interval(root.low, root.high), *interval(root.least, root.most))


def best_in_box(form: ProductForm, practice: WholeEpisodes, budget: int, box: Boxes) -> float:
    """log of the best value of all plans and splits in a box."""
    policies, kinds = list(practice.kinds_by_policy), practice.practised_kinds
    costs = [practice.cost({practice.kinds_by_policy[u][0]: 1}) for u in policies]
    ranges = [range(lo, hi + 1) for lo, hi in zip(box.low[0], box.high[0], strict=True)]
    splits = [b for b in itertools.product(*ranges) if np.dot(costs, b) <= budget]
    best = -math.inf
    for edges in all_plans(form):
        made = np.bincount(form.kind[edges], minlength=len(form.kinds))
        if (made[kinds] < box.least[0]).any() or (made[kinds] > box.most[0]).any():
            continue
        for split in splits:
            logs = practice.logs_after(dict(zip(policies, split, strict=True)))
            rest = form.start_log + form.goal_log[form.target[edges[-1]]]
            best = max(best, rest + math.fsum(logs[form.kind[edges]].tolist()))
    return best


def test_the_bound_of_a_box_holds_for_every_plan_and_split() -> None:
    rng = np.random.default_rng(1)
    several_kinds = tight = 0
    for _ in range(count(600)):
        _, form, practice, budget = random_case(rng)
        bounds = BoxBounds(form, practice, LongestPaths(form), budget)
        several_kinds += len(practice.practised_kinds) > len(practice.kinds_by_policy)
        root = bounds.root()
        for _ in range(4):
            box = random_box(rng, root)
            prices = 10.0 ** rng.uniform(-4, 1, size=(1, 6))
            upper, _ = bounds.bounds(bounds.tightened(box), prices)
            best = best_in_box(form, practice, budget, box)
            assert upper[0] >= best - ROUNDING * (1 + abs(best) if best > -math.inf else 0)
            tight += bool(upper[0] <= best + 1e-9)
    assert several_kinds  # the examples have policies that fail in several ways
    assert tight  # and boxes whose bound is exact


def test_halves_contain_every_plan_and_split_of_their_box() -> None:
    rng = np.random.default_rng(2)
    for _ in range(count(300)):
        _, form, practice, budget = random_case(rng)
        bounds = BoxBounds(form, practice, LongestPaths(form), budget)
        box = bounds.tightened(random_box(rng, bounds.root()))
        if (box.low > box.high).any() or (box.least > box.most).any():
            continue
        halves = bounds.halves(box, np.array([10.0 ** rng.uniform(-3, 0)]))
        best = best_in_box(form, practice, budget, box)
        for way in np.flatnonzero(halves.possible[:, 0]).tolist():
            parts = [halves.boxes.take(np.array([2 * way + half])) for half in range(2)]
            assert best == max(best_in_box(form, practice, budget, part) for part in parts)


def test_the_answer_equals_full_enumeration() -> None:
    rng = np.random.default_rng(3)
    for _ in range(count(600)):
        task, form, practice, budget = random_case(rng)
        expected = best_by_brute_force(task, budget)
        assert expected is not None
        boxes = SharedPolicies(form, practice, budget, log_value=NOTHING)
        certificate = boxes.run(100_000)
        assert certificate.finished
        if expected.value == 0:
            assert certificate.log_bound == NOTHING
            continue
        assert math.exp(certificate.log_bound) == pytest.approx(expected.value, rel=2e-9)
        assert math.exp(certificate.log_bound) >= expected.value * (1 - ROUNDING)
        made = form.kind[list(certificate.plans[-1])]
        uses = {k: n for k in practice.practised_kinds if (n := int((made == k).sum()))}
        total = practice.split(uses).totals(np.array([budget]))[0]
        fixed = sum(practice.fixed_logs[k] for k in made.tolist())
        goal = form.goal_log[form.target[certificate.plans[-1][-1]]]
        value = math.exp(form.start_log + goal + fixed + total)
        assert value == pytest.approx(expected.value, rel=2e-9)


def test_stopped_early_the_bound_still_holds() -> None:
    rng = np.random.default_rng(4)
    for _ in range(count(200)):
        _, form, practice, budget = random_case(rng)
        best = search_plans(form, practice, [budget]).log_values[0]
        boxes = SharedPolicies(form, practice, budget, log_value=NOTHING)
        upper = math.inf
        for most in (1, 2, 10, 50):
            certificate = boxes.run(most)
            assert best - ROUNDING * (1 + abs(best)) <= certificate.log_bound <= upper
            upper = certificate.log_bound


@pytest.mark.parametrize("labels", [1, 5])
def test_allocate_gives_the_same_answer_when_boxes_take_over(
    labels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certified_plans, "FIRST_LABELS", labels)
    monkeypatch.setattr(certified_plans, "FIRST_LABELS_EACH", labels)
    monkeypatch.setattr(certified_plans, "LABELS_PER_STATE", 0)
    rng = np.random.default_rng([5, labels])
    for _ in range(count(200)):
        task, _, _, budget = random_case(rng)
        expected = best_by_brute_force(task, budget)
        assert expected is not None
        answer = allocate(task, budget)
        assert answer.solver == "plans"
        assert answer.status == "optimal"
        assert answer.value == pytest.approx(expected.value, rel=2e-9)
        assert answer.bound >= expected.value * (1 - ROUNDING)
        assert verify(task, answer).passed
        curve = frontier(task, budget)
        assert curve.proven
        assert curve.values[-1] == pytest.approx(expected.value, rel=2e-9)


def test_a_gap_stops_early_and_says_what_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certified_plans, "FIRST_LABELS", 1)
    monkeypatch.setattr(certified_plans, "LABELS_PER_STATE", 0)
    rng = np.random.default_rng(6)
    for _ in range(count(100)):
        task, _, _, budget = random_case(rng)
        expected = best_by_brute_force(task, budget)
        assert expected is not None
        answer = allocate(task, budget, gap=0.2)
        assert answer.status == "optimal"
        assert answer.value * 1.2 >= answer.bound * (1 - 1e-9)
        assert answer.value <= expected.value * (1 + 1e-9)
        assert answer.bound >= expected.value * (1 - ROUNDING)


def shared_layers(length: int, width: int, policies: int, seed: int) -> Task:
    """Layers of places with three ways on from each; every way uses one of few policies."""
    rng = np.random.default_rng(seed)
    skills: list[Skill] = []
    for layer in range(length):
        for i in range(width if layer else 1):
            for j in rng.integers(width, size=3).tolist():
                u = len(skills) if len(skills) < policies else int(rng.integers(policies))
                first = len(skills) < policies
                skills.append(
                    Skill(
                        f"skill{len(skills)}",
                        {"at": f"{layer}.{i}"},
                        {"at": f"{layer + 1}.{j}"},
                        policy=f"policy{u}",
                        competence=float(rng.uniform(0.05, 0.15)) if first else None,
                        curve=PiecewiseLinear(rate=float(rng.uniform(0.02, 0.05)))
                        if first
                        else None,
                    )
                )
    places = ["0.0", *(f"{i}.{j}" for i in range(1, length + 1) for j in range(width))]
    goals = [Goal(f"goal{j}", 1.0, {"at": f"{length}.{j}"}) for j in range(width)]
    return Task("layers", {"at": places}, goals, skills, discount=0.99)


def test_many_plans_that_share_few_policies_are_proven_optimal() -> None:
    task = ground(shared_layers(8, 8, 10, seed=0))
    form = product_form(task)
    assert isinstance(form, ProductForm)
    practice = WholeEpisodes(build_problem(task, 50), form)
    unproven = search_plans(form, practice, [50], max_labels=certified_plans.FIRST_LABELS)
    assert not unproven.finished
    answer = allocate(task, 50)
    assert answer.status == "optimal"
    assert answer.value >= math.exp(unproven.log_values[0]) * (1 - 1e-9)
    again = allocate(task, 50)
    assert (again.value, again.bound, again.plan) == (answer.value, answer.bound, answer.plan)


def test_a_time_limit_gives_a_feasible_answer_with_a_bound() -> None:
    task = ground(shared_layers(8, 8, 10, seed=1))
    optimum = allocate(task, 50)
    assert optimum.status == "optimal"
    for limit in (1e-9, 0.05, 0.2):
        answer = allocate(task, 50, time_limit=limit)
        assert answer.value <= optimum.value * (1 + 1e-9)
        assert answer.bound >= optimum.value
        assert answer.spent <= 50
