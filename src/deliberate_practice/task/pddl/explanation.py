"""How planners' files became a task, in sentences for people and as data for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from deliberate_practice.task.pddl.requirements import unused
from deliberate_practice.task.pddl.task import Reading
from deliberate_practice.task.pddl.vocabulary import COST, REWARD

COSTS = {
    "step": "action costs are negative step rewards",
    "budget": "action costs are budget units for each practice episode",
    "ignore": "action costs are ignored",
}


@dataclass(frozen=True)
class Translated:
    """An action schema: the ground actions that may apply, and the skills that they became."""

    schema: str
    actions: int
    skills: int


@dataclass(frozen=True)
class Explanation:
    """How a domain and a problem became a task.

    Attributes:
        read: The content of the files.
        stated: The requirements that the files state.
        used: The requirements of their content.
        unused: Stated requirements that nothing needs.
        schemas: The action schemas.
        compiled: Sentences on parts that a task expresses otherwise.
        sums: Sentences on costs and rewards.
        needs: Sentences on values that a TOML file should state.
    """

    read: str
    stated: tuple[str, ...]
    used: tuple[str, ...]
    unused: tuple[str, ...]
    schemas: tuple[Translated, ...]
    compiled: tuple[str, ...]
    sums: tuple[str, ...]
    needs: tuple[str, ...]

    @property
    def rows(self) -> Iterator[tuple[str, str]]:
        """Labels and sentences for people."""
        yield "read", self.read
        needless = f"; stated but not needed: {' '.join(self.unused)}" if self.unused else ""
        yield "requires", " ".join(self.used) + needless
        for label, sentences in (
            ("compiled", self.compiled),
            ("rewards", self.sums),
            ("TOML", self.needs),
        ):
            for sentence in sentences:
                yield label, sentence


def explain_pddl(reading: Reading) -> Explanation:
    """Explain how planners' files became a task.

    Args:
        reading: The result of :func:`.read_pddl`.
    """
    domain, problem = reading.domain, reading.problem
    stated = tuple(dict.fromkeys((*domain.requirements, *problem.requirements)))
    used = tuple(dict.fromkeys((*domain.used, *problem.used)))
    ground = {instance.action: instance.schema.name for instance in reading.instances}
    actions = Counter(ground.values())
    skills = Counter(instance.schema.name for instance in reading.instances)
    schemas = tuple(Translated(name, actions[name], skills[name]) for name in domain.schemas)
    return Explanation(
        f"domain {domain.name}: {_count(len(domain.schemas), 'action schema')}, "
        f"{_count(len(domain.vocabulary.predicates), 'predicate')}; problem {problem.name}: "
        f"{_count(len(problem.objects), 'object')}, {_count(len(problem.init), 'fact')}",
        stated,
        used,
        unused(stated, used),
        schemas,
        tuple(_compiled(reading, schemas)),
        tuple(_sums(reading)),
        tuple(_needs(reading)),
    )


def _compiled(reading: Reading, schemas: tuple[Translated, ...]) -> Iterator[str]:
    for one in schemas:
        if one.skills > one.actions:
            yield (
                f"{one.schema}: {_count(one.actions, 'ground action')} became "
                f"{_count(one.skills, 'skill')}, one for each case of its conditions; the cases "
                "of an action share a policy"
            )
        elif not one.skills:
            yield f"{one.schema}: left out, because it can never be applied"
    by_chance = {i.schema.name for i in reading.instances if len(i.branches) > 1}
    if by_chance:
        yield f"{', '.join(sorted(by_chance))}: effects by chance became lists of possible effects"
    starts = reading.task.starts
    if starts:
        yield f":init: became {_count(len(starts), 'possible start')}"
    several = [goal.name for goal in reading.task.goals if "#" in goal.name]
    if several:
        yield f"goals: {', '.join(several)} are the alternatives of a condition"


def _sums(reading: Reading) -> Iterator[str]:
    used = {*reading.domain.used, *reading.problem.used}
    if ":action-costs" in used:
        if reading.costs_stated:
            why = f'action_costs = "{reading.action_costs}" in the TOML'
        elif reading.problem.metric == COST:
            why = "by default, because the metric minimizes total-cost"
        else:
            why = "by default, because no metric minimizes total-cost"
        yield f"{COSTS[reading.action_costs]} ({why})"
    if ":rewards" in used:
        goal = reading.problem.goal_reward
        if goal is not None:
            yield f"the goal of the problem earns {float(goal):g}"
        counts = "count as step rewards" if REWARD in reading.counted else "do not count"
        yield f"rewards in effects {counts}"


def _needs(reading: Reading) -> Iterator[str]:
    if reading.toml:
        return
    yield (
        "competences are 1, no skill is practised and failures end the episode, until a TOML file "
        "states otherwise"
    )
    if reading.problem.goal_reward is None:
        yield "the goal earns 1, until [[goals]] state other rewards"
    yield "write the file: deliberate new --from-pddl DOMAIN PROBLEM"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
