"""The Franka of the examples, without a robot: motions are made, and reflexes are recovered."""

from __future__ import annotations

import importlib.util
import threading
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from served import Served

import deliberate_practice as dp
from deliberate_practice import testing

franky = pytest.importorskip("franky", reason="franky-control is not installed")

FILE = Path(__file__).parents[1] / "examples" / "franka_robot.py"
BUTTON, RADIUS = (0.02, -0.01), 0.015


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("franka_robot", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Arm:
    """Moves like the robot, down onto a table with a button on it.

    Args:
        reflexes: The numbers of the motions that end in a reflex.
    """

    def __init__(self, reflexes: tuple[int, ...] = ()) -> None:
        self._reflexes, self.moves, self.recovered = reflexes, 0, 0
        self._at = [0.0, 0.0, 0.3]
        self.broken = False

    @property
    def current_pose(self) -> Any:
        pose = SimpleNamespace(translation=list(self._at))
        return SimpleNamespace(end_effector_pose=pose)

    def move(self, motion: Any) -> None:
        assert not self.broken, "it moved before it recovered"
        self.moves += 1
        if self.moves in self._reflexes:
            self.broken = True
            raise franky.ControlException("cartesian_reflex")
        if isinstance(motion, franky.JointMotion):
            self._at = [0.0, 0.0, 0.3]
            return
        x, y, down = motion.target.pose.end_effector_pose.translation
        offsets = [self._at[0] + x - BUTTON[0], self._at[1] + y - BUTTON[1]]
        on_button = max(map(abs, offsets)) < RADIUS
        self._at = [
            self._at[0] + x,
            self._at[1] + y,
            self._at[2] - min(down, 0.04 - 0.02 * on_button),
        ]

    def recover_from_errors(self) -> bool:
        self.recovered += 1
        self.broken = False
        return True


def test_it_keeps_the_promises_of_a_robot_and_learns(example: ModuleType) -> None:
    task = dp.parse_task(example.TASK)
    testing.check_robot(example.Franka(Arm()), task)
    done = dp.run(task, example.Franka(Arm()), 40, journal=None)
    assert done.deployed["Press"]["x"] == pytest.approx(BUTTON[0], abs=RADIUS)
    assert done.deployed["Press"]["y"] == pytest.approx(BUTTON[1], abs=RADIUS)


def test_a_reflex_is_recovered_refunded_and_offered_again_after_ready(
    example: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arm, served = Arm(reflexes=(6,)), Served(tmp_path / "lab.db")
    try:
        session = dp.RemoteSession(served.url, "button", served.token("admin"))
        session.start(example.TASK, 8, gate="abort")
        practising = threading.Thread(
            target=dp.practise, args=[session, example.Franka(arm), example.refund]
        )
        practising.start()
        watching = dp.RemoteSession(served.url, "button", served.token("admin"))
        while not (waiting := _aborted(watching)):
            time.sleep(0.05)
        moved = arm.moves
        time.sleep(0.5)
        assert arm.moves == moved  # nobody has said Ready
        assert waiting["refunded"]
        watching.ready()
        practising.join(timeout=30)
        trials = watching.show()["trials"]
    finally:
        served.close()
    assert arm.recovered == 1
    outcomes = [row["outcome"] for row in trials]
    assert len(trials) == 9  # the budget, and the one that was refunded
    assert outcomes.count("aborted") == 1
    aborted = outcomes.index("aborted")
    assert trials[aborted]["parameters"] == trials[aborted + 1]["parameters"]
    assert "reflex: cartesian_reflex; recovered" in capsys.readouterr().out


def _aborted(session: dp.RemoteSession) -> dict[str, Any] | None:
    """The aborted trial, once it was refunded."""
    rows = [row for row in session.show()["trials"] if row["outcome"] == "aborted"]
    return rows[0] if rows and rows[0].get("refunded") else None
