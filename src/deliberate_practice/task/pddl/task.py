"""A task from a PDDL domain and problem, with a TOML file beside them.

Every ground atom that can change becomes a variable such as ``(on cup table)`` with the values
"no" and "yes", its initial value first. Every action that may be applicable becomes a skill such as
``place(cup,top)``, or several of them if it has several cases. Rewards, competences, curves and
failures come from the TOML.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.foundation.text_file import parse_toml, read_text
from deliberate_practice.task.entries import named, tables
from deliberate_practice.task.model import Goal, Start, Task
from deliberate_practice.task.pddl.cases import Cases, Truths
from deliberate_practice.task.pddl.conditions import Atom, Condition, Literal, Scope, conjuncts
from deliberate_practice.task.pddl.domain import Domain, read_domain
from deliberate_practice.task.pddl.entries import ALL, Entries, read_conditions, read_entries
from deliberate_practice.task.pddl.grounding import Instance, reachable_instances
from deliberate_practice.task.pddl.problem import Problem, read_problem
from deliberate_practice.task.pddl.vocabulary import COST, REWARD
from deliberate_practice.task.skill import Effect, PossibleEffect, Skill

TRUTH = {True: "yes", False: "no"}

ACTION_COSTS = ("step", "budget", "ignore")
"""The meanings of action costs: negative rewards of steps, costs of practice, or none."""


@dataclass(frozen=True)
class Reading:
    """A PDDL domain and problem as a task.

    Attributes:
        task: The task.
        domain: The domain.
        problem: The problem.
        instances: The ground actions that became skills, in their cases.
        action_costs: The meaning of action costs, one of :data:`ACTION_COSTS`.
        costs_stated: Whether the TOML states it.
        counted: The sums that count: total-cost, reward, or both.
        toml: Whether a TOML file stands beside the PDDL files.
    """

    task: Task
    domain: Domain
    problem: Problem
    instances: Sequence[Instance]
    action_costs: str
    costs_stated: bool
    counted: Sequence[str]
    toml: bool


def read_pddl(file: str | Path, problem: str | Path | None = None) -> Reading:
    """Read planners' files as a task, with every step of the way.

    Args:
        file: The domain, or a TOML file that names domain and problem.
        problem: The problem, beside a domain. Every action then has the competence 1.

    Raises:
        TaskError: A file is not valid, or has something that a task cannot express.
    """
    if problem is not None:
        names = {"domain": str(file), "problem": str(problem)}
        return read_document({"pddl": names}, Path(), toml=False)
    text = read_text(file)
    try:
        document = parse_toml(text)
        if "pddl" not in document:
            raise TaskError("pddl", "the file names no PDDL files; add domain and problem.")
        return read_document(document, Path(file).parent)
    except TaskError as error:
        raise (error if error.file else error.within(str(file))) from None


def pddl_task(document: Mapping[str, Any], folder: Path) -> Task:
    """Build the task of a TOML document that has a ``[pddl]`` table: see :func:`read_document`."""
    return read_document(document, folder).task


def read_document(document: Mapping[str, Any], folder: Path, *, toml: bool = True) -> Reading:
    """Read the files of a TOML document that has a ``[pddl]`` table.

    Args:
        document: The parsed TOML.
        folder: The folder of the PDDL files.
        toml: Whether the document stands for a TOML file. Otherwise name and competences are
            those of the planning problem.

    Raises:
        TaskError: The TOML or a PDDL file is not valid.
        TaskTooLarge: There are too many instances of the actions.
    """
    if toml:
        checks.keys("", document, ["name", "pddl", "skills"], ["discount", "priors", "goals"])
    files = checks.table("pddl", document["pddl"])
    checks.keys("pddl", files, ["domain", "problem"], ["action_costs"])
    domain_file = folder / checks.word("pddl: domain", files["domain"])
    problem_file = folder / checks.word("pddl: problem", files["problem"])
    domain = read_domain(read_text(domain_file), str(domain_file))
    problem = read_problem(read_text(problem_file), str(problem_file), domain)
    by_default = "step" if problem.metric == COST else "ignore"
    costs = files.get("action_costs", by_default)
    checks.one_of("pddl: action_costs", costs, ACTION_COSTS)
    counted = [COST] if costs != "ignore" else []
    counted += [REWARD] if problem.metric in ("", REWARD) else []
    stated = tables(document, "skills") if toml else [{"schema": ALL, "competence": 1.0}]
    entries = read_entries(stated, domain, problem)
    try:
        found = reachable_instances(domain, problem, entries.failure, counted=counted)
        goals = _goals(document, domain, problem, found.cases)
        variables = _variables(found.instances, goals, domain, problem)
        instances = [one for one in found.instances if _possible(one, variables, problem)]
        if not instances:
            raise TaskError("", "no action can ever be applied; check :init.")
    except TaskError as error:
        section = error.place.rpartition(": ")[2]
        if error.file or (section and not section.startswith(":")):
            raise
        raise error.within(str(problem_file)) from None
    optional = {key: document[key] for key in ("discount", "priors") if key in document}
    task = Task(
        name=document["name"] if toml else problem.name,
        variables={
            _shown(atom): [TRUTH[atom in problem.init], TRUTH[atom not in problem.init]]
            for atom in variables
        },
        goals=[
            Goal(name, reward, {_shown(atom): TRUTH[true] for atom, true in when.items()})
            for name, reward, when in goals
        ],
        skills=[_skill(instance, entries, variables, str(costs)) for instance in instances],
        starts=[
            Start(float(probability), {_shown(atom): TRUTH[True] for atom in sorted(facts)})
            for probability, facts in problem.starts
        ],
        **optional,
    )
    stated_costs = "action_costs" in files
    return Reading(task, domain, problem, instances, str(costs), stated_costs, counted, toml)


def _goals(
    document: Mapping[str, Any], domain: Domain, problem: Problem, cases: Cases
) -> list[tuple[str, float, Truths]]:
    """Name, reward and condition of each goal, from the TOML or else from the problem."""
    goals: list[tuple[str, float, Truths]] = []
    for number, table in enumerate(tables(document, "goals"), 1):
        place = named("goal", number, table)
        checks.keys(place, table, ["name", "reward", "when"], [])
        scope = Scope(f"{place}: when", domain.vocabulary, problem.objects)
        condition = read_conditions(checks.listing(scope.place, table["when"]), scope)
        goals += _alternatives(table["name"], table["reward"], condition, scope.place, cases)
    if goals:
        return goals
    if problem.goal is None:
        raise TaskError(":goal", "there is no goal; state it there, or add [[goals]] to the TOML.")
    reward = 1.0 if problem.goal_reward is None else float(problem.goal_reward)
    return _alternatives("goal", reward, problem.goal, ":goal", cases)


def _alternatives(
    name: str, reward: float, condition: Condition, place: str, cases: Cases
) -> list[tuple[str, float, Truths]]:
    """A goal for each alternative of its condition: ``name#1``, ``name#2``."""
    parts = conjuncts(condition)
    if all(isinstance(part, Literal) for part in parts):
        return [(name, reward, _conjunction(place, parts))]
    with checks.inside(place):
        found = cases.alternatives(condition, {})
    if not found:
        raise TaskError(place, "the condition can never hold; check it and the effects of actions.")
    if len(found) == 1:
        return [(name, reward, found[0])]
    return [(f"{name}#{number}", reward, truths) for number, truths in enumerate(found, 1)]


