"""Practise: run a session, lose power in the middle of it, and go on as if nothing had happened.

Run it with ``python examples/practise.py``. The robot ``curves`` is simulated: its skills succeed
by chance, more often the more they were practised.
"""

import tempfile
from pathlib import Path

import deliberate_practice as dp


class PowerCut(Exception):
    """What stops the first run."""


def power_cut(session: dp.Session, trial: dp.Trial, result: dp.Result) -> None:
    """Called after every trial: at this point the journal has it already."""
    if trial.id == 25:
        raise PowerCut


with tempfile.TemporaryDirectory() as folder:
    journal = Path(folder) / "night.db"
    try:
        dp.run("breakfast", "curves", 60, name="night", journal=journal, progress=power_cut)
    except PowerCut:
        print("The power went off after 25 episodes.")
    night = dp.run("breakfast", "curves", name="night", journal=journal, resume=True)

quiet = dp.run("breakfast", "curves", 60, journal=None)  # the same session without a power cut

print(f"{night.spent} of {night.budget} episodes are spent: {dict(night.allocation)}")
print(f"The robot now goes for {night.goal}: {' -> '.join(night.plan)}")
print(f"Its plan earned {night.reward_before:.2f} before, and {night.reward_after:.2f} now.")
same = (night.attempts, night.reward_after) == (quiet.attempts, quiet.reward_after)
print(f"The same as without the power cut: {'yes' if same else 'no'}")
