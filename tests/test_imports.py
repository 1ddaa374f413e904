"""The house stays in order: no import leads back, no room is crowded, and no file is long."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

import deliberate_practice

PACKAGE = deliberate_practice.__name__
ROOT = Path(deliberate_practice.__path__[0])
REPOSITORY = ROOT.parents[1]
MOST_LINES = 400
MOST_MODULES = 28
"""Modules directly in one package; its ``__init__.py`` is not counted."""


def _imports(files: dict[str, Path]) -> dict[str, set[str]]:
    """What each module imports while it is imported itself; lazy imports do not count."""
    graph = grimp.build_graph(PACKAGE, exclude_type_checking_imports=True, cache_dir=None)
    found = {}
    for module in graph.modules:
        lines = set(_lines_at_import(files[module]))
        found[module] = {
            imported
            for imported in graph.find_modules_directly_imported_by(module)
            for detail in graph.get_import_details(importer=module, imported=imported)
            if detail["line_number"] in lines
        }
    return found


def _lines_at_import(file: Path) -> Iterator[int]:
    """The lines of a file that are run when it is imported: all but the bodies of functions."""
    waiting: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node.lineno
        waiting.extend(ast.iter_child_nodes(node))


@pytest.fixture(scope="module")
def files() -> dict[str, Path]:
    """Every module of the package."""
    paths = {file: file.relative_to(ROOT.parent).with_suffix("") for file in ROOT.rglob("*.py")}
    return {".".join(path.parts).removesuffix(".__init__"): file for file, path in paths.items()}


def test_no_import_leads_back_to_where_it_began(files: dict[str, Path]) -> None:
    imports = _imports(files)
    assert set(imports) == set(files)
    assert sum(map(len, imports.values())) > len(files)  # they are seen at all
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(f"imports in a circle: {' <- '.join(error.args[1])}")


def test_no_package_is_crowded(files: dict[str, Path]) -> None:
    for folder in {file.parent for file in files.values()}:
        modules = [file.name for file in folder.glob("*.py") if file.name != "__init__.py"]
        assert len(modules) <= MOST_MODULES, f"{folder.name}: {len(modules)} modules; make rooms"


def test_no_file_is_long() -> None:
    folders = ("src", "tests", "benchmarks", "tools", "examples", "docs")
    paths = [file for folder in folders for file in (REPOSITORY / folder).rglob("*.py")]
    assert len(paths) > 100
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert {str(path): n for path, n in lengths.items() if n > MOST_LINES} == {}
