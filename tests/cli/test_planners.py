"""``deliberate check`` on planners' files: it explains itself, or refuses with one message."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Run
from gripper_variants import VARIANTS, Variant

import deliberate_practice as dp


def _write(variant: Variant) -> None:
    Path("domain.pddl").write_text(variant.domain, encoding="utf-8")
    Path("problem.pddl").write_text(variant.problem, encoding="utf-8")


def _words(text: str) -> str:
    """The words of a table, without its line ends."""
    return " ".join(text.split())


CHECK = "check domain.pddl problem.pddl"

EXPLAINED = {
    "typing": [
        "domain gripper: 3 action schemas, 4 predicates; problem two-balls: 6 objects, 5 facts",
        ":strips :typing :equality; stated but not needed: :negative-preconditions",
        "competences are 1",
        "the goal earns 1, until [[goals]]",
        "write the file: deliberate new --from-pddl",
        "28 reachable",
        "18, 18 policies, 0 practised",
    ],
    "adl that nothing needs": [":strips :typing :equality "],
    "disjunction": [":disjunctive-preconditions"],
    "conditional effect": ["tip: 2 ground actions became 32 skills", "50, 20 policies"],
    "disjunctive goal": ["goal#1, goal#2 are the alternatives of a condition"],
    "constant costs": ["action costs are negative step rewards (by default, because the metric"],
    "two outcomes": ["pick: effects by chance became lists of possible effects"],
    "rewards": ["the goal of the problem earns 2", "rewards in effects count as step rewards"],
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_check_explains_planners_files(run: Run, name: str) -> None:
    _write(VARIANTS[name])
    printed = run(CHECK)
    assert (printed.status, printed.err) == (0, "")
    for part in EXPLAINED[name]:
        assert part in _words(printed.out)
    assert "can never be started" not in _words(printed.out)
    explained = run(f"{CHECK} --format json").data["pddl"]
    reading = dp.read_pddl("domain.pddl", "problem.pddl")
    assert explained["read"] == dp.explain_pddl(reading).read
    assert set(VARIANTS[name].used) <= set(explained["used"])
    assert sum(schema["skills"] for schema in explained["schemas"]) == len(reading.task.skills)


def test_the_meaning_of_costs_is_chosen_in_the_toml(run: Run) -> None:
    variant = VARIANTS["constant costs"]
    _write(variant)
    toml = """name = "gripper"
        skills = [{ schema = "*", competence = 1.0 }]
        [pddl]
        domain = "domain.pddl"
        problem = "problem.pddl"
        """
    Path("t.toml").write_text(toml)
    stepped = dp.load_task("t.toml")
    assert stepped.skill("move(rooma,roomb)").step_reward == -0.1
    assert stepped.policies["move(rooma,roomb)"].cost == 1
    Path("t.toml").write_text(toml + 'action_costs = "ignore"')
    assert {skill.step_reward for skill in dp.load_task("t.toml").skills} == {0.0}
    assert 'ignored (action_costs = "ignore" in the TOML)' in _words(run("check t.toml").out)
    dear = variant.domain.replace("(total-cost) 0.01", "(total-cost) 2").replace("0.1)", "5)")
    Path("domain.pddl").write_text(dear)
    Path("t.toml").write_text(toml + 'action_costs = "budget"')
    charged = dp.load_task("t.toml")
    assert {skill.step_reward for skill in charged.skills} == {0.0}
    costs = {name: policy.cost for name, policy in charged.policies.items()}
    assert costs["move(rooma,roomb)"] == 5
    assert costs["pick(b1,rooma,left)"] == 2
    assert costs["drop(b1,rooma,left)"] == 1
    assert "budget units for each practice episode" in _words(run("check t.toml").out)
    Path("t.toml").write_text(toml)
    assert "no plan pays, even if every skill succeeds" in _words(run("check t.toml").out)


def test_without_a_metric_costs_are_ignored_and_check_says_so(run: Run) -> None:
    variant = VARIANTS["constant costs"]
    _write(variant)
    Path("problem.pddl").write_text(variant.problem.replace(variant.rest, ""))
    assert "ignored (by default, because no metric minimizes total-cost)" in _words(run(CHECK).out)


def test_defaults_of_all_actions_are_replaced_key_by_key(run: Run) -> None:
    _write(VARIANTS["typing"])
    Path("t.toml").write_text("""name = "gripper"
        pddl = { domain = "domain.pddl", problem = "problem.pddl" }
        [[skills]]
        schema = "pick"
        competence = 0.4
        [[skills]]
        schema = "*"
        competence = 0.8
        failure = "stay"
        curve = { kind = "piecewise-linear", rate = 0.01 }
        """)
    task = dp.load_task("t.toml")
    competences = {name.partition("(")[0]: p.competence for name, p in task.policies.items()}
    assert competences == {"move": 0.8, "pick": 0.4, "drop": 0.8}
    assert {skill.failure for skill in task.skills} == {"stay"}
    assert all(policy.practisable for policy in task.policies.values())


def test_cases_of_an_action_are_practised_as_one(run: Run) -> None:
    _write(VARIANTS["conditional effect"])
    Path("t.toml").write_text("""name = "gripper"
        pddl = { domain = "domain.pddl", problem = "problem.pddl" }
        [[skills]]
        schema = "*"
        competence = 1.0
        [[skills]]
        schema = "tip"
        competence = 0.1
        curve = { kind = "piecewise-linear", rate = 0.1 }
        [[skills]]
        schema = "drop"
        competence = 0.01
        """)
    best = dp.allocate(dp.load_task("t.toml"), budget=9)
    assert best.allocation == {"tip(roomb)": 9}
    assert best.value == pytest.approx(0.99**4)
    done = run("run t.toml --budget 9 --approach free --format json").data
    assert done["allocation"] == {"tip(roomb)": 9}


REFUSED = [
    ("(:action move", "(:durative-action move", "domain.pddl:4:", "a durative action"),
    ("(at-robby ?to)", "(oneof (at-robby ?to))", "domain.pddl:6:", "'oneof'"),
    ("(at-robby ?to)", "(decrease (fuel) 1)", "domain.pddl:6:", "a numeric fluent"),
    ("(:action move", "(:derived (free ?g) (free ?g)) (:action move", ".pddl:4:", "derived"),
]


@pytest.mark.parametrize(("old", "new", "place", "reason"), REFUSED)
def test_a_refusal_is_one_message(run: Run, old: str, new: str, place: str, reason: str) -> None:
    _write(VARIANTS["typing"])
    text = Path("domain.pddl").read_text()
    assert old in text
    Path("domain.pddl").write_text(text.replace(old, new, 1))
    for command in (CHECK, "new --from-pddl domain.pddl problem.pddl"):
        printed = run(command)
        assert (printed.status, printed.out) == (2, "")
        assert printed.err.count("\n") == 1
        assert place in printed.err
        assert reason in printed.err
    assert not Path("problem.toml").exists()


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("check domain.pddl", "name domain and problem"),
        ("check domain.pddl problem.pddl --robot curves", "need a task file"),
        ("check problem.pddl domain.pddl", "this is not a PDDL domain"),
        ("allocate domain.pddl --budget 9", "deliberate new --from-pddl DOMAIN PROBLEM"),
        ("check domain.pddl missing.pddl", "missing.pddl: there is no such file"),
    ],
)
def test_a_command_that_cannot_use_the_files_says_what_can(
    run: Run, command: str, part: str
) -> None:
    _write(VARIANTS["typing"])
    printed = run(command)
    assert (printed.status, printed.out) == (2, "")
    assert part in printed.err
