"""Charts of one experiment by name: built in, offered by other packages, or registered.

A part of this kind is a function of one finished experiment
(:class:`deliberate_practice.study.run_study.Finished`). It returns a :class:`Chart`, or None if it
has nothing to show. Reports and ``deliberate compare --out`` draw all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deliberate_practice.charts.chart import Chart
from deliberate_practice.foundation.registry import Registry

ChartMaker = Callable[[Any], Chart | None]

_FIGURES = "deliberate_practice.study.figures"

CHARTS: Registry[ChartMaker] = Registry(
    "chart",
    {
        "rewards": f"{_FIGURES}.rewards:rewards_chart",
        "progress": f"{_FIGURES}.progress:progress_chart",
        "choice": f"{_FIGURES}.spending:choice_chart",
        "spending": f"{_FIGURES}.spending:spending_chart",
        "improvement": f"{_FIGURES}.comparing:improvement_chart",
        "iqm": f"{_FIGURES}.comparing:iqm_chart",
    },
    given=1,
)

register_chart = CHARTS.register
