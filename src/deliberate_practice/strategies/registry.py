"""Strategies by name."""

from __future__ import annotations

from deliberate_practice.foundation.registry import Registry
from deliberate_practice.strategies.strategy import Strategy

_HERE = "deliberate_practice.strategies"

STRATEGIES: Registry[Strategy] = Registry(
    "strategy",
    {
        "deliberate": f"{_HERE}.deliberate:deliberate",
        "deliberate-paper": f"{_HERE}.deliberate_paper:deliberate_paper",
        "ees": f"{_HERE}.ees:ees",
        "ees-episode": f"{_HERE}.ees:ees_episode",
        "ees-predicators": f"{_HERE}.ees_predicators:ees_predicators",
        "competence-improvement": f"{_HERE}.competence_improvement:competence_improvement",
        "least-competent": f"{_HERE}.least_competent:least_competent",
        "random": f"{_HERE}.random_practice:random_practice",
        "uniform": f"{_HERE}.uniform:uniform",
    },
    given=1,
)

register_strategy = STRATEGIES.register
