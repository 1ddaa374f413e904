"""Write docs/gallery.md and its pictures from the examples; a test compares the page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import deliberate_practice as dp
from deliberate_practice.allocation.frontier_chart import stretches

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
TARGET = HERE / "gallery.md"
INTRODUCTION = """# Gallery

Every task, robot and part in this gallery is a file that you can copy and run. `make reference`
writes this page, with its texts, numbers and charts, from the examples.

A chart shows the frontier of a task: the expected reward after practice for every budget, in the
colour of the goal that is best there, and below it the episodes of each skill. It is computed for
the curves that the task states. With `--robot mujoco` commands use curves that were measured in
physics, so their numbers differ.

The [tutorial](tutorial.md#install) begins with the installation. Run the commands in the folder
of the sources. Films need the extra `sim`."""


@dataclass(frozen=True)
class Shown:
    """A task of the gallery.

    Attributes:
        task: Name of a domain, or a file below ``examples``.
        title: Its heading.
        text: What it shows.
        budget: The largest budget of its frontier.
        solver: As for ``dp.frontier``.
        picture: A picture of its robot, if there is one, with its description.
        practise: A command that practises it.
    """

    task: str
    title: str
    text: str
    budget: int
    solver: str = "auto"
    picture: tuple[str, str] | None = None
    practise: str = ""

    @property
    def path(self) -> str:
        """The task as commands name it, in the folder of the sources."""
        return f"examples/{self.task}" if "." in self.task else self.task

    @property
    def file(self) -> str:
        """The file of its chart."""
        return f"gallery-{re.sub('[^a-z0-9]+', '-', self.task.removesuffix('.toml'))}.png"


TASKS = (
    Shown(
        "cleanup",
        "Cleanup: three drawers",
        "A Panda clears a table into one of three drawers. Lower drawers pay more and need more "
        "skills. It is the main task of the paper, on a synthetic robot and "
        "[in physics](simulation.md).",
        300,
        picture=("cleanup-robot.png", "The Panda puts a block into the bottom drawer"),
        practise="deliberate run cleanup --robot mujoco --approach free --budget 150 --video a.mp4",
    ),
    Shown(
        "breakfast",
        "Breakfast: toast or oatmeal",
        "Two Pandas make toast, or oatmeal, which is worth more and needs two skills that hardly "
        "ever work at first. [Breakfast](breakfast.md) has the physics.",
        100,
        picture=("breakfast-robot.png", "Two Pandas at a toaster and a microwave"),
        practise="deliberate run breakfast --robot mujoco --budget 60 --video breakfast.mp4",
    ),
    Shown(
        "kitchen",
        "Kitchen: light, tea or a feast",
        "The scene of FrankaKitchen with knobs, a kettle and a microwave. [Kitchen](kitchen.md) "
        "describes how its skills were made.",
        200,
        picture=("kitchen-robot.png", "The Panda in FrankaKitchen"),
        practise="deliberate run kitchen --robot mujoco --budget 100 --video kitchen.mp4",
    ),
    Shown(
        "coffee_station.toml",
        "Coffee station: failures that can be recovered",
        "Spilled milk can be refilled; a failed brew ends the order. So a cappuccino is within "
        "reach although two of its skills never work at first.",
        120,
        solver="local",
        practise="deliberate run examples/coffee_station.toml --budget 120",
    ),
    Shown(
        "two_tasks.toml",
        "Cups: one robot, two tasks",
        "The robot brings cups to guests and tidies up with the same skills. Three of four jobs "
        "are to serve. One budget is split for both tasks.",
        100,
        practise="deliberate run examples/two_tasks.toml --budget 40",
    ),
    Shown(
        "so101.toml",
        "SO-101: practice by demonstrations",
        "The policies of three skills are trained elsewhere, in rounds of demonstrations, a "
        "training run and evaluations, each with its price in minutes "
        "([Demonstrations](demonstrations.md)).",
        540,
        practise="deliberate run examples/so101.toml --budget 480",
    ),
    Shown(
        "metaworld/workshop.toml",
        "Meta-World: a workshop",
        "Twelve tasks of Meta-World are the skills of five jobs. The simulator runs in an "
        "environment of its own and practises through the client, as a real robot does.",
        300,
        practise="deliberate run examples/metaworld/workshop.toml --budget 120",
    ),
    Shown(
        "pddl/kitchen.toml",
        "PDDL: dishes into drawers",
        "A planner's domain and problem become a task. A small TOML file beside them states "
        "rewards, competences and curves ([From PDDL](task-files.md#from-pddl)).",
        100,
        practise="deliberate run examples/pddl/kitchen.toml --budget 40",
    ),
)
OTHERS = {
    "so101/desk.toml": "A simulated SO-101 in an environment of its own: it waves, touches a cube, "
    "or presses on its middle.",
    "pddl/rounds.toml": "ADL, action costs and effects by chance: a full tray, or one drink after "
    "the other.",
    "lerobot": "Demonstrations, training runs and evaluations become LeRobot's commands.",
}
"""Further examples, without a chart."""


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION, "## Tasks"]
    for shown in TASKS:
        parts += _task(shown)
    parts += ["## More tasks", "\n".join(_others()), "## Scripts", "\n".join(_scripts())]
    return "\n\n".join(parts) + "\n"


def write_pictures() -> None:
    """Draw the frontier of every task as its command does, with the proof that takes a minute."""
    for shown in TASKS:
        found = _frontier(replace(shown, solver="auto"))
        dp.write_chart(dp.frontier_chart(found), HERE / shown.file, titled=False)


def _task(shown: Shown) -> Iterator[str]:
    found = _frontier(shown)
    best = ", ".join(
        f"**{one.goal or 'nothing'}** {'at first' if one.first == 0 else f'from {one.first} on'}"
        for one in stretches(found)
    )
    proven = "" if found.proven else " (best known; the bound in the chart takes a minute)"
    source = "" if shown.path == shown.task else f" ([{shown.path}](../{shown.path}))"
    yield f"### {shown.title}"
    yield f"{shown.text}{source}"
    if shown.picture:
        file, words = shown.picture
        yield f"![{words}]({file})"
    yield f"![The frontier of {shown.title}]({shown.file})"
    yield f"Best goal by budget: {best}{proven}."
    first = f"deliberate frontier {shown.path} --max-budget {shown.budget} --plot frontier.png"
    yield f"```sh\n{first}\n{shown.practise}\n```"


def _frontier(shown: Shown) -> dp.Frontier:
    task = dp.load_task(EXAMPLES / shown.task if "." in shown.task else shown.task)
    return dp.frontier(task, shown.budget, solver=shown.solver)


def _others() -> Iterator[str]:
    yield "| example | shows |"
    yield "|---|---|"
    for name, text in OTHERS.items():
        yield f"| [{name}](../examples/{name}) | {text} |"


def _scripts() -> Iterator[str]:
    """A row for each script, with the first sentence of its docstring."""
    yield "| script | shows |"
    yield "|---|---|"
    for path in sorted(EXAMPLES.glob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        yield f"| [{path.name}](../examples/{path.name}) | {doc.splitlines()[0]} |"


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
    write_pictures()
