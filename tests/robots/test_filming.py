"""Films of sessions: an untrained attempt that fails, then the plan; and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from graphics import needs_gl

import deliberate_practice as dp
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.robots import filming
from deliberate_practice.robots.mujoco.film import Film


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("films") / "journal.db"
    for name, budget in (("short", 13), ("long", 25)):
        dp.run("cleanup", "mujoco", budget, approach="free", journal=file, name=name, executions=2)
    return file


@pytest.mark.slow
@needs_gl
def test_one_session_is_filmed_from_an_untrained_attempt_to_its_plan(
    journal: Path, tmp_path: Path
) -> None:
    counts: list[tuple[int, int]] = []
    done = dp.film(
        "long",
        tmp_path / "long.mp4",
        picture=tmp_path / "long.png",
        journal=journal,
        quality="fast",
        progress=lambda number, count: counts.append((number, count)),
    )
    assert 0 < done.frames <= 300
    assert counts == [(number, done.frames) for number in range(1, done.frames + 1)]
    assert done.seconds == pytest.approx(done.frames / 15)
    first, second = done.shows
    assert first.endswith("untrained (failure)")
    assert second.startswith("the plan ")
    assert (tmp_path / "long.mp4").stat().st_size > 10_000
    assert (tmp_path / "long.png").stat().st_size > 10_000


@pytest.mark.slow
@needs_gl
def test_sessions_of_several_budgets_are_filmed_side_by_side(journal: Path, tmp_path: Path) -> None:
    done = dp.film(["short", "long"], picture=tmp_path / "both.png", journal=journal)
    assert [text.partition(" after ")[2][:14] for text in done.shows] == [
        "a budget of 13",
        "a budget of 25",
    ]
    assert done.frames == 0


@pytest.mark.slow
def test_the_untrained_attempt_fails_before_practice(journal: Path) -> None:
    record = filming._record(journal, "long", untrained=True)
    film = record.untrained
    assert film is not None
    (take,) = film.takes
    assert not take.success
    assert film.moves
    with open_session(journal, "long") as session:
        skill = session.task.skill(take.step.skill)
        most = max(session.state.attempts.values())
    assert take.step.parameters == {p.name: p.mean for p in skill.parameters}
    shots = record.shots()
    assert shots[0].details == [f"untrained: before the first of {most} attempts"]
    again = filming._record(journal, "long", untrained=True).untrained
    assert again is not None
    assert again.states.tobytes() == film.states.tobytes()


@pytest.mark.slow
def test_a_skill_that_works_untrained_is_said_to(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deliberate_practice.robots.mujoco.robot import MujocoRobot

    real, seeds = MujocoRobot.film, list[int]()

    def works(self: MujocoRobot, steps: Sequence[dp.Step], seed: int) -> Film:
        seeds.append(seed)
        film = real(self, steps, seed)
        for take in film.takes:
            object.__setattr__(take, "success", True)
        return film

    monkeypatch.setattr(MujocoRobot, "film", works)
    record = filming._record(journal, "long", untrained=True)
    assert len(set(seeds)) == filming.UNTRAINED_STARTS + 1
    assert record.shots()[0].details[0].startswith("untrained, and it works: before")


def test_what_cannot_be_filmed_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "j.db"
    dp.run("breakfast", "curves", 5, approach="free", journal=file, name="a")
    with dp.start_session(file, "own", dp.load_task("breakfast"), 5):
        pass
    video = tmp_path / "a.mp4"
    with pytest.raises(ArgumentError, match="robot 'curves' cannot be filmed; take --robot mujoco"):
        dp.film("a", video, journal=file)
    with pytest.raises(ArgumentError, match="'own' is for a robot of your own"):
        dp.film("own", video, journal=file)
    with pytest.raises(ArgumentError, match="name at least one file"):
        dp.film("a", journal=file)
    for names in ([], ["a"] * 5):
        with pytest.raises(ArgumentError, match="give 1 to 4"):
            dp.film(names, video, journal=file)
    assert not video.exists()
