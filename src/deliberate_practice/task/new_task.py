"""A first task file: an example with comments, or a plan of one's own skills."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.foundation.text_file import write_text
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill
from deliberate_practice.task.toml_writer import quoted, task_to_toml

PROGRESS = "progress"
"""The variable of a plan: how many of its skills have succeeded."""

EXAMPLE = """\
# A task: the world, the goals with their rewards, and the skills. `deliberate check` validates it.
name = {name}
discount = 0.99              # factor on the reward for each executed skill

[variables]                  # possible values; the first one is where the variable starts
cup    = ["table", "hand", "shelf", "floor"]
door   = ["closed", "open"]

[[goals]]                    # reaching a goal ends the episode
name = "tidy"
reward = 1.0
when = {{ cup = "shelf" }}

[[skills]]
name = "OpenDoor"
precondition = {{ door = "closed", cup = "table" }}
effect = {{ door = "open" }}
failure = "stay"             # it may be tried again; "end" (the default) ends the episode
competence = 0.9             # probability of success now; without a curve it is not practised

[[skills]]
name = "Pick"
precondition = {{ cup = ["table", "floor"] }}            # any of these values
effect = {{ cup = "hand" }}
failure = {{ cup = "floor" }}                            # where a failure leads
competence = 0.4
curve = {{ kind = "exponential", rate = 0.05, ceiling = 0.95 }}   # how practice raises it

[[skills]]
name = "Place"
precondition = {{ cup = "hand", door = "open" }}
effect = {{ cup = "shelf" }}
competence = 0.2
curve = {{ kind = "piecewise-linear", rate = 0.02 }}
cost = 1                     # budget units for each practice episode

[[skills.parameters]]        # a number that the learner may change; the robot keeps the bounds
name = "height"
unit = "m"
mean = 0.05
sd = 0.02
low = 0.0
high = 0.1
"""


def new_task(
    path: str | Path,
    skills: Mapping[str, tuple[float, float]] | None = None,
    *,
    reward: float = 1.0,
) -> None:
    """Write a new task file; a file that exists is never changed.

    >>> import tempfile
    >>> from deliberate_practice.task.toml_reader import read_task
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new_task(f"{folder}/tidy.toml", {"Pick": (0.9, 0), "Place": (0.2, 0.02)})
    ...     list(read_task(f"{folder}/tidy.toml").policies)
    ['Pick', 'Place']

    Args:
        path: The file, whose name becomes the name of the task.
        skills: The skills of a plan in their order, each with its competence and with the gain of
            an attempt, 0 if it is not practised. None: an example with comments.
        reward: The reward of a plan that succeeds.

    Raises:
        TaskError: A value is not valid, or the file exists.
    """
    path = Path(path)
    name = checks.word("name", path.stem)
    if skills is None:
        text = EXAMPLE.format(name=quoted(name))
    else:
        text = "# A plan of skills; `deliberate check` validates it.\n"
        text += task_to_toml(_plan(name, skills, reward))
    write_text(path, text, new=True)


def _plan(name: str, skills: Mapping[str, tuple[float, float]], reward: float) -> Task:
    """The task in which each skill needs the success of the one before it."""
    if not skills:
        raise TaskError("skills", 'there is no skill; give e.g. {"Pick": (0.9, 0)}.')
    stages = ["start", *(f"after {skill}" for skill in skills)]
    return Task(
        name,
        {PROGRESS: stages},
        [Goal("done", reward, {PROGRESS: stages[-1]})],
        [
            Skill(
                skill,
                {PROGRESS: before},
                {PROGRESS: after},
                competence,
                curve=PiecewiseLinear(rate=rate) if rate else None,
            )
            for (skill, (competence, rate)), before, after in zip(
                skills.items(), stages[:-1], stages[1:], strict=True
            )
        ],
    )
