"""A robot with our client: one file, one function, and nothing is lost whatever fails.

Run it with ``python examples/robot_client.py``. It starts a service of its own; on your robot's
computer you would only have the file ``deliberate_client.py`` and the function ``run``.
"""

import importlib
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

DELIBERATE = str(Path(sys.executable).with_name("deliberate"))


def run(trial: dict[str, Any]) -> Any:
    """One trial: reset, approach, attempt. Here a simulation, on yours the robot."""
    chance = random.Random(trial["seed"])
    for step in trial["approach"]["route"]:
        if chance.random() > 0.95:
            return {"outcome": "unreached", "at": step["skill"]}
    if trial["id"] == 5:
        raise RuntimeError("the gripper slipped")  # the trial is aborted, and the robot waits
    force = chance.uniform(5, 25)
    outcome = "success" if chance.random() < 0.5 else "failure"
    return {"outcome": outcome, "score": 1 / force, "measurements": {"peak_force": force}}


def main() -> None:
    """Serve a session, and practise it with the client."""
    with tempfile.TemporaryDirectory() as folder:
        db = ["--db", f"{folder}/lab.db"]
        start = [DELIBERATE, "start", "breakfast", "--budget", "10", "--name", "monday", *db]
        subprocess.run([*start, "--gate", "abort"], check=True)
        client = subprocess.run([DELIBERATE, "client"], capture_output=True, text=True, check=True)
        Path(folder, "deliberate_client.py").write_text(client.stdout)
        sys.path.insert(0, folder)
        serve = [DELIBERATE, "serve", "--port", "0", *db]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as service:
            assert service.stdout
            said = service.stdout.readline() + service.stdout.readline()
            ((url, token),) = re.findall(r"(http://\S+)/#token=(\S+)", said)

            def say(line: str) -> None:
                print(line)
                if "waits for Ready" in line:  # a person looks at the robot, and then:
                    subprocess.run([DELIBERATE, "ready", "monday", *db], check=True)

            module = importlib.import_module("deliberate_client")
            module.practise(
                url, "monday", run, robot="left-arm", token=token, folder=folder, say=say
            )
            service.terminate()


if __name__ == "__main__":
    main()
