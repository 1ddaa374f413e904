"""A session behind a service is a session: the same verbs, the same journal, the same result."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from counts import FULL
from faulty_service import events
from served import Served

import deliberate_practice as dp
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.showing.session_data import session_data
from deliberate_practice.practice.showing.trial_data import trial_data, trial_from
from deliberate_practice.service.remote_session import RemoteError, RemoteSession
from deliberate_practice.service.replies import BEGUN
from deliberate_practice.service.store import ServiceStore

COMMAND = str(Path(sys.executable).with_name("deliberate"))


def remote(served: Served, name: str, **options: Any) -> RemoteSession:
    return RemoteSession(served.url, name, served.token("admin"), **options)


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Equal but for name, seconds, and what the service adds."""
    left_out = ("name", "seconds", "settled", "events")
    ours, theirs = ({k: v for k, v in d.items() if k not in left_out} for d in (one, other))
    return ours == theirs


def shown(db: Path, name: str) -> dict[str, Any]:
    with dp.open_session(db, name) as session:
        return session_data(session)


@pytest.mark.parametrize("robot", ["curves", "regions"])
def test_a_run_through_the_service_is_the_run_itself(
    served: Served, name: str, tmp_path: Path, robot: str
) -> None:
    """``deliberate robot`` in another process, ``deliberate run`` here."""
    budget = 150 if FULL else 36
    words = [
        COMMAND,
        "robot",
        served.url,
        "--session",
        name,
        "--robot",
        robot,
        "--start",
        "cleanup",
    ]
    words += ["--budget", str(budget), "--seed", "5", "--token", served.token("admin")]
    done = subprocess.run([*words, "--format", "json"], capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout)
    dp.run("cleanup", robot, budget, seed=5, journal=tmp_path / "here.db", name="here")
    ours = shown(tmp_path / "here.db", "here")
    assert (ours["spent"], ours["robot"]) == (budget, robot)
    assert ours["reward_after"] > ours["reward_before"]
    assert same(ours, theirs)
    assert same(ours, shown(served.db, name))
    if robot == "curves":  # nothing is left to do
        again = subprocess.run(words, capture_output=True, text=True, check=True)
        assert again.stdout == "done: the budget is spent\n"
        assert same(ours, shown(served.db, name))


@pytest.mark.slow
def test_a_simulated_panda_practises_through_the_service(
    served: Served, name: str, tmp_path: Path
) -> None:
    pytest.importorskip("mujoco")
    words = [COMMAND, "robot", served.url, "--session", name, "--robot", "mujoco", "--approach"]
    words += ["free", "--start", "cleanup", "--budget", "12", "--executions", "8"]
    words += ["--token", served.token("admin")]
    subprocess.run(words, capture_output=True, text=True, check=True)
    here = tmp_path / "here.db"
    dp.run("cleanup", "mujoco", 12, approach="free", journal=here, name="here", executions=8)
    assert same(shown(here, "here"), shown(served.db, name))


def test_practise_takes_a_remote_session(served: Served, name: str, tmp_path: Path) -> None:
    served.start(name, "cleanup", 40, robot="regions", seed=1, gate="never")
    session = remote(served, name, robot="arm")
    robot = dp.make_robot("regions", session.task, session.settings.seed)
    seen: list[int] = []
    idle = dp.practise(session, robot, lambda session, trial, result: seen.append(trial.id))
    assert idle.state == "done"
    assert session.done
    assert len(seen) == session.show()["spent"] == 40
    local = dp.start_session(tmp_path / "l.db", "l", session.task, 40, seed=1, robot="regions")
    with local:
        dp.practise(local, dp.make_robot("regions", local.task, 1))
        assert same(session_data(local), session.show())


def test_a_probed_plan_is_the_same_here_and_there(
    served: Served, name: str, tmp_path: Path
) -> None:
    served.start(name, "breakfast", 40, approach="free", gate="never")
    there = remote(served, name, robot="arm", wait=0)
    here = dp.start_session(tmp_path / "h.db", "h", there.task, 40, approach="free")
    with here:
        for number in range(1, 9):
            trial = there.ask(probe=True)
            assert trial == here.ask(probe=True)
            assert trial is not None
            for session in (here, there):
                session.tell(number, "unreached", "PlaceBread")
        assert there.forecast() == here.forecast()
        assert there.forecast().gaps[0].executions >= 4
        assert there.state.losses == here.state.losses
        ours, theirs = (intention(one.ground, one.state) for one in (here, there))
        assert (ours.skills, ours.value) == (theirs.skills, theirs.value)


def test_every_verb_does_the_same_here_and_there(served: Served, tmp_path: Path, name: str) -> None:
    served.start(name, budget=20, gate="abort")
    there = remote(served, name, robot="arm", wait=0)
    here = dp.start_session(tmp_path / "h.db", name, there.task, 20, gate="abort")
    with here:
        for session, ask in ((here, {"asker": "arm"}), (there, {})):
            _use(session, ask)
        assert here.bands() == there.bands()
        ours = events(tmp_path / "h.db", name)
    assert [kind for kind, _ in ours] == [kind for kind, _ in events(served.db, name)]
    assert ours == events(served.db, name)
    assert {*dir(RemoteSession)} >= {
        verb for verb in dir(dp.Session) if not verb.startswith("_")
    } - {
        "beginning",
        "close",
        "entries",
        "history",
        "prepare",
        "together",
        "holders",
        "to_pandas",
        "trials",
    }


