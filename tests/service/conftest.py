"""A service for each module of tests, and one with limits of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from served import Served

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    service = Served(tmp_path_factory.mktemp("service") / "lab.db")
    yield service
    service.close()


@pytest.fixture
def name() -> str:
    """A name that no other session has."""
    return f"session {next(_NUMBERS)}"
