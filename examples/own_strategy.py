"""A strategy of your own: a function that looks at the situation and names what to practise.

Run it with ``python examples/own_strategy.py``. It compares the new strategy with two of ours.
"""

import deliberate_practice as dp
from deliberate_practice.testing import check_strategy


def steepest(situation: dp.Situation, *, ahead: int = 12) -> dp.Decision | None:
    """Practise the policy that is believed to gain most from the next attempts.

    Args:
        situation: The task, the belief, the budget that is left, and how to reach each policy.
        ahead: Attempts to look ahead; an option, chosen as ``steepest:ahead=30``.
    """
    gains = {}
    for policy in situation.routes:  # everything that can be practised now
        curve = situation.belief.curve(policy, ahead)
        gains[policy] = float(curve[-1] - curve[0])
    if not gains or max(gains.values()) <= 0:
        return None  # no practice is worth anything: the session ends
    best = max(gains, key=gains.__getitem__)
    return dp.Decision(best, share=6, why={"gain": gains[best]})


# At the top of the module, so that the processes of a comparison know it too.
dp.register_strategy("steepest", steepest)

if __name__ == "__main__":
    check_strategy(steepest)
    finished = dp.compare(
        "breakfast",
        [30, 60],
        strategies=["deliberate", "steepest", "steepest:ahead=30", "random"],
        seeds=5,
        approach="free",
        engine=dp.make_engine(workers=1),  # leave it out to use all processors
    )
    for row in finished.rows:
        print(f"budget {row.budget:3}  {row.strategy:18}  reward {row.mean:.3f}")
