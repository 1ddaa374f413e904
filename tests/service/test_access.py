"""Who may use the service: tokens, roles, names in the request, limits, and the record."""

from __future__ import annotations

import os
import re
import stat
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import ROOMY, Served, error

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.service.settings import Limits, ServiceSettings, checked
from deliberate_practice.service.store import service_path

EXAMPLES: dict[str, Any] = {
    "/ask": {"robot": "r"},
    "/ask_together": {"robot": "r", "most": 2},
    "/tell": {"outcome": "success"},
    "/correct": {"outcome": "failure"},
    "/note": {"text": "x"},
    "/block": {"skill": "StartToaster"},
    "/unblock": {"skill": "StartToaster"},
    "/extend": {"budget": 1},
    "/rewards": {"spent": 0, "goal": None, "plan": [], "reward": 0.0, "undiscounted": 0.0},
    "/tokens": {"role": "admin", "name": "x"},
    "/sessions": {"name": "new", "task": "breakfast", "budget": 1},
}
"""A body that would do something, by the end of the address."""


def operations(served: Served) -> list[tuple[str, str]]:
    """Every method and address in the description."""
    paths = served.admin.get("/openapi.json").json()["paths"]
    found = [(method, path) for path, methods in paths.items() for method in methods]
    assert len(found) > 30
    return found


def send(client: httpx.Client, method: str, path: str, name: str) -> httpx.Response:
    address = path.replace("{name}", name).replace("{trial}", "1").replace("{id}", "0")
    body = next((body for end, body in EXAMPLES.items() if path.endswith(end)), None)
    json = body if method == "post" else None
    with client.stream(method, address, json=json) as answer:
        if "text/event-stream" not in answer.headers.get("content-type", ""):
            answer.read()
        return answer


def test_without_a_token_nothing_is_said(served: Served, name: str) -> None:
    served.start(name)
    bad = served.token("admin")[:-1] + "!"
    texts = set()
    for header in ({}, {"Authorization": f"Bearer {bad}"}, {"Authorization": "Basic YTpi"}):
        with httpx.Client(base_url=served.url, headers=header, trust_env=False) as client:
            for method, path in [*operations(served), ("get", "/api/nothing"), ("get", "/api")]:
                answer = send(client, method, path, name)
                if path == "/api/health":
                    assert answer.status_code == 200
                    continue
                assert answer.status_code == 401, (method, path)
                assert answer.headers["www-authenticate"] == "Bearer"
                texts.add(answer.text)
    assert len(texts) == 1
    assert served.admin.get(f"/api/sessions/{name}").json()["events"] == 0


def test_a_reader_changes_nothing(served: Served, name: str) -> None:
    base = served.start(name)
    served.admin.post(f"{base}/ask", json={"robot": "r"})
    before = served.admin.get(base).text
    reader = served.client("read-only")
    for method, path in operations(served):
        answer = send(reader, method, path, name)
        if method == "get":
            allowed = path not in ("/api/tokens", "/api/audit")
            assert answer.status_code == (200 if allowed else 403), path
        else:
            assert answer.status_code == 403, path
            assert "read-only may not do this" in error(answer)
    assert served.admin.get(base).text == before


def test_the_token_of_a_robot_sees_its_session_alone(served: Served, name: str) -> None:
    base, other = served.start(name), served.start(f"{name} other")
    robot = served.client("robot", name)
    refused = set()
    for method, path in operations(served):
        if path in ("/api/health", "/api/me", "/api/tokens", "/api/tokens/{id}"):
            continue
        answer = send(robot, method, path, f"{name} other")
        assert answer.status_code == 403, (method, path)
        missing = send(robot, method, path, "there is none")
        assert (missing.status_code, missing.text) == (403, answer.text)
        refused.add(answer.text)
    assert any(f"for session '{name}' alone" in text for text in refused)
    trial = robot.post(f"{base}/ask", json={"robot": "arm"}).json()
    told = robot.post(f"{base}/trials/{trial['id']}/tell", json={"outcome": "success"})
    assert told.json()["spent"] == 1
    assert robot.get(base).status_code == 200
    for verb, body in (("correct", {"outcome": "failure"}), ("ready", {}), ("refund", None)):
        assert robot.post(f"{base}/trials/1/{verb}", json=body).status_code == 403
    for verb in ("pause", "resume", "end", "archive", "ready"):
        assert robot.post(f"{base}/{verb}").status_code == 403
    assert robot.delete(base).status_code == 403
    assert served.admin.get(other).json()["events"] == 0


def test_a_revoked_token_opens_nothing(served: Served) -> None:
    made = served.admin.post("/api/tokens", json={"role": "read-only", "name": "ada"}).json()
    header = {"Authorization": f"Bearer {made['token']}"}
    assert httpx.get(f"{served.url}/api/sessions", headers=header).status_code == 200
    gone = served.admin.delete(f"/api/tokens/{made['id']}")
    assert gone.json()["revoked"]
    assert httpx.get(f"{served.url}/api/sessions", headers=header).status_code == 401
    assert served.admin.delete(f"/api/tokens/{made['id']}").status_code == 404
    listed = served.admin.get("/api/tokens")
    assert made["id"] in listed.text
    assert made["token"] not in listed.text


