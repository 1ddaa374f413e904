"""How well the camera at the wrist sees the microwave's door.

    python benchmarks/perception.py                     200 looks; half a minute of CPU
    python benchmarks/perception.py --out FILE.jsonl    keep finished looks, and go on
    python benchmarks/perception.py --out studies/measured/breakfast-perception.jsonl \
      --picture docs/breakfast-camera.png

Random angles of the door, postures of the arm around the one it looks from, and lights: how often
the door is perceived, and how far angle, place and size are from the truth. The last command
is that of ``docs/breakfast.md``.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path

import click
import mujoco
import numpy as np
from commands import COUNT, Benchmark, workers_option
from kept import practised
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.domains.breakfast.markers import detect
from deliberate_practice.domains.breakfast.microwave import DOOR
from deliberate_practice.domains.breakfast.perception import (
    NotSeen,
    PerceivedDoor,
    draw,
    perceive,
)
from deliberate_practice.domains.breakfast.scene import LEFT, scene
from deliberate_practice.domains.breakfast.workcell import HOMES, OPENINGS
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.camera import DepthCamera, camera_pose
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.rendering import write_picture

CAMERA = "wrist"
EACH = 10
"""Looks under each light."""
SPREAD = 0.02
"""Of the looking arm's joints [rad]."""


@dataclass(frozen=True)
class Look:
    """One look.

    Attributes:
        number, seed, spread, low, high: What is drawn at random; the door is between two angles.
        reason: Why no door was perceived, if none was.
        detected: Whether any marker was found.
        angle: Its error [degrees]; None if no door was perceived, as the other errors.
        position, width, height: Their errors [mm].
        imaging, perceiving: CPU time of the image, and of perception [ms].
    """

    number: int
    seed: int
    spread: float
    low: float
    high: float
    reason: str
    detected: bool
    angle: float | None
    position: float | None
    width: float | None
    height: float | None
    imaging: float
    perceiving: float

    @property
    def key(self) -> tuple[int, int, float, float, float]:
        """All that decides what is seen."""
        return self.number, self.seed, self.spread, self.low, self.high

    @property
    def light(self) -> int:
        """The number of its light."""
        return self.number // EACH


@click.command(cls=Benchmark)
@click.option(
    "--looks", default=200, type=COUNT, help="How often to look (200); every ten have a new light."
)
@click.option("--spread", default=SPREAD, help="Of the looking arm's joints in rad (0.02).")
@click.option("--low", default=math.degrees(OPENINGS[0]), help="Least angle of the door.")
@click.option("--high", default=math.degrees(OPENINGS[1]), help="Largest angle of the door.")
@click.option("--seed", default=0, help="For everything random (0).")
@workers_option
@click.option("--out", type=Path, help="Keep finished looks here; a stopped run goes on.")
@click.option("--picture", type=Path, help="Also save a look as it is perceived (png).")
def main(
    looks: int,
    spread: float,
    low: float,
    high: float,
    seed: int,
    workers: int,
    out: Path | None,
    picture: Path | None,
) -> None:
    """Print how often the door is perceived, and the errors."""
    keys = list(product(range(looks), [seed], [spread], [low], [high]))
    found = practised(Look, look, keys, "looks", workers, out)
    console = Console(width=100)
    good = [one for one in found if not one.reason]
    lights = len({one.light for one in found})
    console.print(
        f"{looks} looks, door at {low:.0f} to {high:.0f} degrees, {lights} lights: "
        f"a marker detected in {_share([one.detected for one in found])}, "
        f"the door perceived in {_share([not one.reason for one in found])}"
    )
    for reason, count in Counter(one.reason for one in found if one.reason).most_common():
        console.print(f"  {count} times: {reason}")
    rows = [
        _row("angle, degrees", [one.angle for one in good]),
        _row("position, mm", [one.position for one in good]),
        _row("width, mm", [one.width for one in good]),
        _row("height, mm", [one.height for one in good]),
        _row("CPU ms of the image", [one.imaging for one in found]),
        _row("CPU ms of perception", [one.perceiving for one in found]),
    ]
    console.print(table(["", "median", "95 %", "largest"], rows, numeric=range(1, 4)))
    if picture:
        _save(picture, math.radians((low + high) / 2), seed)


