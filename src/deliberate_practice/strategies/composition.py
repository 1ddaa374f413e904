"""The value of a plan whose skills follow each other: with the gap of each pair.

A plan u_1 ... u_k of a product-form task is worth R Π_i φ_i(f_i (1 - g_i)), where g_i is the
composition gap between u_{i-1} and u_i (:mod:`~deliberate_practice.beliefs.gaps`), and φ as in
:mod:`~deliberate_practice.allocation.product_form`. So the order of its skills matters too.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Mapping

import numpy as np

from deliberate_practice.allocation.plan import Plan, follow
from deliberate_practice.allocation.plans import all_plans
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.beliefs.gaps import Losses, Pair
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.ground_task import GroundTask

Node = tuple[int, int]
"""A state, and the policy whose success led there; -1 at the start."""

ORDERED = 10
"""So many plans are ordered anew: those that are worth most in their usual order."""


def pairs_of(ground: GroundTask, plan: Plan) -> list[Pair]:
    """The policies of a plan that follow each other, in order."""
    names = [ground.policy_names[kind.policy] for kind in plan.kinds]
    return list(itertools.pairwise(names))


def composed_value(
    ground: GroundTask,
    plan: Plan,
    competence: Mapping[str, FloatArray],
    kept: Callable[[str | None, str], FloatArray | float],
) -> FloatArray:
    """R Π φ along a plan.

    Args:
        ground: The task.
        plan: The plan.
        competence: Competences of its policies, each of the same shape.
        kept: 1 - g of a policy after another one, or after none.
    """
    value: FloatArray = np.asarray(plan.reward, dtype=np.float64)
    before = None
    for kind in plan.kinds:
        policy = ground.policy_names[kind.policy]
        f = np.minimum(competence[policy] * kept(before, policy), 1.0)
        value = value * kind.factor(f, plan.discount)
        before = policy
    return value


def best_composed(
    ground: GroundTask, competence: FloatArray, losses: Losses
) -> tuple[Plan, float] | None:
    """The plan that is worth most with the expected gaps, in its best order, and its value.

    A plan has no skills that it does not need: to execute another one in between says nothing about
    the gap. So the orders of the skills of each plan are compared, and nothing else.

    Args:
        ground: The task.
        competence: Competence of each policy, shape (policies,).
        losses: Expected gaps.

    Returns:
        The plan; None if decision rules are more than plans, or no plan is worth anything.
    """
    believed = {
        name: np.asarray(p) for name, p in zip(ground.policy_names, competence, strict=True)
    }

    def value(plan: Plan) -> float:
        return float(composed_value(ground, plan, believed, losses.kept))

    plans = sorted(all_plans(ground) or (), key=value, reverse=True)[:ORDERED]
    form = product_form(ground) if plans else ""
    if not isinstance(form, ProductForm):
        return None
    orders = [_best_order(ground, form, plan, competence, losses) for plan in plans]
    found = [(plan, value(plan)) for plan in orders if plan is not None]
    best = max(found, key=lambda one: one[1], default=None)
    return best if best and best[1] > 0 else None


def _best_order(
    ground: GroundTask, form: ProductForm, plan: Plan, competence: FloatArray, losses: Losses
) -> Plan | None:
    """The best way to a goal with the skills of a plan; None if it is worth nothing.

    A shortest path by -log φ over states with the policy before them; no state is entered twice.
    """
    names = [skill.name for skill in ground.task.skills]
    usable = np.array([names[skill] in plan.skills for skill in form.skill])
    costs = _costs(ground, form, competence, losses)
    best: tuple[float, Node] | None = None
    came: dict[Node, tuple[Node, int]] = {}
    done: dict[Node, float] = {}
    ties = itertools.count()
    waiting: list[tuple[float, int, int, Node, tuple[Node, int] | None]] = []
    heapq.heappush(waiting, (0.0, 0, next(ties), (form.start, -1), None))
    while waiting:
        cost, length, _, node, step = heapq.heappop(waiting)
        if node in done:
            continue
        done[node] = cost
        if step:
            came[node] = step
        state = node[0]
        worth = float(form.goal_log[state]) - cost
        if worth > -math.inf and (best is None or worth > best[0]):
            best = worth, node
        first, last = np.searchsorted(form.source, [state, state + 1])
        for edge in (first + np.flatnonzero(usable[first:last])).tolist():
            kind = int(form.kind[edge])
            more = costs(node[1], kind)
            to = int(form.target[edge]), form.kinds[kind].policy
            if more < math.inf and to not in done and to[0] not in _behind(node, came):
                entry = (cost + more, length + 1, next(ties), to, (node, int(form.skill[edge])))
                heapq.heappush(waiting, entry)
    return follow(ground, form, _skills(best[1], came)) if best else None


def _costs(
    ground: GroundTask, form: ProductForm, competence: FloatArray, losses: Losses
) -> Callable[[int, int], float]:
    """-log φ of a kind of skill after a policy."""
    known: dict[tuple[int, int], float] = {}
    names = ground.policy_names

    def cost(before: int, number: int) -> float:
        if (before, number) not in known:
            kind = form.kinds[number]
            kept = losses.kept(names[before] if before >= 0 else None, names[kind.policy])
            f = min(float(competence[kind.policy]) * kept, 1.0)
            factor = kind.factor_at(f, form.gamma)
            known[before, number] = -math.log(factor) if factor > 0 else math.inf
        return known[before, number]

    return cost


def _behind(node: Node, came: Mapping[Node, tuple[Node, int]]) -> set[int]:
    """The states on the way to a node, and its own."""
    states = {node[0]}
    while node in came:
        node = came[node][0]
        states.add(node[0])
    return states


def _skills(node: Node, came: Mapping[Node, tuple[Node, int]]) -> tuple[int, ...]:
    skills = []
    while node in came:
        node, skill = came[node]
        skills.append(skill)
    return tuple(reversed(skills))
