"""Tasks and priors that come with this package, as files beside the code of their domain."""

from __future__ import annotations

from importlib.resources import as_file, files

from deliberate_practice.practice.domain import task_file
from deliberate_practice.task.model import Task


def shipped_task(
    package: str, *, competence: float | None = None, rate: float | None = None
) -> Task:
    """The task of ``task.toml`` in a package.

    Args:
        package: The package that has the file.
        competence, rate: For all practised policies, instead of the stated values.
    """
    given = {"competence": competence, "rate": rate}
    with as_file(files(package) / "task.toml") as path:
        return task_file(path, **{key: value for key, value in given.items() if value is not None})
