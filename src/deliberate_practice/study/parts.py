"""The registries of all kinds of parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deliberate_practice.beliefs.belief import BELIEFS
from deliberate_practice.charts.registry import CHARTS
from deliberate_practice.foundation.registry import Registry
from deliberate_practice.learners.registry import LEARNERS
from deliberate_practice.practice.domain import DOMAINS
from deliberate_practice.practice.robot import ROBOTS
from deliberate_practice.practice.sinks import SINKS
from deliberate_practice.strategies.strategy import STRATEGIES

REGISTRIES: Mapping[str, Registry[Any]] = {
    "strategies": STRATEGIES,
    "beliefs": BELIEFS,
    "learners": LEARNERS,
    "robots": ROBOTS,
    "domains": DOMAINS,
    "charts": CHARTS,
    "sinks": SINKS,
}
"""Each kind in the plural, as in the names of entry points."""
