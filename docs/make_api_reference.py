"""Write docs/api.md from the docstrings of all public names; a test compares the two."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_origin

import deliberate_practice as dp

TARGET = Path(__file__).with_name("api.md")
ROOMS = {
    "task": "Tasks",
    "mdp": "The abstract MDP",
    "allocation": "Allocation",
    "practice": "Practice",
    "strategies": "Strategies",
    "beliefs": "Beliefs",
    "learners": "Learners",
    "robots": "Robots",
    "study": "Studies",
    "service": "Sessions behind a service",
    "charts": "Charts",
    "foundation": "Errors",
}
"""Titles of the rooms, in the order of the page."""
SECTION = re.compile(r"(Args|Attributes|Returns|Raises|Warns|Yields):")
ENTRY = re.compile(r"    ([\w*`., ]+): (.*)")
ROLE = re.compile(r":\w+:`~?([^`]+)`")
ADDRESS = re.compile(r"<[^=]* at 0x\w+>|<factory>")
WIDTH = 88
"""Longer signatures have a line for each parameter [letters]."""


def reference() -> str:
    """The whole page."""
    homes: dict[str, list[str]] = {room: [] for room in ROOMS}
    for name, module in sorted(dp._HOME.items(), key=lambda pair: pair[0].lower()):
        homes[module.split(".")[0]].append(name)
    parts = [
        "# Python",
        "Written by `make reference` from the docstrings. All names are in `deliberate_practice`, "
        "which the examples import as `dp`.",
    ]
    for room, title in ROOMS.items():
        parts.append(f"## {title}")
        parts += [_listed(homes[room])]
        for name in homes[room]:
            parts += _described(name, getattr(dp, name))
    return "\n\n".join(parts) + "\n"


def _listed(names: list[str]) -> str:
    """A line of links."""
    return " · ".join(f"[{name}](#{name.lower()})" for name in names)


def _described(name: str, thing: Any) -> Iterator[str]:
    """A public name: its signature, its text and its methods."""
    yield f"### {name}"
    if get_origin(thing) is not None:
        yield from _of_type(name)
        return
    yield f"```python\n{_signature(f'dp.{name}', thing)}\n```"
    yield from _text(inspect.getdoc(thing) or "")
    if inspect.isclass(thing):
        for method, member in _members(thing):
            if isinstance(member, property):
                yield f"**`{name}.{method}`** (attribute)"
            else:
                yield f"**`{_signature(f'{name}.{method}', member, of_class=True)}`**"
            yield from _text(inspect.getdoc(member) or "")


def _of_type(name: str) -> Iterator[str]:
    """The name of a type, as its source defines it, with the text below it."""
    home = importlib.import_module(f"{dp.__name__}.{dp._HOME[name]}")
    source = inspect.getsource(home)
    for node, below in itertools.pairwise(ast.parse(source).body):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            yield f"```python\n{ast.get_source_segment(source, node)}\n```"
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                yield from _text(inspect.cleandoc(str(below.value.value)))


def _members(thing: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties with a text of their own, in the order of the source."""
    for owner in reversed(thing.__mro__):
        described = owner is not thing and owner.__name__ in dp.__all__  # under its own name
        if described or not owner.__module__.startswith("deliberate_practice"):
            continue
        for name, member in vars(owner).items():
            plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            callable_ = inspect.isfunction(plain) or isinstance(plain, property)
            latest = inspect.getattr_static(thing, name) is member
            if not name.startswith("_") and callable_ and latest and inspect.getdoc(plain):
                yield name, plain


def _signature(name: str, thing: Any, *, of_class: bool = False) -> str:
    """A name with its parameters; on several lines if it is long and not within a text."""
    if inspect.isclass(thing) and getattr(thing, "_is_protocol", False):
        return f"class {name}(Protocol)"
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return f"class {name}({thing.__base__.__name__})"
    found = inspect.signature(thing)
    parameters = list(found.parameters.values())[1 if of_class else 0 :]
    listed = list(_parameters(parameters))
    returned = "" if inspect.isclass(thing) else _annotation(found.return_annotation, " -> ")
    text = f"{name}({', '.join(listed)}){returned}"
    if len(text) <= WIDTH or of_class:
        return text
    return f"{name}(\n" + "".join(f"    {one},\n" for one in listed) + f"){returned}"


def _parameters(parameters: Sequence[inspect.Parameter]) -> Iterator[str]:
    """Parameters as in the source, with a star before those that must be named."""
    starred = False
    for one in parameters:
        starred = starred or one.kind is one.VAR_POSITIONAL
        if one.kind is one.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        default = "" if one.default is one.empty else f" = {ADDRESS.sub('...', repr(one.default))}"
        yield f"{stars}{one.name}{_annotation(one.annotation, ': ')}{default}"


def _annotation(stated: Any, before: str) -> str:
    if stated is inspect.Signature.empty:
        return ""
    return before + (stated if isinstance(stated, str) else inspect.formatannotation(stated))


def _text(doc: str) -> Iterator[str]:
    """A docstring as Markdown: paragraphs, lists of arguments, and examples."""
    for block in re.split(r"\n\n+", doc):
        lines = block.splitlines()
        heading = SECTION.fullmatch(lines[0]) if lines else None
        if heading:
            yield f"*{heading[1]}*"
            yield _section(lines[1:])
        elif lines and lines[0].startswith(">>> "):
            yield f"```pycon\n{block}\n```"
        elif lines:
            yield _marked(block)


def _section(lines: list[str]) -> str:
    """The entries of a section as a list, or its text if it has none."""
    entries: list[str] = []
    for line in lines:
        entry = ENTRY.match(line)
        if entry and not line.startswith("     "):
            entries.append(f"- `{entry[1]}`: {entry[2]}")
        elif entries:
            entries[-1] += f" {line.strip()}"
        else:
            entries.append(line.strip())
    return _marked("\n".join(entries))


def _marked(text: str) -> str:
    """Text with code in single backquotes, and no word that Markdown would take for markup."""
    text = ROLE.sub(lambda found: f"`{found[1].rsplit('.', 1)[-1]}`", text)
    return text.replace("``", "`")


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