def test_no_secret_is_stored(served: Served) -> None:
    made = served.admin.post("/api/tokens", json={"role": "robot", "name": "arm"}).json()["token"]
    path = service_path(served.db)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    secret = made.split("_", 2)[2].encode()
    assert len(secret) == 43  # 256 bits
    for file in (path, Path(f"{path}-wal"), served.db, Path(f"{served.db}-wal")):
        assert secret not in file.read_bytes()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:1234", 200),
        ("[::1]:8712", 200),
        ("LOCALHOST", 200),
        ("evil.example", 421),
        ("evil.example:8712", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost@evil.example", 421),
        ("", 421),
    ],
)
def test_a_page_that_rebinds_its_name_is_refused(served: Served, host: str, status: int) -> None:
    for path in ("/api/health", "/", "/openapi.json"):
        assert served.admin.get(path, headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://{own}", "http://{own}0"]
)
def test_pages_of_other_sites_are_refused(served: Served, origin: str) -> None:
    own = f"127.0.0.1:{served.port}"
    ours = served.admin.get("/api/sessions", headers={"Origin": f"http://{own}"})
    assert ours.status_code == 200
    theirs = served.admin.get("/api/sessions", headers={"Origin": origin.format(own=own)})
    assert theirs.status_code == 403
    assert "set-cookie" not in ours.headers
    assert "access-control-allow-origin" not in ours.headers


def test_every_answer_has_the_headers(served: Served) -> None:
    for path in ("/", "/api/health", "/api/sessions", "/nothing", "/openapi.json"):
        headers = served.admin.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store"


def test_long_requests_are_refused(served: Served) -> None:
    most = ROOMY.body
    answer = served.admin.post("/api/sessions", content=b" " * (most + 1))
    assert answer.status_code == 413
    parts = (b" " * 100_000 for _ in range(most // 100_000 + 1))  # its length is not stated
    assert served.admin.post("/api/sessions", content=parts).status_code == 413
    assert served.admin.post("/api/sessions", content=b" " * most).status_code == 422


def test_no_address_leads_to_a_file(served: Served) -> None:
    for path in ("/../lab.db", "/%2e%2e/lab.db", "/lab.db", "/api/sessions/..%2flab.db", "/static"):
        assert served.admin.get(path).status_code == 404
    for task in ("examples/coffee_station.toml", "/etc/passwd", "../lab.toml", "file:lab.toml"):
        answer = served.admin.post("/api/sessions", json={"name": "x", "task": task, "budget": 1})
        assert answer.status_code == 400
        assert "is not one of: counterexample" in error(answer)
    named = 'pddl = { domain = "/etc/passwd", problem = "/etc/passwd" }'
    answer = served.admin.post("/api/sessions", json={"name": "x", "task": named, "budget": 1})
    assert (answer.status_code, error(answer)) == (
        400,
        "pddl: files are not read here; send the task itself, as TOML.",
    )


def test_too_many_requests_wait(tmp_path: Path) -> None:
    limits = Limits(rate=0.1, burst=30, failures=0.1, failures_burst=3, streams=2)
    served = Served(tmp_path / "lab.db", limits)
    try:
        answers = [served.admin.get("/api/tokens") for _ in range(35)]
        assert [answer.status_code for answer in answers] == [200] * 30 + [429] * 5
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 10
        assert "too many requests" in error(answers[-1])
        guesses = [httpx.get(f"{served.url}/api/sessions").status_code for _ in range(6)]
        assert guesses == [401] * 3 + [429] * 3
        other = served.client("read-only")  # each token has its own limit
        with other.stream("GET", "/api/events") as first, other.stream("GET", "/api/events"):
            assert first.status_code == 200
            third = other.get("/api/events")
            assert third.status_code == 429
            assert "too many streams" in error(third)
        status = 429
        for _ in range(20):  # until the service has noticed that they were closed
            with other.stream("GET", "/api/events") as again:
                status = again.status_code
            if status == 200:
                break
            time.sleep(0.1)
        assert status == 200
    finally:
        served.close()


def test_changes_and_refusals_are_recorded(served: Served, name: str) -> None:
    base = served.start(name)
    served.admin.get(base)
    served.admin.post(f"{base}/pause", json={"why": "lunch"})
    httpx.get(f"{served.url}{base}")
    rows = served.admin.get("/api/audit?limit=1000").json()["requests"]
    mine = [row for row in rows if row["path"] == base or row["path"].startswith(f"{base}/")]
    assert [(row["method"], row["status"], row["name"]) for row in mine] == [
        ("GET", 401, None),
        ("POST", 200, "test"),
    ]
    assert all(row["address"] == "127.0.0.1" and row["time"] for row in mine)
    older = served.admin.get(f"/api/audit?before={mine[1]['number']}").json()["requests"]
    assert older[0]["number"] < mine[1]["number"]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"host": "0.0.0.0"}, "other computers could connect, and everything would be sent"),
        ({"host": "192.0.2.7"}, "--insecure on a network that you trust"),
        ({"tls_cert": Path("a.pem")}, "--tls-cert, --tls-key: give both"),
        ({"tls_cert": Path("no.pem"), "tls_key": Path("no.key")}, "no.pem: there is no such file"),
        ({"port": 70_000}, "--port: 70000 is too large"),
        ({"host": "no such host.invalid"}, "is no address of this computer"),
    ],
)
def test_unsafe_settings_are_refused(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        checked(ServiceSettings(Path("lab.db"), **choices))


def test_other_computers_may_connect_if_told_so() -> None:
    assert checked(ServiceSettings(Path("lab.db"), host="0.0.0.0", insecure=True)).host
    assert checked(ServiceSettings(Path("lab.db"))).hosts == {"127.0.0.1", "localhost", "::1"}
    named = ServiceSettings(Path("lab.db"), host="192.0.2.7", insecure=True, names=("lab-pc",))
    assert {"192.0.2.7", "lab-pc", "localhost"} <= checked(named).hosts
