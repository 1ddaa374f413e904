"""LeRobot as a robot: demonstrations, training runs and evaluations of a session, as commands.

It runs in LeRobot's environment (Python 3.12) with ``deliberate_client.py`` beside it:

    python bridge.py http://127.0.0.1:8712 night so101.toml --token dp_...

Each trial is one command of LeRobot. ``demonstrate`` records an episode (``lerobot-record``);
``train`` trains a new version (``lerobot-train``) and waits for its last checkpoint; ``deploy``
lets the latest version try once (``lerobot-rollout``), asks you whether it succeeded, and writes
your answer into the recorded dataset as ``next.success``. ``--dry-run`` prints the commands.

Somebody sets the scene of every trial: start the session with ``--approach free``. Skills that
share a policy share its demonstrations and its versions.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
import tomllib
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]
ANSWERS = {"s": "success", "f": "failure", "a": "aborted", "h": "assisted"}
FREE = (
    "LeRobot's commands execute no approach; start the session with --approach free, and set the "
    "scene of every trial by hand"
)
QUESTION = "Did it succeed? s = success, f = failure, h = with help, a = aborted: "
LOOK_SECONDS = 5.0
"""Time between two looks for a checkpoint [s]."""


@dataclass(frozen=True)
class Lab:
    """What stands in the lab's file.

    Attributes:
        user: First part of the names of datasets.
        folder: Where datasets and versions are kept.
        robot, teleop, train: Options of LeRobot for the robot, its leader, and the training.
        tasks: The wording of each skill.
        steps: Training steps of a version.
        seconds: The longest time of an episode [s].
        hours: The longest time to wait for a checkpoint.
    """

    user: str
    folder: Path
    robot: list[str]
    teleop: list[str]
    tasks: dict[str, str]
    train: list[str] = field(default_factory=lambda: ["--policy.type=act"])
    steps: int = 20_000
    seconds: float = 30.0
    hours: float = 24.0

    def dataset(self, name: str) -> Path:
        """The folder of a dataset."""
        return self.folder / "datasets" / name

    def versions(self, policy: str) -> list[Path]:
        """The finished versions of a policy, the latest last."""
        return [path for path in sorted(self._runs(policy)) if _finished(path, self.steps)]

    def next_version(self, policy: str) -> Path:
        """The folder of the next training run."""
        return self.folder / "versions" / f"{policy}-{len(self._runs(policy)) + 1:03d}"

    def _runs(self, policy: str) -> list[Path]:
        return list((self.folder / "versions").glob(f"{policy}-[0-9][0-9][0-9]"))


def record_command(lab: Lab, skill: str, policy: str, episodes: int = 1) -> list[str]:
    """Record demonstrations of a skill; they are appended to those of its policy."""
    exists = (lab.dataset(policy) / "meta" / "info.json").exists()
    return [
        "lerobot-record",
        *lab.robot,
        *lab.teleop,
        f"--dataset.repo_id={lab.user}/{policy}",
        f"--dataset.root={lab.dataset(policy)}",
        f"--dataset.single_task={lab.tasks[skill]}",
        f"--dataset.num_episodes={episodes}",
        f"--dataset.episode_time_s={lab.seconds:g}",
        "--dataset.push_to_hub=false",
        "--dataset.no_stamp=true",
        f"--resume={'true' if exists else 'false'}",
    ]


def train_command(lab: Lab, policy: str, version: Path) -> list[str]:
    """Train a version from all demonstrations of a policy."""
    return [
        "lerobot-train",
        *lab.train,
        "--policy.push_to_hub=false",
        f"--dataset.repo_id={lab.user}/{policy}",
        f"--dataset.root={lab.dataset(policy)}",
        f"--output_dir={version}",
        f"--job_name={version.name}",
        f"--steps={lab.steps}",
    ]


def rollout_command(lab: Lab, skill: str, version: Path, name: str) -> list[str]:
    """Let a version try once; the episode goes into a dataset of its own, which gets a label."""
    return [
        "lerobot-rollout",
        "--strategy.type=episodic",
        f"--policy.path={version / 'checkpoints' / 'last' / 'pretrained_model'}",
        *lab.robot,
        f"--dataset.repo_id={lab.user}/{name}",
        f"--dataset.root={lab.dataset(name)}",
        f"--dataset.single_task={lab.tasks[skill]}",
        "--dataset.num_episodes=1",
        f"--dataset.episode_time_s={lab.seconds:g}",
        "--dataset.push_to_hub=false",
        "--dataset.no_stamp=true",
    ]


class Bridge:
    """Runs the trials of a session.

    Args:
        lab: The lab.
        ask: Asks a person.
    """

    def __init__(self, lab: Lab, ask: Callable[[str], str] = input) -> None:
        self._lab, self._ask = lab, ask

    def run(self, trial: Json) -> Json:
        """Run one trial; its outcome."""
        skill, policy = trial["skill"], trial["policy"]
        if skill not in self._lab.tasks:
            raise ValueError(f"[tasks] has no wording for the skill {skill!r}")
        if trial["approach"]["route"] or trial["approach"]["rule"]:
            raise ValueError(FREE)
        if trial["mode"] == "demonstrate":
            return self._demonstrate(skill, policy)
        return self._train(policy) if trial["mode"] == "train" else self._evaluate(trial)

    def _demonstrate(self, skill: str, policy: str) -> Json:
        before = episodes(self._lab.dataset(policy))
        _run(record_command(self._lab, skill, policy))
        recorded = episodes(self._lab.dataset(policy)) > before
        return {"outcome": "success" if recorded else "failure"}

    def _train(self, policy: str) -> Json:
        version, begun = self._lab.next_version(policy), time.monotonic()
        done = subprocess.run(train_command(self._lab, policy, version), check=False)
        trained = not done.returncode and self._wait(version)
        measured = {"seconds": time.monotonic() - begun}
        if not trained:
            note = f"{version.name} was not finished"
            return {"outcome": "failure", "measurements": measured, "note": note}
        return {"outcome": "success", "measurements": measured, "version": version.name}

    def _wait(self, version: Path) -> bool:
        """Wait for the last checkpoint, which a cluster may write long after the command ends."""
        deadline = time.monotonic() + 3600 * self._lab.hours
        while not _finished(version, self._lab.steps):
            if time.monotonic() > deadline:
                return False
            time.sleep(LOOK_SECONDS)
        return True

    def _evaluate(self, trial: Json) -> Json:
        skill, policy = trial["skill"], trial["policy"]
        versions = self._lab.versions(policy)
        if not versions:
            raise ValueError(f"no version of {policy!r} was trained yet")
        name = f"rollout_{skill}-{trial['id']:05d}"
        dataset = self._lab.dataset(name)
        if not episodes(dataset):  # otherwise it was recorded before this program was stopped
            _run(rollout_command(self._lab, skill, versions[-1], name))
        answer = ""
        while answer not in ANSWERS:
            answer = self._ask(QUESTION).strip().lower()
        if ANSWERS[answer] in ("success", "failure") and episodes(dataset):
            write_label(dataset, answer == "s")
        return {"outcome": ANSWERS[answer], "note": f"version {versions[-1].name}"}


def episodes(dataset: Path) -> int:
    """How many episodes a dataset has."""
    info = dataset / "meta" / "info.json"
    return int(json.loads(info.read_text())["total_episodes"]) if info.exists() else 0


def write_label(dataset: Path, success: bool) -> None:
    """Write ``next.success`` into every frame of a dataset: true in the last one of a success."""
    import pyarrow
    import pyarrow.parquet as parquet

    files = sorted((dataset / "data").glob("*/*.parquet"))
    for file in files:
        table = parquet.read_table(file)
        if "next.success" in table.column_names:
            table = table.drop_columns(["next.success"])
        labels = [
            success and file == files[-1] and row == len(table) - 1 for row in range(len(table))
        ]
        metadata = dict(table.schema.metadata or {})
        table = table.append_column("next.success", pyarrow.array(labels, pyarrow.bool_()))
        if b"huggingface" in metadata:
            known = json.loads(metadata[b"huggingface"])
            known["info"]["features"]["next.success"] = {"dtype": "bool", "_type": "Value"}
            metadata[b"huggingface"] = json.dumps(known).encode()
        parquet.write_table(table.replace_schema_metadata(metadata), f"{file}.new")
        os.replace(f"{file}.new", file)
    info = dataset / "meta" / "info.json"
    data = json.loads(info.read_text())
    data["features"]["next.success"] = {"dtype": "bool", "shape": [1], "names": None}
    info.with_suffix(".new").write_text(json.dumps(data, indent=4))
    info.with_suffix(".new").replace(info)


def read_lab(path: str) -> Lab:
    """Read the lab's file."""
    data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    return Lab(**{**data, "folder": Path(data["folder"]).expanduser()})


