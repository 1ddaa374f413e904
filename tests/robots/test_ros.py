"""Robots behind ROS 2, with roslibpy and a rosbridge of our own."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import runner
from fake_rosbridge import ABORTED, CANCELED, SUCCEEDED, FakeRosbridge, Json
from faulty_service import events
from served import Served

from deliberate_practice import testing
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.practice.robot import Approach, Result, Step, Trial
from deliberate_practice.practice.run import run as practise
from deliberate_practice.robots import rosbridge
from deliberate_practice.robots.ros import RosRobot
from deliberate_practice.robots.ros_file import filled, read_ros_file
from deliberate_practice.robots.rosbridge import RosError
from deliberate_practice.task.outcome import Outcome
from deliberate_practice.task.toml_reader import parse_task

pytest.importorskip("roslibpy")

TEXT = """
name = "drawer"
variables = { drawer = ["closed", "open"], cup = ["table", "drawer"] }
goals = [{ name = "tidy", reward = 1.0, when = { cup = "drawer" } }]
[[skills]]
name = "Open"
precondition = { drawer = "closed" }
effect = { drawer = "open" }
competence = 0.9
[[skills]]
name = "Place"
precondition = { drawer = "open", cup = "table" }
effect = { cup = "drawer" }
competence = 0.2
curve = { kind = "exponential", rate = 0.1, ceiling = 0.95 }
parameters = [
  { name = "x", mean = 0.5, sd = 0.1, low = 0.0, high = 1.0 },
  { name = "speed", mean = 0.1, sd = 0.05, low = 0.01, high = 0.3 },
]
"""
TASK = parse_task(TEXT)

FILE = """
[rosbridge]
port = {port}
[skills.Open]
action = "/open"
type = "lab/action/Open"
timeout = 0.5
[skills.Place]
action = "/place"
type = "lab/action/Place"
goal.pose.position.x = "x"
goal.limits = ["speed"]
constants.pose.header.frame_id = "base"
constants.retries = 0
score = "quality"
measurements.force = "wrench.force.z"
timeout = 0.5
{more}
[reset]
{reset}
"""
FORCE = {"wrench": {"force": {"x": 0.0, "z": 12.5}}}
GOOD = {"values": {"quality": 0.7, "ok": True, **FORCE}}


class Bench:
    """A robot and its rosbridge.

    Attributes:
        lines: Lines of progress.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._open = folder, contextlib.ExitStack()
        self.lines: list[str] = []

    def bridge(self, script: Callable[[str, Json], Json]) -> FakeRosbridge:
        self.ros = FakeRosbridge(script)
        self._open.callback(lambda: self.ros.close())
        return self.ros

    def file(self, more: str = "", reset: str = 'person = "ready"') -> str:
        path = self._folder / "robot.toml"
        path.write_text(FILE.format(port=self.ros.port, more=more, reset=reset))
        return str(path)

    def robot(self, more: str = "", reset: str = 'person = "ready"') -> RosRobot:
        robot = RosRobot(TASK, file=self.file(more, reset), say=self.lines.append)
        self._open.callback(robot.close)
        return robot

    def close(self) -> None:
        self._open.close()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    from roslibpy.comm.comm_asyncio import AsyncioRosBridgeClientFactory

    monkeypatch.setattr(AsyncioRosBridgeClientFactory, "initialDelay", 0.1)
    bench = Bench(tmp_path)
    yield bench
    bench.close()


def trial(number: int = 1, x: float = 0.5) -> Trial:
    attempt = Step("Place", {"x": x, "speed": 0.1})
    return Trial(number, Approach((Step("Open"),)), attempt, "explore", 1)


