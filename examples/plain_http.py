"""A robot in any language: two requests for each trial, with nothing but HTTP and JSON.

Run it with ``python examples/plain_http.py``: it starts a service of its own, and ends it again.
``python examples/plain_http.py URL SESSION TOKEN`` uses one that runs.
"""

import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path


def practise(url: str, session: str, token: str) -> None:
    """Ask, run and tell until there is nothing more to do."""

    def post(path: str, body: object) -> dict[str, object]:
        request = urllib.request.Request(
            f"{url}/api/sessions/{session}/{path}",
            json.dumps(body).encode(),
            {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            data = json.load(answer)
        assert isinstance(data, dict)
        return data

    while True:
        trial = post("ask", {"robot": "left-arm", "wait": 30})
        if trial["id"] is not None:
            ok = int(str(trial["seed"])) % 3 > 0  # here your robot would move
            outcome = "success" if ok else "failure"
            told = post(f"trials/{trial['id']}/tell", {"outcome": outcome})
            print(f"trial {trial['id']}: {trial['skill']}: {outcome}, {told['left']} left")
        elif trial["state"] == "done":
            print(f"done: {trial['reason']}")
            return


def main() -> None:
    """Serve a session, and practise it."""
    if len(sys.argv) == 4:
        practise(*sys.argv[1:])
        return
    deliberate = str(Path(sys.executable).with_name("deliberate"))
    with tempfile.TemporaryDirectory() as folder:
        db = ["--db", f"{folder}/lab.db"]
        start = [deliberate, "start", "breakfast", "--budget", "8", "--name", "monday", *db]
        subprocess.run(start, check=True)
        serve = [deliberate, "serve", "--port", "0", *db]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as service:
            assert service.stdout
            said = service.stdout.readline() + service.stdout.readline()
            ((url, token),) = re.findall(r"(http://\S+)/#token=(\S+)", said)
            practise(url, "monday", token)
            service.terminate()


if __name__ == "__main__":
    main()
