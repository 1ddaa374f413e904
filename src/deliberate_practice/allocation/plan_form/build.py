"""From a problem and its graph of plans to a model of all plans that can be best."""

from __future__ import annotations

import numpy as np

from deliberate_practice.allocation.plan_form.form import PlanForm
from deliberate_practice.allocation.plan_form.model import FLOOR, Model
from deliberate_practice.allocation.plan_form.orders import TIE, Orders, find_orders, settled
from deliberate_practice.allocation.plan_form.plans import PlanOf, all_plans
from deliberate_practice.allocation.plan_form.step_costs import Sequences
from deliberate_practice.allocation.plan_form.terms import collect
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.deadline import check

MOST_PLANS = 3000
"""The most plans that are bounded one by one."""

MOST_LEVELS = 200_000
"""The most entries in the tables of all policies, padded to the longest."""

MOST_ALONE = 300
"""With one start, the most plans of which each order is a plan of its own."""

MANY = 32
"""Orders of parts are settled beforehand if there are more plans than this."""


def build_model(
    problem: Problem, form: PlanForm, most_labels: int, deadline: float | None = None
) -> Model | None:
    """The plans of a problem in whole episodes; None if there are too many plans or levels.

    Args:
        problem: Task, budget and competence tables.
        form: The graph of plans of its task.
        most_labels: The most labels in the enumeration of plans.
        deadline: When to give up.

    Raises:
        Late: The deadline passed.
    """
    if len(problem.tables) * max(map(len, problem.tables)) > MOST_LEVELS:
        return None
    highest = np.array([table[-1] for table in problem.tables])
    constant: dict[int, float] = {}
    for k, kind in enumerate(form.kinds):
        check(deadline)
        fixed = all(len(problem.tables[u]) == 1 for u in kind.policies)
        if fixed or not highest[list(kind.policies)].all():
            with np.errstate(divide="ignore"):
                constant[k] = float(np.log(kind.climb(highest[list(kind.policies)])[0]))
    plans = all_plans(form, constant, most_labels, deadline)
    if plans is None or len(plans) > MOST_PLANS:
        return None
    if not form.costs:
        return _assemble(problem, form, [[plan] for plan in plans], 0.0, deadline)
    ties = 0.0
    if len(plans) > MANY:
        lowest = np.array([table[0] for table in problem.tables])
        orders = _orders(plans, deadline)
        alive = settled(orders, form.kinds, lowest, highest, len(plans), deadline)
        if not alive.all():
            ties = max(len(plan.kinds) for plan in plans) ** 2 * TIE
        plans = [plan for plan, stays in zip(plans, alive.tolist(), strict=True) if stays]
    return _assemble(problem, form, _joined(plans), ties, deadline)


def _orders(plans: list[PlanOf], deadline: float | None) -> Orders:
    """Pairs of plans of the same start and reward."""
    groups: dict[tuple[int, float], int] = {}
    return find_orders(
        [
            (groups.setdefault((plan.start, plan.log_reward), len(groups)), plan.kinds)
            for plan in plans
        ],
        deadline,
    )


def _joined(plans: list[PlanOf]) -> list[list[PlanOf]]:
    """Plans that differ only in their order as one; with one start and few plans, each alone."""
    if len(plans) <= MOST_ALONE and len({plan.start for plan in plans}) == 1:
        return [[plan] for plan in plans]
    joined: dict[tuple[int, float, tuple[int, ...]], list[PlanOf]] = {}
    for plan in plans:
        key = plan.start, plan.log_reward, tuple(sorted(plan.kinds))
        joined.setdefault(key, []).append(plan)
    return list(joined.values())


