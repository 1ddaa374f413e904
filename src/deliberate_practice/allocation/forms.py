"""The form of a task, which decides how its splits are certified.

=============  ===========================================================================
form           decision rules
=============  ===========================================================================
product form   are plans, and the value of a plan is a product over its skills
plan form      are plans from each start, once failures that fall back are eliminated
general        are more than plans
=============  ===========================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from deliberate_practice.allocation.plan_form.form import PlanForm, plan_form
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.foundation.deadline import Late
from deliberate_practice.mdp.ground_task import GroundTask


@dataclass(frozen=True)
class PlansFromStarts:
    """A task in plan form that is not of product form.

    Attributes:
        plans: Its graph of plans.
        why: The reason why it is not of product form.
    """

    plans: PlanForm
    why: str


@dataclass(frozen=True)
class General:
    """A task whose decision rules are more than plans.

    Attributes:
        why: The reason why.
        discounted: Whether its discount is below 1.
        unknown: Whether the time was too short to see whether they are plans.
    """

    why: str
    discounted: bool = True
    unknown: bool = False


FORM_PART = 1 / 3
"""The part of a time limit in which the form of a task should be known."""

Form: TypeAlias = ProductForm | PlansFromStarts | General


def form_of(ground: GroundTask, deadline: float | None = None) -> Form:
    """The form of a task; by the deadline it is general unless it is known to be another."""
    product = product_form(ground)
    if isinstance(product, ProductForm):
        return product
    try:
        plans = plan_form(ground, deadline)
    except Late:
        why = "the time limit was too short to see whether every decision rule is a plan"
        return General(why, ground.task.discount < 1, unknown=True)
    if isinstance(plans, PlanForm):
        return PlansFromStarts(plans, product)
    return General(plans, ground.task.discount < 1)


def name_of(form: Form) -> str:
    """``product``, ``plan`` or ``general``."""
    if isinstance(form, ProductForm):
        return "product"
    return "plan" if isinstance(form, PlansFromStarts) else "general"
