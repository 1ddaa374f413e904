"""Random tasks of a foreign kind: the judge of beliefs, on which none of them is tuned.

The generator shares no code and no constant with ``random_worlds.py``. Its settings were fixed
before any belief was run on it.

**Tasks** (``SHAPES``; discount 0.97; a failure ends the episode)

======== ===========================================================================================
tree     rooms in a tree of depth 2 or 3; every door is a skill, every leaf a goal
kits     a base is mounted first, then parts in any order; 3 or 4 kits need different parts
relay    4 or 5 passages in a row, each by one of two tools out of five; tools are shared policies;
         the last two stations pay
======== ===========================================================================================

Three skills in ten work already, with a competence of 0.88 to 0.98.

**True curves** of the others rise from ``start`` ~ Beta(1.2, 6), within 0.02 and 0.6, to ``top`` ~
start + 0.2 + (0.8 - start) Beta(4, 1), and have half of their gain after ``half`` attempts,
log-uniform from 6 to 90. With t = b / half:

=========== ===== =================================================================================
hill        0.30  t^k / (t^k + 1), k from 1.5 to 3: logistic in the logarithm of the episodes
power       0.25  1 - (1 + (2^(1/a) - 1) t)^-a, a from 0.7 to 2: a power law
plateau     0.18  nothing until t is 0.6 to 0.95, then a quick exponential
steps       0.12  0, then 0.5 from t = 0.5 on, then 1 from t = 1.7 on
impossible  0.15  never rises: half of them never succeed, the others have a part of their start
=========== ===== =================================================================================

**Stated curves** are exponential. The engineer does not know that a skill is impossible, and states
the curve that was to be expected. Errors of logit(start), log(half) and ceiling by style:

========== ============================================= ==================
careful    N(0, 0.3), N(0, 0.3)                          top + N(0, 0.04), at most 1
rough      N(0, 0.9), N(0, 0.8)                          1
hopeful    N(0.7, 0.5), N(-0.8, 0.5)                     1
patchy     each skill is careful (0.6) or rough (0.4)    likewise
========== ============================================= ==================

**Budgets** are 0.5 (tight) and 1.2 (roomy) times the attempts that bring the best plan to 80 % of
its gains.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.task.curves import Exponential, Table
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill

SHAPES = ("tree", "kits", "relay")
STYLES = ("careful", "rough", "hopeful", "patchy")
LEVELS = {"tight": 0.5, "roomy": 1.2}
CELLS = tuple(itertools.product(SHAPES, STYLES, LEVELS))
FAMILIES = {"hill": 0.30, "power": 0.25, "plateau": 0.18, "steps": 0.12, "impossible": 0.15}
HORIZON = 320
"""Attempts for which true curves are tabulated."""
DISCOUNT = 0.97
WORKS = 0.3


@dataclass(frozen=True)
class Style:
    """Errors of stated curves: mean and sd of logit(start) and log(half), sd of the ceiling.

    Without an sd of the ceiling the stated ceiling is 1.
    """

    start_bias: float
    start_sd: float
    half_bias: float
    half_sd: float
    ceiling_sd: float | None


CAREFUL = Style(0.0, 0.3, 0.0, 0.3, 0.04)
ROUGH = Style(0.0, 0.9, 0.0, 0.8, None)
HOPEFUL = Style(0.7, 0.5, -0.8, 0.5, None)
STYLE_PARTS: dict[str, tuple[tuple[float, Style], ...]] = {
    "careful": ((1.0, CAREFUL),),
    "rough": ((1.0, ROUGH),),
    "hopeful": ((1.0, HOPEFUL),),
    "patchy": ((0.6, CAREFUL), (0.4, ROUGH)),
}


@dataclass(frozen=True)
class Truths:
    """N true curves, with the figures that an engineer would expect of them.

    Attributes:
        start, half, top: As described above, shape (N,).
        curves: Competence after 0, 1, ..., ``HORIZON`` attempts, shape (N, HORIZON + 1).
    """

    start: FloatArray
    half: FloatArray
    top: FloatArray
    curves: FloatArray


@dataclass(frozen=True)
class ForeignWorld:
    """A task with its truths, a budget, and the value of the best split for the true curves."""

    task: Task
    budget: int
    clairvoyant: float


def foreign_world(seed: int) -> ForeignWorld:
    """The world of a seed; seeds take the cells in turn."""
    cell = seed % len(CELLS)
    shape, style, level = CELLS[cell]
    rng = np.random.default_rng([77_003, seed, cell])
    while True:
        task = DRAW[shape](rng, style)
        grounded = ground(task)
        curves = {
            name: policy.truth.predict(policy.competence, np.arange(HORIZON + 1.0)).tolist()
            if policy.truth
            else [policy.competence] * (HORIZON + 1)
            for name, policy in task.policies.items()
        }
        best = allocate(grounded, HORIZON, curves=curves)
        need = sum(_attempts_until(curves[name], 0.8) for name in best.allocation)
        budget = int(np.clip(LEVELS[level] * need, 18, HORIZON))
        clairvoyant = allocate(grounded, budget, curves=curves)
        if clairvoyant.value >= 0.03 and clairvoyant.allocation:  # else nothing is to be won
            return ForeignWorld(task, budget, clairvoyant.value)


def _attempts_until(curve: list[float], part: float) -> int:
    gained = np.array(curve) - curve[0]
    return int(np.argmax(gained >= part * gained[-1] - 1e-9))


def _tree(rng: np.random.Generator, style: str) -> Task:
    skills: list[Skill] = []
    goals: list[Goal] = []
    rooms = ["hall"]

    def grow(room: str, depth: int) -> None:
        deepest = depth == 3 or (depth == 2 and rng.random() < 0.5)
        if deepest:
            reward = float(np.round(depth**1.4 * rng.uniform(0.6, 1.6), 2))
            goals.append(Goal(f"in-{room}", reward, {"room": room}))
            return
        for door in range(2 if depth == 0 else int(rng.integers(1, 3))):
            behind = f"{room}-{door}"
            rooms.append(behind)
            skills.append(_skill(rng, style, f"enter-{behind}", {"room": room}, {"room": behind}))
            grow(behind, depth + 1)

    grow("hall", 0)
    return Task("tree", {"room": rooms}, goals, skills, discount=DISCOUNT)


def _kits(rng: np.random.Generator, style: str) -> Task:
    parts = [f"part{i}" for i in range(int(rng.integers(3, 6)))]
    variables = {name: ["off", "on"] for name in ("base", *parts)}
    skills = [_skill(rng, style, "mount-base", {"base": "off"}, {"base": "on"})]
    for part in parts:
        before = {"base": "on", part: "off"}
        skills.append(_skill(rng, style, f"mount-{part}", before, {part: "on"}))
    goals = []
    for kit in range(int(rng.integers(3, 5))):
        needed = rng.permutation(parts)[: int(rng.integers(1, 4))]
        reward = float(np.round((1 + len(needed)) ** 1.3 * rng.uniform(0.6, 1.6), 2))
        goals.append(Goal(f"kit{kit}", reward, {str(part): "on" for part in needed}))
    return Task("kits", variables, goals, skills, discount=DISCOUNT)


def _relay(rng: np.random.Generator, style: str) -> Task:
    length = int(rng.integers(4, 6))
    stations = [f"s{i}" for i in range(length + 1)]
    skills: list[Skill] = []
    seen: set[int] = set()
    for i in range(length):
        for tool in sorted(rng.permutation(5)[:2].tolist()):
            name, where, effect = f"tool{tool}-{i}", {"at": stations[i]}, {"at": stations[i + 1]}
            if tool in seen:
                skills.append(Skill(name, where, effect, policy=f"tool{tool}"))
            else:
                skills.append(_skill(rng, style, name, where, effect, f"tool{tool}"))
            seen.add(tool)
    goals = [
        Goal(
            f"at-{stations[i]}", float(np.round(i * rng.uniform(0.6, 1.6), 2)), {"at": stations[i]}
        )
        for i in (length - 1, length)
    ]
    return Task("relay", {"at": stations}, goals, skills, discount=DISCOUNT)


DRAW: dict[str, Callable[[np.random.Generator, str], Task]] = {
    "tree": _tree,
    "kits": _kits,
    "relay": _relay,
}


def _skill(
    rng: np.random.Generator,
    style: str,
    name: str,
    precondition: dict[str, str],
    effect: dict[str, str],
    policy: str = "",
) -> Skill:
    if rng.random() < WORKS:
        return Skill(name, precondition, effect, float(rng.uniform(0.88, 0.98)), policy=policy)
    truth = draw_truths(rng, 1)
    start, half, ceiling = _stated(rng, style, truth)
    return Skill(
        name,
        precondition,
        effect,
        start,
        curve=Exponential(rate=float(np.log(2) / half), ceiling=ceiling),
        truth=Table(truth.curves[0].tolist()),
        policy=policy,
    )


def draw_truths(rng: np.random.Generator, count: int) -> Truths:
    """Independent true curves."""
    start = np.clip(rng.beta(1.2, 6.0, count), 0.02, 0.6)
    top = start + 0.2 + (0.8 - start) * rng.beta(4.0, 1.0, count)
    half = np.exp(rng.uniform(np.log(6.0), np.log(90.0), count))
    families: IntArray = rng.choice(len(FAMILIES), count, p=list(FAMILIES.values()))
    shape, luck = rng.random(count), rng.random(count)
    t = np.arange(HORIZON + 1.0) / half[:, None]
    k, a = 1.5 + 1.5 * shape[:, None], 0.7 + 1.3 * shape[:, None]
    onset = 0.6 + 0.35 * shape[:, None]
    shares = (
        t**k / (t**k + 1),
        1 - (1 + (2 ** (1 / a) - 1) * t) ** -a,
        -np.expm1(-np.log(2) * np.maximum(t - onset, 0) / (1 - onset)),
        0.5 * (t >= 0.5) + 0.5 * (t >= 1.7),
    )
    gained = np.choose(np.minimum(families, len(shares) - 1)[:, None], shares)
    curves = start[:, None] + (top - start)[:, None] * gained
    impossible = families == len(shares)
    level = np.where(luck < 0.5, 0.0, shape * start)
    curves[impossible] = level[impossible, None]
    return Truths(start, half, top, curves)


def _stated(rng: np.random.Generator, style: str, truth: Truths) -> tuple[float, float, float]:
    """The competence, half-time and ceiling that the task states."""
    weights, styles = zip(*STYLE_PARTS[style], strict=True)
    errors = styles[int(rng.choice(len(weights), p=weights))]
    logit = _logit(truth.start[0]) + rng.normal(errors.start_bias, errors.start_sd)
    half = truth.half[0] * np.exp(rng.normal(errors.half_bias, errors.half_sd))
    start, ceiling = float(1 / (1 + np.exp(-logit))), 1.0
    if errors.ceiling_sd is not None:
        ceiling = min(1.0, float(truth.top[0] + rng.normal(0, errors.ceiling_sd)))
    return start, float(half), max(ceiling, start)


def log_density(
    style: str, start: float, half: float, ceiling: float, truths: Truths
) -> FloatArray:
    """Logarithm of the density of a statement, given each of N true curves; shape (N,)."""
    parts = []
    for weight, errors in STYLE_PARTS[style]:
        of_start = norm.logpdf(
            _logit(start), _logit(truths.start) + errors.start_bias, errors.start_sd
        )
        of_half = norm.logpdf(np.log(half), np.log(truths.half) + errors.half_bias, errors.half_sd)
        if errors.ceiling_sd is None:
            of_ceiling = 0.0 if ceiling >= 1 else -np.inf
        elif ceiling >= 1:
            of_ceiling = norm.logsf(1.0, truths.top, errors.ceiling_sd)
        else:
            of_ceiling = norm.logpdf(ceiling, truths.top, errors.ceiling_sd)
        parts.append(np.log(weight) + of_start + of_half + of_ceiling)
    return np.asarray(np.logaddexp.reduce(parts, axis=0))


def _logit(p: FloatArray | float) -> FloatArray:
    return np.asarray(np.log(p) - np.log1p(-np.asarray(p)))
