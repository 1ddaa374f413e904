"""The words for policies that are trained elsewhere, on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Run

EXAMPLE = Path(__file__).parents[2] / "examples" / "so101.toml"


@pytest.fixture
def friday(run: Run) -> str:
    started = run(
        "start", str(EXAMPLE), *["--budget", "28", "--name", "friday", "--approach", "free"]
    )
    assert started.status == 0, started.err
    return "friday"


def test_ask_says_what_to_do(run: Run, friday: str) -> None:
    for number in range(1, 11):
        assert run(f"ask {friday}").out.startswith(
            f"trial {number}: demonstrate PickCube, {number}"
        )
        assert run(f"tell {friday} {number} success").status == 0
    training = run(f"ask {friday}")
    assert training.out.startswith("trial 11: train PickCube (10 new demonstrations, 10 in all)")
    assert "where" not in training.out
    told = run(f"tell {friday} 11 success --version pick-v1 --measure seconds=60")
    assert told.out == "trial 11: success; 5 of 28 left\n"
    shown = run(f"show {friday} --format json").data
    assert shown["trials"][10]["version"] == "pick-v1"
    assert shown["attempts"]["PickCube"] == 10


def test_json_has_the_mode_and_the_instruction(run: Run, friday: str) -> None:
    data = run(f"ask {friday} --format json").data
    assert (data["mode"], data["kind"]) == ("demonstrate", "practice")
    assert data["instruction"] == "demonstrate PickCube, 1 of 10"
    assert data["reason"].startswith("demonstrating PickCube: ")


def test_a_wrong_word_is_refused_in_one_message(run: Run, friday: str) -> None:
    run(f"ask {friday}")
    wrong = run(f"tell {friday} 1 assisted")
    assert (wrong.status, wrong.out) == (2, "")
    assert "tell 'success' if it was recorded" in wrong.err


def test_an_allocation_says_that_it_counts_demonstrations(run: Run) -> None:
    found = run("allocate", str(EXAMPLE), "--budget", "100", "--format", "json").data
    assert found["allocation"] == {"PickCube": 40}
    assert any("are demonstrations" in note for note in found["notes"])
