"""``deliberate learn-priors``, and the commands that take what it learned."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Run

import deliberate_practice as dp


@pytest.fixture
def lab(run: Run, tmp_path: Path) -> Path:
    """A file of experience from two sessions."""
    for seed in range(2):
        done = dp.run(
            "cleanup", "curves", 30, approach="free", seed=seed, journal=tmp_path / "a.db"
        )
        assert done.spent == 30
    learned = run("learn-priors", str(tmp_path / "a.db"), "--out", str(tmp_path / "lab.toml"))
    assert learned.status == 0, learned.err
    assert "learned from 2 sessions" in learned.out
    assert "any other" in learned.out
    return tmp_path / "lab.toml"


def test_plans_and_sessions_with_experience(run: Run, lab: Path) -> None:
    for words in ("allocate cleanup --budget 60", "frontier cleanup --max-budget 60"):
        plain = run(f"{words} --format json")
        learned = run(*words.split(), "--format", "json", "--experience", str(lab))
        assert plain.status == learned.status == 0, learned.err
        assert plain.out != learned.out
    db = lab.with_name("next.db")
    more = ["--budget", "9", "--experience", str(lab), "--db", str(db)]
    for name, verb in (("a", "start"), ("b", "run")):
        done = run(verb, "cleanup", "--name", name, *more)
        assert done.status == 0, done.err
        with dp.open_session(db, name) as session:
            assert session.task.experience == dp.load_experience(lab)


def test_a_missing_file_is_told(run: Run, tmp_path: Path) -> None:
    missing = str(tmp_path / "none.toml")
    done = run("allocate", "cleanup", "--budget", "9", "--experience", missing)
    assert done.status == 2
    assert "there is no such file" in done.err


def test_a_task_is_no_experience(run: Run, tmp_path: Path) -> None:
    task = tmp_path / "beans.toml"
    task.write_text('name = "beans"\n')
    done = run("allocate", "cleanup", "--budget", "9", "--experience", str(task))
    assert (done.status, done.out) == (2, "")
    assert "beans.toml: it holds no experience; make a file that does with" in done.err
    assert "'deliberate learn-priors JOURNAL --out experience.toml'" in done.err
