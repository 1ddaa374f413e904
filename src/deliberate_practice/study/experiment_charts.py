"""All charts of one experiment: the built-in ones and those of other packages."""

from __future__ import annotations

import warnings
from dataclasses import replace

from deliberate_practice.charts.chart import Chart
from deliberate_practice.charts.registry import CHARTS
from deliberate_practice.foundation.blame import blamed
from deliberate_practice.foundation.errors import ArgumentError, DeliberatePracticeError, shown
from deliberate_practice.foundation.registry import BUILT_IN
from deliberate_practice.study.experiment import as_file_name
from deliberate_practice.study.run_study import Finished


def experiment_charts(finished: Finished) -> dict[str, Chart]:
    """Every registered chart that has something to show, by its name: ours first.

    Args:
        finished: The experiment; at least one of its sessions is finished.

    Warns:
        UserWarning: A registered chart failed; it is left out.
    """
    charts = {}
    for offer in CHARTS.offers():
        try:
            chart = _chart(offer.name, finished)
        except DeliberatePracticeError as error:
            if offer.origin == BUILT_IN:
                raise
            name = finished.experiment.name
            fault = str(error).rstrip(".")
            warnings.warn(f"{fault}; experiment '{name}' is shown without it.", stacklevel=2)
            continue
        if chart:
            file = f"{finished.experiment.name}-{as_file_name(offer.name)}"
            charts[offer.name] = replace(chart, name=file)
    return charts


def _chart(name: str, finished: Finished) -> Chart | None:
    make = CHARTS[name]
    with blamed(f"chart '{name}'"):
        try:
            chart = make(finished)
        except ArgumentError as error:  # of a series or panel that cannot be drawn
            raise ArgumentError(f"chart '{name}': {error}") from error
    if chart is not None and not isinstance(chart, Chart):
        raise ArgumentError(f"chart '{name}' returned {shown(chart)}; return a Chart or None")
    return chart
