"""A domain: a cart carries blocks to a bin, near or far; the far one pays more."""

import deliberate_practice as dp


def task(*, far_reward: float = 2.0) -> dp.Task:
    """Load a block, then drive it to the near or the far bin and stop there.

    Args:
        far_reward: Reward of the far bin; the near one has 1.
    """
    speed = dp.Parameter("speed", mean=0.9, sd=0.4, low=0.2, high=2.5, unit="m/s")
    curve = dp.Exponential(rate=0.08, ceiling=0.95)
    return dp.Task(
        name="sorting",
        variables={"block": ["shelf", "cart", "near bin", "far bin"]},
        goals=[
            dp.Goal("near", 1.0, {"block": "near bin"}),
            dp.Goal("far", far_reward, {"block": "far bin"}),
        ],
        skills=[
            dp.Skill("Load", {"block": "shelf"}, {"block": "cart"}, competence=0.95),
            *(
                dp.Skill(
                    f"Push({bin})",
                    {"block": "cart"},
                    {"block": f"{bin} bin"},
                    competence=0.1,
                    curve=curve,
                    parameters=[speed],
                )
                for bin in ("near", "far")
            ),
        ],
    )


# As text, so that the scene and MuJoCo are imported only when somebody practises in it.
SORTING = dp.Domain("sorting", task, {"mujoco": "lab_parts.scene:SCENE"})
