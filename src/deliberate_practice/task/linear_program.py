"""The same optimal values by linear programming: an independent second way.

The primal of the paper's appendix with stopping allowed: minimise Σ v subject to v >= 0 and
v_s >= r_sa + γ Σ_s' P_ss'a v_s' for all actions, v = R in goals. The minimum is the least solution.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from deliberate_practice.errors import TaskError
from deliberate_practice.task.mdp import FloatArray, GroundTask
from deliberate_practice.task.values import transitions


def solve_by_lp(ground: GroundTask, competence: FloatArray) -> float:
    """Optimal value from the start distribution, by HiGHS.

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy, shape (policies,).
    """
    from scipy.optimize import linprog  # loads the solver, so only here

    n, actions = len(ground.start), len(ground.action_state)
    own = sparse.csr_array(
        (np.ones(actions), (np.arange(actions), ground.action_state)), (actions, n)
    )
    terminal = ground.goal >= 0
    result = linprog(
        c=np.ones(n),
        A_ub=transitions(ground, competence) - own,
        b_ub=-ground.step_reward,
        bounds=np.stack([ground.reward, np.where(terminal, ground.reward, np.inf)], axis=1),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.status == 2:
        raise TaskError("discount", "the value is infinite; use a discount below 1.")
    if result.status != 0:
        raise TaskError("values", f"the linear program was not solved: {result.message}")
    return float(ground.start @ result.x)