def look(key: tuple[int, int, float, float, float]) -> Look:
    """Look at the door once."""
    number, seed, spread, low, high = key
    model, camera = _lit(seed, number // EACH)
    rng = np.random.default_rng([seed, 1, number])
    data, angle = _at_home(model), math.radians(rng.uniform(low, high))
    data.joint("door").qpos = angle
    data.qpos[Arm(model, LEFT).qpos_at] += rng.normal(0, spread, 7)
    mujoco.mj_forward(model, data)
    begin = time.process_time()
    image = camera.shoot(data, seed=int(rng.integers(2**31)))
    taken = time.process_time()
    seen = perceive(image, camera_pose(data, CAMERA))
    done = time.process_time()
    reason = seen.reason if isinstance(seen, NotSeen) else ""
    off, place, width, height = _errors(seen, angle, data.geom("door").xpos)
    imaging, perceiving = (round(1e3 * spent, 1) for spent in (taken - begin, done - taken))
    detected = bool(detect(image.colour))
    return Look(*key, reason, detected, off, place, width, height, imaging, perceiving)


@lru_cache(maxsize=1)
def _lit(seed: int, light: int) -> tuple[mujoco.MjModel, DepthCamera]:
    """The scene in a light, and its camera."""
    spec = scene()
    _add_lights(spec, np.random.default_rng([seed, 0, light]))
    model = spec.compile()
    return model, DepthCamera(model, CAMERA)


def _errors(
    seen: PerceivedDoor | NotSeen, angle: float, position: FloatArray
) -> tuple[float | None, ...]:
    """Of the angle [degrees], and of place, width and height [mm]."""
    if isinstance(seen, NotSeen):
        return (None,) * 4
    off = np.linalg.norm(seen.position - position)
    sizes = (abs(seen.width - DOOR[1]), abs(seen.height - DOOR[2]))
    errors = (math.degrees(abs(seen.angle - angle)), *(1e3 * x for x in (off, *sizes)))
    return tuple(round(float(error), 4) for error in errors)


def _add_lights(spec: mujoco.MjSpec, rng: np.random.Generator) -> None:
    """From dusk to a bright day: light from everywhere, and two lamps anywhere above."""
    head = spec.visual.headlight
    head.ambient = np.full(3, rng.uniform(0.05, 0.5))
    head.diffuse = np.full(3, rng.uniform(0.0, 0.5))
    head.specular = np.full(3, rng.uniform(0.0, 0.5))
    for _ in range(2):
        across, strength = rng.normal(0, 0.7, 2), rng.uniform(0, 0.8)
        spec.worldbody.add_light(
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            pos=(*(-2 * across), 2.0),
            dir=(*across, -1.0),
            diffuse=np.full(3, strength),
            specular=np.full(3, strength),
        )


def _save(picture: Path, angle: float, seed: int) -> None:
    """Draw what is perceived at one angle into the image of the scene in its own light."""
    model = scene(visual=True).compile()
    data = _at_home(model)
    data.joint("door").qpos = angle
    mujoco.mj_forward(model, data)
    with DepthCamera(model, CAMERA) as camera:
        image, pose = camera.shoot(data, seed), camera_pose(data, CAMERA)
    write_picture(picture, draw(image, pose, perceive(image, pose)))


def _at_home(model: mujoco.MjModel) -> mujoco.MjData:
    data = mujoco.MjData(model)
    for prefix, home in HOMES.items():
        data.qpos[Arm(model, prefix).qpos_at] = home
    return data


def _share(flags: Sequence[bool]) -> str:
    return f"{100 * np.mean(flags):.1f} %"


def _row(name: str, values: Sequence[float | None]) -> list[str]:
    known = [value for value in values if value is not None]
    return [name, *(f"{q:.2f}" for q in np.quantile(known, (0.5, 0.95, 1.0)))]


if __name__ == "__main__":
    main()
