"""A strategy: every policy in turn."""

import deliberate_practice as dp


def round_robin(situation: dp.Situation, *, share: int = 3) -> dp.Decision | None:
    """The policy with the fewest attempts; the first one of equals."""
    if not situation.routes:
        return None
    policy = min(situation.routes, key=lambda name: situation.attempts[name])
    return dp.Decision(policy, share, why={"attempts": situation.attempts[policy]})
