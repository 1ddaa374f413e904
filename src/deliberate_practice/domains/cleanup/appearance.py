"""The looks of the Cleanup scene."""

from __future__ import annotations

from deliberate_practice.robots.mujoco.room import Material

MATERIALS: dict[str, Material] = {
    # name: colour, specular, shininess
    "oak": ((0.80, 0.66, 0.48), 0.15, 0.3),
    "lacquer": ((0.94, 0.93, 0.91), 0.2, 0.4),
    "birch": ((0.90, 0.82, 0.68), 0.1, 0.2),
    "felt": ((0.36, 0.40, 0.46), 0.0, 0.0),
    "front_top": ((0.36, 0.55, 0.66), 0.2, 0.4),
    "front_middle": ((0.30, 0.47, 0.58), 0.2, 0.4),
    "front_bottom": ((0.24, 0.39, 0.50), 0.2, 0.4),
    "steel": ((0.62, 0.64, 0.66), 0.9, 0.8),
    "legs": ((0.25, 0.26, 0.28), 0.3, 0.4),
    "wall": ((0.90, 0.91, 0.92), 0.0, 0.0),
}
