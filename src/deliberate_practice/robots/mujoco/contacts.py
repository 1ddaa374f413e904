"""Which bodies touch each other."""

from __future__ import annotations

import mujoco


def touched(model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, set[str]]:
    """For every body, the names of the bodies it touches; the data are forwarded."""
    names = [model.body(body).name for body in range(model.nbody)]
    found: dict[str, set[str]] = {name: set() for name in names}
    for one, other in model.geom_bodyid[data.contact.geom]:
        found[names[one]].add(names[other])
        found[names[other]].add(names[one])
    return found