def test_a_trial_is_two_goals_and_a_result(bench: Bench) -> None:
    ros = bench.bridge(lambda action, goal: {**GOOD, "feedback": [{"distance": 0.2}] * 3})
    (result,) = bench.robot().run([trial()])
    assert result == Result("success", None, 0.7, {"force": 12.5})
    opening, placing = ros.ops("send_action_goal")
    assert (opening["action"], opening["action_type"]) == ("/open", "lab/action/Open")
    assert opening["args"] == {}
    assert placing["args"] == {
        "pose": {"position": {"x": 0.5}, "header": {"frame_id": "base"}},
        "limits": [0.1],
        "retries": 0,
    }
    assert bench.lines == ['Open: {"distance": 0.2}', 'Place: {"distance": 0.2}']


@pytest.mark.parametrize(
    ("more", "said", "outcome"),
    [
        ('success = "wrench.force.x"', {"values": {**FORCE, "quality": 1}}, "failure"),
        ("", {"status": ABORTED, **GOOD}, "failure"),
        ('aborted = "aborted"', {"status": ABORTED, **GOOD}, "aborted"),
        ('success = "ok"', {"status": SUCCEEDED, **GOOD}, "success"),
        ("", {"error": "Action goal was rejected"}, "refused"),
        ("", {"status": CANCELED}, "aborted"),
    ],
)
def test_a_status_is_an_outcome(bench: Bench, more: str, said: Json, outcome: str) -> None:
    bench.bridge(lambda action, goal: said if action == "/place" else {})
    (result,) = bench.robot(more).run([trial()])
    assert result.outcome == outcome
    assert (result.score is not None) == (outcome in ("success", "failure"))


def test_an_approach_that_fails_or_is_rejected_is_unreached(bench: Bench) -> None:
    script = iter(list[Json]([{"status": ABORTED}, {"error": "Action goal was rejected"}]))
    ros = bench.bridge(lambda action, goal: next(script))
    results = bench.robot().run([trial(1), trial(2)])
    assert results == [Result("unreached", "Open")] * 2
    assert [goal["action"] for goal in ros.ops("send_action_goal")] == ["/open", "/open"]


@pytest.mark.parametrize("stated", ["aborted", "failure"])
def test_a_goal_is_canceled_when_its_time_is_up(bench: Bench, stated: Outcome) -> None:
    ros = bench.bridge(lambda action, goal: {"seconds": 30} if action == "/place" else {})
    more = f'timed_out = "{stated}"' if stated == "failure" else ""
    begun = time.monotonic()
    assert bench.robot(more).run([trial()]) == [Result(stated)]
    assert time.monotonic() - begun < 5
    (canceled,) = ros.ops("cancel_action_goal")
    assert canceled["id"] == ros.ops("send_action_goal")[1]["id"]
    assert "/place: not done after 0.5 s; the goal is canceled" in bench.lines


def test_a_robot_that_does_not_stop_stops_practice(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rosbridge, "CANCEL_SECONDS", 0.3)
    bench.bridge(lambda action, goal: {"seconds": 5, "deaf": True})
    with pytest.raises(RosError, match=r"did not end within 0.3 s more. Look at the robot"):
        bench.robot().run([trial()])


def test_a_stop_by_hand_cancels_the_goal(bench: Bench) -> None:
    ros = bench.bridge(lambda action, goal: {"seconds": 30, "feedback": [{}]})

    def stop(line: str) -> None:
        raise KeyboardInterrupt

    robot = RosRobot(TASK, file=bench.file(), say=stop)
    with pytest.raises(KeyboardInterrupt):
        robot.run([trial()])
    _soon(lambda: bool(ros.ops("cancel_action_goal")))
    robot.close()


def test_after_a_lost_connection_the_goal_is_canceled_and_practice_goes_on(bench: Bench) -> None:
    lost = iter([{}, {"drop": True, "seconds": 30}])
    ros = bench.bridge(lambda action, goal: next(lost, GOOD))
    robot = bench.robot()
    assert [result.outcome for result in robot.run([trial(1), trial(2)])] == ["aborted", "success"]
    goals = ros.ops("send_action_goal")
    assert [goal["action"] for goal in goals] == ["/open", "/place", "/open", "/place"]
    (canceled,) = ros.ops("cancel_action_goal")
    assert canceled["id"] == goals[1]["id"]
    assert ros.received.index(canceled) < ros.received.index(goals[2])
    assert any("is lost" in line for line in bench.lines)
    assert any("answers again" in line for line in bench.lines)


