"""Random small ADL and PPDDL problems as texts, for hypothesis."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

Terms = Mapping[str, tuple[str, ...]]
"""Names that may be used for each type."""

TYPES = ("cup", "box", "thing", "(either cup box)")
OBJECTS = {"c1": "cup", "b1": "box", "b2": "box"}
PREDICATES = {"lit": (), "full": ("thing",), "wet": ("cup",), "on": ("thing", "box")}
DECLARED = "(lit) (full ?x - thing) (wet ?x - cup) (on ?x - thing ?y - box)"
BELOW = {"thing": ("cup", "box"), "(either cup box)": ("cup", "box")}
DEPTH = 3


@st.composite
def problems(draw: st.DrawFn, *, chance: bool) -> tuple[str, str]:
    """A domain and a problem; with ``chance`` also outcomes, costs and rewards."""
    objects = _objects()
    actions = " ".join(
        _action(draw, f"a{i}", objects, chance) for i in range(draw(st.integers(1, 3)))
    )
    facts = " ".join(draw(st.lists(_atoms(objects), max_size=4)))
    if chance and draw(st.booleans()):
        one, two, three = (draw(_atoms(objects)) for _ in range(3))
        facts += f" (probabilistic 0.25 (and {one} {two}) 0.5 (probabilistic 1/2 {three}))"
    goal = draw(conditions(objects, DEPTH))
    domain = f"""(define (domain random) (:types cup box - thing) (:constants c1 - cup)
        (:predicates {DECLARED}) (:functions (weight ?x - thing) (total-cost)) {actions})"""
    weights = " ".join(f"(= (weight {name}) 0.0{i})" for i, name in enumerate(OBJECTS, 1))
    problem = f"""(define (problem p) (:domain random) (:objects b1 b2 - box)
        (:init {facts} {weights}) (:goal {goal}))"""
    return domain, problem


def _objects() -> Terms:
    return {
        kind: tuple(name for name, own in OBJECTS.items() if own in BELOW.get(kind, (kind,)))
        for kind in TYPES
    }


def _action(draw: st.DrawFn, name: str, objects: Terms, chance: bool) -> str:
    kinds = draw(st.lists(st.sampled_from(TYPES), max_size=2))
    parameters = {f"?{name}{i}": kind for i, kind in enumerate(kinds)}
    terms = _wider({kind: ("c1",) if "c1" in objects[kind] else () for kind in TYPES}, parameters)
    condition, effect = draw(conditions(terms, DEPTH)), draw(effects(terms, DEPTH, chance))
    return f"""(:action {name} :parameters ({_listed(parameters)})
        :precondition {condition} :effect {effect})"""


def _wider(terms: Terms, parameters: Mapping[str, str]) -> Terms:
    """The terms, with the parameters where their types allow them."""
    return {
        kind: (
            *terms[kind],
            *(
                name
                for name, own in parameters.items()
                if set(BELOW.get(own, (own,))) <= set(BELOW.get(kind, (kind,)))
            ),
        )
        for kind in TYPES
    }


def _listed(parameters: Mapping[str, str]) -> str:
    return " ".join(f"{name} - {kind}" for name, kind in parameters.items())


def _atoms(terms: Terms) -> st.SearchStrategy[str]:
    def atom(head: str, kinds: tuple[str, ...]) -> st.SearchStrategy[str]:
        names = st.tuples(*(st.sampled_from(terms[kind]) for kind in kinds))
        return names.map(lambda chosen: f"({' '.join((head, *chosen))})")

    usable = {name: k for name, k in PREDICATES.items() if all(terms[kind] for kind in k)}
    return st.one_of([atom(name, kinds) for name, kinds in usable.items()])


def _quantifiers(depth: int) -> st.SearchStrategy[dict[str, str]]:
    """Parameters whose names belong to a depth, so that some are shadowed."""
    return st.lists(st.sampled_from(TYPES), min_size=1, max_size=2).map(
        lambda kinds: {f"?q{depth % 2}{i}": kind for i, kind in enumerate(kinds)}
    )


@st.composite
def conditions(draw: st.DrawFn, terms: Terms, depth: int) -> str:
    """A formula over terms."""
    head = draw(
        st.sampled_from(
            ["atom", "atom", "not", "and", "or", "imply", "forall", "exists", "="][: 9 * depth or 2]
        )
    )
    inner = conditions(terms, depth - 1)
    if head == "=" and terms["thing"]:
        pair = st.sampled_from(terms["thing"])
        return f"(= {draw(pair)} {draw(pair)})"
    if head in ("forall", "exists"):
        parameters = draw(_quantifiers(depth))
        body = draw(conditions(_shadowed(terms, parameters), depth - 1))
        return f"({head} ({_listed(parameters)}) {body})"
    if head in ("and", "or"):
        return f"({head} {' '.join(draw(st.lists(inner, max_size=3)))})"
    if head == "imply":
        return f"(imply {draw(inner)} {draw(inner)})"
    if head == "not":
        return f"(not {draw(inner)})"
    return draw(_atoms(terms))


def _shadowed(terms: Terms, parameters: Mapping[str, str]) -> Terms:
    outer = {
        kind: tuple(name for name in names if name not in parameters)
        for kind, names in terms.items()
    }
    return _wider(outer, parameters)


@st.composite
def effects(draw: st.DrawFn, terms: Terms, depth: int, chance: bool) -> str:
    """An effect over terms."""
    heads = ["atom", "atom", "not", "and", "when", "forall"]
    heads += ["probabilistic", "increase"] if chance else []
    head = draw(st.sampled_from(heads if depth else heads[:3]))
    inner = effects(terms, depth - 1, chance)
    if head == "and":
        return f"(and {' '.join(draw(st.lists(inner, min_size=1, max_size=3)))})"
    if head == "when":
        return f"(when {draw(conditions(terms, depth - 1))} {draw(inner)})"
    if head == "forall":
        parameters = draw(_quantifiers(depth))
        body = draw(effects(_shadowed(terms, parameters), depth - 1, chance))
        return f"(forall ({_listed(parameters)}) {body})"
    if head == "probabilistic":
        shares = draw(st.sampled_from([("0.25",), ("1/3", "1/3"), ("0.5", "0.5"), ("0", "1")]))
        return f"(probabilistic {' '.join(f'{share} {draw(inner)}' for share in shares)})"
    if head == "increase":
        by = ["0.125", *(f"(weight {name})" for name in terms["thing"])]
        what = draw(st.sampled_from(["(decrease (reward)", "(increase (total-cost)"]))
        return f"{what} {draw(st.sampled_from(by))})"
    return f"(not {draw(_atoms(terms))})" if head == "not" else draw(_atoms(terms))
