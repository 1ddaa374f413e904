"""Kitchen: light the kitchen, heat the kettle, or prepare a feast.

Three goals of rising worth need one, two and four of the seven skills. Both burners have the same
knob, so their skills share one policy.
"""

from __future__ import annotations

from collections.abc import Mapping

from deliberate_practice.foundation.checks import one_of
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Start, Task
from deliberate_practice.task.skill import Condition, Effect, PossibleEffect, Skill

VARIABLES = {
    "light": ("off", "on"),
    "top": ("off", "on"),
    "bottom": ("off", "on"),
    "kettle": ("bottom", "top"),
    "microwave": ("closed", "open"),
    "slide": ("closed", "open"),
    "hinge": ("closed", "open"),
}
"""Light, burners, the burner that the kettle is on, and doors; all begin with their first value."""

SKILLS = {
    "Flip(light)": "light",
    "Turn(top)": "top",
    "Turn(bottom)": "bottom",
    "Push(kettle)": "kettle",
    "Open(microwave)": "microwave",
    "Slide(cabinet)": "slide",
    "Open(hinge)": "hinge",
}
"""The variable that each skill changes from its first to its second value."""

POLICIES = {"Turn(top)": "Turn", "Turn(bottom)": "Turn"}
"""Policies that are not called like their only skill."""

FAILURES = ("end", "physical")
"""Kinds of failures: the paper's, which end the episode, or those of physics."""

STARTS: tuple[tuple[float, Mapping[str, str]], ...] = (
    (0.6, {}),
    (0.2, {"top": "on"}),
    (0.2, {"microwave": "open", "slide": "open"}),
)
"""Where the variant with physical failures begins: probability, and what is done already."""

REWARDS = {"light": 1.0, "tea": 2.0, "feast": 4.0}

STAYS = {
    "Flip(light)": 0.33,
    "Turn": 0.45,
    "Push(kettle)": 0.01,
    "Open(microwave)": 0.42,
    "Slide(cabinet)": 0.1,
    "Open(hinge)": 0.62,
}
"""By policy: the share of failures in physics after which everything is as before. Otherwise a door
is ajar, a knob half turned, or a reflex has stopped the arm, and the episode ends. They were
measured with 100 to 400 samples of the search priors."""


def kitchen(
    competence: float = 0.1, rate: float = 0.025, discount: float = 0.99, failures: str = "end"
) -> Task:
    """The task, with one prior for all its skills.

    Args:
        competence: Competence of every skill before practice.
        rate: Improvement per attempt.
        discount: Factor per executed skill.
        failures: ``end``: every failure ends the episode. ``physical``: a failure may leave
            everything as it was, and the episode begins in one of several states.
    """
    one_of("failures", failures, FAILURES)
    curve = PiecewiseLinear(rate=rate)

    def skill(name: str, variable: str) -> Skill:
        before, after = VARIABLES[variable]
        policy = POLICIES.get(name, name)
        # An open hinge door hangs in front of knobs and handles, so it comes last.
        precondition = {variable: before, "hinge": "closed"}
        failure: Effect | list[PossibleEffect] = "end"
        if failures == "physical":
            failure = _physical(policy)
        effect = {variable: after}
        return Skill(name, precondition, effect, competence, failure, curve, policy=policy)

    starts = [Start(share, state) for share, state in STARTS] if failures == "physical" else []
    return Task(
        name="kitchen",
        discount=discount,
        variables={name: list(values) for name, values in VARIABLES.items()},
        goals=[Goal(name, REWARDS[name], when) for name, when in _GOALS.items()],
        skills=[skill(name, variable) for name, variable in SKILLS.items()],
        starts=starts,
    )


_GOALS: Mapping[str, Condition] = {
    "light": {"light": "on"},
    "tea": {"kettle": "top", "top": "on"},
    "feast": {"microwave": "open", "slide": "open", "bottom": "on", "hinge": "open"},
}


def _physical(policy: str) -> list[PossibleEffect]:
    """What a failure leaves behind in physics."""
    share = STAYS[policy]
    return [PossibleEffect(share, "stay"), PossibleEffect(1 - share, "end")]
