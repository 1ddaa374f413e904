"""Sessions over HTTP: the same verbs, the same journal, and errors with one message."""

from __future__ import annotations

import hashlib
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import Served, error

from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.sessions import delete_session, open_session, start_session
from deliberate_practice.practice.showing.session_data import session_data
from deliberate_practice.service.replies import BEGUN
from deliberate_practice.service.store import ServiceStore, ServiceStoreError
from deliberate_practice.task.toml_writer import task_to_toml


def ask(served: Served, base: str, **body: Any) -> dict[str, Any]:
    answer = served.admin.post(f"{base}/ask", json={"robot": "arm", **body})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def tell(served: Served, base: str, trial: int, outcome: str, **body: Any) -> Any:
    return served.admin.post(f"{base}/trials/{trial}/tell", json={"outcome": outcome, **body})


def test_a_session_is_the_same_here_and_there(served: Served, name: str) -> None:
    base = served.start(name, budget=6, seed=4)
    for outcome in ("success", "failure", "success", "refused", "success", "failure", "failure"):
        trial = ask(served, base)
        told = tell(served, base, trial["id"], outcome, score=0.25, measurements={"force": 3})
        assert told.status_code == 200
    assert ask(served, base)["state"] == "done"
    with open_session(served.db, name) as session:
        mine = session_data(session)
    theirs = served.admin.get(base).json()
    assert {key: theirs[key] for key in mine} == mine
    assert (theirs["settled"], theirs["spent"]) == (6, 6)
    assert theirs["events"] > 12
    assert len(served.admin.get(f"{base}?trials=2").json()["trials"]) == 2
    page = served.admin.get(f"{base}/trials?after=2&limit=3").json()
    assert ([row["id"] for row in page["trials"]], page["total"]) == ([3, 4, 5], 7)
    row = next(
        row for row in served.admin.get("/api/sessions").json()["sessions"] if row["name"] == name
    )
    assert (row["spent"], row["state"], row["open"]) == (6, "active", 0)


def test_a_trial_is_offered_again_until_it_is_told(served: Served, name: str) -> None:
    base = served.start(name)
    first = ask(served, base)
    assert ask(served, base) == first
    assert ask(served, base, robot="other")["id"] == 2
    for _ in range(2):  # telling twice is harmless
        assert tell(served, base, 1, "success", note="good").json()["spent"] == 2
    other = tell(served, base, 1, "failure")
    assert other.status_code == 409
    assert "it was told as 'success' before" in error(other)
    assert served.admin.get(base).json()["trials"][0]["notes"] == ["good"]
    wrong = tell(served, base, 2, "success", seed=1)
    assert wrong.status_code == 409
    assert "another seed" in error(wrong)
    evaluation = ask(served, base, robot="third", evaluate="StartToaster")
    assert (evaluation["kind"], evaluation["counted"]) == ("evaluation", False)


def test_who_asks_for_something_else_does_not_get_the_answer_of_others(
    served: Served, name: str
) -> None:
    base = served.start(name, budget=1)
    first = ask(served, base, robot="a")
    assert ask(served, base, robot="b")["state"] == "wait"
    assert ask(served, base, robot="c", evaluate="StartToaster")["kind"] == "evaluation"
    assert ask(served, base, robot="b")["state"] == "wait"
    assert ask(served, base, robot="b", takeover=True)["id"] == first["id"]


def test_after_an_abort_the_robot_waits_for_ready(served: Served, name: str) -> None:
    base = served.start(name)
    tell(served, base, ask(served, base)["id"], "aborted", note="the gripper slipped")
    waiting = ask(served, base)
    assert (waiting["id"], waiting["state"], waiting["trial"]) == (None, "wait", 2)
    robots = served.admin.get(f"{base}/robots").json()["robots"]
    assert [robot["name"] for robot in robots] == ["arm"]
    assert (robots[0]["open"], robots[0]["trials"]) == ([2], 1)
    assert (robots[0]["waits_for_ready"], robots[0]["outcomes"]) == (True, {"aborted": 1})
    assert served.admin.post(f"{base}/trials/2/ready").status_code == 200
    assert ask(served, base)["id"] == 2
    refunded = served.admin.post(f"{base}/trials/1/refund")
    assert refunded.json()["spent"] == 1
    again = served.admin.post(f"{base}/trials/1/refund")
    assert (again.status_code, error(again)) == (422, "trial 1: it was refunded before.")
    tell(served, base, 2, "success")
    robot = served.admin.get(f"{base}/robots").json()["robots"][0]
    assert (robot["open"], robot["success_rate"]) == ([], 1.0)
    assert robot["last_seen"]


