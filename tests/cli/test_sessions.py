"""Sessions on the command line: the contract's JSON, resume, and clear messages."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from command import Run

from deliberate_practice.cli import heartbeat

RUN_KEYS = {
    "name", "task", "robot", "strategy", "belief", "seed", "budget", "spent", "goal", "plan",
    "allocation", "reward_before", "reward_after", "seconds",
}  # fmt: skip
TRIAL_KEYS = {"id", "skill", "mode", "outcome", "at", "parameters", "score", "why"}
COMMAND = str(Path(sys.executable).with_name("deliberate"))


def test_run_keeps_the_contract(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "RHYTHM", heartbeat.Rhythm(quiet=0.0))
    result = run("run breakfast --budget 30 --seed 1 --name a --format json")
    data = result.data
    assert data.keys() >= RUN_KEYS
    assert (data["name"], data["task"], data["robot"]) == ("a", "breakfast", "curves")
    assert (data["strategy"], data["belief"], data["seed"]) == ("deliberate", "bayes", 1)
    assert (data["budget"], data["spent"]) == (30, 30)
    assert sum(data["allocation"].values()) == 30
    assert data["reward_after"] > data["reward_before"] == pytest.approx(0.0951, abs=1e-4)
    assert data["plan"]
    assert "practising: 30 of 30 units" in result.err

    shown = run("show a --format json").data
    trials = shown.pop("trials")
    assert shown.pop("forecast")["left"] == 0
    assert shown == data
    assert [trial["id"] for trial in trials] == list(range(1, 31))
    assert all(trial.keys() >= TRIAL_KEYS for trial in trials)
    assert all("asked" not in trial for trial in trials)
    assert trials[0]["why"]["decision"] == 1
    assert run("show a --format json --times").data["trials"][0]["asked"]


def test_tests_are_shown_as_tests(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "RHYTHM", heartbeat.Rhythm(quiet=0.0, least=0.0))
    line = "run breakfast --budget 24 --belief running-average --approach free --name a"
    result = run(f"{line} --format json")
    assert " (test) " in result.err
    data = result.data
    assert (data["practice_episodes"], data["test_episodes"]) == (12, 12)
    assert sum(data["allocation"].values()) == sum(data["tests"].values()) == 12
    assert data["skill_executions"] == data["spent"] == 24
    trials = run("show a --format json").data["trials"]
    assert [trial["kind"] for trial in trials] == (["practice"] * 6 + ["test"] * 6) * 2
    assert trials[6]["why"] == {"test": True, "decision": 1}
    assert trials[6]["mode"] == "deploy"
    shown = run("show a").out
    assert "took    12 episodes of practice, 12 tests; 24 skills executed in all" in shown
    assert " test " in shown
    rows = list(csv.DictReader(io.StringIO(run("export a").out)))
    assert [row["kind"] for row in rows] == [trial["kind"] for trial in trials]
    run("start breakfast --budget 24 --belief running-average:tests=1 --approach free --name b")
    for _ in range(6):
        asked = run("ask b --format json").data
        assert asked["kind"] == "practice"
        run(f"tell b {asked['id']} success")
    assert "(test, seed" in run("ask b").out


def test_the_same_run_has_the_same_journal(run: Run) -> None:
    for name in ("a", "b"):
        run(f"run cleanup --budget 20 --strategy random --name {name} --format json")
    first, second = (run(f"show {name} --format json").data for name in ("a", "b"))
    for data in (first, second):
        del data["name"], data["seconds"]
    assert first == second


def test_names_are_found_and_resume_is_careful(run: Run) -> None:
    first = run("run breakfast --budget 7 --strategy random --format json").data
    second = run("run breakfast --budget 7 --strategy random --format json").data
    assert (first["name"], second["name"]) == ("breakfast-1", "breakfast-2")
    taken = run("run breakfast --budget 7 --name breakfast-1")
    assert taken.status == 2
    assert "already a session 'breakfast-1'" in taken.err
    run("extend breakfast-1 --budget 5")
    more = run("run breakfast --name breakfast-1 --resume --format json").data
    assert (more["budget"], more["spent"], more["strategy"]) == (12, 12, "random")
    for line, message in [
        ("run breakfast --resume", "with --name"),
        ("run cleanup --name breakfast-1 --resume", "another task"),
        ("run breakfast --set rate=0.5 --name breakfast-1 --resume", "another task"),
        ("run breakfast --name breakfast-1 --resume --seed 3", "seed: 3 differs from 0"),
        ("run breakfast --name breakfast-1 --resume --budget 9", "budget: 9 differs from 12"),
        ("run breakfast --name breakfast-1 --resume --budget 9", "deliberate extend breakfast-1"),
        (
            "run breakfast --name breakfast-1 --resume --robot regions",
            "robot: 'regions' differs from 'curves'",
        ),
        ("run breakfast --name brakfast-1 --resume", "no session 'brakfast-1' in deliberate.db"),
    ]:
        refused = run(line)
        assert (refused.status, refused.out) == (2, "")
        assert message in refused.err
    fresh = run("run breakfast --name new --resume --budget 3 --strategy random --format json")
    assert fresh.data["spent"] == 3


def test_ask_and_tell(run: Run) -> None:
    assert run("start breakfast --budget 4 --name m --format json").data == {
        "name": "m", "budget": 4, "spent": 0, "left": 4, "task": "breakfast", "db": "deliberate.db",
    }  # fmt: skip
    trial = run("ask m --format json").data
    assert trial.keys() >= {"id", "skill", "mode", "parameters", "approach", "seed", "why"}
    assert run("ask m --format json").data == trial
    told = run("tell m 1 success --score 0.5 --measure force=3 --format json").data
    assert (told["id"], told["outcome"], told["left"]) == (1, "success", 3)
    assert run("tell m 1 success --score 0.5 --measure force=3").status == 0
    refused = run("tell m 1 failure")
    assert (refused.status, refused.out) == (2, "")
    assert "told as 'success'" in refused.err
    run("ask m")
    run("tell m 2 aborted")
    assert run("refund m 2 --by ada --format json").data["left"] == 3
    assert run("ask m --asker other --format json").data["id"] == 3
    assert run("ask m --asker another --format json").data["id"] == 4
    assert run("ask m --asker third --takeover --format json").data["id"] == 3
    evaluation = run("ask m --asker judge --evaluate OpenMicrowave --format json").data
    assert (evaluation["mode"], evaluation["counted"]) == ("deploy", False)
    shown = run("show m --format json").data
    assert shown["robot"] is shown["reward_after"] is None
    assert [trial["outcome"] for trial in shown["trials"]] == ["success", "aborted"] + 3 * [None]
    assert shown["trials"][0]["measurements"] == {"force": 3.0}
    assert shown["trials"][1]["refunded"]


def test_proposed_commands_can_be_pasted(run: Run, tmp_path: Path) -> None:
    def proposed(text: str, before: str) -> list[str]:
        (line,) = [line for line in text.splitlines() if before in line]
        program, *words = shlex.split(line.partition(before)[2])
        assert program == "deliberate"
        return ["1" if word == "UNITS" else word.partition("|")[0] for word in words]

    where = ["--name", "my night; x", "--db", "my x.db"]
    started = run("start", "breakfast", "--budget", "4", "--approach", "free", *where)
    asked = run(*proposed(started.out, "next    "))
    assert asked.status == 0, asked.err
    assert run(*proposed(asked.out, "then    ")).status == 0
    for words, before in [
        (["run", "breakfast", "--resume", *where], "go on with: "),
        (["run", "breakfast", "--resume", "--name", "no", "--db", "my x.db"], "See all sessions: "),
        (["export", *where[1:], "--format", "json"], "see: "),
    ]:
        refused = run(*words)
        assert refused.status == 2
        assert run(*proposed(refused.err, before)).status == 0
    simulated = ["run", "breakfast", "--name", "a b", "--db", "my x.db"]
    done = run(*simulated, "--budget", "3", "--strategy", "random")
    assert run(*proposed(done.out, "journal ")).status == 0
    refused = run(*simulated, "--resume", "--budget", "9")
    assert run(*proposed(refused.err, "More budget: ")).status == 0

    with closing(sqlite3.connect(tmp_path / "my x.db", isolation_level=None)) as raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute("DELETE FROM sessions WHERE id = 1")
    lost = run("sessions", "--db", "my x.db")
    assert run(*proposed(lost.err, "Write out the events of this one: ")).status == 0
    with closing(sqlite3.connect(tmp_path / "my x.db", isolation_level=None)) as raw:
        raw.execute("DROP TABLE holders")
    damaged = run("sessions", "--db", "my x.db")
    words = proposed(damaged.err, "all that is sound: ")
    assert run(*("a b" if word == "NAME" else word for word in words)).status == 0


def test_nothing_more_to_do_is_said(run: Run) -> None:
    run("start breakfast --budget 1 --name m")
    run("ask m --asker a")
    nothing = run("ask m --asker b --format json")
    answer = json.loads(nothing.out)
    assert (nothing.status, answer["id"], answer["state"]) == (75, None, "wait")
    assert "waits for open trials of other askers: 1" in answer["reason"]
    assert "--takeover" in run("ask m --asker b").out
    run("pause m --why lunch")
    paused = run("ask m --asker b --wait 0.1 --format json")
    assert (paused.status, json.loads(paused.out)["state"]) == (75, "paused")
    assert run("ask m").out == "paused: the session is paused (lunch)\n"
    run("resume m")
    run("tell m 1 failure")
    done = run("ask m --format json")
    assert (done.status, json.loads(done.out)["state"]) == (3, "done")
    assert json.loads(done.out)["reason"] == "the budget is spent"
    assert run("ask m").out == "nothing to do: the budget is spent\n"


def test_a_trial_says_all_that_a_robot_needs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "door.toml").write_text(
        """