def _finished(version: Path, steps: int) -> bool:
    last = version / "checkpoints" / "last"
    return (last / "pretrained_model").is_dir() and int(last.resolve().name) >= steps


def _run(command: list[str]) -> None:
    print(shlex.join(command), file=sys.stderr, flush=True)
    done = subprocess.run(command, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with status {done.returncode}")


def main() -> None:
    """Practise a session, or print the commands of its skills."""
    parser = argparse.ArgumentParser(description="Practise with LeRobot.")
    parser.add_argument("url", help="where the service is, e.g. http://127.0.0.1:8712")
    parser.add_argument("session", help="name of the session")
    parser.add_argument("lab", help="the lab's file, e.g. so101.toml")
    parser.add_argument("--token", help="the robot's token (the variable DELIBERATE_TOKEN)")
    parser.add_argument("--robot", default="lerobot", help="name of this robot (lerobot)")
    parser.add_argument("--dry-run", action="store_true", help="print the commands and stop")
    given = parser.parse_args()
    lab = read_lab(given.lab)
    if given.dry_run:
        for skill in lab.tasks:  # as if each had a policy of its own
            version = lab.next_version(skill)
            print(shlex.join(record_command(lab, skill, skill)))
            print(shlex.join(train_command(lab, skill, version)))
            print(shlex.join(rollout_command(lab, skill, version, f"rollout_{skill}-00001")))
        return
    import deliberate_client

    session = "/api/sessions/" + urllib.parse.quote(given.session, safe="")
    known = deliberate_client.Connection(given.url, given.token).call("GET", session + "/task")
    if known["settings"]["approach"] != "free":
        sys.exit(f"session {given.session!r}: {FREE}")
    deliberate_client.practise(
        given.url, given.session, Bridge(lab).run, robot=given.robot, token=given.token
    )


if __name__ == "__main__":
    main()
