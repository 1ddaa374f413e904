"""The paper's counterexample: practising one skill at a time never finds the better plan."""

from __future__ import annotations

from functools import partial

from deliberate_practice.domains.shipped import shipped_task
from deliberate_practice.practice.domain import Domain

COUNTEREXAMPLE = Domain("counterexample", partial(shipped_task, __name__))
