"""Optimal values by linear programming: an independent second method.

The inner program of the paper's equation "bilevel2" (Appendix A.1) with stopping allowed: minimise
Σ v subject to v >= 0 and v_s >= r_sa + γ Σ_s' P_ss'a v_s' for all actions, v = R in goals. The
minimum is the least solution.

A solver's tolerances are absolute, so it would round the value of a plan of many weak skills to 0.
The program is therefore written in x_s = v_s / d_s, each row divided by the factor of its own x_s.
That has the same solution for every d > 0, and is well scaled if d is near v.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.mdp.chain import chain_values
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.moves import Moves, moves
from deliberate_practice.mdp.values import Solution, checked_competence, solve

TOLERANCE = 1e-10
"""Tolerances for HiGHS, the smallest it accepts."""

ERROR = 1e-7
"""The largest relative error of a value that the tolerances may cause."""

_TOO_WIDE = (
    f"the tolerances of the linear program ({TOLERANCE:g}) could add up to a relative error above "
    f"{ERROR:g}: episodes are too long, or numbers too far apart, for it."
)

SMALLEST = 1e-250
"""Values below this part of the largest reward count as 0: their quotients mean nothing."""


def solve_by_lp(ground: GroundTask, competence: Sequence[float] | FloatArray) -> float:
    """Optimal value from the start distribution, by HiGHS.

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy, shape (policies,).

    Raises:
        TaskError: The value is infinite, or episodes are so long, or numbers so far apart, that the
            solver's tolerances could add up to an error above ``ERROR``.
    """
    from scipy.optimize import linprog  # imported here because it loads the solver

    competence = checked_competence(ground, competence)
    try:
        solution = solve(ground, competence)
    except TaskError:  # infinite, which the program must detect itself
        solution = None
    scale = _scale(ground, solution)
    steps = moves(ground, competence[ground.action_policy])
    if solution:
        _check_tolerances(steps, solution.actions, scale)
    rows, right = _rows(steps, scale)
    low = ground.reward / scale
    result = linprog(
        c=np.ones(len(scale)),
        A_ub=rows,
        b_ub=right,
        bounds=np.stack([low, np.where(ground.goal >= 0, low, np.inf)], axis=1),
        method="highs",
        options={
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        },
    )
    if result.status == 2:
        if solution:
            raise TaskError("values", _TOO_WIDE)
        raise TaskError("discount", "the value is infinite; use a discount below 1.")
    if result.status != 0:
        raise TaskError("values", f"the linear program was not solved: {result.message}")
    return float(ground.start @ (scale * np.maximum(result.x, low)))


def _scale(ground: GroundTask, solution: Solution | None) -> FloatArray:
    """d: about the value of each state; where that is 0, about the possible loss there."""
    largest = float(ground.reward.max(initial=0.0)) or 1.0
    if solution is None:
        return np.full(len(ground.start), largest)
    v = solution.values
    worth = v > SMALLEST * largest
    lost = np.full(len(v), v[worth].min(initial=largest))
    np.maximum.at(lost, ground.action_state, np.abs(ground.step_reward))
    return np.where(worth, v, lost)


def _check_tolerances(steps: Moves, rule: IntArray, scale: FloatArray) -> None:
    """Refuse a program in which tolerances of single rows could add up to a wrong value.

    A row may deviate by the tolerance, and x by that much for every step of an episode.
    """
    if (rule < 0).all():
        return
    acting, onward, _, leak = steps.chain(rule)
    off = TOLERANCE * steps.own[rule[acting]] * scale[acting]
    error = chain_values(onward, leak, off[:, None])[:, 0]
    if not (error <= ERROR * scale[acting]).all():
        raise TaskError("values", _TOO_WIDE)


def _rows(steps: Moves, scale: FloatArray) -> tuple[sparse.csr_array, FloatArray]:
    """A and b of A x <= b, one row per action."""
    actions = len(steps.state)
    for_ever = steps.own <= 0  # the action leads nowhere else
    divisor = np.where(for_ever, 1.0, steps.own) * scale[steps.state]
    entry = sparse.coo_array(steps.onward)
    action, target = entry.coords
    flow = entry.data * scale[target] / divisor[action]
    entries = np.concatenate([flow, np.where(for_ever, 0.0, -1.0)])
    places = (
        np.concatenate([action, np.arange(actions)]),
        np.concatenate([target, steps.state]),
    )
    rows = sparse.csr_array((entries, places), shape=(actions, len(scale)))
    return rows, -steps.gain / divisor
