"""Cells of the differences between two or three numbers, and affine functions above a convex one.

For numbers M_1 ... M_g with the largest M_r, δ_G = M_G - M_r <= 0. A cell is an interval or a
triangle of δ without its component r, which is 0. A convex function of δ lies in a cell below the
affine function that is equal to it at the corners.
"""

from __future__ import annotations

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray

KNOTS = {
    2: (-6.0, -4.0, -2.8, -2.0, -1.4, -0.9, -0.4),
    3: (-5.0, -2.5, -1.2, -0.5),
}
"""Ends of the first cells, for two and for three groups."""

MARGIN = 1e-9
"""Relative margin of ranges, far above their rounding."""


def first_cells(ranges: FloatArray) -> FloatArray:
    """Cells that contain all δ, by their corners, shape (cells, g, g).

    Args:
        ranges: The largest M_i - M_j in the box, shape (g, g), for two or three groups.
    """
    size = len(ranges)
    cells = []
    for largest in range(size):
        others = [g for g in range(size) if g != largest]
        if (ranges[largest, others] < 0).any():
            continue  # another group is larger everywhere
        ends = [_knots(-ranges[largest, g], min(ranges[g, largest], 0.0), size) for g in others]
        grid = np.stack(np.meshgrid(*ends, indexing="ij"), axis=-1)
        if size == 2:
            parts = [np.stack([grid[:-1], grid[1:]], axis=-2)]
        else:
            near, right, up, far = grid[:-1, :-1], grid[1:, :-1], grid[:-1, 1:], grid[1:, 1:]
            parts = [np.stack(part, axis=-2) for part in ((near, right, up), (far, right, up))]
        for part in parts:
            corners = part.reshape(-1, size, size - 1)
            cells.append(np.insert(corners, largest, 0.0, axis=2))
    return np.concatenate(cells)


def _knots(least: float, most: float, groups: int) -> FloatArray:
    inner = [knot for knot in KNOTS[groups] if least < knot < most]
    return np.array([min(least, most - MARGIN), *inner, most])


def affine(corners: FloatArray, phi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Functions θ · M + α, Σ θ = 1, not below φ at the corners of cells.

    Args:
        corners: δ at the corners, 0 for the largest group, shape (cells, g, g).
        phi: φ at the corners, shape (cells, g).
    """
    cells, size, _ = corners.shape
    largest = np.argmax((corners == 0).all(axis=1), axis=1)
    kept = np.arange(size) != largest[:, None]
    matrix = np.empty((cells, size, size))
    matrix[:, :, :-1] = corners.transpose(0, 2, 1)[kept].reshape(cells, -1, size).transpose(0, 2, 1)
    matrix[:, :, -1] = 1.0
    solution = np.linalg.solve(matrix, phi[:, :, None])[:, :, 0]
    theta, alpha = np.zeros((cells, size)), solution[:, -1]
    theta[kept] = solution[:, :-1].ravel()
    theta[np.arange(cells), largest] = 1 - theta.sum(axis=1)
    missing = phi - (np.einsum("cvg,cg->cv", corners, theta) + alpha[:, None])
    return theta, alpha + np.maximum(missing.max(axis=1), 0.0)
