"""The methods that can split a budget, by the names that users give them."""

from __future__ import annotations

from typing import NamedTuple


class Solver(NamedTuple):
    """A method.

    Attributes:
        title: What to call it in a sentence.
        package: The package that it needs, if it solves the bilinear program.
    """

    title: str
    package: str = ""


SOLVERS = {
    "plans": Solver("plan search"),
    "scip": Solver("SCIP", "pyscipopt"),
    "gurobi": Solver("Gurobi", "gurobipy"),
    "local": Solver("local search"),
}

PROGRAM_SOLVERS = tuple(name for name, solver in SOLVERS.items() if solver.package)
"""Those that solve the bilinear program; ``auto`` takes the first one that is installed."""

CHOICES = ("auto", *SOLVERS)
"""What a user may ask for."""
