"""Priors for new sessions, learned from the journals of earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.experience.evidence import Seen
from deliberate_practice.beliefs.experience.fit import fit
from deliberate_practice.beliefs.stated import stated
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.journal.journal import Journal
from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.task.experience import Experience


def learn_priors(
    journals: Sequence[str | Path] | str | Path, sessions: Sequence[str] = ()
) -> Experience:
    """What earlier sessions tell about the skills of new ones.

    Unfinished sessions count with what they have seen so far. A session counts once, also if
    several files hold it. Give the result to
    :meth:`~deliberate_practice.task.model.Task.with_experience`, or write it with
    :func:`write_experience`.

    Args:
        journals: The files of the journals.
        sessions: Names of the sessions to learn from; by default all in the journals.

    Raises:
        ArgumentError: No session has practised anything, or a named session is not there.
        JournalError: A journal is missing or damaged.
    """
    paths = [journals] if isinstance(journals, str | Path) else list(journals)
    states = _states(paths, sessions)
    seen = [_seen(state) for state in states if any(state.batches.values())]
    if not seen:
        raise ArgumentError(
            "sessions: none of them has practised a skill yet; practise first, or name others."
        )
    return fit(seen)


def _seen(state: State) -> list[Seen]:
    """The policies of a session. What was stated counts also of those that were not practised."""
    return [
        Seen(
            state.models[name],
            (policy := state.task.policies[name]).kind,
            stated(policy),
            known.log_likelihood,
            practised=bool(state.batches.get(name)),
        )
        for name, known in _belief(state).posteriors.items()
    ]


def _belief(state: State) -> BayesBelief:
    """The belief of a session as if it had had no experience itself."""
    belief = BayesBelief.prior(replace(state.task, experience=None), state.models)
    for batches in state.batches.values():
        for batch in batches:
            belief = belief.after(batch)
    return belief


def _states(journals: Sequence[str | Path], wanted: Sequence[str]) -> list[State]:
    """The states of the sessions; one that several files hold counts once, as far as it went."""
    missing = set(wanted)
    states: dict[str, State] = {}  # by the checksum with which a session begins
    for path in journals:
        if not Path(path).exists():
            raise JournalError(
                f"{path}: there is no such journal (looked from {Path.cwd()}); check the path."
            )
        with closing(Journal(path)) as journal:
            names = journal.names()
            begun = {
                name: journal.session(name).digest for name in names if not wanted or name in wanted
            }
        missing -= set(names)
        for name, digest in begun.items():
            with open_session(path, name) as session:
                state = session.state
            if digest not in states or states[digest].length < state.length:
                states[digest] = state
    if missing:
        raise ArgumentError(
            f"sessions: there is no session '{min(missing)}' in these journals. See all sessions: "
            "deliberate sessions --db JOURNAL."
        )
    return list(states.values())
