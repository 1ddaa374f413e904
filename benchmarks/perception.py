"""How well the camera at the wrist sees the microwave's door.

    python benchmarks/perception.py

Random angles of the door, postures of the arm around the one it looks from, and lights: how often
the door is perceived, and how far angle, place and size are from the truth.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import click
import mujoco
import numpy as np
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
from deliberate_practice.robots.mujoco.camera import DepthCamera, camera_pose
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.rendering import write_picture

CAMERA = "wrist"
LIGHTS = 20  # the looks are shared out among so many
SPREAD = 0.02  # of the looking arm's joints [rad]


@dataclass(frozen=True)
class Look:
    """One look: what was seen, whether any marker was found, errors [rad, m], CPU time [s]."""

    seen: PerceivedDoor | NotSeen
    detected: bool
    angle: float
    position: float
    width: float
    height: float
    imaging: float
    perceiving: float


@click.command()
@click.option("--looks", default=200, help="How often to look (200).")
@click.option("--spread", default=SPREAD, help="Of the looking arm's joints in rad (0.02).")
@click.option("--low", default=math.degrees(OPENINGS[0]), help="Least angle of the door.")
@click.option("--high", default=math.degrees(OPENINGS[1]), help="Largest angle of the door.")
@click.option("--seed", default=0, help="For everything random (0).")
@click.option("--picture", type=Path, help="Also save a look as it is perceived (png).")
def main(
    looks: int, spread: float, low: float, high: float, seed: int, picture: Path | None
) -> None:
    """Print how often the door is perceived, and the errors."""
    rng = np.random.default_rng(seed)
    results: list[Look] = []
    for light in range(LIGHTS):
        share = looks * (light + 1) // LIGHTS - looks * light // LIGHTS
        results += _under_one_light(share, spread, (low, high), rng)
    console = Console(width=100)
    good = [look for look in results if isinstance(look.seen, PerceivedDoor)]
    console.print(
        f"{looks} looks, door at {low:.0f} to {high:.0f} degrees, {LIGHTS} lights: "
        f"a marker detected in {_share([look.detected for look in results])}, "
        f"the door perceived in {_share([look in good for look in results])}"
    )
    for reason, count in Counter(
        look.seen.reason for look in results if isinstance(look.seen, NotSeen)
    ).most_common():
        console.print(f"  {count} times: {reason}")
    rows = [
        _row("angle, degrees", [math.degrees(look.angle) for look in good]),
        _row("position, mm", [1000 * look.position for look in good]),
        _row("width, mm", [1000 * look.width for look in good]),
        _row("height, mm", [1000 * look.height for look in good]),
        _row("CPU ms of the image", [1000 * look.imaging for look in results]),
        _row("CPU ms of perception", [1000 * look.perceiving for look in results]),
    ]
    console.print(table(["", "median", "95 %", "largest"], rows, numeric=range(1, 4)))
    if picture:
        _save(picture, math.radians((low + high) / 2), seed)


def _under_one_light(
    looks: int, spread: float, angles: tuple[float, float], rng: np.random.Generator
) -> list[Look]:
    spec = scene()
    _add_lights(spec, rng)
    model = spec.compile()
    data = _at_home(model)
    arm = Arm(model, LEFT)
    found = []
    with DepthCamera(model, CAMERA) as camera:
        for _ in range(looks):
            angle = math.radians(rng.uniform(*angles))
            data.joint("door").qpos = angle
            data.qpos[arm.qpos_at] = HOMES[LEFT] + rng.normal(0, spread, 7)
            mujoco.mj_forward(model, data)
            begin = time.process_time()
            image = camera.shoot(data, seed=int(rng.integers(2**31)))
            taken = time.process_time()
            seen = perceive(image, camera_pose(data, CAMERA))
            done = time.process_time()
            detected = bool(detect(image.colour))
            truth = data.geom("door").xpos
            found.append(_compared(seen, detected, angle, truth, taken - begin, done - taken))
    return found


def _compared(
    seen: PerceivedDoor | NotSeen,
    detected: bool,
    angle: float,
    position: np.ndarray,
    imaging: float,
    perceiving: float,
) -> Look:
    if isinstance(seen, NotSeen):
        return Look(seen, detected, *(math.nan,) * 4, imaging, perceiving)
    return Look(
        seen,
        detected,
        abs(seen.angle - angle),
        float(np.linalg.norm(seen.position - position)),
        abs(seen.width - DOOR[1]),
        abs(seen.height - DOOR[2]),
        imaging,
        perceiving,
    )


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


def _share(flags: list[bool]) -> str:
    return f"{100 * np.mean(flags):.1f} %"


def _row(name: str, values: list[float]) -> list[str]:
    return [name, *(f"{q:.2f}" for q in np.quantile(values, (0.5, 0.95, 1.0)))]


if __name__ == "__main__":
    main()
