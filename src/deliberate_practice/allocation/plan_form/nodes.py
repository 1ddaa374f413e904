"""Nodes of the search: sets of plans, a box of splits, and an interval of every T_j."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.plan_form.model import Model
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Nodes:
    """K nodes. With step costs they also tell why their bounds are too large at ``point``.

    Attributes:
        alive: The plans of each node, shape (K, J).
        low, high: Corners of its box, shape (K, Q).
        x, y: Its interval of each T_j, shape (K, J).
        point: The maximiser of its bound, where planes touch, shape (K, Q).
        bound: Upper bound on the value of its splits; -inf if it has none, shape (K,).
        counted: Error because a start counts several plans, shape (K, starts).
        ranged: Error because the range of a policy is long, shape (K, Q).
        unsure: Error because the value of a plan may be negative, shape (K, J).
        rough: Error because the values of a group are roughly known, at one plan, shape (K, J).
    """

    alive: BoolArray
    low: IntArray
    high: IntArray
    x: FloatArray
    y: FloatArray
    point: IntArray
    bound: FloatArray
    counted: FloatArray
    ranged: FloatArray
    unsure: FloatArray
    rough: FloatArray

    @classmethod
    def begin(
        cls,
        model: Model,
        alive: BoolArray,
        box: tuple[IntArray, IntArray],
        limits: tuple[FloatArray, FloatArray],
        point: IntArray,
    ) -> Nodes:
        """Nodes without bounds.

        Args:
            model: The plans.
            alive: The plans of each node.
            box: Corners of the boxes.
            limits: Lower and upper limits of the T_j.
            point: Splits at which functions touch.
        """
        count, plans = alive.shape
        return cls(
            alive,
            *box,
            *limits,
            point,
            bound=np.full(count, np.inf),
            counted=np.zeros((count, len(model.first_plan))),
            ranged=np.zeros((count, len(model.policies))),
            unsure=np.zeros((count, plans)),
            rough=np.zeros((count, plans)),
        )

    def __len__(self) -> int:
        return len(self.bound)

    def take(self, rows: IntArray | BoolArray) -> Nodes:
        """Some of the nodes."""
        return Nodes(**{name: getattr(self, name)[rows] for name in self.__dataclass_fields__})

    @classmethod
    def joined(cls, parts: list[Nodes]) -> Nodes:
        """All nodes of several parts."""
        return cls(
            **{
                name: np.concatenate([getattr(part, name) for part in parts])
                for name in cls.__dataclass_fields__
            }
        )


def surplus(model: Model, alive: BoolArray, amounts: FloatArray) -> FloatArray:
    """w_i (Σ_j a_j - max_j a_j) of each start over its plans, shape (K, starts)."""
    amounts = np.where(alive, amounts, 0.0)
    total = np.add.reduceat(amounts, model.first_plan, axis=1)
    largest = np.maximum.reduceat(amounts, model.first_plan, axis=1)
    return np.asarray((total - largest) * model.weight[model.first_plan])