def test_rosbridge_may_be_away_between_trials(bench: Bench) -> None:
    ros = bench.bridge(lambda action, goal: GOOD)
    robot = bench.robot()
    port, results = ros.port, list[Result]()
    ros.close()
    _soon(lambda: not robot._bridge._ros.is_connected)
    thread = threading.Thread(target=lambda: results.extend(robot.run([trial()])))
    thread.start()
    _soon(lambda: bool(bench.lines))
    bench.ros = FakeRosbridge(lambda action, goal: GOOD, port)
    thread.join(timeout=30)
    assert [result.outcome for result in results] == ["success"]


def test_a_session_loses_and_repeats_nothing(
    bench: Bench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The connection to rosbridge is lost again and again; every trial is told once."""
    count = 0

    def script(action: str, goal: Json) -> Json:
        nonlocal count
        count += 1
        return {"drop": True, "seconds": 30} if count % 7 == 0 else GOOD

    bench.bridge(script)
    served = Served(tmp_path / "lab.db")
    try:
        served.start("drawer", TEXT, 12, gate="never")
        printed = runner(monkeypatch, capsys)(
            f"robot {served.url} --session drawer --token {served.token('robot')} "
            f"--robot ros:file={bench.file()}"
        )
        told = [json.loads(data) for kind, data in events(served.db, "drawer") if kind == "tell"]
    finally:
        served.close()
    assert printed.status == 0, printed.err
    assert printed.out.endswith("done: the budget is spent\n")
    assert "rosbridge at ws://127.0.0.1" in printed.err
    assert [row["trial"] for row in told] == list(range(1, 13))
    outcomes = [row["result"]["outcome"] for row in told]
    assert outcomes.count("aborted") >= 2
    assert set(outcomes) == {"success", "aborted"}
    _soon(lambda: not bench.ros.connected)  # the robot left, although rosbridge is still there


def test_it_keeps_the_promises_of_a_robot(bench: Bench) -> None:
    def script(action: str, goal: Json) -> Json:
        good = action == "/open" or goal["pose"]["position"]["x"] < 0.55
        return GOOD if good else {**GOOD, "status": ABORTED}

    bench.bridge(script)
    robot = bench.robot()
    testing.check_robot(robot, TASK)
    done = practise(TASK, robot, 15, journal=None)
    assert (done.spent, done.reward_after) == (15, None)


# The scene.


def test_a_service_resets_the_scene(bench: Bench) -> None:
    ros = bench.bridge(lambda action, goal: GOOD)
    ros.services["/reset"] = {"success": True, "message": ""}
    reset = 'service = "/reset"\ntype = "std_srvs/srv/Trigger"\ntimeout = 5'
    robot = bench.robot(reset=reset)
    assert robot.run([trial()])[0].outcome == "success"
    ros.services["/reset"] = {"success": False, "message": "the drawer is stuck"}
    assert robot.run([trial()]) == [Result("aborted")]
    assert "/reset: the drawer is stuck" in bench.lines
    del ros.services["/reset"]
    with pytest.raises(RosError, match="service /reset: Service /reset does not exist"):
        robot.run([trial()])
    assert [call["args"] for call in ros.ops("call_service")] == [{}, {}, {}]


def test_a_topic_or_a_person_resets_the_scene(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    ros = bench.bridge(lambda action, goal: GOOD)
    topic = 'topic = "/reset"\ntype = "std_msgs/msg/Int32"\nmessage.data = 3\nsettle = 0.01'
    bench.robot(reset=topic).run([trial()])
    (published,) = ros.ops("publish")
    assert (published["topic"], published["msg"]) == ("/reset", {"data": 3})
    asked: list[str] = []
    monkeypatch.setattr("builtins.input", asked.append)
    bench.robot(reset='person = "enter"').run([trial()])
    assert asked == ["Set the scene for Place, at the start; then press Enter. "]


# Bad input.


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"x"', '"y"', "skills.Place: goal.pose.position.x: 'y' is not one of: x, speed"),
        ('["speed"]', "[0.1]", r"goal.limits\[1\]: 0.1 is not the name of a parameter; fixed"),
        ('goal.limits = ["speed"]', "", "goal: the parameter 'speed' of the skill goes into no"),
        ("[skills.Open]", "[skills.Opens]", "skills: 'Opens' is not one of: Open, Place. Did you"),
        ('action = "/open"', "", "skills.Open: the key 'action' is missing"),
        ("timeout = 0.5", "timeout = 0", r"timeout: 0 is outside the valid range \(0, 86400\]"),
        ('person = "ready"', "", "reset: name one of: service, topic, person"),
        ('person = "ready"', 'person = "bob"', "reset: person: 'bob' is not one of: ready, enter"),
        (
            "[rosbridge]",
            '[rosbridge]\nsecure = "no"',
            "rosbridge: secure: 'no' is not valid; write t",
        ),
        ("[rosbridge]", "[rosbridge]\nsecure = 0", "rosbridge: secure: 0 is not valid; write true"),
        ("[rosbridge]", "[rosbridge]\nhots = 1", "rosbridge: unknown key 'hots' is not one of"),
    ],
)
def test_faults_of_the_file_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "robot.toml"
    text = FILE.format(port=9090, more="", reset='person = "ready"')
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(TaskError, match=rf"robot.toml: .*{message}"):
        read_ros_file(path, TASK)


@pytest.mark.parametrize(
    ("constant", "place"),
    [
        ("pose.position.x = 0.0", "pose.position.x"),
        ("limits = [0.3]", "limits"),
        ("pose.position = 0.0", "pose.position"),
        ("limits.first = 0.3", "limits"),
    ],
)
def test_constants_never_hide_a_parameter(tmp_path: Path, constant: str, place: str) -> None:
    path = tmp_path / "robot.toml"
    text = FILE.format(port=9090, more="", reset='person = "ready"')
    path.write_text(text)
    action = read_ros_file(path, TASK).actions["Place"]
    goal: Any = filled(action, {"x": 0.25, "speed": 0.2})
    assert (goal["pose"]["position"]["x"], goal["limits"]) == (0.25, [0.2])
    path.write_text(text.replace("constants.retries = 0", f"constants.{constant}"))
    said = rf"skills.Place: constants.{re.escape(place)}: 'goal' fills this field already; leave o"
    with pytest.raises(TaskError, match=said):
        read_ros_file(path, TASK)


def test_a_server_that_is_missing_stops_practice_with_the_reason(bench: Bench) -> None:
    bench.bridge(lambda action, goal: {"error": "No action server available"})
    with pytest.raises(RosError, match=r"action /open: rosbridge could not send the goal: No acti"):
        bench.robot().run([trial()])


def test_without_rosbridge_or_roslibpy_the_fix_is_named(
    bench: Bench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = runner(monkeypatch, capsys)
    bench.bridge(lambda action, goal: {}).close()
    file = bench.file()
    bench.ros = FakeRosbridge(lambda action, goal: {})  # somewhere else
    monkeypatch.setattr(rosbridge, "CONNECT_SECONDS", 0.3)
    (tmp_path / "drawer.toml").write_text(TEXT)
    command = f"run {tmp_path}/drawer.toml --budget 3 --robot ros:file={file}"
    refused = run(command)
    assert refused.status == 2
    assert "no rosbridge answers at ws://127.0.0.1:" in refused.err
    assert "ros2 launch rosbridge_server rosbridge_websocket_launch.xml" in refused.err
    monkeypatch.setitem(sys.modules, "roslibpy", None)
    assert run(command).err.strip().endswith(f"run: {install_command('ros')}")


def _soon(happens: Callable[[], bool]) -> None:
    for _ in range(200):
        if happens():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")
