"""What a session says about itself: its reasons, its forecast, its robots and its trials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.records import TrialRecord
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.telling import record_of

if TYPE_CHECKING:
    import pandas

    from deliberate_practice.practice.showing.forecast import Forecast


class Explained:
    """The verbs of a reader; a :class:`~.session.Session` has all of them."""

    name: str
    _curriculum: Curriculum

    @property
    def state(self) -> State:
        """The state after all events of the journal."""
        raise NotImplementedError

    def holders(self) -> Mapping[int, str]:
        """The asker of each open trial."""
        raise NotImplementedError

    @property
    def open(self) -> int:
        """How many trials were asked and not told."""
        return len(self.state.open_trials)

    def trials(self) -> list[TrialRecord]:
        """All trials so far with their results, in the order they were asked."""
        return list(self.state.records.values())

    def to_pandas(self) -> pandas.DataFrame:
        """All trials so far as a data frame, one row each, with parameters and measurements.

        Raises:
            ArgumentError: pandas is not installed.
        """
        from deliberate_practice.practice.showing.trial_table import trial_frame

        return trial_frame(self.trials())

    def why(self, trial_id: int | None = None) -> str:
        """Why a trial is run, in one sentence; by default the last one that was asked.

        Raises:
            TellError: There is no such trial.
        """
        from deliberate_practice.practice.showing.reasons import reason

        state = self.state
        number = len(state.records) if trial_id is None else trial_id
        return reason(state, record_of(state.records, number, self.name))

    def robots(self, seen: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        """Every robot with a name: its open trials, outcomes, success rate and last trial.

        Args:
            seen: When robots asked last, where somebody knows it besides the journal.
        """
        from deliberate_practice.practice.showing.robot_rows import robot_rows

        return robot_rows(self.state, self.holders(), seen)

    def forecast(self) -> Forecast:
        """What the robot is worth now, and what it will be worth when the budget is spent."""
        from deliberate_practice.practice.showing.forecast import forecast  # asking does without

        return forecast(self.state, self._curriculum)

    def bands(self) -> dict[str, tuple[float, float]]:
        """The ends of the 80 % band of every policy's present competence."""
        from deliberate_practice.practice.showing.forecast import bands

        return bands(self.state, self._curriculum)
