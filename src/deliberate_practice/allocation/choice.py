"""The choice of a solver for a task."""

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
    """The solver for a task, and the reason as a sentence.

    ``auto`` takes plan search if the task is of product form, else an installed solver of the
    bilinear program, else local search.

    Args:
        form: The task's graph of plans, or the reason why there is none.
        asked: A solver, or ``auto``.
        timed: Whether the answer may depend on a clock.

    Raises:
        ArgumentError: There is no such solver, or plan search cannot solve the task.
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
        return asked, "it was requested"
    solver = installed() if timed else None
    if solver:
        return (
            solver,
            f"{form}, so decision rules are more than plans: the bilinear program solves it",
        )
    return "local", (
        f"{form}, so decision rules are more than plans; without SCIP, local search answers with a "
        f"bound. For a proof: {install_command('scip')}"
    )
