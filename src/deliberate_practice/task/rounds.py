"""The rounds of a policy that learns elsewhere: demonstrations, a training run, evaluations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError

EXTERNAL = "external"
"""The learner of a policy that is trained elsewhere, from demonstrations."""

LARGEST_COST = 10**9
MOST_PER_ROUND = {"demonstration": 10_000, "evaluation": 100}
"""The most demonstrations and evaluations of one round."""

EXAMPLES = {
    "demonstration": "{ cost = 2, per_round = 10 }",
    "training": "{ cost = 3 }",
    "evaluation": "{ cost = 1, per_round = 5 }",
}
"""The tables that state rounds, by their keys."""


@dataclass(frozen=True)
class Rounds:
    """What a round takes: n demonstrations, then a training run, then at most m evaluations.

    Only demonstrations that a finished training run has used improve the policy.

    Attributes:
        demonstrations: Demonstrations in a round.
        evaluations: The most evaluations after its training run.
        demonstration_cost, training_cost, evaluation_cost: Budget units of each.
    """

    demonstrations: int = 10
    evaluations: int = 5
    demonstration_cost: int = 1
    training_cost: int = 0
    evaluation_cost: int = 1

    @property
    def cost(self) -> int:
        """Budget units of a whole round, evaluations apart."""
        return self.demonstrations * self.demonstration_cost + self.training_cost


def check_rounds(where: str, learner: object, stated: Mapping[str, object]) -> None:
    """Refuse keys of a skill's rounds that make no sense.

    Args:
        where: The skill, for messages.
        learner: The learner that the skill names; empty if it names none.
        stated: The tables that it states, by their keys.
    """
    if learner != "":
        checks.one_of(f"{where}: learner", learner, (EXTERNAL,))
    for key, table in stated.items():
        place = f"{where}: {key}"
        figures = checks.table(place, table, EXAMPLES[key])
        if learner == "" and figures:
            raise TaskError(place, f'it goes only with learner = "{EXTERNAL}"; add that line.')
        known = ("cost", "per_round") if key in MOST_PER_ROUND else ("cost",)
        checks.keys(place, figures, [], list(known))
        least = 1 if key == "demonstration" else 0
        if "cost" in figures:
            _count(f"{place}.cost", figures["cost"], least, LARGEST_COST)
        if "per_round" in figures:
            _count(f"{place}.per_round", figures["per_round"], least, MOST_PER_ROUND[key])


def agreed_rounds(
    demonstration: Mapping[str, int] | None,
    training: Mapping[str, int] | None,
    evaluation: Mapping[str, int] | None,
) -> Rounds:
    """The rounds that checked tables state, with defaults for the rest."""
    usual, first, last = Rounds(), demonstration or {}, evaluation or {}
    return Rounds(
        demonstrations=first.get("per_round", usual.demonstrations),
        evaluations=last.get("per_round", usual.evaluations),
        demonstration_cost=first.get("cost", usual.demonstration_cost),
        training_cost=(training or {}).get("cost", usual.training_cost),
        evaluation_cost=last.get("cost", usual.evaluation_cost),
    )


def _count(place: str, value: object, least: int, most: int) -> None:
    checks.whole_number(place, value, least, most, TaskError)