def test_what_people_do_is_in_the_journal_with_their_token(served: Served, name: str) -> None:
    base = served.start(name)
    tell(served, base, ask(served, base)["id"], "success")
    steps: list[tuple[str, Any]] = [
        ("trials/1/correct", {"outcome": "failure"}),
        ("trials/1/note", {"text": "looked again"}),
        ("note", {"text": "new pads", "by": "ada"}),
        ("block", {"skill": "OpenMicrowave", "why": "the hinge"}),
        ("unblock", {"skill": "OpenMicrowave"}),
        ("pause", {"why": "lunch"}),
        ("resume", None),
        ("extend", {"budget": 5}),
        ("end", None),
        ("archive", None),
    ]
    for verb, body in steps:
        answer = served.admin.post(f"{base}/{verb}", json=body)
        assert answer.status_code == 200, (verb, answer.text)
        assert answer.json()["budget"] in (12, 17)
    with open_session(served.db, name) as session:
        events = [event for event, _ in session.history()][3:]
    assert [type(event).__name__ for event in events] == [
        "Corrected", "Noted", "Noted", "Blocked", "Unblocked", "Paused", "Resumed", "Extended",
        "Ended", "Archived",
    ]  # fmt: skip
    assert [getattr(event, "by", None) for event in events[:3]] == ["test", "test", "ada"]
    names = [row["name"] for row in served.admin.get("/api/sessions").json()["sessions"]]
    assert name not in names
    everything = served.admin.get("/api/sessions?archived=true").json()["sessions"]
    assert name in [row["name"] for row in everything]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "message"),
    [
        ("GET", "/api/sessions/none", None, 404, "there is no session 'none'."),
        ("POST", "/api/sessions/none/ask", {"robot": "r"}, 404, "there is no session 'none'."),
        ("DELETE", "/api/sessions/none", None, 404, "there is no session 'none'."),
        ("GET", "/api/sessions/none/events", None, 404, "there is no session 'none'."),
        ("POST", "{base}/trials/99/tell", {"outcome": "success"}, 404, "99 is not a trial of"),
        ("POST", "{base}/trials/x/tell", {"outcome": "success"}, 422, "trial: Input should be"),
        ("POST", "{base}/trials/1/tell", {"outcome": "sucess"}, 422, "outcome: Input should be"),
        ("POST", "{base}/trials/1/tell", {"outcome": "unreached"}, 422, "say at which skill"),
        ("POST", "{base}/trials/1/tell", {"outcome": "success", "x": 1}, 422, "x: Extra inputs"),
        ("POST", "{base}/trials/1/correct", {"outcome": "success"}, 422, "still open; tell it"),
        ("POST", "{base}/ask", {}, 422, "robot: Field required"),
        ("POST", "{base}/ask", [], 422, "the body is not a JSON object; send e.g."),
        ("GET", "/api/nowhere", None, 404, "there is no address '/api/nowhere'; /openapi.json"),
        ("POST", "{base}/ask", {"robot": "-x"}, 400, "does not begin with '-'"),
        ("POST", "{base}/ask", {"robot": "r", "wait": 61}, 422, "less than or equal to 60"),
        ("POST", "{base}/ask", {"robot": "r", "evaluate": "No"}, 400, "'No' is not one of"),
        ("POST", "{base}/block", {"skill": "Jump"}, 400, "'Jump' is not one of"),
        ("POST", "{base}/extend", {"budget": 0}, 422, "greater than or equal to 1"),
        (
            "POST",
            "/api/sessions",
            {"name": "{name}", "task": "cleanup", "budget": 1},
            409,
            "already",
        ),
        ("POST", "/api/sessions", {"name": "a/b", "task": "cleanup", "budget": 1}, 422, "name"),
        ("POST", "/api/sessions", {"name": "..", "task": "cleanup", "budget": 1}, 400, "dots"),
        ("POST", "/api/sessions", {"name": "n", "task": "x = 1", "budget": 1}, 400, "is missing"),
        (
            "POST",
            "/api/sessions",
            {"name": "n", "task": "cleanup", "budget": 1, "strategy": "best"},
            400,
            "'best' is not one of",
        ),
        (
            "POST",
            "/api/sessions",
            {"name": "n", "task": "cleanup", "budget": 1, "robot": "r2d2"},
            400,
            "'r2d2' is not one of",
        ),
        ("PUT", "/api/sessions", None, 405, "Method Not Allowed"),
    ],
)
def test_errors_are_one_message(
    served: Served, method: str, path: str, body: Any, status: int, message: str
) -> None:
    base = "/api/sessions/faults"
    if served.admin.get(base).status_code == 404:
        served.start("faults")
        ask(served, base)
    if body and body.get("name") == "{name}":
        body = {**body, "name": "faults"}
    answer = served.admin.request(method, path.format(base=base), json=body)
    assert answer.status_code == status, answer.text
    assert message in error(answer)
    assert str(served.db.parent) not in answer.text or "already" in message


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b'{"robot": NaN}', b"9" * 5000])
def test_what_is_no_json_is_refused(served: Served, content: bytes) -> None:
    header = {"Content-Type": "application/json"}
    served.admin.post("/api/sessions", json={"name": "j", "task": "breakfast", "budget": 1})
    answer = served.admin.post("/api/sessions/j/ask", content=content, headers=header)
    assert answer.status_code in (400, 422)
    assert error(answer)
    assert content != b"{" or error(answer).startswith("the body is not valid JSON; send")


