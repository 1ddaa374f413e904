"""The journal of sessions: events that are only ever added, and the checks that none is lost."""
