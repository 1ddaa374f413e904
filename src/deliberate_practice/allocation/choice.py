"""The choice of a solver for a task."""

from __future__ import annotations

from deliberate_practice.allocation.bilinear.program_solver import installed
from deliberate_practice.allocation.forms import Form, General, PlansFromStarts
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.solvers import CHOICES
from deliberate_practice.foundation.checks import one_of
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command


def choose_solver(form: Form, asked: str = "auto", *, continuous: bool = False) -> tuple[str, str]:
    """The solver for a task, and the reason as a sentence.

    ``auto`` takes plan search if decision rules are plans, else the supersolution. Where neither
    works, with discount 1 or in fractions of episodes, it takes an installed solver of the bilinear
    program, or local search.

    Args:
        form: The task's form.
        asked: A solver, or ``auto``.
        continuous: Whether practice may be in fractions of episodes.

    Raises:
        ArgumentError: There is no such solver, or it cannot solve the task.
    """
    one_of("solver", asked, CHOICES, ArgumentError)
    if isinstance(form, ProductForm) and asked in ("auto", "plans"):
        return (
            "plans",
            "every decision rule is a plan and its value a product, so plan search is exact",
        )
    why = "it is of product form" if isinstance(form, ProductForm) else form.why
    fractions = "practice in fractions of episodes needs a task of product form"
    if isinstance(form, PlansFromStarts) and asked in ("auto", "plans"):
        if not continuous:
            return (
                "plans",
                f"{why}, but every decision rule is a plan from each start, so plans are bounded",
            )
        why = f"{why}, and {fractions}"
    if asked == "plans":
        raise ArgumentError(
            f"solver: plan search needs decision rules that are plans, but {why}; "
            "use --solver auto."
        )
    if asked == "supersolution" and continuous:
        raise ArgumentError(f"solver: the supersolution needs whole episodes; {fractions}.")
    if asked != "auto":
        return asked, "it was requested"
    if isinstance(form, General) and form.discounted and not continuous:
        return (
            "supersolution",
            f"{why}, so decision rules are more than plans: a supersolution bounds them",
        )
    solver = installed()
    if solver:
        return solver, f"{why}: the bilinear program solves it"
    return "local", (
        f"{why}; without SCIP, local search answers with a bound. For a proof: "
        f"{install_command('scip')}"
    )


def quick_solver(form: Form | str) -> str:
    """Plan search in tasks of product form, else local search: an answer without a long proof."""
    return "plans" if isinstance(form, ProductForm) else "local"
