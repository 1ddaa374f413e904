"""The simulated robot from the command line: practice, rewards, pictures, and what is refused."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from command import Run

from deliberate_practice.foundation.installing import install_command
from deliberate_practice.practice.earning import measured_earnings
from deliberate_practice.practice.intention import Intention
from deliberate_practice.practice.robot import ROBOTS, Earnings, Step, register_robot
from deliberate_practice.robots.curves import CurveRobot


@pytest.mark.slow
def test_a_run_in_physics_measures_its_rewards_and_is_filmed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mujoco")
    line = "run cleanup --robot mujoco --approach free --budget 7 --seed 1 --name a --format json"
    line += " --executions 8"
    first = run(f"{line} --picture still.png").data
    assert first["robot"] == "mujoco"
    assert first["spent"] == 7
    assert 0 <= first["reward_before"] <= 4
    assert 0 <= first["reward_after"] <= 4
    shown = run("show a --format json").data
    assert len(shown["trials"]) == 7
    assert [point["spent"] for point in shown["measured"]] == [0, 7]
    assert shown["reward_after"] == first["reward_after"]
    picture = tmp_path / "still.png"
    assert not picture.exists() or picture.stat().st_size > 10_000  # without OpenGL there is none
    resumed = run(
        "run cleanup --name a --resume --executions 8 --format json"
    ).data  # the session knows its robot
    assert resumed == first
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    blind = run("run cleanup --name a --resume --executions 8 --watch --format json")
    assert blind.data == first
    assert sys.platform != "linux" or "no display" in blind.err
    again = run(line.replace("--name a", "--name b")).data
    assert {**again, "name": 0, "seconds": 0} == {**first, "name": 0, "seconds": 0}


def test_what_was_measured_in_simulation_can_be_planned_with(run: Run) -> None:
    pytest.importorskip("mujoco")
    stated = run("allocate cleanup --budget 150 --format json").data
    measured = run("allocate cleanup --robot mujoco --budget 150 --format json").data
    assert measured["value"] != stated["value"]
    frontier = run("frontier cleanup --robot mujoco --max-budget 150 --format json").data
    assert frontier["values"][-1] == pytest.approx(measured["value"])
    told = run("frontier cleanup --robot mujoco --set rate=0.02 --max-budget 150 --format json")
    assert told.data["values"] == pytest.approx(
        run("frontier cleanup --set rate=0.02 --max-budget 150 --format json").data["values"]
    )
    for line in ("allocate cleanup --budget 5", "frontier cleanup --max-budget 5"):
        refused = run(f"{line} --robot mujco")
        assert refused.status == 2
        assert "Did you mean 'mujoco'?" in refused.err


def test_only_what_has_a_scene_is_simulated(run: Run) -> None:
    refused = run("run counterexample --robot mujoco --budget 5")
    assert refused.status == 2
    assert "task 'counterexample' has no simulated scene" in refused.err
    refused = run("run cleanup --video a.mp4 --budget 5")
    assert refused.status == 2
    assert "the robot 'curves' cannot be filmed; take --robot mujoco" in refused.err
    refused = run("run cleanup --robot mujoco --video a.gif --budget 5")
    assert refused.status == 2
    assert "give a name that ends in .mp4" in refused.err
    refused = run("run cleanup --robot mujoco --video nowhere/a.mp4 --budget 5")
    assert refused.status == 2
    assert "there is no folder 'nowhere'" in refused.err


@pytest.mark.parametrize("more", ["", "--set competence=0.2"])
def test_a_missing_cabinet_of_libero_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    pytest.importorskip("mujoco")
    monkeypatch.setenv("LIBERO_ASSETS", "nowhere")
    refused = run(f"run cleanup --robot mujoco --budget 5 {more}")
    assert refused.status == 2
    assert "LIBERO_ASSETS: there is no file 'nowhere/articulated_objects/" in refused.err
    assert not list(tmp_path.iterdir())  # no session was begun


def test_a_missing_simulator_is_named_with_what_to_install(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if "cleanup.simulated" in name]:
        monkeypatch.delitem(sys.modules, name)
    before = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> ModuleType:
        if "cleanup.workcell" in name:
            raise ModuleNotFoundError("No module named 'mujoco'", name="mujoco")
        return before(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    refused = run("run cleanup --robot mujoco --budget 5")
    assert refused.status == 2
    assert refused.err.endswith(f"run: {install_command('sim')}\n")


@pytest.mark.slow
def test_a_robot_of_ones_own_is_filmed(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    import mujoco

    from deliberate_practice.robots.mujoco.film import Film, Take
    from deliberate_practice.robots.mujoco.rendering import Camera
    from deliberate_practice.robots.mujoco.world import World

    class Ball(CurveRobot):
        """Rolls whatever it is asked to do."""

        def earn(self, intention: Intention, executions: int) -> Earnings:
            return measured_earnings(self, intention, executions)

        def film(self, steps: Sequence[Step], seed: int) -> Film:
            body = '<body pos="0 0 1"><freejoint/><geom size="0.1"/></body>'
            model = mujoco.MjModel.from_xml_string(
                f"<mujoco><worldbody><light pos='0 0 3'/>{body}</worldbody></mujoco>"
            )
            state = World(model).state(mujoco.MjData(model))
            takes = [Take(steps[0], 0, 10, True, Camera())]
            return Film(model, np.stack([state] * 20), takes, Camera())

    register_robot("ball", Ball)
    try:
        picture = tmp_path / "ball.png"
        done = run(f"run breakfast --robot ball --approach free --budget 6 --picture {picture}")
        assert done.status == 0, done.err
        assert "no pictures" in done.err or picture.stat().st_size > 1000
        shown = done.out.partition(f"filmed  {picture}: ")[2]
        assert "no pictures" in done.err or shown.startswith("the plan PickBread")
        refused = run("film breakfast-1 --video a.gif")
        assert refused.status == 2
        assert "give a name that ends in .mp4" in refused.err
    finally:
        ROBOTS.unregister("ball")
