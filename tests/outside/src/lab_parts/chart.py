"""A chart: how many sessions aim for each goal in the end."""

from collections import Counter

import deliberate_practice as dp


def goals(finished: dp.Finished) -> dp.Chart:
    """Sessions by goal, for every strategy, over all budgets and seeds."""
    names = sorted({str(session.goal) for session in finished.sessions})
    series = []
    for strategy in finished.experiment.strategies:
        mine = [s for s in finished.sessions if s.cell.strategy == strategy]
        counts = Counter(str(session.goal) for session in mine)
        look = finished.looks[strategy]
        values = [counts[name] for name in names]
        series.append(dp.Series(strategy, names, values, kind="points", look=look))
    return dp.Chart(
        f"{finished.experiment.name}: goals",
        "Number of sessions that aim for each goal after practice.",
        [dp.Panel("", series)],
        "goal",
        "sessions",
    )