def _conjunction(place: str, parts: Iterable[Condition]) -> dict[Atom, bool]:
    condition: dict[Atom, bool] = {}
    for literal in parts:
        assert isinstance(literal, Literal)  # the caller has checked it
        atom = literal.atom
        if atom[0] == "=" and (atom[1] == atom[2]) != literal.positive:
            raise TaskError(place, f"{_shown(atom)} can never be as stated; remove it.")
        if atom[0] != "=" and condition.setdefault(atom, literal.positive) != literal.positive:
            raise TaskError(place, f"{_shown(atom)} is both wanted and forbidden; remove one.")
    return condition


def _variables(
    instances: Iterable[Instance],
    goals: Iterable[tuple[str, float, Truths]],
    domain: Domain,
    problem: Problem,
) -> Mapping[Atom, None]:
    """Atoms that can change or occur in goals, by predicate and objects in file order."""
    atoms = {atom for _, _, when in goals for atom in when}
    atoms |= {atom for _, facts in problem.starts for atom in facts}
    for instance in instances:
        atoms |= {atom for atom, true in instance.changes if true != (atom in problem.init)}
    predicate = {name: i for i, name in enumerate(domain.vocabulary.predicates)}
    position = {name: i for i, name in enumerate(problem.objects)}

    def in_file_order(atom: Atom) -> tuple[int, list[int]]:
        return predicate[atom[0]], [position[name] for name in atom[1:]]

    return dict.fromkeys(sorted(atoms, key=in_file_order))


def _possible(instance: Instance, variables: Mapping[Atom, None], problem: Problem) -> bool:
    """Whether atoms that never change have the values that the instance needs."""
    return all(
        atom in variables or true == (atom in problem.init)
        for atom, true in instance.precondition.items()
    )


def _skill(
    instance: Instance, entries: Entries, variables: Mapping[Atom, None], costs: str
) -> Skill:
    entry = entries.of(instance.schema, instance.arguments)
    policy = entry.policy(instance.schema, instance.arguments) or instance.action

    def assigned(effect: Truths) -> dict[str, str]:
        # An atom that is not a variable never changes, and already has the required value.
        return {_shown(atom): TRUTH[true] for atom, true in effect.items() if atom in variables}

    failure: Effect = (
        entry.failure if isinstance(entry.failure, str) else assigned(instance.failure)
    )
    outcomes = [
        PossibleEffect(float(branch.probability), assigned(branch.change))
        for branch in instance.branches
    ]
    with checks.inside(entry.place):
        sums = _sums(instance, entry.stated, costs)
        return Skill(
            name=instance.name,
            precondition=assigned(instance.precondition),
            effect=outcomes,
            failure=failure or "stay",
            **{**sums, **entry.stated, "policy": policy},
        )


def _sums(instance: Instance, stated: Mapping[str, Any], costs: str) -> dict[str, Any]:
    """Reward of a step and cost of practice, from the costs and rewards of PDDL."""
    cost = sum(branch.cost for branch in instance.branches)
    reward = sum(branch.reward for branch in instance.branches)
    pays = any(branch.reward > 0 for branch in instance.branches)
    surely = stated.get("competence") == 1 and "curve" not in stated
    if pays and not surely and "step_reward" not in stated:
        raise TaskError(
            f"step_reward of {instance.name}",
            "the domain pays for an effect of the action, but a task pays for goals and for "
            "executing a skill, even if it fails. Give it competence = 1 and no curve, state its "
            "step_reward, or make the effect a goal.",
        )
    sums: dict[str, Any] = {}
    if reward or (cost and costs == "step"):
        sums["step_reward"] = float(reward - (cost if costs == "step" else 0))
    if costs == "budget" and cost and "cost" not in stated:
        if cost.denominator != 1:
            raise TaskError(
                f"cost of {instance.name}",
                f"{float(cost):g} is not a whole number of budget units; state cost in the TOML, "
                'or use action_costs = "step".',
            )
        sums["cost"] = int(cost)
    return sums


def _shown(atom: Atom) -> str:
    return f"({' '.join(atom)})"
