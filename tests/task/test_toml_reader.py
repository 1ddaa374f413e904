from __future__ import annotations

from pathlib import Path

import pytest

from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.task.curves import Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Start
from deliberate_practice.task.skill import Parameter, PossibleEffect
from deliberate_practice.task.toml_reader import parse_task, read_task

BREAKFAST = """
name = "breakfast"
discount = 0.9

[variables]
bread   = ["counter", "gripper", "toaster"]
toaster = ["off", "on"]

[[starts]]
probability = 0.75
state = { bread = "counter" }
[[starts]]
probability = 0.25
state = { bread = "gripper" }

[[goals]]
name = "toast"
reward = 1
when = { toaster = "on" }

[[skills]]
name = "Pick"
precondition = { bread = ["counter", "toaster"] }
effect = { bread = "gripper" }
competence = 1

[[skills]]
name = "Place"
precondition = { bread = "gripper" }
effect = [
  { probability = 0.5, effect = { bread = "toaster" } },
  { probability = 0.5, effect = "stay" },
]
failure = { bread = "counter" }
competence = 0.5
curve = { kind = "table", values = [0.5, 0.5, 1] }
cost = 2
step_reward = -0.25

[[skills]]
name = "Start"
policy = "Push"
precondition = { bread = "toaster", toaster = "off" }
effect = { toaster = "on" }
failure = "stay"
competence = 0.1
curve = { kind = "linear", rate = 0.03 }
truth = { kind = "exponential", competence = 0.15, rate = 0.05, ceiling = 0.97 }
termination = { seconds = 4, force = 40.5 }

[[skills.parameters]]
name = "depth"
unit = "m"
mean = 0.04
sd = 0.03
low = 0
high = 0.12
"""


def test_every_documented_key_is_read() -> None:
    task = parse_task(BREAKFAST)
    assert (task.name, task.discount) == ("breakfast", 0.9)
    assert task.variables == {"bread": ["counter", "gripper", "toaster"], "toaster": ["off", "on"]}
    assert task.starts == (Start(0.75, {"bread": "counter"}), Start(0.25, {"bread": "gripper"}))
    assert [(goal.name, goal.reward) for goal in task.goals] == [("toast", 1.0)]
    pick, place, start = task.skills
    assert pick.precondition == {"bread": ["counter", "toaster"]}
    assert (pick.competence, pick.failure, pick.policy) == (1.0, "end", "Pick")
    assert place.success_effects == (
        PossibleEffect(0.5, {"bread": "toaster"}),
        PossibleEffect(0.5, "stay"),
    )
    assert place.failure == {"bread": "counter"}
    assert (place.cost, place.step_reward) == (2, -0.25)
    assert place.curve == Table((0.5, 0.5, 1.0))
    assert start.failure == "stay"
    assert start.curve == PiecewiseLinear(rate=0.03)
    assert start.truth == Exponential(rate=0.05, ceiling=0.97, competence=0.15)
    assert start.termination == {"seconds": 4, "force": 40.5}
    assert start.parameters == (Parameter("depth", 0.04, 0.03, 0, 0.12, "m"),)
    assert list(task.policies) == ["Pick", "Place", "Push"]


def test_what_is_left_out_has_its_default() -> None:
    task = parse_task(
        """
        name = "small"
        variables = { light = ["off", "on"] }
        goals = [{ name = "lit", reward = 2, when = { light = "on" } }]
        [[skills]]
        name = "Switch"
        precondition = {}
        effect = { light = "on" }
        competence = 0.5
        """
    )
    policy = task.policies["Switch"]
    assert (task.discount, policy.cost, policy.practisable) == (0.99, 1, False)
    assert task.start_states == (Start(1.0, {"light": "off"}),)


