"""Values, bounds and verdicts are right to six digits where numbers span 24 orders of magnitude."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from counts import FULL
from exact_values import exact_best
from exactness import complaints, describe
from extreme_tasks import FAMILIES, extreme_task

from deliberate_practice.task.toml_reader import parse_task

CHUNK = 8
CHUNKS = 48 if FULL else 2
AUTO = 8
"""One task in so many is also given to ``auto`` where that may call a global solver."""


@pytest.mark.parametrize("first", range(0, CHUNK * CHUNKS, CHUNK))
@pytest.mark.parametrize("family", FAMILIES)
def test_random_tasks(family: str, first: int) -> None:
    messages = []
    for seed in range(first, first + CHUNK):
        case = extreme_task(family, seed)
        faults = complaints(case.task, case.budget, auto=seed % AUTO == 0)
        if faults:
            messages.append(f"{family} {seed}, " + describe(case.task, case.budget, faults))
    assert not messages, f"{len(messages)} of {CHUNK} tasks\n" + "\n\n".join(messages)


@dataclass(frozen=True)
class Fault:
    """A task file that is easily answered wrongly, and its value."""

    budget: int
    value: float
    words: str


ROOM = """
name = "room"
discount = {discount}
[variables]
s = ["a", "b", "c"]
[[goals]]
name = "g"
reward = {reward}
when = {{ s = "c" }}
"""


def room(*skills: str, discount: float = 1.0, reward: float = 1.0) -> str:
    """Three places, of which the last is the goal; a skill states its own lines of TOML."""
    head = ROOM.format(discount=discount, reward=reward)
    return head + "".join(f'[[skills]]\nname = "Skill{i}"\n{s}\n' for i, s in enumerate(skills))


def way(source: str, target: str, competence: float, more: str = "") -> str:
    """A skill that leads from one place to another."""
    return (
        f'precondition = {{ s = "{source}" }}\neffect = {{ s = "{target}" }}\n'
        f"competence = {competence}\n{more}"
    )


STAY = 'failure = "stay"'
BACK = 'failure = { s = "a" }'
BOTH = """
[[starts]]
probability = 0.5
state = { s = "a" }
[[starts]]
probability = 0.5
state = { s = "b" }
"""
LEARN = 'curve = { kind = "linear", rate = 0.1 }'
ABSURD = "step_reward = -1e12"

FAULTS = {
    # The price of an unused skill sets no tolerance for the others.
    "price-of-unused-skill": Fault(
        5,
        0.297,
        room(way("a", "c", 0.1, LEARN), way("a", "c", 1.0, ABSURD), reward=0.5, discount=0.99),
    ),
    "price-of-unused-skill-elsewhere": Fault(
        5,
        0.6 * 0.99**2 * 0.5 * 0.5,
        room(
            way("a", "b", 0.1, LEARN),
            way("b", "c", 0.5),
            way("b", "c", 1.0, ABSURD),
            reward=0.5,
            discount=0.99,
        ),
    ),
    "price-of-unused-skill-with-retries": Fault(
        3, 0.5, room(way("a", "c", 0.1, f"{STAY}\n{LEARN}"), way("a", "c", 1.0, ABSURD), reward=0.5)
    ),
    "small-reward-beside-a-large-price": Fault(
        2,
        3e-10,
        room(way("a", "c", 0.1, LEARN), way("a", "b", 1.0, "step_reward = -1e3"), reward=1e-9),
    ),
    "large-start-beside-a-small-one": Fault(
        2,
        0.5e12 + 0.5 * 0.3e12,
        room(way("a", "c", 0.1, LEARN), way("b", "c", 1.0, "step_reward = -1e-12"), reward=1e12)
        + BOTH,
    ),
    # A sure success after many retries: 1 - (1 - p) loses the digits of p.
    "retries-at-1e-12": Fault(3, 1.0, room(way("a", "c", 1e-12, STAY))),
    "retries-at-1e-12-among-fall-backs": Fault(
        3, 1.0, room(way("a", "c", 1e-12, STAY), way("b", "c", 0.5, BACK)) + BOTH
    ),
    "retries-below-the-spacing-of-doubles": Fault(
        3, 1.0, room(way("a", "c", 1e-17, STAY), way("b", "c", 0.5, BACK)) + BOTH
    ),
    "two-rare-successes-in-a-row": Fault(
        3, 1.0, room(way("a", "b", 1e-9, STAY), way("b", "c", 1e-9, BACK))
    ),
    "practice-of-a-rare-success": Fault(
        3,
        1.0,
        room(
            way("a", "b", 1e-13, f'{STAY}\ncurve = {{ kind = "linear", rate = 1e-13 }}'),
            way("b", "c", 1e-13, BACK),
        ),
    ),
    "retries-with-a-price-of-nearly-all": Fault(
        0, 1e-3, room(way("a", "c", 1e-6, f"{STAY}\nstep_reward = -9.99e-7"))
    ),
    # Outcomes whose probabilities are rounded: 1 - q must not be.
    "rounded-outcome": Fault(
        0,
        0.49992,
        room(
            way(
                "a",
                "c",
                1e-13,
                """failure = [
                { probability = 1e-13, effect = "end" },
                { probability = 0.9999999999999, effect = "stay" },
            ]""",
            )
        ),
    ),
    "rounded-outcome-through-another-state": Fault(
        0,
        0.49992,
        room(
            way(
                "a",
                "c",
                1e-13,
                """failure = [
                { probability = 1e-13, effect = "end" },
                { probability = 0.9999999999999, effect = { s = "b" } },
            ]""",
            ),
            way("b", "a", 1.0),
        ),
    ),
    "rounded-outcome-of-success": Fault(
        0,
        1.0,
        room("""precondition = { s = "a" }
            effect = [
                { probability = 1e-13, effect = { s = "c" } },
                { probability = 0.9999999999999, effect = "stay" },
            ]
            competence = 1.0"""),
    ),
    # One over the rate is no number.
    "rate-below-the-normal-doubles": Fault(
        5, 0.1, room(way("a", "c", 0.1, 'curve = { kind = "linear", rate = 1e-310 }'))
    ),
    "exponential-rate-below-the-normal-doubles": Fault(
        5, 0.1, room(way("a", "c", 0.1, 'curve = { kind = "exponential", rate = 1e-310 }'))
    ),
    "no-rate": Fault(5, 0.1, room(way("a", "c", 0.1, 'curve = { kind = "linear", rate = 0.0 }'))),
    # What is earned on the way, and what is there already.
    "start-at-the-goal": Fault(
        0,
        0.5 + 0.5 * 0.5 * 0.3,
        room(way("a", "c", 0.3), discount=0.5) + BOTH.replace('"b"', '"c"'),
    ),
    "earns-on-the-way-alone": Fault(
        0, 1e6, room(way("a", "b", 0.5, "step_reward = 1e6"), way("a", "c", 1e-12), discount=0.5)
    ),
    "nearly-undiscounted-wages": Fault(
        0,
        1e12,
        room(way("a", "a", 1.0, "step_reward = 1.0"), way("a", "c", 0.5), discount=1 - 1e-12),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_tasks_that_are_easily_answered_wrongly(name: str) -> None:
    fault = FAULTS[name]
    task = parse_task(fault.words)
    best, _ = exact_best(task, fault.budget)
    assert float(best) == pytest.approx(fault.value, rel=1e-3)  # the oracle means the same task
    faults = complaints(task, fault.budget)
    assert not faults, describe(task, fault.budget, faults)