name = "door"
[variables]
door = ["shut", "open"]
hand = ["empty", "cup"]
[[goals]]
name = "served"
reward = 1.0
when = { door = "open", hand = "cup" }
[[skills]]
name = "Open"
precondition = { door = "shut", hand = "empty" }
effect = { door = "open" }
competence = 0.9
termination = { seconds = 4, force = 40 }
[[skills]]
name = "Take"
precondition = { door = ["open"], hand = "empty" }
effect = { hand = "cup" }
competence = 0.2
curve = { kind = "linear", rate = 0.05 }
parameters = [{ name = "height", mean = 0.1, sd = 0.05, low = 0.0, high = 0.3 }]
"""
    )
    run("start door.toml --budget 3 --name paid")
    trial = run("ask paid --format json").data
    opened = {"skill": "Open", "parameters": {}, "practised": 0, "on_failure": "end"}
    assert trial["approach"] == {"route": [opened], "rule": [], "limit": 1}
    assert trial["practised"] == 0
    assert trial["termination"] == {"Open": {"seconds": 4, "force": 40}}
    assert trial["precondition"] == {"door": ["open"], "hand": ["empty"]}
    told = run("ask paid").out
    assert "first   Open" in told
    assert "until   Open: seconds 4, force 40 at most" in told
    assert "tell paid 1 success" in told
    assert "or failure, refused, aborted, assisted, unreached --at SKILL" in told
    refused = run("tell paid 1 unreached")
    assert refused.status == 2
    assert "at which skill of the approach it failed, with at (--at): Open." in refused.err
    run("start door.toml --budget 3 --name free --approach free --db free.db")
    told = run("ask free --db free.db").out
    assert "where   door = open, hand = empty" in told
    assert "tell free 1 success --db free.db" in told
    assert "unreached" not in told
    shown = run("show free --db free.db --format json").data
    assert shown["deployed"] == {"Take": {"height": 0.1}}
    assert "with    Take: height = 0.1" in run("show free --db free.db").out


def test_lists_tables_pictures_and_csv(run: Run, tmp_path: Path) -> None:
    run("run cleanup --budget 30 --name a --strategy random")
    run("start breakfast --budget 5 --name b")
    (first, second) = run("sessions --format json").data["sessions"]
    assert (first["name"], first["spent"], second["name"]) == ("a", 30, "b")
    for line in ("sessions", "show a", "show b", "show a --times --all", "ask b"):
        result = run(line)
        assert result.status == 0
        assert max(map(len, result.out.splitlines())) <= 80
    assert run("show a --plot curves.png").status == 0
    assert (tmp_path / "curves.png").stat().st_size > 5000
    rows = list(csv.DictReader(io.StringIO(run("export a").out)))
    assert len(rows) == 30
    assert {row["outcome"] for row in rows} <= {"success", "failure", "unreached"}
    assert run("export a --out a.csv").out == ""
    assert (tmp_path / "a.csv").read_text() == run("export a").out


def test_journals_may_be_elsewhere(run: Run, tmp_path: Path) -> None:
    run("run breakfast --budget 3 --strategy random --name a --db lab.db")
    assert (tmp_path / "lab.db").exists()
    assert not (tmp_path / "deliberate.db").exists()
    assert run("show a --db lab.db").status == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ask nobody", "no such journal"),
        ("sessions", "no such journal"),
        ("show nobody --db task.toml", "not a journal"),
        ("start breakfast --budget 5", "Missing option '--name'"),
        ("start breakfast --name a", "give --budget N"),
        ("start breakfast --name a --budget 5 --strategy clever", "'clever' is not one of"),
        ("start breakfast --name a --budget 5 --belief blind", "'blind' is not one of"),
        ("start breakfast --name a --budget 5 --seed -1", "seed: -1"),
        ("start breakfast --name lab/a --budget 5", "name: 'lab/a' contains '/'"),
        ("start breakfast --name lab/a --budget 5", "write e.g. 'lab-a'"),
        ("start breakfast --name a --budget 5 --db nowhere/x.db", "folder exists"),
        ("run breakfast --budget 5 --robot real", "'real' is not one of: curves, regions, mujoco"),
        (
            "run counterexample --budget 5 --robot mujoco",
            "task 'counterexample' has no simulated scene; take --robot curves",
        ),
        ("run breakfast --budget 5 --db .", "is a folder"),
        ("tell a one success", "'one' is not a valid integer"),
        ("tell a 1 success --measure force", "not NAME=NUMBER"),
        ("tell a 1 success --measure =3", "not NAME=NUMBER"),
    ],
)
def test_bad_arguments_get_one_clear_message(
    run: Run, tmp_path: Path, line: str, message: str
) -> None:
    (tmp_path / "task.toml").write_text("not a database " * 100)
    result = run(line)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert "Traceback" not in result.err
    assert not (tmp_path / "deliberate.db").exists()


def test_faults_within_a_session_get_one_clear_message(run: Run) -> None:
    run("start breakfast --budget 5 --name monday")
    run("ask monday")
    for line, message in [
        ("ask mondy", "Did you mean 'monday'"),
        ("tell monday 1 sucess", "Did you mean 'success'"),
        ("tell monday 9 success", "9 is not a trial"),
        ("refund monday 1", "'open'"),
        ("extend monday --budget 0", "--budget: 0"),
        ("ask monday --asker x --evaluate Fly", "'Fly' is not one of"),
        ("show monday --plot x.doc", "use one of: .png"),
        ("start breakfast --budget 5 --name monday", "already a session"),
        ("run breakfast --name monday --resume", "go on with: deliberate ask monday"),
    ]:
        result = run(line)
        assert (result.status, result.out) == (2, "")
        assert message in result.err


@pytest.mark.parametrize(
    "command",
    ["run", "start", "ask", "tell", "refund", "extend", "show", "film", "sessions", "export"],
)
def test_help_has_examples(run: Run, command: str) -> None:
    result = run(f"{command} --help")
    assert result.status == 0
    assert f"deliberate {command}" in result.out.split("Options:")[0].split("\n", 1)[1]


def test_interrupting_keeps_everything_and_says_how_to_go_on(tmp_path: Path) -> None:
    line = f"run cleanup --budget 3000 --strategy random --name a --db {tmp_path / 'j.db'}"
    process = subprocess.Popen(
        [COMMAND, *line.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Jobs in the background of a shell ignore the signal, and would pass that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not (tmp_path / "j.db-wal").exists() or (tmp_path / "j.db-wal").stat().st_size < 60_000:
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert f"deliberate run cleanup --name a --resume --db {tmp_path / 'j.db'}" in err
    assert "Traceback" not in err


def test_shells_are_askers_of_their_own(run: Run, tmp_path: Path) -> None:
    run("start breakfast --budget 20 --name m --strategy random")
    script = (
        f"{COMMAND} ask m --format json; {COMMAND} ask m --format json; echo; read -r line; exit"
    )
    shells = [
        subprocess.Popen(
            ["sh", "-c", script],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        for _ in range(2)
    ]
    got = []
    for shell in shells:
        assert shell.stdout is not None
        first, again = (json.loads(shell.stdout.readline())["id"] for _ in range(2))
        assert first == again
        got.append(first)
    for shell in shells:
        shell.communicate("done\n")
    assert sorted(got) == [1, 2]
    assert run("ask m --format json").data["id"] == 1  # both shells are gone