def _use(session: Any, ask: dict[str, str]) -> None:
    by = "ada"
    trial = session.ask(**ask)
    assert trial.id == 1
    session.tell(1, "success", score=0.5, measurements={"force": 2.0}, by=by)
    session.tell(1, "success", score=0.5, measurements={"force": 2.0}, by=by)
    session.correct(1, "unreached", at="PickBread", by=by)
    session.note("a note", by=by)
    session.note("on a trial", 1, by=by)
    assert session.ask(**ask).id == 2
    session.tell(2, "aborted")
    assert session.ask(**ask) is None
    assert (session.idle.state, session.idle.trial, session.open) == ("wait", 3, 1)
    session.ready(3, by=by)
    session.refund(2, by=by)
    trial = session.ask(**ask)
    session.tell(3, "success", executed=[("PickBread", True), ("PlaceBread", True)])
    assert session.ask(**ask).id == 4
    session.ready(by=by)
    session.pause("lunch", by=by)
    assert session.ask(**ask) is None
    assert session.idle.state == "paused"
    session.resume(by=by)
    session.block("OpenMicrowave", "the hinge", by=by)
    session.unblock("OpenMicrowave", by=by)
    session.extend(5)
    evaluated = session.ask(evaluate="StartToaster", asker="other")
    assert evaluated.mode == "deploy"
    session.end("enough", by=by)
    assert session.ask(**ask) is None
    assert session.done
    session.archive(by=by)


def test_reasons_forecasts_and_robots_are_the_same_here_and_there(
    served: Served, tmp_path: Path, name: str
) -> None:
    served.start(name, budget=30)
    there = remote(served, name, robot="arm", wait=0)
    with dp.start_session(tmp_path / "h.db", name, there.task, 30) as here:
        for session in (here, there):
            with pytest.raises(dp.DeliberatePracticeError, match="0 is not a trial"):
                session.why()
        for number in range(1, 9):
            for session, ask in ((here, {"asker": "arm"}), (there, {})):
                trial = session.ask(**ask)  # type: ignore[arg-type]  # both take a name
                assert trial is not None
                session.tell(trial.id, "success" if number % 2 else "failure")
            assert there.why() == there.why(number) == here.why(number)
        assert there.forecast() == here.forecast()
        assert there.forecast().high > there.forecast().low
        (ours,), (theirs,) = here.robots(), there.robots()
        assert {**ours, "last_seen": ""} == {**theirs, "last_seen": ""}
        assert (theirs["name"], theirs["trials"], theirs["success_rate"]) == ("arm", 8, 0.5)
        with pytest.raises(RemoteError, match="99 is not a trial") as refused:
            there.why(99)
        assert refused.value.status == 404


def test_a_session_is_started_although_the_service_was_killed_before_it_was(
    served: Served, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, token = uuid.UUID(int=7), served.token("admin")
    monkeypatch.setattr(uuid, "uuid4", lambda: key)
    body = {"name": name, "task": "breakfast", "budget": 2}
    asked = b"POST /api/sessions\n" + json.dumps(body).encode()
    with closing(ServiceStore(served.db)) as store:  # the request was begun, and nothing else
        checksum = hashlib.sha256(asked).hexdigest()
        store.add_reply(token.split("_")[1], key.hex, checksum, BEGUN, "")
    session = RemoteSession(served.url, name, token)
    assert session.start("breakfast", 2)
    assert session.ask() is not None
    assert not session.start("breakfast", 2)


def test_refusals_are_errors_of_this_package(served: Served, name: str) -> None:
    served.start(name, budget=2)
    session = remote(served, name)
    trial = session.ask()
    assert trial is not None
    session.tell(trial.id, "success")
    with pytest.raises(RemoteError, match="it was told as 'success' before") as refused:
        session.tell(trial.id, "failure")
    assert refused.value.status == 409
    with pytest.raises(RemoteError, match="there is no session 'none'"):
        remote(served, "none").ask()
    with pytest.raises(RemoteError, match="no address"):
        RemoteSession("lab", "s")
    lines: list[str] = []
    other = RemoteSession(f"https://127.0.0.1:{served.port}", name, "t", say=lines.append)
    with pytest.raises(RemoteError, match=f"; use {served.url}$"):
        other.ask()
    assert not lines
    gone = RemoteSession("http://127.0.0.1:9", "s", "t", patience=0.2, say=lines.append)
    with pytest.raises(RemoteError, match="refused"):
        gone.ask()
    assert "no answer from http://127.0.0.1:9" in lines[0]


@pytest.mark.parametrize(
    "task", ["breakfast", "cleanup", "cleanup:failures=physical", "cleanup-multi:objects=2"]
)
def test_a_trial_survives_the_way(task: str, tmp_path: Path) -> None:
    described = dp.practised_task(task, "regions")
    with dp.start_session(tmp_path / "t.db", "t", described, 30, "random") as session:
        while trial := session.ask():
            record = session.state.records[trial.id]
            data = json.loads(json.dumps(trial_data(session.state, record)))
            assert trial_from(data) == trial
            session.tell(trial.id, "success" if trial.seed % 3 else "failure")
