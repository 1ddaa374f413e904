"""How often a plan can use a policy: the ways to find circles agree, on small and large tasks."""

from __future__ import annotations

import numpy as np
import pytest
from counts import count
from random_tasks import random_task

from deliberate_practice.allocation import completion
from deliberate_practice.allocation.completion import most_uses
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.model import Task


def _form(task: Task) -> ProductForm:
    form = product_form(ground(task))
    assert isinstance(form, ProductForm)
    return form


def test_full_and_sparse_matrices_find_the_same_circles(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    forms = [_form(random_task(rng, product_form=True)) for _ in range(max(100, count(1000)))]
    forms.append(_form(load_task("cleanup")))
    monkeypatch.setattr(completion, "DENSE", 10**6)
    full = [most_uses(form) for form in forms]
    monkeypatch.setattr(completion, "DENSE", 0)
    sparse = [most_uses(form) for form in forms]
    assert all(map(np.array_equal, full, sparse))
    kinds = {value for uses in full for value in uses.tolist()}
    assert {1.0, 2.0, np.inf} <= kinds  # the examples have all of them
