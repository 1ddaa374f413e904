"""Upper limits on the uses of an action by an optimal decision rule: tight limits on the paper's μ.

The paper bounds μ_sa by 1/(1 - γ). Spatial branch and bound relaxes a product p μ over the box of
its factors, so the limit decides how good the relaxation is. Here it is the largest discounted
probability of reaching s, times the largest expected number of visits from then on, over all
decision rules and all competences within the budget. It makes SCIP 5 to 12 times faster on Cleanup.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from deliberate_practice.allocation.corner_bound import competence_range
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.foundation.arrays import BoolArray, FloatArray
from deliberate_practice.foundation.deadline import late
from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.values import transitions

SWEEPS = 100
"""The most sweeps of the reach recursion; each of them leaves a valid limit."""

SETTLED = 1e-4
"""The recursion ends when no entry changes by more than this."""

STATES = 1500
"""In tasks with more states, reach probabilities are not computed but taken as 1."""

CELLS = 4_000_000
"""Numbers in one chunk of the reach recursion."""

SLACK = 1e-9
"""Relative widening against rounding."""


def largest_visits(problem: Problem, deadline: float | None = None) -> FloatArray:
    """A limit on μ_a for every action that at least one optimal (b, μ) satisfies.

    For fixed b an optimal μ is the occupancy of a deterministic decision rule that surely ends (a
    vertex of the dual program). It uses one action a in s, for which

        μ_a <= (Σ_t e_t R_t) / (1 - ρ_a),   ρ_a = max_p γ Σ P_a(p) R,
        R_s = 1,   R_t = max_{a,p} γ Σ P_a(p) R elsewhere,

    where any R above this fixed point is valid too; the iteration starts at 1 and falls.
    If no optimal decision rule returns to s, ρ_a counts only outcomes that stay in s. That is so if
    nothing leads back, or if each action of the strongly connected component has one successor
    besides s itself and no positive step reward, so that the optimal value rises along every step.

    Args:
        problem: Task, budget and competence tables.
        deadline: When to stop with looser limits, on the clock of ``time.monotonic``.

    Returns:
        Limits, shape (A,).

    Raises:
        DeliberatePracticeError: The discount is 1, and some cycle can be repeated for ever.
    """
    ground = problem.ground
    ends = _end_transitions(problem)
    stay = np.maximum(*(_staying(ground, end) for end in ends))
    returns = _returns(ground)[ground.action_state]
    reach, back = _reach(ground, ends, deadline)
    leaves = ground.action_state[ground.outcome_action] != ground.outcome_target
    useful = ground.step_reward > 0
    useful[ground.outcome_action[leaves]] = True
    rho = np.where(useful, np.where(returns, back, stay), 0.0)
    if (rho >= 1 - SLACK).any():
        raise DeliberatePracticeError(
            "discount: 1 gives no finite limit on how often a skill is used, which the bilinear "
            "program needs; use a discount below 1, or --solver plans where the task allows it."
        )
    return np.where(useful, reach[ground.action_state] / (1 - rho) * (1 + SLACK), 0.0)


def _end_transitions(problem: Problem) -> tuple[sparse.csr_array, sparse.csr_array]:
    """γP at both ends of every competence, shape (A, N); products are linear in p between them.

    With discount 1, a decision rule that ends never uses an action that surely changes nothing at
    p = 0. The lower end of such an action is the smallest positive competence; if there is none,
    the action drops out.
    """
    ground = problem.ground
    low, high = competence_range(problem)
    lower, upper = transitions(ground, low), transitions(ground, high)
    stuck = _staying(ground, lower) >= 1 - SLACK
    if stuck.any():
        hopeless = stuck & (_staying(ground, upper) >= 1 - SLACK)
        if not problem.continuous:
            positive = np.array([next((f for f in t if f > 0), 0.0) for t in problem.tables])
            lower = _pick(stuck, transitions(ground, positive), lower)
        nothing = sparse.csr_array(lower.shape)
        lower, upper = _pick(hopeless, nothing, lower), _pick(hopeless, nothing, upper)
    return lower, upper


def _staying(ground: GroundTask, matrix: sparse.csr_array) -> FloatArray:
    """Discounted probability that an action leaves its state unchanged, shape (A,)."""
    entries = matrix.tocoo()
    own = entries.col == ground.action_state[entries.row]
    actions = len(ground.action_state)
    return np.bincount(entries.row[own], entries.data[own], minlength=actions).astype(np.float64)


def _pick(rows: BoolArray, yes: sparse.csr_array, no: sparse.csr_array) -> sparse.csr_array:
    choose = sparse.diags_array(rows.astype(np.float64))
    keep = sparse.diags_array((~rows).astype(np.float64))
    return sparse.csr_array(choose @ yes + keep @ no)


def _returns(ground: GroundTask) -> BoolArray:
    """Whether an optimal decision rule may return to a state that it has left, shape (N,)."""
    n, actions = len(ground.start), len(ground.action_state)
    source, target = ground.action_state[ground.outcome_action], ground.outcome_target
    graph = sparse.csr_array((np.ones(len(source)), (source, target)), shape=(n, n))
    _, component = connected_components(graph, connection="strong")
    leaves = source != target
    pairs = np.unique(np.stack([ground.outcome_action[leaves], target[leaves]]), axis=1)
    successors = np.bincount(pairs[0], minlength=actions)
    plain = (successors <= 1) & (ground.step_reward <= 0)
    wild = np.zeros(n, dtype=np.bool_)
    wild[component[ground.action_state[~plain]]] = True  # indexed by component
    several = np.bincount(component, minlength=n) > 1
    result: BoolArray = (wild & several)[component]
    return result


def _reach(
    ground: GroundTask,
    ends: tuple[sparse.csr_array, sparse.csr_array],
    deadline: float | None,
) -> tuple[FloatArray, FloatArray]:
    """Largest discounted probability of reaching s, shape (N,), and of returning, shape (A,)."""
    n, actions = len(ground.start), len(ground.action_state)
    reach, back = np.ones(n), np.full(actions, ground.task.discount)
    if n > STATES:
        return reach, back
    size = max(1, CELLS // max(actions, n))
    for begin in range(0, n, size):
        targets = np.arange(begin, min(begin + size, n))
        columns = _reach_targets(ground, ends, targets, deadline)
        reach[targets] = ground.start @ columns
        mine = np.flatnonzero((ground.action_state >= begin) & (ground.action_state < begin + size))
        after = np.maximum(ends[0][mine] @ columns, ends[1][mine] @ columns)
        back[mine] = after[np.arange(len(mine)), ground.action_state[mine] - begin]
    return reach, back


def _reach_targets(
    ground: GroundTask,
    ends: tuple[sparse.csr_array, sparse.csr_array],
    targets: npt.NDArray[np.int64],
    deadline: float | None,
) -> FloatArray:
    """R of :func:`largest_visits` for some targets at once, shape (N, targets)."""
    first = ground.first_action
    states = ground.action_state[first]
    hit = (targets, np.arange(len(targets)))

    def step(columns: FloatArray) -> FloatArray:
        q = np.maximum(ends[0] @ columns, ends[1] @ columns)
        after = np.zeros_like(columns)
        after[states] = np.maximum.reduceat(q, first, axis=0)
        after[hit] = 1.0
        return after

    reached = np.zeros((len(ground.start), len(targets)))
    reached[hit] = 1.0
    while True:  # R is 0 if the target cannot be reached
        if late(deadline):
            return np.ones_like(reached)
        further = np.maximum(reached, step(reached) > 0)
        if np.array_equal(further, reached):
            break
        reached = further
    for _ in range(SWEEPS):
        after = np.minimum(step(reached), reached)
        settled = float((reached - after).max()) < SETTLED
        reached = after
        if settled or late(deadline):
            break
    return reached
