from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counts import examples
from hypothesis import given, settings, strategies as st
from random_tasks import random_competence, random_task

from deliberate_practice.domains.cleanup import cleanup
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.export import mdp_to_json, write_mdp
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve


def value_of(mdp: dict[str, Any]) -> float:
    """Value iteration that knows nothing but the document."""
    v = np.zeros(len(mdp["states"]))
    for state, _, reward in mdp["terminal"]:
        v[state] = reward
    for _ in range(20_000):
        q = [reward for _, _, _, reward in mdp["actions"]]
        for action, target, probability, _, _ in mdp["transitions"]:
            q[action] += mdp["discount"] * probability * v[target]
        new = v.copy()
        for (state, *_), gain in zip(mdp["actions"], q, strict=True):
            new[state] = max(new[state], gain)
        if np.abs(new - v).max(initial=0) < 1e-12:
            break
        v = new
    return float(sum(probability * v[state] for state, probability in mdp["start"]))


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_document_alone_has_the_same_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    task = random_task(rng, product_form=False)
    competence = random_competence(rng, task)
    mdp = json.loads(json.dumps(mdp_to_json(ground(task), competence)))
    assert value_of(mdp) == pytest.approx(solve(ground(task), competence).value, abs=1e-8)


def test_rows_name_things_by_position(tmp_path: Path) -> None:
    grounded = ground(cleanup())
    write_mdp(grounded, tmp_path / "mdp.json")
    text = (tmp_path / "mdp.json").read_text(encoding="utf-8")
    mdp = json.loads(text)
    assert ", " not in text
    assert mdp["format"] == "deliberate-practice-mdp"
    assert mdp["policies"][0] == {"name": "Open(top)", "competence": 0.1}
    [[start, probability]] = mdp["start"]
    assert (mdp["states"][start], probability) == (["open", "open", "open", "table"], 1.0)
    first = [row for row in mdp["actions"] if row[0] == start]
    assert [mdp["skills"][row[1]]["name"] for row in first] == ["Close(top)", "Pick(object)"]
    assert {mdp["goals"][goal]["name"]: reward for _, goal, reward in mdp["terminal"]} == {
        "top": 1.0,
        "middle": 2.0,
        "bottom": 4.0,
    }
    for _, _, probability, weight, success in mdp["transitions"]:
        assert (probability, weight, success) == (0.1, 1.0, True)


def test_competences_are_checked() -> None:
    grounded = ground(cleanup())
    with pytest.raises(ArgumentError, match=r"competence: \[0\.5\] .* each policy, .*: Open\(top"):
        mdp_to_json(grounded, [0.5])
    with pytest.raises(ArgumentError, match=r"competence: \[2.0.* within \[0, 1\]"):
        mdp_to_json(grounded, [2.0] * 10)
