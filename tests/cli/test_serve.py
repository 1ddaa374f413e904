"""``deliberate serve``, ``tokens``, ``client`` and ``robot`` on the command line."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from command import Run
from served import certificate

from deliberate_practice.robots import deliberate_gym
from deliberate_practice.service import deliberate_client

COMMAND = str(Path(sys.executable).with_name("deliberate"))


def test_a_service_says_where_it_is_and_shows_its_first_token_once(tmp_path: Path) -> None:
    texts = []
    for _ in range(2):
        process = subprocess.Popen(
            [COMMAND, "serve", "--db", "lab.db", "--port", "0"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert process.stdout is not None
        first = process.stdout.readline()
        (url,) = re.findall(r"serving lab.db at (http://127.0.0.1:\d+)", first)
        assert httpx.get(f"{url}/api/health").json()["status"] == "ok"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert "Traceback" not in err
        texts.append(out)
        for token in re.findall(rf"{url}/#token=(dp_\S+)", out):
            assert deliberate_client.Connection(url, token)
    assert [text.count("#token=dp_") for text in texts] == [1, 0]
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["lab.db", "lab.db-service"]  # everything was closed


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
def test_with_a_certificate_everything_is_encrypted(tmp_path: Path, run: Run) -> None:
    own, key = certificate(tmp_path)
    tls = ["--tls-cert", own, "--tls-key", key]
    with subprocess.Popen(
        [COMMAND, "serve", "--db", "lab.db", "--port", "0", "--host", "0.0.0.0", *tls],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline() + process.stdout.readline()
        ((url, token),) = re.findall(r"(https://127.0.0.1:\d+)/#token=(\S+)", said)
        lines: list[str] = []
        made = deliberate_client.Connection(url, token, own).call(
            "POST", "/api/sessions", {"name": "s", "task": "breakfast", "budget": 2}
        )
        assert made["budget"] == 2
        done = deliberate_client.practise(
            url, "s", lambda trial: "success", "arm", token, str(tmp_path), 1.0, own, lines.append
        )
        assert done["spent"] == 2
        unknown = deliberate_client.Connection(url, token, patience=0.0, say=lines.append)
        with pytest.raises(deliberate_client.Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
            unknown.call("GET", "/api/sessions")
        plain = url.replace("https", "http")
        with pytest.raises(deliberate_client.Unreachable, match=f"{plain} .*; use {url}$"):
            deliberate_client.Connection(plain, token).call("GET", "/api/sessions")
        process.terminate()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--host 0.0.0.0", "--host 0.0.0.0: other computers could connect"),
        ("--tls-cert a.pem", "--tls-cert, --tls-key: give both, or none."),
        ("--port 99999", "--port: 99999 is too large"),
        ("--db nowhere/lab.db", "nowhere/lab.db: the file cannot be opened"),
    ],
)
def test_unsafe_services_are_refused(run: Run, options: str, message: str) -> None:
    refused = run(f"serve {options}")
    assert (refused.status, refused.out) == (2, "")
    assert message in refused.err


def test_a_taken_port_is_named(run: Run, tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = run(f"serve --port {port}")
    assert refused.status == 2
    assert f"--port {port}: Address already in use; choose another port" in refused.err


def test_without_its_packages_the_service_names_the_command(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['fastapi'] = None\n"
        "from deliberate_practice.cli import main; main()"
    )
    words = [sys.executable, "-c", code, "serve"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert re.search(r"fastapi is not installed; run: .*pip install .*\[service\]", done.stderr)
    assert not list(tmp_path.iterdir())


def test_tokens_are_made_listed_and_revoked(run: Run) -> None:
    assert "there is no such journal" in run("tokens").err
    run("start breakfast --budget 3 --name monday")
    made = run("tokens --new robot --name left-arm --session monday")
    assert re.fullmatch(r"dp_[0-9a-f]{12}_\S{43}\n", made.out)
    (row,) = run("tokens --format json").data["tokens"]
    assert (row["name"], row["role"], row["session"]) == ("left-arm", "robot", "monday")
    assert row["id"] == made.out.split("_")[1]
    assert "left-arm" in run("tokens").out
    (row,) = run(f"tokens --revoke {row['id']} --format json").data["tokens"]
    assert row["revoked"]
    refused = run(f"tokens --revoke {row['id']}").err
    assert "is not the identifier of a valid token; deliberate tokens lists them" in refused
    assert "'boss' is not one of: admin, robot, read-only" in run("tokens --new boss").err
    assert "add --new ROLE" in run("tokens --name ada").err
    assert "leave it out" in run("tokens --new admin --session monday").err


def test_a_deleted_session_takes_its_tokens_along(run: Run) -> None:
    for name in ("monday", "tuesday"):
        run(f"start breakfast --budget 3 --name {name}")
        run(f"tokens --new robot --name arm --session {name}")
    run("delete monday --yes")
    rows = run("tokens --format json").data["tokens"]
    assert [bool(row["revoked"]) for row in rows] == [True, False]


def test_the_client_is_printed(run: Run) -> None:
    assert run("client").out == Path(deliberate_client.__file__).read_text(encoding="utf-8")
    assert run("client --gym").out == Path(deliberate_gym.__file__).read_text(encoding="utf-8")


def test_a_robot_without_a_service_says_so(run: Run) -> None:
    refused = run("robot lab-pc --session monday")
    assert refused.status == 2
    assert "'lab-pc' is no address; write e.g. http://127.0.0.1:8712" in refused.err
    refused = run("robot http://127.0.0.1:9 --session monday --start breakfast")
    assert "give the budget of the session too, with --budget N" in refused.err