def test_with_a_key_a_request_is_done_once(served: Served, name: str) -> None:
    key = {"Idempotency-Key": f"key of {name}"}
    body = {"name": name, "task": "breakfast", "budget": 3}
    first, again = (served.admin.post("/api/sessions", json=body, headers=key) for _ in range(2))
    assert (first.status_code, first.text) == (again.status_code, again.text) == (200, again.text)
    base = f"/api/sessions/{name}"
    key = {"Idempotency-Key": f"more of {name}"}
    for _ in range(3):
        assert (
            served.admin.post(f"{base}/extend", json={"budget": 5}, headers=key).json()["budget"]
            == 8
        )
    other = served.admin.post(f"{base}/extend", json={"budget": 6}, headers=key)
    assert other.status_code == 409
    assert served.admin.post(f"{base}/extend", json={"budget": 5}).json()["budget"] == 13
    mine = served.client("admin").post(f"{base}/extend", json={"budget": 5}, headers=key)
    assert mine.json()["budget"] == 18  # keys belong to a token


def test_an_answer_that_cannot_be_kept_is_given_all_the_same(
    served: Served, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, key = served.start(name, budget=3), {"Idempotency-Key": f"full disk {name}"}

    def extend() -> httpx.Response:
        return served.admin.post(f"{base}/extend", json={"budget": 5}, headers=key)

    def full(*row: Any) -> None:
        raise ServiceStoreError("the disk is full")

    keep = ServiceStore.add_reply
    with monkeypatch.context() as patch:
        patch.setattr(ServiceStore, "add_reply", full)  # nothing is begun
        assert extend().status_code == 503
        assert served.admin.get(base).json()["budget"] == 3
        patch.setattr(
            ServiceStore, "add_reply", lambda *row: full() if row[4] else keep(*row)
        )  # full afterwards
        assert [extend().json()["budget"] for _ in range(3)] == [8] * 3
    assert extend().json()["budget"] == 8


def test_a_request_that_was_interrupted_is_not_done_twice(served: Served, name: str) -> None:
    base, key = served.start(name, budget=3), f"killed {name}"
    asked = f"POST {base}/extend\n".encode() + b'{"budget": 5}'
    token = served.admin.headers["Authorization"].split("_")[1]
    with closing(ServiceStore(served.db)) as store:
        store.add_reply(token, key, hashlib.sha256(asked).hexdigest(), BEGUN, "")
    header = {"Idempotency-Key": key, "Content-Type": "application/json"}
    answer = served.admin.post(f"{base}/extend", content=b'{"budget": 5}', headers=header)
    assert answer.status_code == 409
    assert "may have been done" in error(answer)
    assert served.admin.get(base).json()["budget"] == 3


def test_a_key_holds_for_requests_at_the_same_time(served: Served, name: str) -> None:
    base = served.start(name, budget=0)
    key = {"Idempotency-Key": f"at once {name}"}
    clients = [served.admin] * 8

    def extend(client: Any) -> None:
        client.post(f"{base}/extend", json={"budget": 1}, headers=key)

    threads = [threading.Thread(target=extend, args=[client]) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert served.admin.get(base).json()["budget"] == 1


def test_commands_on_the_same_journal_are_seen(served: Served, name: str) -> None:
    base = served.start(name)
    first = ask(served, base)
    with open_session(served.db, name) as session:
        session.tell(first["id"], "success")
        session.pause("lunch")
    assert ask(served, base) | {"reason": ""} == {
        "id": None, "state": "paused", "reason": "", "trial": None, "open": 0, "name": name,
        "events": 4, "budget": 12, "spent": 1, "left": 11,
    }  # fmt: skip


def test_a_session_that_was_deleted_or_replaced_elsewhere(served: Served, name: str) -> None:
    base = served.start(name, budget=5)
    ask(served, base)
    delete_session(served.db, name)
    gone = served.admin.get(base)
    assert (gone.status_code, error(gone)) == (404, f"there is no session '{name}'.")
    start_session(served.db, name, load_task("cleanup"), 7).close()
    assert served.admin.get(base).json()["task"] == "cleanup"
    delete_session(served.db, name)
    start_session(served.db, name, load_task("breakfast"), 9).close()
    assert ask(served, base)["budget"] == 9
    token = served.client("robot", name)
    assert token.get(base).status_code == 200
    assert served.admin.delete(base).json()["spent"] == 1
    assert served.admin.get(base).status_code == 404
    assert token.get(base).status_code == 401  # its token went with it


def test_a_robot_that_waits_is_woken(served: Served, name: str) -> None:
    base = served.start(name)
    served.admin.post(f"{base}/pause")
    found: list[tuple[float, Any]] = []

    def wait() -> None:
        answer = ask(served, base, wait=20)
        found.append((time.monotonic(), answer))

    for resume in (
        lambda: served.admin.post(f"{base}/resume"),
        lambda: open_session(served.db, name).resume(),
    ):
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.3)
        assert thread.is_alive()
        begun = time.monotonic()
        resume()
        thread.join()
        assert found[-1][0] - begun < 5
        tell(served, base, found[-1][1]["id"], "success")
        served.admin.post(f"{base}/pause")
    begun = time.monotonic()
    assert ask(served, base, wait=0.3)["state"] == "paused"
    assert 0.25 < time.monotonic() - begun < 5


def test_a_late_trial_passes_to_a_robot_that_waits(served: Served, name: str) -> None:
    base = served.start(name, budget=1, trial_seconds=1.0)
    assert ask(served, base, robot="gone")["id"] == 1
    assert ask(served, base, robot="here")["state"] == "wait"
    assert ask(served, base, robot="here", wait=20)["id"] == 1


def test_tasks_come_as_text_and_robots_bring_their_scene(served: Served, name: str) -> None:
    text = task_to_toml(load_task("cleanup"))
    base = served.start(name, task=text, budget=3)
    assert served.admin.get(f"{base}/task").json()["task"] == text
    settings = served.admin.get(f"{base}/task").json()["settings"]
    assert (settings["gate"], settings["robot"]) == ("abort", None)
    base = served.start(f"{name} scene", task="cleanup", robot="regions", gate="never")
    scene = served.admin.get(f"{base}/task").json()
    assert "skills.parameters" in scene["task"]
    assert scene["settings"]["robot"] == "regions"
    small = served.start(f"{name} small", task="cleanup-multi:objects=2")
    assert served.admin.get(small).json()["task"] == "cleanup-multi"


def test_what_is_left_is_planned_under_the_present_belief(served: Served, name: str) -> None:
    base = served.start(name, budget=30)
    before = served.admin.get(f"{base}/allocation").json()
    assert (before["budget"], before["status"]) == (30, "optimal")
    for _ in range(4):
        tell(served, base, ask(served, base)["id"], "success")
    after = served.admin.get(f"{base}/allocation").json()
    assert after["budget"] == 26
    assert after["value"] > before["value"]
    frontier = served.admin.get(f"{base}/frontier").json()
    assert len(frontier["values"]) == 27
    assert frontier["values"][26] == pytest.approx(after["value"], rel=1e-6)
    assert frontier["values"] == sorted(frontier["values"])
    assert len(served.admin.get(f"{base}/frontier?budget=5").json()["values"]) == 6


def test_sessions_beyond_those_kept_open_still_work(tmp_path: Path) -> None:
    from dataclasses import replace

    from served import ROOMY

    served = Served(tmp_path / "lab.db", replace(ROOMY, sessions=2))
    try:
        bases = [served.start(f"s{i}") for i in range(4)]
        for _ in range(2):
            assert [ask(served, base)["id"] for base in bases] == [1] * 4
    finally:
        served.close()


def test_the_front_says_where_everything_is(served: Served) -> None:
    page = served.client(None).get("/")
    assert "/openapi.json" in page.text
    client = served.client(None).get("/deliberate_client.py")
    assert "def practise(" in client.text
    assert client.headers["content-type"].startswith("text/plain")
    assert "class Gym:" in served.client(None).get("/deliberate_gym.py").text
