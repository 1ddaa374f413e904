"""The optimal value of a small task in exact rational arithmetic, from the task's own words.

Every double of the task and of its competence tables is taken as the rational number it is, and the
probability of failure is 1 - p without rounding. The value is the least nonnegative solution of

    V(s) = max(0, max_a r_a + discount · Σ_k q_k V(s_k)),   V(goal) = its largest reward met.

Policy iteration finds it: the first rule stops everywhere, and a rule changes only for a strict
gain. A closed set of states without an exit can then appear only if its circle earns a positive
reward for ever, so every system of equations on the way has one solution, or the value is infinite.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import deliberate_practice as dp

ZERO = Fraction(0)
STOP = -1

SCALED = True
"""Whether listed outcomes are divided by their sum, instead of being taken as they are."""


class InfiniteValue(Exception):
    """A circle of the task earns reward for ever."""


def exact_value(task: dp.Task, competences: Mapping[str, float]) -> Fraction:
    """Optimal value from the start distribution, for a competence of each policy."""
    return ExactTask(task).solve(competences).value


def cancellation_scale(task: dp.Task, competences: Mapping[str, float]) -> Fraction:
    """Expected discounted sum of |rewards| under the optimal rule: what rounding is relative to."""
    return ExactTask(task).solve(competences).scale


def exact_best(task: dp.Task, budget: int) -> tuple[Fraction, dict[str, int]]:
    """The best value of all whole-episode splits within a budget, and one split that has it."""
    best = max(exact_splits(task, budget), key=lambda split: split.solution.value)
    return best.solution.value, dict(best.episodes)


@dataclass(frozen=True)
class ExactSolution:
    """Optimal value, the sum of absolute terms it consists of, and a decision rule that earns it.

    Attributes:
        value: Expected discounted reward from the start distribution.
        scale: The same with |step reward| for every step reward; at least the value.
        rule: Skill index of each state's decision, ``STOP`` for none.
    """

    value: Fraction
    scale: Fraction
    rule: tuple[int, ...]


@dataclass(frozen=True)
class ExactSplit:
    """One split of a budget, what it costs and what it is worth."""

    episodes: Mapping[str, int]
    spent: int
    competences: Mapping[str, float]
    solution: ExactSolution


def exact_splits(task: dp.Task, budget: int) -> list[ExactSplit]:
    """Every split within the budget; competences are the entries of the problem's tables."""
    exact = ExactTask(task)
    tables = competence_tables(task, budget)
    solutions: dict[tuple[float, ...], ExactSolution] = {}
    splits = []
    for episodes in split_episodes(task, tables, budget):
        competences = {name: tables[name][b] for name, b in episodes.items()}
        key = tuple(competences.values())
        if key not in solutions:
            solutions[key] = exact.solve(competences)
        spent = sum(task.policies[name].cost * b for name, b in episodes.items())
        splits.append(ExactSplit(episodes, spent, competences, solutions[key]))
    return splits


def competence_tables(task: dp.Task, budget: int) -> dict[str, list[float]]:
    """Competence of each policy after 0, 1, 2, ... episodes: given data, not checked here."""
    tables = dp.build_problem(task, budget).tables
    return {name: table.tolist() for name, table in zip(task.policies, tables, strict=True)}


