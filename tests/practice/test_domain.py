"""Domains: tasks by name and by file, scenes by robot, and what is said where something lacks."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from deliberate_practice.foundation.errors import ArgumentError, PartFailed, TaskError
from deliberate_practice.learners.cma_es import CmaEs
from deliberate_practice.practice import domain
from deliberate_practice.practice.domain import (
    DOMAINS,
    Domain,
    Scene,
    in_scene,
    is_domain,
    load_task,
    make_robot,
    practised_task,
    register_domain,
    scene_of,
)
from deliberate_practice.practice.robot import ROBOTS, Result, Robot, Trial, register_robot
from deliberate_practice.practice.run import run
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.robots.regions import RegionRobot
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.loaded import load
from deliberate_practice.task.curves import Exponential
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Parameter
from deliberate_practice.task.toml_reader import parse_task, read_task
from deliberate_practice.task.toml_writer import task_to_toml, write_task

HEIGHT = Parameter("reach", mean=0.1, sd=0.05, low=0.0, high=0.3)
PRIORS = """
["cma-es"."Pick"]
competence = 0.25
rate = 0.1
ceiling = 0.9

["hill-climber"."Pick"]
competence = 0.125
rate = 0.05
ceiling = 0.7
"""


@pytest.fixture
def kiosk(shelf: Task, tmp_path: Path) -> Iterator[Domain]:
    """A domain of one's own, with a scene for a robot of one's own."""
    (tmp_path / "priors.toml").write_text(PRIORS)

    def make(*, competence: float = 0.5, rate: float = 0.02) -> Task:
        return shelf.with_priors(competence, rate)

    def robot(task: Task, seed: int, threads: int) -> Robot:
        return RegionRobot(task, seed, threads)

    def parameters(task: Task) -> dict[str, tuple[Parameter, ...]]:
        return {"Pick": (HEIGHT,)}

    def arm(task: Task, seed: int, threads: int, *, speed: float = 1.0) -> Robot:
        scene = scene_of(task, "arm")
        assert scene is not None
        return scene.robot(task, seed, threads)

    scenes = {"arm": Scene(robot, parameters, lambda: tmp_path / "priors.toml")}
    made = Domain("kiosk", make, scenes)
    register_domain("kiosk", made)
    register_robot("arm", arm)
    yield made
    DOMAINS.unregister("kiosk")
    ROBOTS.unregister("arm")


def test_by_name_and_with_parameters(kiosk: Domain) -> None:
    assert is_domain("kiosk")
    assert is_domain("kiosk:rate=0.1")
    assert not is_domain("kiosks")
    assert not is_domain(Path("kiosk"))
    task = load_task("kiosk")
    assert (task.name, task.domain) == ("shelf", "kiosk")
    assert kiosk.task() == task
    faster = load_task("kiosk:rate=0.1,competence=0.4")
    assert faster == load_task("kiosk", rate=0.1, competence=0.4) != task
    assert load_task("kiosk:rate=0.3", rate=0.1, competence=0.4) == faster  # what is given counts


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kiosc", "task: 'kiosc' is not one of: .*kiosk.* Did you mean 'kiosk'.* Or give the path"),
        ("kiosk:rte=1", "task 'kiosk': parameter 'rte' is not one of: competence, rate"),
        ("kiosk:rate", "'rate' is not an option; write kiosk:key=value"),
        ("kiosk:rate=fast", "'fast' is not a number"),
        ("kiosk:competence=7", "7 is outside the valid range"),
        ("", "task: '' is not one of"),
    ],
)
def test_what_is_not_there_is_said(kiosk: Domain, name: str, message: str) -> None:
    with pytest.raises((ArgumentError, TaskError), match=message):
        load_task(name)


def test_a_name_is_taken_once(kiosk: Domain) -> None:
    for name in ("kiosk", "cleanup"):
        with pytest.raises(ArgumentError, match=f"domain: '{name}' is taken"):
            register_domain(name, kiosk)


def test_scenes_by_robot(kiosk: Domain, shelf: Task) -> None:
    task = load_task("kiosk")
    assert scene_of(task, "arm") is kiosk.scenes["arm"]
    assert scene_of(task, "curves") is None
    assert in_scene(task, "curves") is task
    assert in_scene(task, RegionRobot(shelf)) is task  # a robot as an object has none
    practised = in_scene(task, "arm:speed=2")  # options do not matter
    assert practised.policies["Pick"].parameters == (HEIGHT,)
    assert practised.policies["Box"].parameters == shelf.policies["Box"].parameters
    assert isinstance(make_robot("arm:speed=2", practised, 0), RegionRobot)


@pytest.mark.parametrize("fault", [None, RuntimeError("it stalls")])
def test_a_robot_made_by_name_is_closed_in_the_end(
    fault: Exception | None, request: pytest.FixtureRequest
) -> None:
    happened: list[str] = []

    class Line(CurveRobot):
        """A robot that holds a connection."""

        def __init__(self, task: Task, seed: int, threads: int) -> None:
            super().__init__(task, seed)
            happened.append("opened")

        def run(self, trials: Sequence[Trial]) -> list[Result]:
            if fault:
                raise fault
            return super().run(trials)

        def close(self) -> None:
            happened.append("closed")

    register_robot("line", Line)
    request.addfinalizer(lambda: ROBOTS.unregister("line"))
    with nullcontext() if fault is None else pytest.raises(PartFailed, match="it stalls"):
        run("breakfast", "line", 3, journal=None)
    assert happened == ["opened", "closed"]
    mine = Line(load_task("breakfast"), 0, 1)
    with nullcontext() if fault is None else pytest.raises(PartFailed, match="it stalls"):
        run("breakfast", mine, 3, journal=None)
    assert happened == ["opened", "closed", "opened"]  # an object is its maker's to close


def test_measured_priors_are_used_or_not(kiosk: Domain) -> None:
    for way in ("kiosk", kiosk):
        measured = practised_task(way, "arm")
        pick = measured.policies["Pick"]
        assert (measured.priors, pick.competence) == ("accurate", 0.25)
        assert pick.curve == Exponential(0.1, 0.9)
        assert measured.policies["Box"].competence == 0.5  # nothing was measured of it
        given = practised_task(way, "arm", rate=0.1)
        assert (given.priors, given.policies["Pick"].competence) == ("unknown", 0.5)
        assert given.policies["Pick"].parameters == (HEIGHT,)
    assert practised_task("kiosk:rate=0.1", "arm") == given
    stated = practised_task("kiosk", "curves")
    assert (stated.priors, stated.policies["Pick"].competence) == ("unknown", 0.5)
    assert in_scene(load_task("kiosk"), "arm", priors=False).priors == "unknown"


@pytest.mark.parametrize(
    ("learner", "quality", "competence", "ceiling"),
    [
        ("cma-es", "accurate", 0.25, 0.9),
        ("cma-es:scores=false", "accurate", 0.25, 0.9),  # options do not matter
        ("hill-climber:step=0.8", "accurate", 0.125, 0.7),
        ("cma-es-paper", "unknown", 0.25, 0.9),  # nothing was measured with it
        (CmaEs, "unknown", 0.25, 0.9),
    ],
)
def test_each_learner_has_its_own_priors(
    kiosk: Domain, learner: object, quality: str, competence: float, ceiling: float
) -> None:
    for task in (
        practised_task("kiosk", "arm", learner=learner),
        in_scene(load_task("kiosk"), "arm", learner=learner),
    ):
        pick = task.policies["Pick"]
        assert (task.priors, pick.competence) == (quality, competence)
        assert isinstance(pick.curve, Exponential)
        assert pick.curve.ceiling == ceiling
    stated = practised_task("kiosk", "arm", learner=learner, rate=0.1)
    assert (stated.priors, stated.policies["Pick"].competence) == ("unknown", 0.5)


def test_a_file_without_the_usual_learner_states_nothing_for_others(
    kiosk: Domain, tmp_path: Path
) -> None:
    (tmp_path / "priors.toml").write_text(PRIORS.replace("cma-es", "grid"))
    task = practised_task("kiosk", "arm")
    assert (task.priors, task.policies["Pick"].competence) == ("unknown", 0.5)
    assert practised_task("kiosk", "arm", learner="grid").priors == "accurate"


def test_a_session_practises_with_the_priors_of_its_learner(kiosk: Domain, tmp_path: Path) -> None:
    journal = tmp_path / "sessions.db"
    for learner, quality in (("cma-es", "accurate"), ("cma-es-paper", "unknown")):
        run("kiosk", "arm", 3, learner=learner, journal=journal, name=learner)
        again = run("kiosk", "arm", journal=journal, name=learner, resume=True)
        assert (again.learner, again.spent) == (learner, 3)
        with open_session(journal, learner) as session:
            assert session.task.priors == quality
    with pytest.raises(ArgumentError, match="learner: 'cma-es' differs from 'cma-es-paper'"):
        run("kiosk", "arm", learner="cma-es", journal=journal, name="cma-es-paper", resume=True)


def test_every_learner_of_an_experiment_practises_with_its_own_priors(kiosk: Domain) -> None:
    both = load("s", Experiment("e", "kiosk", [3], "arm", learners=["cma-es", "cma-es-paper"]))
    assert both.task.priors == both.task_of("cma-es").priors == "accurate"
    assert both.task_of("cma-es-paper").priors == "unknown"
    alone = load("s", Experiment("e", "kiosk", [3], "arm", learners=["cma-es-paper"]))
    assert alone.task == both.task_of("cma-es-paper")
    assert alone.keys.items() <= both.keys.items()  # results are the same ones


def test_a_scene_may_add_nothing(shelf: Task) -> None:
    scene = Scene(lambda task, seed, threads: RegionRobot(task, seed, threads))
    assert scene.practised(shelf) == shelf


def test_a_task_file_that_names_the_domain_and_fits(kiosk: Domain, tmp_path: Path) -> None:
    own = replace(load_task("kiosk"), name="mine", goals=load_task("kiosk").goals[:1])
    path = tmp_path / "mine.toml"
    write_task(own, path)
    assert 'domain = "kiosk"' in path.read_text()
    assert read_task(path).domain == "kiosk"
    practised = practised_task(path, "arm")
    assert (practised.name, practised.priors) == ("mine", "accurate")
    assert practised.policies["Pick"].parameters == (HEIGHT,)
    done = run(path, "arm", 20, journal=None)
    assert (done.task, done.robot) == ("mine", "arm")
    assert set(done.deployed["Pick"]) == {"reach"}
    with pytest.raises(ArgumentError, match=r"mine.toml': parameter 'objects' is not one of: comp"):
        load_task(path, objects=3)
    assert load_task(path, competence=0.3).policies["Pick"].competence == 0.3


def test_a_task_file_that_names_the_domain_and_does_not_fit(
    kiosk: Domain, shelf: Task, tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(task_to_toml(replace(shelf, domain="kiosk")).replace("Shelve", "Put"))
    assert practised_task(path, "curves").domain == "kiosk"  # it needs no scene there
    for use in (lambda: practised_task(path, "arm"), lambda: run(path, "arm", 5, journal=None)):
        with pytest.raises(ArgumentError, match=r"but the robot has no skill 'Put'\. Mend it, or"):
            use()


def test_a_task_of_an_unknown_domain_is_refused_where_a_scene_is_needed(shelf: Task) -> None:
    stray = replace(shelf, domain="kitchn")
    with pytest.raises(ArgumentError, match="domain: 'kitchn' is not one of: counterexample"):
        scene_of(stray, "mujoco")


def test_a_domain_may_say_what_its_tasks_are_compared_with(shelf: Task) -> None:
    """One whose tasks come in several sizes; without it, they are compared with the usual one."""
    smaller = replace(shelf, skills=list(shelf.skills)[:-1])
    bigger = replace(shelf, domain="sizes")
    scene = Scene(lambda task, seed, threads: RegionRobot(task))
    for like, fits in ((None, False), (lambda task: shelf, True)):
        register_domain("sizes", Domain("sizes", lambda: smaller, {"arm": scene}, like))
        try:
            if fits:
                assert scene_of(bigger, "arm") is scene
            else:
                with pytest.raises(ArgumentError, match="the robot has no skill 'Box'"):
                    scene_of(bigger, "arm")
        finally:
            DOMAINS.unregister("sizes")


def test_a_task_remembers_its_domain(kiosk: Domain, tmp_path: Path) -> None:
    """Through the journal: a session that is resumed finds its scene again."""
    first = run("kiosk", "arm", 10, journal=tmp_path / "j.db", name="s")
    again = run("kiosk", None, journal=tmp_path / "j.db", name="s", resume=True)
    assert again.as_data() == first.as_data()
    assert parse_task(task_to_toml(kiosk.task())).domain == "kiosk"


@pytest.mark.parametrize("package", ["mujoco", "ompl", "cv2"])
def test_a_package_that_is_missing_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # importing it fails
    lacking = Domain("lacking", lambda: load_task("cleanup"), {"mujoco": f"needs_{package}:SCENE"})

    def missing(name: str) -> object:
        raise ModuleNotFoundError(f"No module named '{package}'", name=package)

    monkeypatch.setattr(domain, "import_module", missing)
    message = f"robot: mujoco needs the package {package}; take --robot curves, or run: .*sim"
    with pytest.raises(ArgumentError, match=message):
        lacking.scene("mujoco")
    assert lacking.scene("curves") is None


def test_a_fault_inside_a_scene_is_not_taken_for_a_missing_package() -> None:
    broken = Domain("broken", lambda: load_task("cleanup"), {"mujoco": "nowhere.to_be_found:SCENE"})
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        broken.scene("mujoco")
