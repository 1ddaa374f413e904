from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click
import kitchen_published
import practice
import probes
import pytest
from click.testing import CliRunner
from kept import kept, practised


@dataclass(frozen=True)
class Square:
    number: int
    value: float

    @property
    def key(self) -> int:
        return self.number


def square(number: int) -> Square:
    return Square(number, number**2 / 3)


def squares(out: Path | None, *numbers: int, workers: int = 1) -> list[Square]:
    return practised(Square, square, numbers, "squares", workers, out)


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_their_keys_and_so_does_the_file(
    workers: int, tmp_path: Path
) -> None:
    out = tmp_path / "squares.jsonl"
    assert [one.number for one in squares(out, 5, 1, 3, workers=workers)] == [5, 1, 3]
    assert kept(Square, out) == [square(5), square(1), square(3)]
    assert squares(None, 5, 1, 3) == kept(Square, out)


def test_a_stopped_run_goes_on_and_keeps_results_that_are_not_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "squares.jsonl"
    out.write_text('{"number": 9, "value": 0.0}\n{"number": 2, "value": 7.5}\n{"number": 3, "va')
    found = squares(out, 1, 2, 3)
    assert found == [square(1), Square(2, 7.5), square(3)]  # the second is not made again
    assert kept(Square, out) == [*found, Square(9, 0.0)]
    before = out.read_bytes()
    assert squares(out, 3, 1) == [square(3), square(1)]
    assert out.read_bytes() == before


@pytest.mark.parametrize("text", ["notes", "notes\n", '{"other": 1}\n', "{}\n", "[1]\n"])
def test_another_file_is_refused_and_left_alone(text: str, tmp_path: Path) -> None:
    out = tmp_path / "notes"
    out.write_text(text)
    with pytest.raises(click.UsageError, match="not a file of this benchmark"):
        squares(out, 1)
    assert out.read_text() == text


def test_an_empty_file_is_filled(tmp_path: Path) -> None:
    out = tmp_path / "squares.jsonl"
    out.touch()
    assert squares(out, 1) == kept(Square, out) == [square(1)]


def test_nothing_to_do_is_refused() -> None:
    with pytest.raises(click.UsageError, match="No squares are asked for"):
        squares(None)


@pytest.mark.parametrize(
    ("command", "line", "message"),
    [
        (practice.main, "--worlds 0", "0 is not in the range x>=1"),
        (practice.main, "--workers 0", "0 is not in the range 1<=x<=1024"),
        (
            practice.main,
            "--worlds 1 --long 1 --workers 1 --methods foo:bayes",
            "strategy: 'foo' is",
        ),
        (probes.main, "--worlds 0", "No sessions are asked for"),
        (kitchen_published.main, "--strategies foo --workers 1", "strategy: 'foo' is not one of"),
    ],
)
def test_arguments_that_make_no_sense_are_one_message(
    command: click.Command, line: str, message: str
) -> None:
    result = CliRunner().invoke(command, line.split())
    assert result.exit_code == 2
    assert message in result.output
