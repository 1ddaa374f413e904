"""Plan form: tasks in which a decision rule is a plan from each start.

After the elimination of forced fall-backs (chains.py) every action leads to one state, stays, or is
lost. Then only one trajectory from each start survives, and the value of a plan with chains 1 ... L
and the reward R follows from V_{L+1} = R, V_i = F_i (V_{i+1} - e_i). For fixed competences

    V = Σ_i w_i max over the plans of start i.

Several starts and step costs are allowed; several tasks are starts in separate parts of the graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.plan_form.chains import Chain, chains
from deliberate_practice.allocation.plan_form.kinds import Kind, Step
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.deadline import check
from deliberate_practice.mdp.ground_task import GroundTask


@dataclass(frozen=True, eq=False)
class PlanForm:
    """A task in plan form as a graph of plans.

    Attributes:
        starts: The start states.
        weight: Probability of each start.
        reward: Reward of arriving in each state, 0 where there is no goal, shape (N,).
        source, target, kind: One entry per edge, shape (E,).
        chain: The actions of each edge.
        kinds: The kinds, to which edges refer by index.
        costs: Whether some skill has a step cost.
    """

    starts: IntArray
    weight: FloatArray
    reward: FloatArray
    source: IntArray
    target: IntArray
    kind: IntArray
    chain: tuple[Chain, ...]
    kinds: tuple[Kind, ...]
    costs: bool


def plan_form(ground: GroundTask, deadline: float | None = None) -> PlanForm | str:
    """The graph of plans, or the reason why the task is not of plan form.

    Raises:
        Late: The deadline passed before that was known.
    """
    gains = np.flatnonzero(ground.step_reward > 0)
    if len(gains):
        return f"skill '{_skill_name(ground, int(gains[0]))}' has a positive step reward"
    made = chains(ground, deadline)
    if isinstance(made, str):
        return made
    outcomes = _Outcomes(ground)
    index: dict[tuple[Step, ...], int] = {}
    source, target, kind = [], [], []
    for chain, goal in made:
        check(deadline)
        steps = outcomes.steps(chain, goal)
        if isinstance(steps, str):
            return steps
        source.append(int(ground.action_state[chain[0]]))
        target.append(goal)
        kind.append(index.setdefault(steps, len(index)))
    kinds = tuple(Kind(steps, ground.task.discount) for steps in index)
    costs = any(step.cost > 0 for one in kinds for step in one.steps)
    for edge, number in enumerate(kind):
        check(deadline)
        if costs and (kinds[number].inverse is None or kinds[number].effort is None):
            name = _skill_name(ground, made[edge][0][-1])
            return f"there are step costs, and the value behind skill '{name}' is not log-concave"
    starts = np.flatnonzero(ground.start)
    return PlanForm(
        starts=starts,
        weight=ground.start[starts],
        reward=ground.reward,
        source=np.array(source, dtype=np.int64),
        target=np.array(target, dtype=np.int64),
        kind=np.array(kind, dtype=np.int64),
        chain=tuple(chain for chain, _ in made),
        kinds=kinds,
        costs=costs,
    )


class _Outcomes:
    """The outcomes of each action, as steps of a chain."""

    def __init__(self, ground: GroundTask) -> None:
        self._ground = ground
        self._of: list[list[tuple[int, float, bool]]] = [[] for _ in ground.action_state]
        possible = ground.outcome_weight > 0
        for action, target, weight, success in zip(
            ground.outcome_action[possible].tolist(),
            ground.outcome_target[possible].tolist(),
            ground.outcome_weight[possible].tolist(),
            ground.outcome_success[possible].tolist(),
            strict=True,
        ):
            self._of[action].append((target, weight, success))

    def steps(self, chain: Chain, goal: int) -> tuple[Step, ...] | str:
        """The steps of a chain that leads to a state, or why it is no chain."""
        ground = self._ground
        place = {int(ground.action_state[action]): i for i, action in enumerate(chain)}
        place[goal] = len(chain)
        steps = []
        for i, action in enumerate(chain):
            weights = {True: [0.0] * (len(chain) + 1), False: [0.0] * (len(chain) + 1)}
            for target, weight, success in self._of[action]:
                weights[success][place[target]] += weight
            good, bad = weights[True], weights[False]
            if any(bad[i + 1 :]):
                name = _skill_name(ground, action)
                return f"when skill '{name}' fails, the task may go on as after a success"
            if any(good[i + 2 :]) or not good[i + 1]:
                return f"skill '{_skill_name(ground, action)}' may lead to several states"
            steps.append(
                Step(
                    policy=int(ground.action_policy[action]),
                    onward=good[i + 1],
                    success_back=tuple(good[:i]),
                    failure_back=tuple(bad[:i]),
                    lost_success=float(ground.lost_success[action]),
                    lost_failure=float(ground.lost_failure[action]),
                    cost=max(-float(ground.step_reward[action]), 0.0),
                )
            )
        return tuple(steps)


def _skill_name(ground: GroundTask, action: int) -> str:
    return ground.task.skills[int(ground.action_skill[action])].name
