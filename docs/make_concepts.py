"""Draw the concepts as SVG: the split of a budget, the loop of practice, the frontier.

The numbers are those of the task in docs/tutorial.md. The pictures follow the light or dark scheme
of the reader, and have a background of their own. A test compares them with this program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from pathlib import Path

import deliberate_practice as dp

HERE = Path(__file__).parent
BUDGET, LARGEST = 40, 80
STYLE = """
  .card { fill: #f7f9fb; } .box { fill: #ffffff; stroke: #9aa7b4; stroke-width: 1.5; }
  text { fill: #1c1c1c; font: 15px system-ui, sans-serif; } .small { font-size: 13px; }
  .faint { fill: #52606d; } .bold { font-weight: 600; } .on { fill: #ffffff; }
  .line { fill: none; stroke: #52606d; stroke-width: 1.5; }
  .tip { fill: #52606d; } .pale { fill: none; stroke: #9aa7b4; stroke-dasharray: 4 4; }
  .a { fill: #0072b2; } .b { fill: #b34f00; } .track { fill: #dfe5eb; }
  .curve-a { fill: none; stroke: #9a6b00; stroke-width: 3; }
  .curve-b { fill: none; stroke: #0072b2; stroke-width: 3; }
  @media (prefers-color-scheme: dark) {
    .card { fill: #1b2026; } .box { fill: #252c34; stroke: #6f7d8b; }
    text { fill: #e8e8e8; } .faint { fill: #b3bec9; } .line { stroke: #b3bec9; }
    .tip { fill: #b3bec9; } .pale { stroke: #6f7d8b; } .track { fill: #3a444f; }
    .curve-a { stroke: #e0a92b; } .curve-b { stroke: #58a9dc; } .on { fill: #ffffff; }
  }
"""
WIDTH = 520
LEFT, RIGHT = 24, WIDTH - 24


def pictures() -> dict[str, str]:
    """The text of every picture by the name of its file."""
    text = (HERE / "tutorial.md").read_text(encoding="utf-8")
    (described,) = re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    task = dp.parse_task(described)
    return {
        "concept-split.svg": _split(task),
        "concept-loop.svg": _loop(),
        "concept-frontier.svg": _frontier(task),
    }


def _split(task: dp.Task) -> str:
    """A budget, its split over the skills of a plan, and the reward of this plan."""
    best = dp.allocate(task, BUDGET)
    span = RIGHT - LEFT
    parts = [
        _text(LEFT, 34, "1. A budget", "bold"),
        f'<rect class="track" x="{LEFT}" y="46" width="{span}" height="30" rx="5"/>',
        _text(WIDTH / 2, 67, f"{BUDGET} episodes of practice", middle=True),
        _text(LEFT, 118, "2. The best split over the skills of a plan", "bold"),
    ]
    at = float(LEFT)
    for name, look in zip(best.allocation, "ab", strict=True):
        episodes = best.allocation[name]
        width = span * episodes / BUDGET
        now, after = task.policies[name].competence, best.competence[name]
        parts += [
            f'<rect class="{look}" x="{at:.1f}" y="130" width="{width - 3:.1f}" height="30" '
            'rx="5"/>',
            _text(at + width / 2, 151, f"{name} {episodes}", "on small", middle=True),
            _text(at + width / 2, 180, "competence", "small faint", middle=True),
            _text(at + width / 2, 198, f"{now:.2f} → {after:.2f}", "small", middle=True),
        ]
        at += width
    parts.append(_text(LEFT, 240, "3. The plan that earns most afterwards", "bold"))
    states, places = ["table", "hand", str(best.goal)], (LEFT, 200, 376)
    for state, x in zip(states, places, strict=True):
        parts += [_box(x, 256, 120, 36), _text(x + 60, 279, state, middle=True)]
    parts += [_arrow(144, 274, 198, 274), _arrow(320, 274, 374, 274)]
    parts += [
        _text(171, 310, best.plan[0], "small faint", middle=True),
        _text(347, 310, best.plan[1], "small faint", middle=True),
        _text(
            WIDTH / 2,
            342,
            f"expected reward {best.value:.2f}: proven, no split is better",
            middle=True,
        ),
    ]
    return _picture(360, f"A budget of {BUDGET} episodes, its split, and the plan", parts)


def _loop() -> str:
    """One turn of practice: ask, practise, tell, update."""
    boxes = (
        (LEFT, 24, "1. Ask", ("the strategy names a skill,", "the learner its parameters")),
        (276, 24, "2. Practise", ("the robot goes to the", "precondition and attempts it")),
        (276, 184, "3. Tell", ("the outcome goes to the", "journal before anything else")),
        (LEFT, 184, "4. Update", ("learner and belief change,", "the rest is split anew")),
    )
    parts = []
    for x, y, title, lines in boxes:
        parts += [_box(x, y, 220, 96), _text(x + 110, y + 28, title, "bold", middle=True)]
        for number, line in enumerate(lines):
            parts.append(_text(x + 110, y + 54 + 20 * number, line, "small faint", middle=True))
    parts += [_arrow(246, 72, 274, 72), _arrow(386, 122, 386, 182)]
    parts += [_arrow(274, 232, 246, 232), _arrow(134, 182, 134, 122)]
    parts.append(_text(WIDTH / 2, 157, "until the budget is spent", "small", middle=True))
    return _picture(304, "The loop of practice: ask, practise, tell, update", parts)


def _frontier(task: dp.Task) -> str:
    """The best value of every budget, in the colour of its goal, with the place of the switch."""
    found = dp.frontier(task, LARGEST)
    top, bottom, left = 40, 270, 70
    highest = max(found.values)

    def place(budget: int) -> tuple[float, float]:
        x = left + (RIGHT - left) * budget / LARGEST
        return x, bottom - (bottom - top) * found.values[budget] / highest

    switch = next(s.budget for s in found.switches if s.budget and s.goal != found.goals[0])
    pieces = {"curve-a": range(switch + 1), "curve-b": range(switch, LARGEST + 1)}
    parts = [f'<path class="line" d="M{left} {top - 12}V{bottom}H{RIGHT}"/>']
    for look, budgets in pieces.items():
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, budgets))
        parts.append(f'<polyline class="{look}" points="{points}"/>')
    x, y = place(switch)
    first, last = found.goals[0], found.goals[-1]
    parts += [
        f'<path class="pale" d="M{x:.1f} {y - 14:.1f}V{bottom}"/>',
        _text(x + 8, bottom - 14, f"from {switch} on: {last}", "small"),
        _text(left + 10, place(8)[1] - 34, f"best goal: {first}", "small"),
        _text(place(46)[0] - 8, place(46)[1] - 10, f"best goal: {last}", "small", end=True),
        _text(place(58)[0] + 8, place(58)[1] + 30, "slope: worth of", "small faint"),
        _text(place(58)[0] + 8, place(58)[1] + 48, "one more episode", "small faint"),
        _text(
            (left + RIGHT) / 2,
            bottom + 44,
            "practice budget [episodes]",
            "small faint",
            middle=True,
        ),
        f'<text class="small faint" transform="translate(22 {(top + bottom) / 2}) rotate(-90)" '
        'text-anchor="middle">expected reward</text>',
    ]
    for budget in (0, 20, 40, 60, 80):
        parts.append(_text(place(budget)[0], bottom + 20, str(budget), "small faint", middle=True))
    return _picture(330, f"The frontier: {first} up to {switch - 1} episodes, then {last}", parts)


def _picture(height: int, title: str, parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img">\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n'
        f'<rect class="card" width="{WIDTH}" height="{height}" rx="10"/>\n{body}\n</svg>\n'
    )


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="box" x="{x}" y="{y}" width="{width}" height="{height}" rx="7"/>'


def _text(
    x: float, y: float, text: str, look: str = "", *, middle: bool = False, end: bool = False
) -> str:
    anchor = ' text-anchor="middle"' if middle else ' text-anchor="end"' if end else ""
    return f'<text class="{look}" x="{x:.1f}" y="{y:.1f}"{anchor}>{escape(text)}</text>'


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    """A straight arrow, across or down."""
    along = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
    back = to_x - 8 * along[0], to_y - 8 * along[1]
    side = 5 * along[1], 5 * along[0]
    tip = [
        (to_x, to_y),
        (back[0] + side[0], back[1] + side[1]),
        (back[0] - side[0], back[1] - side[1]),
    ]
    points = " ".join(f"{a},{b}" for a, b in tip)
    line = f'<path class="line" d="M{x} {y}L{back[0]} {back[1]}"/>'
    return f'{line}<polygon class="tip" points="{points}"/>'


if __name__ == "__main__":
    for name, text in pictures().items():
        (HERE / name).write_text(text, encoding="utf-8")
