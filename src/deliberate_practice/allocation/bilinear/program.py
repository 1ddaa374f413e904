"""The paper's bilinear program (its equation "single_level") as data: build, print, then solve.

    maximise   Σ r_sa μ_sa
    subject to Σ_a μ_sa <= e_s + γ Σ_{s'a} P̄_{s's}^a(b) μ_{s'a}    for every state s
               p̄_u = f_improv(p_u, b_u)                            for every practised policy u
               Σ_u cost_u b_u <= B,   0 <= μ_sa <= u_sa

Differences from the paper, and why they are valid:

* P̄ is linear in p̄: a success entry is weight * p̄, a failure entry weight * (1 - p̄). So one success
  flow y_sa = p̄_u μ_sa per action of a practised policy is the only product; failure is μ_sa - y_sa.
* The flow rows are inequalities: their slack is stopping, with value 0. Goals have no rows: arrival
  there earns the reward, so their inflow is in the objective.
* Only reachable states that can still earn a reward are included.
* u_sa is the largest number of visits (:mod:`.visits`) instead of 1/(1 - γ).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from deliberate_practice.allocation.bilinear.competence_rows import (
    Link,
    Row,
    Variable,
    link_competence,
)
from deliberate_practice.allocation.corner_bound import competence_range, value_rises
from deliberate_practice.allocation.occupancy import occupancy
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.checks import number
from deliberate_practice.foundation.errors import ArgumentError


@dataclass(frozen=True)
class Product:
    """The equation product = left * right between three variables."""

    name: str
    product: str
    left: str
    right: str


@dataclass(frozen=True)
class BilinearProgram:
    """The complete program.

    Attributes:
        problem: The problem from which it was built.
        variables: All variables; the objective is maximised.
        rows: Linear rows.
        products: Bilinear equations y = p̄ μ.
        links: How competences depend on episodes; their variables and rows are included above.
        offset: Value that needs no skill, from starts that are goals already.
    """

    problem: Problem = field(repr=False)
    variables: tuple[Variable, ...] = field(repr=False)
    rows: tuple[Row, ...] = field(repr=False)
    products: tuple[Product, ...] = field(repr=False)
    links: tuple[Link, ...] = field(repr=False)
    offset: float = 0.0

    def to_lp(self, scale: float = 1.0) -> str:
        """The program in CPLEX LP format, which SCIP and Gurobi read; products are in brackets.

        Args:
            scale: Divisor of the objective; small values would vanish in a solver's tolerances.
        """
        number("scale", scale, 0, open_low=True, error=ArgumentError)
        return "\n".join(_lp_lines(self, scale)) + "\n"

    def start(self, episodes: Sequence[float] | IntArray | FloatArray) -> dict[str, float]:
        """A complete feasible point for an allocation: μ is the optimal decision rule's occupancy.

        Args:
            episodes: Episodes of each policy in file order, within the budget.

        Returns:
            A value for every variable; its objective is the value of the allocation.
        """
        ground = self.problem.ground
        p = self.problem.competence(episodes)
        mu = occupancy(ground, p, self.problem.solve(episodes).actions)
        values = {"one": 1.0} if self.offset else {}
        linked = {link.policy for link in self.links}
        for link in self.links:
            values.update(link.start(float(episodes[link.policy]), float(p[link.policy])))
        for a, u in enumerate(ground.action_policy.tolist()):
            values[f"mu{a}"] = float(mu[a])
            if u in linked:
                values[f"y{a}"] = float(p[u] * mu[a])
        return values

    def episodes(self, values: Mapping[str, float]) -> IntArray | FloatArray:
        """Episodes of each policy in a solver's answer, within the budget, whole if required."""
        b = np.zeros(len(self.problem.tables))
        for link in self.links:
            b[link.policy] = min(max(values.get(link.episodes, 0.0), 0.0), link.most)
        if not self.problem.continuous:
            b = np.rint(b)
        over = float(self.problem.costs @ b - self.problem.budget)
        for u in np.argsort(-b):  # corrects the solver's tolerance, never more than rounding
            if over <= 0:
                break
            less = over / self.problem.costs[u]
            less = min(b[u], less if self.problem.continuous else np.ceil(less))
            b[u] -= less
            over -= float(less * self.problem.costs[u])
        return b if self.problem.continuous else b.astype(np.int64)


