"""Which solver fits a task, and why."""

from __future__ import annotations

from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.allocation.program_solver import installed
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.mdp.ground_task import GroundTask


def choose_solver(ground: GroundTask) -> tuple[str, str]:
    """The solver that ``auto`` takes, and the reason in words."""
    form = product_form(ground)
    if isinstance(form, ProductForm):
        return (
            "plans",
            "every decision rule is a plan and its value a product, so plan search is exact",
        )
    solver = installed()
    if solver:
        return (
            solver,
            f"{form}, so decision rules are more than plans: the bilinear program takes it",
        )
    return "local", (
        f"{form}, so decision rules are more than plans; without SCIP there is local search with a "
        f"bound. For a proof: {install_command('scip')}"
    )


def check_plans(solver: str, form: ProductForm | str) -> None:
    """Refuse to search plans in a task whose decision rules are more than plans.

    Raises:
        ArgumentError: Plan search was named, and the task is not of product form.
    """
    if solver == "plans" and isinstance(form, str):
        raise ArgumentError(
            f"solver: plan search needs a task of product form, but {form}; use --solver auto."
        )