MISTAKES = [
    # what to replace, by what, and what the message must contain: place, value, fix
    ('name = "breakfast"\n', "", ["the key 'name' is missing", "required: name, variables"]),
    ("discount", "discout", ["unknown key 'discout'", "Did you mean 'discount'?"]),
    ("= 0.9", "= 1.5", ["discount", "1.5", "(0, 1]"]),
    ("= 0.9", '= 0.9\npriors = "good"', ["priors", "'good'", "accurate"]),
    ("= 0.9", '= "high"', ["discount", "'high'", "write e.g. 0.5"]),
    ("= 0.9", "= 9" + 400 * "0", ["discount", "a number of about 401 digits", "(0, 1]"]),
    ('["off", "on"]', '"off"', ["variables.toaster", "'off' is not a list", 'write e.g. ["a"']),
    ('["off", "on"]', '["off", "off"]', ["variables.toaster", "'off' occurs twice"]),
    ('["off", "on"]', "[0, 1]", ["variables.toaster", "0 is not a name", "in quotes"]),
    ('name = "toast"', 'nam = "toast"', ["goal 1", "unknown key 'nam'", "Did you mean 'name'?"]),
    ("reward = 1", "reward = -1", ["goal 'toast': reward", "-1", "[0, 1e+100]"]),
    ("reward = 1", "prize = 1", ["goal 'toast' (number 1)", "'reward' is missing"]),
    ('when = { toaster = "on" }', 'when = "on"', ["goal 'toast': when", "'on'", "table"]),
    ('when = { toaster = "on" }', 'when = { toster = "on" }', ["'toster'", "mean 'toaster'?"]),
    (
        'when = { toaster = "on" }',
        'when = { toaster = "in" }',
        ["when.toaster", "'in'", "one of: off, on"],
    ),
    ("probability = 0.75", "probability = 0.5", ["starts", "[0.5, 0.25] sum to 0.75", "sum to 1"]),
    (
        'state = { bread = "gripper" }',
        'state = "gripper"',
        ["start 2: state", "'gripper'", "table"],
    ),
    ('state = { bread = "gripper" }', "", ["start 2", "'state' is missing", "required: prob"]),
    ('name = "Pick"', "name = 3", ["name of a skill", "3 is not a name", "in quotes"]),
    ('name = "Pick"', 'name = "Start"', ["skills", "'Start' occurs twice", "own name"]),
    ('name = "Pick"', 'label = "Pick"', ["skill 1", "'name' is missing", "required: name, prec"]),
    ('["counter", "toaster"]', '["counter", "oven"]', ["'Pick': precondition.bread", "'oven'"]),
    ('["counter", "toaster"]', "[]", ["skill 'Pick': precondition.bread", "empty"]),
    (
        'effect = { bread = "gripper" }',
        "effect = 3",
        ["skill 'Pick' (number 1): effect", "3", '"end"'],
    ),
    (
        'effect = { bread = "gripper" }',
        'effect = "ent"',
        ["skill 'Pick': effect", "'ent'", "'end'?"],
    ),
    ("competence = 1\n", "competence = 1.1\n", ["skill 'Pick': competence", "1.1", "[0, 1]"]),
    ("competence = 1\n", "", ["skill 'Pick'", "'competence' is missing", "e.g. 0.1"]),
    (
        'effect = "stay" }',
        "efect = 1 }",
        ["'Place' (number 2): effect: effect 2", "unknown key 'efect'"],
    ),
    (
        "0.5, effect = {",
        "0.4, effect = {",
        ["skill 'Place': effect", "[0.4, 0.5]", "must sum to 1"],
    ),
    ("[0.5, 0.5, 1]", "[0.5, 0.4]", ["skill 'Place' (number 2): curve: values[1]", "0.4", "Sort"]),
    ("[0.5, 0.5, 1]", "[0.4, 0.5]", ["skill 'Place': competence", "0.5", "leave it out"]),
    ("cost = 2", "cost = 1.5", ["skill 'Place': cost", "1.5", "give a whole number of at least 1"]),
    ("step_reward", "stepreward", ["(number 2)", "'stepreward'", "Did you mean 'step_reward'?"]),
    ("step_reward = -0.25", "step_reward = nan", ["skill 'Place': step_reward", "nan", "range"]),
    ('failure = "stay"', 'failure = "retry"', ["skill 'Start': failure", "'retry'", "end, stay"]),
    (
        ", rate = 0.03 }",
        "}",
        ["skill 'Start' (number 3): curve", "'rate' is missing", "required: rate"],
    ),
    ("rate = 0.03", 'rate = "x"', ["skill 'Start' (number 3): curve: rate", "'x'", "write e.g."]),
    ('"linear"', '"cubic"', ["(number 3): curve: kind", "'cubic'", "exponential, table"]),
    ("rate = 0.03", "rate = 0.03, competence = 0.1", ["curve: competence", "0.1", "move it out"]),
    ("rate = 0.03", "rate = 0.03, top = 1", ["(number 3): curve", "'top'", "ceiling"]),
    ("ceiling = 0.97", "ceiling = 0.1", ["skill 'Start': truth.ceiling", "0.1", "0.15"]),
    (
        'curve = { kind = "linear", rate = 0.03 }',
        "curve = 0.03",
        ["(number 3): curve", "0.03", "{ kind = "],
    ),
    ('policy = "Push"', "policy = false", ["(number 3): policy", "False", "in quotes"]),
    ("force = 40.5", "torque = 2", ["skill 'Start': termination", "'torque'", "seconds, force"]),
    ("seconds = 4", "seconds = 0", ["skill 'Start': termination.seconds", "0", "(0, inf)"]),
    (
        "sd = 0.03",
        "sd = 0",
        ["(number 3): parameter 'depth' (number 1): sd", "0 is outside", "(0,"],
    ),
    ("sd = 0.03", "", ["parameter 'depth' (number 1)", "'sd' is missing", "required: name"]),
    ("mean = 0.04", "mean = 0.2", ["parameter 'depth' (number 1): mean", "0.2", "[0, 0.12]"]),
    ('unit = "m"', "unit = 3", ["parameter 'depth' (number 1): unit", "3", '"m"']),
    ("[[skills.parameters]]", "[skills.parameters]", ["skill 'Start'", "[[skills.parameters]]"]),
    ("[[goals]]", "[goals]", ["goals", "'toast'", "[[goals]] above each"]),
]


