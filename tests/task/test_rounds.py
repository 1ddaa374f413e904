"""Skills that are trained elsewhere: the keys of their rounds, in files and in Python."""

from __future__ import annotations

import numpy as np
import pytest
from counts import count
from random_rounds import with_rounds
from random_tasks import random_task

from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.task.curves import Exponential
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.rounds import Rounds
from deliberate_practice.task.seconds import in_seconds
from deliberate_practice.task.skill import Skill
from deliberate_practice.task.toml_reader import parse_task
from deliberate_practice.task.toml_writer import task_to_toml

FILE = """
name = "drawer"
variables = {{ drawer = ["closed", "open"] }}

[[goals]]
name = "open"
reward = 1
when = {{ drawer = "open" }}

[[skills]]
name = "OpenTop"
precondition = {{ drawer = "closed" }}
effect = {{ drawer = "open" }}
competence = 0.1
curve = {{ kind = "exponential", rate = 0.04, ceiling = 0.9 }}
{stated}
"""

EXTERNAL = 'learner = "external"\n'


def drawer(stated: str) -> Task:
    return parse_task(FILE.format(stated=stated))


def test_a_file_states_what_a_round_takes() -> None:
    policy = drawer(
        EXTERNAL
        + "demonstration = { cost = 2, per_round = 8 }\n"
        + "training = { cost = 3 }\n"
        + "evaluation = { cost = 4, per_round = 6 }"
    ).policies["OpenTop"]
    assert policy.rounds == Rounds(8, 6, 2, 3, 4)
    assert (policy.cost, policy.price, policy.stride) == (2, 8 * 2 + 3, 8)


def test_everything_about_rounds_has_a_default() -> None:
    policy = drawer(EXTERNAL).policies["OpenTop"]
    assert policy.rounds == Rounds(10, 5, 1, 0, 1)
    assert (policy.cost, policy.price, policy.stride) == (1, 10, 10)
    usual = drawer("").policies["OpenTop"]
    assert (usual.rounds, usual.cost, usual.price, usual.stride) == (None, 1, 1, 1)


def test_python_states_the_same() -> None:
    task = Task(
        "drawer",
        {"drawer": ["closed", "open"]},
        [Goal("open", 1.0, {"drawer": "open"})],
        [
            Skill(
                "OpenTop",
                {"drawer": "closed"},
                {"drawer": "open"},
                0.1,
                curve=Exponential(0.04, 0.9),
                truth=Exponential(0.03, 0.8),
                learner="external",
                demonstration={"cost": 2},
                training_noise=0.05,
            )
        ],
    )
    stated = EXTERNAL + "demonstration = { cost = 2 }\n"
    truth = 'truth = { kind = "exponential", rate = 0.03, ceiling = 0.8, training_noise = 0.05 }'
    assert drawer(stated + truth).skills == task.skills


@pytest.mark.parametrize("seed", range(count(200)))
def test_reading_what_was_written_gives_the_same_rounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    task = with_rounds(random_task(rng, product_form=True), rng)
    again = parse_task(task_to_toml(task))
    assert again.policies == task.policies
    assert list(again.skills) == list(task.skills)


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ('learner = "cma-es"', "learner: .*external"),
        (
            "demonstration = { cost = 2 }",
            r"demonstration: it goes only with learner = \"external\"",
        ),
        (EXTERNAL + "demonstration = { cost = 0 }", r"demonstration.cost: 0 is not valid"),
        (EXTERNAL + "demonstration = 3", r"demonstration: 3 is not a table"),
        (EXTERNAL + "demonstration = { per_round = 1.5 }", r"demonstration.per_round: 1.5"),
        (EXTERNAL + "training = { per_round = 2 }", r"training: unknown key 'per_round'"),
        (EXTERNAL + "evaluation = { cost = -1 }", r"evaluation.cost: -1 is not valid"),
        (EXTERNAL + "evaluation = { per_round = 1000 }", r"per_round: 1000 is too large"),
        (EXTERNAL + "cost = 2", r"cost: the learner is external; write demonstration"),
        (
            'truth = { kind = "linear", rate = 0.1, training_noise = 0.1 }',
            r"training_noise: training runs vary around a truth",
        ),
        (
            EXTERNAL + 'truth = { kind = "linear", rate = 0.1, training_noise = 2 }',
            r"training_noise: 2",
        ),
        (
            EXTERNAL + '[[skills.parameters]]\nname = "x"\nmean = 0\nsd = 1\nlow = -1\nhigh = 1\n',
            r"parameters: the learner is external",
        ),
    ],
)
def test_rounds_that_make_no_sense_are_refused(stated: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        drawer(stated)


def test_skills_of_one_policy_agree_on_their_rounds() -> None:
    other = """
[[skills]]
name = "OpenAgain"
policy = "OpenTop"
precondition = { drawer = "closed" }
effect = { drawer = "open" }
learner = "external"
training = { cost = 4 }
"""
    assert drawer(EXTERNAL + other).policies["OpenTop"].rounds == Rounds(training_cost=4)
    with pytest.raises(TaskError, match="training: skill 'OpenTop' says"):
        drawer(EXTERNAL + "training = { cost = 3 }" + other)


def test_in_seconds_a_training_run_takes_its_own_time() -> None:
    task = in_seconds(
        drawer(EXTERNAL + "seconds = { episode = 45, reset = 20.5, switch = 9, training = 1800 }")
    )
    assert task.policies["OpenTop"].rounds == Rounds(10, 5, 66, 1800, 66)
    assert task.policies["OpenTop"].switch == 9


def test_in_seconds_a_policy_that_is_not_practised_needs_no_time() -> None:
    curve = next(line for line in FILE.splitlines() if line.startswith("curve"))
    frozen = parse_task(FILE.replace(curve + "\n", "").format(stated=EXTERNAL))
    assert not frozen.policies["OpenTop"].practisable
    assert in_seconds(frozen) == frozen
    other = """
[[skills]]
name = "CloseTop"
precondition = { drawer = "open" }
effect = { drawer = "closed" }
competence = 0.2
curve = { kind = "exponential", rate = 0.1, ceiling = 0.9 }
seconds = { episode = 30 }
"""
    policies = in_seconds(parse_task(task_to_toml(frozen) + other)).policies
    assert policies["OpenTop"] == frozen.policies["OpenTop"]
    assert policies["CloseTop"].cost == 30
