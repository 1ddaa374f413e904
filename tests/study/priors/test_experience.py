"""From the journals of earlier sessions to priors for the next one."""

import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import deliberate_practice as dp
from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.experience.populations import LEARNED
from deliberate_practice.foundation.errors import ArgumentError, TaskError
from deliberate_practice.task.experience import ANY
from deliberate_practice.task.toml_writer import task_to_toml


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("lab") / "lab.db"
    for seed in range(3):
        dp.run("cleanup", "curves", 40, approach="free", seed=seed, journal=db, name=f"n{seed}")
    return db


@pytest.fixture(scope="module")
def experience(journal: Path) -> dp.Experience:
    return dp.learn_priors(journal)


def test_kinds_of_the_sessions(experience: dp.Experience) -> None:
    assert experience.sessions == 3
    for kinds in experience.models["curve"].kinds.values():
        assert {ANY, "Pick", "Place"} <= set(kinds)
        assert kinds["Pick"].skills == 3


def test_a_file_gives_the_same_again(experience: dp.Experience, tmp_path: Path) -> None:
    dp.write_experience(experience, tmp_path / "experience.toml")
    assert dp.load_experience(tmp_path / "experience.toml") == experience


def test_a_task_carries_its_experience(experience: dp.Experience) -> None:
    task = dp.load_task("cleanup").with_experience(experience)
    assert dp.parse_task(task_to_toml(task)) == task


def test_the_belief_begins_with_it_and_notices_another_robot(experience: dp.Experience) -> None:
    task = dp.load_task("cleanup").with_experience(experience)
    belief = BayesBelief.prior(task)
    assert sum(belief.quality.values()) == pytest.approx(1.0)
    begun = _learned_weight(belief)
    assert begun > 0.5  # what is stated agrees with it
    for policy in ("Pick(object)", "Place(object,top)"):
        for before in range(0, 60, 6):  # nothing ever succeeds here
            belief = belief.after(dp.Batch(policy, before, 6, 0))
    assert _learned_weight(belief) < begun - 0.2
    assert belief.competence("Pick(object)") < 0.05


def _learned_weight(belief: BayesBelief) -> float:
    """Probability that skills are as in earlier sessions."""
    return sum(p for name, p in belief.quality.items() if name.startswith(LEARNED))


def test_without_experience_nothing_changes(experience: dp.Experience) -> None:
    task = dp.load_task("cleanup")
    plain = BayesBelief.prior(task)
    again = BayesBelief.prior(task.with_experience(experience).with_experience(None))
    for policy in task.policies:
        assert np.array_equal(plain.curve(policy, 50), again.curve(policy, 50))


def test_a_session_keeps_it(experience: dp.Experience, tmp_path: Path) -> None:
    """Also when it is stopped and resumed without naming the file again."""
    begin = partial(dp.run, "cleanup", approach="free", name="next", seed=7)
    whole = begin("curves", 30, experience=experience, journal=tmp_path / "a.db")
    broken = tmp_path / "b.db"

    def stop(session: dp.Session, trial: dp.Trial, result: dp.Result) -> None:
        if trial.id == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begin("curves", 30, experience=experience, progress=stop, journal=broken)
    resumed = begin(None, resume=True, journal=broken)
    same = [
        {k: v for k, v in done.as_data().items() if k != "seconds"} for done in (resumed, whole)
    ]
    assert same[0] == same[1]
    with dp.open_session(broken, "next") as session:
        assert session.task.experience == experience


def test_unfinished_sessions_count(tmp_path: Path) -> None:
    db = tmp_path / "half.db"
    task = dp.load_task("breakfast")
    with dp.start_session(db, "half", task, 20, approach="free") as session:
        for _ in range(6):
            trial = session.ask()
            assert trial
            session.tell(trial.id, "success")
        session.ask()  # never told
    learned = dp.learn_priors([db])
    assert learned.sessions == 1
    kinds = learned.models["curve"].kinds["noisy"]
    assert sum(kind.skills for name, kind in kinds.items() if name != ANY) > 0


def test_a_session_counts_once(experience: dp.Experience, journal: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(journal, copy)
    assert dp.learn_priors([journal, journal]) == experience
    assert dp.learn_priors([copy, journal]) == experience


def test_of_an_older_copy_nothing_is_counted(tmp_path: Path) -> None:
    db, older = tmp_path / "lab.db", tmp_path / "older.db"
    dp.run("cleanup", "curves", 20, approach="free", journal=db, name="n")
    shutil.copy(db, older)
    with dp.open_session(db, "n") as session:
        session.extend(20)
    dp.run("cleanup", None, journal=db, name="n", resume=True)
    whole = dp.learn_priors(db)
    assert dp.learn_priors([db, older]) == dp.learn_priors([older, db]) == whole


def test_learning_from_learned_sessions_uses_their_attempts_alone(
    experience: dp.Experience, journal: Path, tmp_path: Path
) -> None:
    """A session's own experience is no evidence, so nothing is counted twice."""
    db = tmp_path / "next.db"
    dp.run("cleanup", "curves", 20, approach="free", journal=db, name="n", experience=experience)
    assert dp.learn_priors(db, ["n"]).sessions == 1


def test_an_allocation_with_experience(experience: dp.Experience) -> None:
    task = dp.load_task("cleanup").with_experience(experience)
    expected = dp.expected_task(task, 100)
    assert dp.expected_task(dp.load_task("cleanup"), 100) == dp.load_task("cleanup")
    belief = BayesBelief.prior(task)
    found = dp.allocate(expected, 100)
    assert found.value != pytest.approx(dp.allocate(dp.load_task("cleanup"), 100).value)
    curve = belief.curve("Pick(object)", 100)
    assert np.allclose(expected.policies["Pick(object)"].table(100), curve)


def test_sessions_that_tell_nothing_are_refused(journal: Path, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="there is no session 'monday'"):
        dp.learn_priors(journal, ["monday"])
    db = tmp_path / "new.db"
    with dp.start_session(db, "new", dp.load_task("breakfast"), 10):
        pass
    with pytest.raises(ArgumentError, match="none of them has practised"):
        dp.learn_priors(db)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("sessions = 3", "sessions = 0"), "experience: sessions: 0 is not valid"),
        (("shapes = ", "shape = "), "accurate.*: unknown key 'shape' is not one of"),
        (("experience.curve", "experience.curves"), "unknown key 'curves'"),
        (("curve.vague", "curve.vaguely"), "experience.curve: unknown key 'vaguely'"),
        (('.vague."*"]', ".vague.any]"), "experience.curve: vague: '*' is missing"),
        (("vague = ", "vague = -"), "experience: qualities: -"),
    ],
)
def test_a_bad_file(
    experience: dp.Experience, tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    path = tmp_path / "experience.toml"
    dp.write_experience(experience, path)
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(TaskError) as raised:
        dp.load_experience(path)
    assert message in str(raised.value)
    assert str(path) in str(raised.value)
