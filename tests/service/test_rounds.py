"""Policies that are trained elsewhere, behind a service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from served import Served, error

from deliberate_practice.service.deliberate_client import practise

SO101 = (Path(__file__).parents[2] / "examples" / "so101.toml").read_text(encoding="utf-8")


def test_a_lab_demonstrates_trains_and_evaluates(served: Served, name: str, tmp_path: Path) -> None:
    options = {"approach": "free", "strategy": "kalman-gain"}
    address = served.start(name, SO101, 28, **options)
    seen: list[dict[str, Any]] = []

    def run(trial: dict[str, Any]) -> str | dict[str, Any]:
        seen.append(trial)
        if trial["mode"] == "train":
            return {"outcome": "success", "version": "open-v1", "measurements": {"seconds": 60}}
        return "success"

    said: list[str] = []
    token = served.token("robot", name)
    practise(served.url, name, run, token=token, folder=str(tmp_path), wait=1, say=said.append)
    assert [trial["mode"] for trial in seen] == ["demonstrate"] * 10 + ["train"] + ["deploy"] * 5
    assert seen[2]["instruction"] == "demonstrate OpenDrawer, 3 of 10"
    assert seen[10]["instruction"] == "train OpenDrawer (10 new demonstrations, 10 in all)"
    assert seen[12]["instruction"] == "evaluate OpenDrawer, 2 of 5"
    assert "trial 3: demonstrate OpenDrawer, 3 of 10: success" in said
    shown = served.admin.get(address).json()
    training = shown["trials"][10]
    assert (training["kind"], training["version"]) == ("training", "open-v1")
    assert shown["attempts"]["OpenDrawer"] == 10


def test_what_does_not_fit_is_refused(served: Served, name: str) -> None:
    address = served.start(name, SO101, 28, approach="free")
    trial = served.admin.post(f"{address}/ask", json={"robot": "arm"}).json()
    told = {"outcome": "success", "version": "v1"}
    answer = served.admin.post(f"{address}/trials/{trial['id']}/tell", json=told)
    assert answer.status_code == 422
    assert "only a training run makes a version" in error(answer)
