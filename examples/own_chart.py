"""A chart of your own: a function of a finished experiment, drawn in every report.

Run it with ``python examples/own_chart.py``; it writes ``attempts.png`` and ``attempts.csv`` into
the current folder. Once a chart is registered or installed, ``deliberate compare --out DIR`` and
``deliberate report DIR`` draw it too.
"""

import numpy as np

import deliberate_practice as dp
from deliberate_practice.testing import check_chart


def attempts(finished: dp.Finished) -> dp.Chart | None:
    """Mean number of attempts of each policy, for every strategy; None has nothing to show."""
    budget = max(finished.experiment.budgets)
    series = []
    for strategy in finished.experiment.strategies:
        cells = [s for s in finished.sessions if s.cell.strategy == strategy]
        last = [s for s in cells if s.cell.budget == budget]
        if last:
            policies = [name for name in last[0].attempts if any(s.attempts[name] for s in last)]
            means = [float(np.mean([s.attempts[name] for s in last])) for name in policies]
            look = finished.looks[strategy]  # the same in all charts of a report
            series.append(dp.Series(strategy, policies, means, kind="points", look=look))
    if not series:
        return None
    return dp.Chart(
        title=f"Attempts at a budget of {budget}",
        text="Mean number of attempts of each policy that reached its precondition.",
        panels=[dp.Panel(finished.experiment.name, series)],
        x_label="policy",
        y_label="attempts (mean over seeds)",
    )


dp.register_chart("attempts", attempts)

if __name__ == "__main__":
    check_chart(attempts)
    finished = dp.compare(
        "breakfast",
        [60],
        strategies=["deliberate", "random"],
        seeds=3,
        approach="free",
        engine=dp.make_engine(workers=1),  # leave it out to use all processors
    )
    chart = attempts(finished)
    assert chart
    for ending in ("png", "csv"):
        dp.write_chart(chart, f"attempts.{ending}")
    for series in chart.panels[0].series:
        shown = ", ".join(f"{x} {y:.0f}" for x, y in zip(series.x, series.y, strict=True))
        print(f"{series.name}: {shown}")