def split_episodes(
    task: dp.Task, tables: Mapping[str, Sequence[float]], budget: int
) -> Iterator[dict[str, int]]:
    """All ways to hand out at most the budget."""
    names = list(task.policies)
    costs = [task.policies[name].cost for name in names]
    choices = [
        range(min(len(tables[name]) - 1, budget // cost) + 1)
        for name, cost in zip(names, costs, strict=True)
    ]
    for episodes in itertools.product(*choices):
        if sum(cost * b for cost, b in zip(costs, episodes, strict=True)) <= budget:
            yield dict(zip(names, episodes, strict=True))


@dataclass(frozen=True)
class _Action:
    """A skill in a state: outcomes are (probability given success or failure, target state)."""

    skill: int
    policy: str
    reward: Fraction
    success: tuple[tuple[Fraction, int], ...]
    failure: tuple[tuple[Fraction, int], ...]

    def transitions(self, p: Fraction) -> dict[int, Fraction]:
        """Probability of each target; what ends the episode is left out."""
        reached: dict[int, Fraction] = {}
        for chance, outcomes in ((p, self.success), (1 - p, self.failure)):
            for weight, target in outcomes:
                if chance * weight:
                    reached[target] = reached.get(target, ZERO) + chance * weight
        return reached


class ExactTask:
    """The states of a task that its words can reach, with rational rewards and weights.

    Args:
        task: The task.
        scaled: How to read probabilities that sum to 1 only within rounding, see :data:`SCALED`.
    """

    def __init__(self, task: dp.Task, *, scaled: bool = SCALED) -> None:
        self.discount = Fraction(task.discount)
        self.starts: dict[int, Fraction] = {}
        self.rewards: list[Fraction | None] = []
        self.actions: list[list[_Action]] = []
        self._task = task
        self._number: dict[tuple[str, ...], int] = {}
        states: list[dict[str, str]] = []

        def number(state: dict[str, str]) -> int:
            key = tuple(state[name] for name in task.variables)
            if key not in self._number:
                self._number[key] = len(states)
                states.append(state)
            return self._number[key]

        first = {name: values[0] for name, values in task.variables.items()}
        for start in task.starts or (dp.Start(1.0, {}),):
            if start.probability:
                at = number({**first, **start.state})
                self.starts[at] = self.starts.get(at, ZERO) + Fraction(start.probability)
        for state in states:  # grows while it is walked through
            met = [Fraction(goal.reward) for goal in task.goals if _holds(goal.when, state)]
            self.rewards.append(max(met) if met else None)
            self.actions.append([])
            if met:
                continue
            for i, skill in enumerate(task.skills):
                if _holds(skill.precondition, state):
                    results = [
                        tuple(
                            (weight, number(after))
                            for weight, after in _outcomes(effect, state, scaled)
                        )
                        for effect in (skill.effect, skill.failure)
                    ]
                    self.actions[-1].append(
                        _Action(i, skill.policy, Fraction(skill.step_reward), *results)
                    )

    def solve(self, competences: Mapping[str, float], *, widened: Fraction = ZERO) -> ExactSolution:
        """Optimal value, its scale and a rule, by policy iteration from stopping everywhere.

        Args:
            competences: Competence of each policy.
            widened: Raise every reward r to r + widened |r|. No rule whose terms are known to that
                relative precision can seem to be worth more than the value this gives.
        """
        options = [
            [(action, action.transitions(Fraction(competences[action.policy]))) for action in here]
            for here in self.actions
        ]
        for here in options:
            for _, reached in here:
                if sum(reached.values(), ZERO) * self.discount > 1:
                    raise InfiniteValue("an action's probabilities sum to more than 1 / discount")
        rule: list[tuple[_Action, dict[int, Fraction]] | None] = [None] * len(options)
        values = [(reward or ZERO) * (1 + widened) for reward in self.rewards]
        while True:
            changed = False
            for s, here in enumerate(options):
                best = values[s]
                for action, reached in here:
                    worth = (
                        action.reward
                        + widened * abs(action.reward)
                        + self.discount
                        * sum((chance * values[target] for target, chance in reached.items()), ZERO)
                    )
                    if worth > best:
                        best, rule[s], changed = worth, (action, reached), True
            if not changed:
                break
            improved = self._evaluate(rule, Fraction(1), widened)
            if any(new < old for new, old in zip(improved, values, strict=True)):
                raise InfiniteValue("a rule that improves on another is worth less")
            values = improved
        terms = self._evaluate(rule, ZERO, Fraction(1))
        return ExactSolution(
            value=sum((chance * values[s] for s, chance in self.starts.items()), ZERO),
            scale=sum((chance * terms[s] for s, chance in self.starts.items()), ZERO),
            rule=tuple(STOP if taken is None else taken[0].skill for taken in rule),
        )

    def goal_is_reachable(self, tables: Mapping[str, Sequence[float]]) -> bool:
        """Whether some competences of the tables lead from a start to a goal with a reward."""
        frontier = list(self.starts)
        seen = set(frontier)
        for s in frontier:  # grows while it is walked through
            for action in self.actions[s]:
                table = tables[action.policy]
                possible = (*action.success,) if table[-1] > 0 else ()
                possible += (*action.failure,) if table[0] < 1 else ()
                new = {target for weight, target in possible if weight} - seen
                seen |= new
                frontier += sorted(new)
        return any((self.rewards[s] or 0) > 0 for s in seen)

    def _evaluate(
        self,
        rule: Sequence[tuple[_Action, dict[int, Fraction]] | None],
        signed: Fraction,
        absolute: Fraction,
    ) -> list[Fraction]:
        """Value of a rule in each state if a reward r counts as signed · r + absolute · |r|."""
        values = [(reward or ZERO) * (signed + absolute) for reward in self.rewards]
        acting = [s for s, taken in enumerate(rule) if taken is not None]
        column = {s: i for i, s in enumerate(acting)}
        rows = []
        for s in acting:
            taken = rule[s]
            assert taken is not None
            action, reached = taken
            row = [ZERO] * (len(acting) + 1)
            row[column[s]] += 1
            row[-1] = signed * action.reward + absolute * abs(action.reward)
            for target, chance in reached.items():
                if target in column:
                    row[column[target]] -= self.discount * chance
                else:
                    row[-1] += self.discount * chance * values[target]
            rows.append(row)
        for s, value in zip(acting, _solve_linear(rows), strict=True):
            values[s] = value
        return values


def _solve_linear(rows: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Solve equations with the right side in the last column, without fractions (Bareiss)."""
    matrix = []
    for row in rows:
        whole = lcm(*(entry.denominator for entry in row))
        matrix.append([entry.numerator * (whole // entry.denominator) for entry in row])
    n, before = len(matrix), 1
    for k in range(n):
        pivot = next((i for i in range(k, n) if matrix[i][k]), None)
        if pivot is None:
            raise InfiniteValue("a circle without an exit improves on stopping")
        matrix[k], matrix[pivot] = matrix[pivot], matrix[k]
        for i in range(n):
            if i != k:
                factor = matrix[i][k]
                matrix[i] = [
                    (matrix[k][k] * x - factor * y) // before
                    for x, y in zip(matrix[i], matrix[k], strict=True)
                ]
        before = matrix[k][k]
    return [Fraction(matrix[i][n], matrix[i][i]) for i in range(n)]


def _holds(condition: Mapping[str, str | Sequence[str]], state: Mapping[str, str]) -> bool:
    return all(
        state[name] == values if isinstance(values, str) else state[name] in values
        for name, values in condition.items()
    )


def _outcomes(
    effect: Any, state: dict[str, str], scaled: bool
) -> Iterator[tuple[Fraction, dict[str, str]]]:
    """The weight of each outcome and the state after it; "end" has none."""
    listed: list[tuple[float, Any]] = (
        [(1.0, effect)]
        if isinstance(effect, str | Mapping)
        else [(outcome.probability, outcome.effect) for outcome in effect]
    )
    total = sum((Fraction(weight) for weight, _ in listed), ZERO) if scaled else 1
    for weight, change in listed:
        if change != "end" and weight:
            yield Fraction(weight) / total, {**state, **({} if change == "stay" else change)}