def build_program(problem: Problem, deadline: float | None = None) -> BilinearProgram:
    """Build the bilinear program of a problem.

    Args:
        problem: Task, budget and competence tables.
        deadline: When to stop tightening limits on μ, on the clock of ``time.monotonic``.

    Returns:
        The program as data; nothing is solved.

    Raises:
        DeliberatePracticeError: Discount 1 gives no finite limit on μ, or fractions of episodes
            meet curves that are not piecewise linear.
    """
    from deliberate_practice.allocation.bilinear.visits import (
        largest_visits,  # imports sparse matrices
    )

    if not isinstance(problem, Problem):
        raise ArgumentError(
            f"problem: {type(problem).__name__} is no problem; give what dp.build_problem returned."
        )
    ground = problem.ground
    low, high = competence_range(problem)
    changing = [u for u in np.unique(ground.action_policy).tolist() if high[u] > low[u]]
    rises = value_rises(problem)
    links = {u: link_competence(problem, u, float(high[u]), rises=rises) for u in changing}
    mu_factor, y_factor, flow = _flow(problem, links)
    variables = [variable for link in links.values() for variable in link.variables]
    rows = [row for link in links.values() for row in link.rows]
    if links:
        costs = tuple((link.episodes, float(problem.costs[u])) for u, link in links.items())
        rows.append(Row("budget", costs, "<=", float(problem.budget)))
    products: list[Product] = []
    limits = largest_visits(problem, deadline)
    for a, u in enumerate(ground.action_policy.tolist()):
        mu, y, limit = f"mu{a}", f"y{a}", float(limits[a])
        variables.append(Variable(mu, 0.0, limit, objective=float(mu_factor[a])))
        if u in links:
            link = links[u]
            variables.append(Variable(y, 0.0, limit * link.high, objective=float(y_factor[a])))
            products.append(Product(f"use{a}", y, link.competence, mu))
    rows += flow
    offset = float(ground.start @ np.where(ground.goal >= 0, ground.reward, 0.0))
    if offset:
        variables.append(Variable("one", 1.0, 1.0, objective=offset))
    return BilinearProgram(
        problem, tuple(variables), tuple(rows), tuple(products), tuple(links.values()), offset
    )


def _flow(problem: Problem, links: Mapping[int, Link]) -> tuple[FloatArray, FloatArray, list[Row]]:
    """Objective factors of μ and y, shape (A,) each, and the flow row of every state."""
    ground = problem.ground
    p = competence_range(problem)[0]
    on_mu = ground.step_reward.astype(np.float64).copy()
    on_y = np.zeros(len(on_mu))
    terms: dict[int, dict[str, float]] = {}

    def add(target: int, action: int, name: str, factor: float, objective: FloatArray) -> None:
        if ground.goal[target] >= 0:
            objective[action] += factor * ground.reward[target]
        else:
            row = terms.setdefault(target, {})
            row[name] = row.get(name, 0.0) - factor

    for a, s in enumerate(ground.action_state.tolist()):
        terms.setdefault(s, {})[f"mu{a}"] = 1.0
    outcomes = zip(
        ground.outcome_action.tolist(),
        ground.outcome_target.tolist(),
        (ground.task.discount * ground.outcome_weight).tolist(),
        ground.outcome_success.tolist(),
        ground.action_policy[ground.outcome_action].tolist(),
        strict=True,
    )
    for a, t, weight, success, u in outcomes:
        if u not in links:
            add(t, a, f"mu{a}", weight * float(p[u] if success else 1 - p[u]), on_mu)
        elif success:
            add(t, a, f"y{a}", weight, on_y)
        else:
            add(t, a, f"mu{a}", weight, on_mu)
            add(t, a, f"y{a}", -weight, on_y)
    rows = [
        Row(
            f"flow{s}",
            tuple((name, factor) for name, factor in row.items() if factor),
            "<=",
            float(ground.start[s]),
        )
        for s, row in sorted(terms.items())
    ]
    return on_mu, on_y, rows


def _lp_lines(program: BilinearProgram, scale: float) -> Iterator[str]:
    yield "\\ Bilinear program: b episodes, p competence, mu occupancy, y = p mu success flow"
    for variable in program.variables:
        if variable.meaning:
            yield f"\\ {variable.name}: {variable.meaning.encode('ascii', 'replace').decode()}"
    yield "Maximize"
    yield " value:"
    paying = [(v.name, v.objective / scale) for v in program.variables if v.objective]
    yield from _lp_terms(paying or [(program.variables[0].name, 0.0)])
    yield "Subject To"
    for row in program.rows:
        yield f" {row.name}:"
        yield from _lp_terms(row.terms)
        yield f"  {row.sense} {row.right!r}"
    for product in program.products:
        yield f" {product.name}: {product.product} + [ - {product.left} * {product.right} ] = 0"
    yield "Bounds"
    for variable in program.variables:
        yield f" {variable.low!r} <= {variable.name} <= {variable.high!r}"
    whole = [variable.name for variable in program.variables if variable.integer]
    if whole:
        yield "Generals"
        yield from (f" {name}" for name in whole)
    yield "End"


def _lp_terms(terms: Sequence[tuple[str, float]]) -> Iterator[str]:
    for name, factor in terms:
        yield f"  {'-' if factor < 0 else '+'} {abs(factor)!r} {name}"
