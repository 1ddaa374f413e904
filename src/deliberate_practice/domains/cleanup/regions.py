"""Cleanup without physics: its parameters, and regions as hard to find as in physics."""

from __future__ import annotations

from deliberate_practice.domains.cleanup.parameters import parameters
from deliberate_practice.domains.regions import region_scene

CLEANUP_IN_REGIONS = region_scene(__package__, parameters)