@pytest.mark.parametrize(("old", "new", "parts"), MISTAKES)
def test_a_mistake_is_named_with_file_place_value_and_fix(
    old: str, new: str, parts: list[str]
) -> None:
    assert BREAKFAST.count(old) >= 1
    with pytest.raises(TaskError) as caught:
        parse_task(BREAKFAST.replace(old, new, 1), file="breakfast.toml")
    for part in ["breakfast.toml: ", *parts]:
        assert part in str(caught.value)


def test_skills_that_share_a_policy_must_agree() -> None:
    text = BREAKFAST.replace('policy = "Push"', 'policy = "Place"')
    with pytest.raises(TaskError, match=r"policy 'Place': curve: skill 'Place' says .* must agree"):
        parse_task(text)


def test_broken_toml_names_line_and_column() -> None:
    with pytest.raises(TaskError, match=r"^f\.toml: this is not valid TOML: .*line 2, column 12"):
        parse_task('name = "a"\ndiscount = \n', file="f.toml")
    with pytest.raises(TaskError, match="not valid TOML"):
        parse_task("x = " + "[" * 100_000)
    with pytest.raises(TaskError, match="not valid TOML"):
        parse_task("x = " + "1" * 5_000)


def test_a_task_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "task.toml"
    path.write_bytes(b"\xef\xbb\xbf" + BREAKFAST.replace("\n", "\r\n").encode())
    assert read_task(path) == parse_task(BREAKFAST) == read_task(str(path))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"nowhere\.toml: there is no such file .* check the path"):
        read_task(tmp_path / "nowhere.toml")
    with pytest.raises(TaskError, match="this is a folder; name a file in it"):
        read_task(tmp_path)
    with pytest.raises(TaskError, match="cannot be read"):
        read_task("a\0b")
    path = tmp_path / "latin.toml"
    path.write_bytes(b'name = "a"\nx = "\xe9"\n')
    with pytest.raises(TaskError, match=r"latin\.toml: line 2: byte 0xe9 is not UTF-8; save"):
        read_task(path)
