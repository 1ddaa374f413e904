"""The methods that can split a budget, by the names of the option ``solver``."""

from __future__ import annotations

from typing import NamedTuple


class Solver(NamedTuple):
    """A method that splits a budget.

    Attributes:
        title: Its name in a sentence.
        package: The package that it requires, if it solves the bilinear program.
    """

    title: str
    package: str = ""


SOLVERS = {
    "plans": Solver("plan search"),
    "supersolution": Solver("the supersolution"),
    "scip": Solver("SCIP", "pyscipopt"),
    "gurobi": Solver("Gurobi", "gurobipy"),
    "local": Solver("local search"),
}

PROGRAM_SOLVERS = tuple(name for name, solver in SOLVERS.items() if solver.package)
"""Solvers of the bilinear program."""

CHOICES = ("auto", *SOLVERS)
"""The valid values of the option ``solver``."""
