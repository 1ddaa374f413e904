"""The bridge to LeRobot: its commands against LeRobot's own source, its trials against programs."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lerobot_data import write_dataset
from served import Served

from deliberate_practice.service import deliberate_client
from deliberate_practice.study.lerobot import labelled_episodes

pytest.importorskip("pyarrow")

FOLDER = Path(__file__).parents[1] / "examples" / "lerobot"
VERSION = "0.6.1"

PROGRAM = """#!{python}
import json, os, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from lerobot_data import write_dataset
options = dict(word[2:].partition("=")[::2] for word in sys.argv[1:])
with open({log!r}, "a") as log:
    log.write(json.dumps([Path(sys.argv[0]).name, options]) + "\\n")
if os.environ.get("BROKEN") == Path(sys.argv[0]).name:
    sys.exit(1)
if "output_dir" in options:
    run = Path(options["output_dir"]) / "checkpoints"
    step = int(os.environ.get("STEPS", options["steps"]))
    (run / f"{{step:06d}}" / "pretrained_model").mkdir(parents=True)
    (run / "last").symlink_to(f"{{step:06d}}")
elif "NOTHING" not in os.environ:
    root = Path(options["dataset.root"])
    info = root / "meta" / "info.json"
    assert info.exists() == (options.get("resume") == "true"), options
    known = json.loads(info.read_text())["total_episodes"] if info.exists() else 0
    count = known + int(options["dataset.num_episodes"])
    write_dataset(root, [(options["dataset.single_task"], None)] * count)