def _assemble(
    problem: Problem,
    form: PlanForm,
    orders: list[list[PlanOf]],
    ties: float,
    deadline: float | None,
) -> Model:
    """The model of plans, each given as its orders."""
    plans = [plan for plan, *_ in orders]
    used = sorted({k for plan in plans for k in plan.kinds})
    for k in used:
        check(deadline)
        _ = form.kinds[k].inverse  # its expansion takes long for long chains
    practised = {int(u) for u in problem.practised}
    policies = sorted({u for k in used for u in form.kinds[k].policies} & practised) or [0]
    column = {u: q for q, u in enumerate(policies)}
    longest = max((len(problem.tables[u]) for u in policies), default=1)
    tables = np.array(
        [np.pad(problem.tables[u], (0, longest - len(problem.tables[u])), "edge") for u in policies]
    ).reshape(len(policies), longest)
    competence = np.array([table[0] for table in problem.tables])
    with np.errstate(divide="ignore"):
        log_p = np.maximum(np.log(tables), FLOOR)
        log_fixed = np.log(competence)

    uses = {k: sorted({column[u] for u in form.kinds[k].policies if u in column}) for k in used}
    single = [k for k in used if len(uses[k]) <= 1]
    planes = [k for k in used if len(uses[k]) > 1 and form.kinds[k].inverse is not None]
    bent = [k for k in used if len(uses[k]) > 1 and form.kinds[k].inverse is None]
    joint = planes + bent

    rows: list[tuple[int, int, FloatArray]] = []  # policy, kind (or a number above all), table
    for k in single:
        p = np.broadcast_to(competence, (longest, len(competence))).copy()
        q = uses[k][0] if uses[k] else 0
        if uses[k]:
            p[:, policies[q]] = tables[q]
        with np.errstate(divide="ignore"):
            table = np.log(form.kinds[k].climb(p[:, list(form.kinds[k].policies)])[0])
        rows.append((q, k, np.maximum(table, FLOOR)))
    rows += [(q, len(form.kinds), log_p[q]) for q in range(len(policies))]
    rows.sort(key=lambda row: row[:2])
    place = {k: a for a, (_, k, _) in enumerate(rows)}

    number = {k: i for i, k in enumerate(single + joint)}
    counts = np.zeros((len(plans), len(number)))
    for j, plan in enumerate(plans):
        for k in plan.kinds:
            counts[j, number[k]] += 1
    sums = None
    if planes:
        kinds = [form.kinds[k] for k in planes]
        terms = [t for kind in kinds if (t := kind.inverse) is not None]
        sums = collect(kinds, terms, policies, log_fixed)
    owner = np.array([plan.start for plan in plans], dtype=np.int64)
    log_reward = np.array([plan.log_reward for plan in plans])
    sequences = None
    if form.costs and used:
        sequences = Sequences.build(
            [form.kinds[k] for k in single + joint],
            [[tuple(number[k] for k in plan.kinds) for plan in same] for same in orders],
            log_reward,
            policies,
            log_fixed,
        )
    return Model(
        policies=np.array(policies, dtype=np.int64),
        most=np.array([len(problem.tables[u]) - 1 for u in policies], dtype=np.int64),
        cost=problem.costs[policies].astype(np.int64),
        budget=problem.budget,
        log_p=log_p,
        atom=np.array([table for _, _, table in rows]).reshape(len(rows), longest),
        atom_policy=np.array([q for q, _, _ in rows], dtype=np.int64),
        single=np.array([place[k] for k in single], dtype=np.int64),
        linear=np.array(
            [sum(u in column for u in form.kinds[k].policies) <= 1 for k in single], dtype=np.bool_
        ),
        owner=owner,
        weight=form.weight[owner],
        log_reward=log_reward,
        single_count=counts[:, : len(single)],
        joint_count=counts[:, len(single) :],
        joint=sums,
        joint_uses=np.array(
            [[q in uses[k] for q in range(len(policies))] for k in joint], dtype=np.bool_
        ).reshape(len(joint), len(policies)),
        bent=tuple(form.kinds[k] for k in bent),
        competence=competence,
        sequences=sequences,
        tie_loss=ties * float(form.reward.max(initial=0.0)),
    )
