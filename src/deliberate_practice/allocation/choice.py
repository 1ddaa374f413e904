"""Which solver answers a task, and why."""

from __future__ import annotations

from deliberate_practice.allocation.bilinear.program_solver import installed
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.solvers import CHOICES
from deliberate_practice.foundation.checks import one_of
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command


def choose_solver(
    form: ProductForm | str, asked: str = "auto", *, timed: bool = True
) -> tuple[str, str]:
    """The solver that answers a task, and the reason in words.

    ``auto`` takes plan search where the task is of product form, else a solver of the bilinear
    program that is installed, else local search.

    Args:
        form: The task's graph of plans, or the reason why there is none.
        asked: A solver, or ``auto``.
        timed: Whether a solver will do whose answer depends on a clock.

    Raises:
        ArgumentError: There is no such solver, or it was to search plans and there are none.
    """
    one_of("solver", asked, CHOICES, ArgumentError)
    if asked in ("auto", "plans") and isinstance(form, ProductForm):
        return (
            "plans",
            "every decision rule is a plan and its value a product, so plan search is exact",
        )
    if asked == "plans":
        raise ArgumentError(
            f"solver: plan search needs a task of product form, but {form}; use --solver auto."
        )
    if asked != "auto":
        return asked, "it was asked for"
    solver = installed() if timed else None
    if solver:
        return (
            solver,
            f"{form}, so decision rules are more than plans: the bilinear program takes it",
        )
    return "local", (
        f"{form}, so decision rules are more than plans; without SCIP there is local search with a "
        f"bound. For a proof: {install_command('scip')}"
    )