"""


@pytest.fixture
def bridge() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bridge", FOLDER / "bridge.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bridge"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


class Lerobot:
    """Programs with the names of LeRobot's, which write what LeRobot would write.

    Attributes:
        lab: The lab.
    """

    def __init__(self, folder: Path, bridge: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self._log = folder / "log"
        code = PROGRAM.format(
            python=sys.executable, tests=str(Path(__file__).parent), log=str(self._log)
        )
        (folder / "bin").mkdir()
        for name in ("lerobot-record", "lerobot-train", "lerobot-rollout"):
            (folder / "bin" / name).write_text(code)
            (folder / "bin" / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
        self.lab = bridge.Lab(
            "lab", folder / "lab", ["--robot.type=so101_follower"], ["--teleop.type=so101_leader"],
            {"Open": "Open the drawer", "Close": "Close the drawer"}, steps=100, hours=0.0,
        )  # fmt: skip

    @property
    def calls(self) -> list[tuple[str, dict[str, str]]]:
        return [tuple(json.loads(line)) for line in self._log.read_text().splitlines()]


@pytest.fixture
def lerobot(tmp_path: Path, bridge: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Lerobot:
    return Lerobot(tmp_path, bridge, monkeypatch)


def trial(number: int, mode: str, skill: str = "Open", policy: str = "Open") -> dict[str, Any]:
    approach: dict[str, Any] = {"route": [], "rule": [], "limit": 0}
    return {"id": number, "skill": skill, "policy": policy, "mode": mode, "approach": approach}


def test_a_round_is_demonstrated_trained_and_evaluated(
    bridge: ModuleType, lerobot: Lerobot
) -> None:
    answers = iter(["what?", "s", "f", "h"])
    robot = bridge.Bridge(lerobot.lab, lambda question: next(answers))
    for number in range(1, 4):
        assert robot.run(trial(number, "demonstrate")) == {"outcome": "success"}
    trained = robot.run(trial(4, "train"))
    assert (trained["outcome"], trained["version"]) == ("success", "Open-001")
    assert trained["measurements"]["seconds"] > 0
    outcomes = [robot.run(trial(number, "deploy"))["outcome"] for number in (5, 6, 7)]
    assert outcomes == ["success", "failure", "assisted"]
    names = [name for name, _ in lerobot.calls]
    assert names == ["lerobot-record"] * 3 + ["lerobot-train"] + ["lerobot-rollout"] * 3
    resumed = [options["resume"] for name, options in lerobot.calls if name == "lerobot-record"]
    assert resumed == ["false", "true", "true"]
    assert bridge.episodes(lerobot.lab.dataset("Open")) == 3
    rolled = lerobot.calls[4][1]
    assert rolled["policy.path"].endswith("Open-001/checkpoints/last/pretrained_model")
    labels = [
        labelled_episodes(lerobot.lab.dataset(f"rollout_Open-{number:05d}")) for number in (5, 6)
    ]
    assert labels == [[("Open the drawer", True)], [("Open the drawer", False)]]


def test_each_training_run_is_a_version_of_its_own(bridge: ModuleType, lerobot: Lerobot) -> None:
    robot = bridge.Bridge(lerobot.lab)
    for number, name in enumerate(["Open-001", "Open-002"], 1):
        assert robot.run(trial(number, "train"))["version"] == name
    assert [path.name for path in lerobot.lab.versions("Open")] == ["Open-001", "Open-002"]


def test_skills_that_share_a_policy_share_its_demonstrations_and_versions(
    bridge: ModuleType, lerobot: Lerobot
) -> None:
    robot = bridge.Bridge(lerobot.lab, lambda question: "s")
    robot.run(trial(1, "demonstrate", "Open", "Drawer"))
    robot.run(trial(2, "demonstrate", "Close", "Drawer"))
    assert bridge.episodes(lerobot.lab.dataset("Drawer")) == 2
    assert robot.run(trial(3, "train", "Open", "Drawer"))["version"] == "Drawer-001"
    answer = robot.run(trial(4, "deploy", "Close", "Drawer"))
    assert answer == {"outcome": "success", "note": "version Drawer-001"}
    options = [given for _, given in lerobot.calls]
    wordings = [given.get("dataset.single_task") for given in options]
    assert wordings == ["Open the drawer", "Close the drawer", None, "Close the drawer"]
    assert options[2]["dataset.root"] == options[0]["dataset.root"]
    assert options[3]["dataset.repo_id"] == "lab/rollout_Close-00004"


def test_what_fails_keeps_the_old_version(
    bridge: ModuleType, lerobot: Lerobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = bridge.Bridge(lerobot.lab)
    with pytest.raises(ValueError, match="no version of 'Open' was trained yet"):
        robot.run(trial(1, "deploy"))
    robot.run(trial(1, "train"))
    monkeypatch.setenv("STEPS", "50")  # stopped half way
    assert robot.run(trial(2, "train"))["outcome"] == "failure"
    monkeypatch.setenv("BROKEN", "lerobot-train")
    assert robot.run(trial(3, "train"))["outcome"] == "failure"
    assert [path.name for path in lerobot.lab.versions("Open")] == ["Open-001"]
    monkeypatch.setenv("NOTHING", "1")  # the operator stopped the recording
    assert robot.run(trial(4, "demonstrate")) == {"outcome": "failure"}
    monkeypatch.setenv("BROKEN", "lerobot-record")
    with pytest.raises(RuntimeError, match="lerobot-record ended with status 1"):
        robot.run(trial(5, "demonstrate"))


def test_a_recorded_evaluation_is_not_repeated_after_a_restart(
    bridge: ModuleType, lerobot: Lerobot
) -> None:
    bridge.Bridge(lerobot.lab).run(trial(1, "train"))

    def power_cut(question: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bridge.Bridge(lerobot.lab, power_cut).run(trial(2, "deploy"))
    again = bridge.Bridge(lerobot.lab, lambda question: "s").run(trial(2, "deploy"))
    assert again["outcome"] == "success"
    assert [name for name, _ in lerobot.calls].count("lerobot-rollout") == 1


@pytest.mark.parametrize("mode", ["demonstrate", "deploy"])
@pytest.mark.parametrize("part", ["route", "rule"])
def test_a_trial_with_an_approach_moves_nothing(
    bridge: ModuleType, lerobot: Lerobot, mode: str, part: str
) -> None:
    bridge.Bridge(lerobot.lab).run(trial(1, "train"))
    away = trial(2, mode)
    away["approach"][part] = [{"skill": "Reach"}]
    with pytest.raises(ValueError, match="execute no approach; start the session with --approach"):
        bridge.Bridge(lerobot.lab, lambda question: "s").run(away)
    assert [name for name, _ in lerobot.calls] == ["lerobot-train"]


TASK = """
name = "drawer"
variables = { drawer = ["closed", "open"] }
goals = [{ name = "open", reward = 1.0, when = { drawer = "open" } }]
[[skills]]
name = "OpenTop"
precondition = { drawer = "closed" }
effect = { drawer = "open" }
competence = 0.2
curve = { kind = "exponential", rate = 0.1, ceiling = 0.95 }
learner = "external"
"""


def test_a_session_with_executed_approaches_is_refused_before_its_first_trial(
    tmp_path: Path,
) -> None:
    for file in (FOLDER / "bridge.py", Path(deliberate_client.__file__)):
        shutil.copy(file, tmp_path)

    def bridged(session: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "bridge.py", served.url, session, FOLDER / "so101.toml"],
            env={"DELIBERATE_TOKEN": served.token("robot", session)},
            cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr

    served = Served(tmp_path / "lab.db")
    try:
        way = served.start("at night", TASK, 40, approach="execute")
        status, said = bridged("at night")
        assert status == 1
        assert said.startswith("session 'at night': LeRobot's commands execute no approach; start")
        assert not served.admin.get(way).json()["trials"]
        over = served.start("free", TASK, 40, approach="free") + "/end"
        assert served.admin.post(over).status_code == 200
        status, said = bridged("free")
        assert (status, said.startswith("deliberate: done: ")) == (0, True), said
    finally:
        served.close()


def test_a_label_may_be_written_again(bridge: ModuleType, tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "d", [("Open", None)])
    for success in (True, False):
        bridge.write_label(folder, success)
        assert labelled_episodes(folder) == [("Open", success)]


def test_the_lab_file_of_the_example_is_read(bridge: ModuleType) -> None:
    lab = bridge.read_lab(FOLDER / "so101.toml")
    printed = subprocess.run(
        [sys.executable, FOLDER / "bridge.py", "-", "-", FOLDER / "so101.toml", "--dry-run"],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert len(printed) == 3 * len(lab.tasks) == 9
    first = "lerobot-record --robot.type=so101_follower --robot.port=/dev/ttyACM0"
    assert printed[0].startswith(first)
    assert "'--dataset.single_task=Open the top drawer' --dataset.num_episodes=1" in printed[0]


# LeRobot's own source.


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """LeRobot's wheel, which needs not be installed to be read."""
    folder = tmp_path_factory.mktemp("wheel")
    options = "--quiet --no-deps --python-version 3.12 --only-binary=:all: --retries 0 --timeout 15"
    command = [sys.executable, "-m", "pip", "download", *options.split(), f"lerobot=={VERSION}"]
    done = subprocess.run([*command, "-d", folder], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"LeRobot {VERSION} cannot be downloaded here: {done.stderr.strip()[-200:]}")
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def _fields(wheel: zipfile.ZipFile, *places: str) -> set[str]:
    """Names of the fields of dataclasses, each as ``module:Class``."""
    found = set()
    for place in places:
        module, _, name = place.partition(":")
        tree = ast.parse(wheel.read(f"lerobot/{module.replace('.', '/')}.py"))
        (definition,) = [
            node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name
        ]
        found |= {
            node.target.id
            for node in definition.body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
    return found


def test_every_option_is_one_of_lerobots(bridge: ModuleType, wheel: zipfile.ZipFile) -> None:
    robot = _fields(
        wheel, "robots.config:RobotConfig", "robots.so_follower.config_so_follower:SOFollowerConfig"
    )
    teleop = _fields(
        wheel,
        "teleoperators.config:TeleoperatorConfig",
        "teleoperators.so_leader.config_so_leader:SOLeaderConfig",
    )
    recorded = _fields(wheel, "configs.dataset:DatasetRecordConfig")
    choice = {"type"}
    record = _fields(wheel, "scripts.lerobot_record:RecordConfig")
    train = _fields(wheel, "configs.train:TrainPipelineConfig")
    rollout = _fields(wheel, "rollout.configs:RolloutConfig")
    valid = {
        "lerobot-record": {
            "": record, "dataset": recorded, "robot": robot | choice, "teleop": teleop | choice,
        },
        "lerobot-train": {
            "": train,
            "dataset": _fields(wheel, "configs.default:DatasetConfig"),
            "policy": _fields(wheel, "configs.policies:PreTrainedConfig") | choice,
        },
        "lerobot-rollout": {
            "": rollout, "dataset": recorded, "robot": robot | choice, "strategy": choice,
            "policy": {"path"},
        },
    }  # fmt: skip
    lab = bridge.read_lab(FOLDER / "so101.toml")
    version = lab.next_version("OpenTop")
    commands = [
        bridge.record_command(lab, "OpenTop", "OpenTop"),
        bridge.train_command(lab, "OpenTop", version),
        bridge.rollout_command(lab, "OpenTop", version, "rollout_OpenTop-00001"),
    ]
    for program, *options in commands:
        for option in options:
            group, _, name = option.removeprefix("--").partition("=")[0].rpartition(".")
            assert name in valid[program][group], option
    scripts = wheel.read(f"lerobot-{VERSION}.dist-info/entry_points.txt").decode()
    assert all(f"{program} = " in scripts for program, *_ in commands)


def test_names_that_lerobot_registers_are_still_there(wheel: zipfile.ZipFile) -> None:
    for path, name in {
        "robots/so_follower/config_so_follower.py": "so101_follower",
        "teleoperators/so_leader/config_so_leader.py": "so101_leader",
        "policies/act/configuration_act.py": "act",
        "rollout/configs.py": "episodic",
    }.items():
        assert f'register_subclass("{name}")' in wheel.read(f"lerobot/{path}").decode()
    constants = wheel.read("lerobot/utils/constants.py").decode()
    for name, value in {
        "SUCCESS": "next.success",
        "CHECKPOINTS_DIR": "checkpoints",
        "LAST_CHECKPOINT_LINK": "last",
        "PRETRAINED_MODEL_DIR": "pretrained_model",
    }.items():
        assert re.search(rf'^{name} = "{value}"', constants, re.MULTILINE)
    layout = wheel.read("lerobot/datasets/utils.py").decode()
    for value in ("meta/info.json", "meta/episodes", "chunk-{chunk_index:03d}/file-"):
        assert f'"{value}' in layout
    assert 'startswith("rollout_")' in wheel.read("lerobot/rollout/context.py").decode()
