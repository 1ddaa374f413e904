"""LeRobot datasets of layout v3, as LeRobot 0.6.1 writes them, without pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FRAMES = 3
"""Frames of an episode."""


def write_dataset(
    folder: Path, episodes: Sequence[tuple[str, bool | None]], *, chunk: int = 4
) -> Path:
    """Write a dataset.

    Args:
        folder: Where.
        episodes: The task of each episode and its label, or None for a dataset without labels.
        chunk: Episodes in one file.
    """
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    labelled = any(label is not None for _, label in episodes)
    tasks = list(dict.fromkeys(task for task, _ in episodes))
    rows: list[dict[str, Any]] = []
    for number, (task, label) in enumerate(episodes):
        for frame in range(FRAMES):
            row = {
                "action": [0.1, 0.2],
                "timestamp": frame / 30,
                "frame_index": frame,
                "episode_index": number,
                "index": number * FRAMES + frame,
                "task_index": tasks.index(task),
            }
            if labelled:
                row["next.success"] = bool(label) and frame == FRAMES - 1
            rows.append(row)
    features = {name: {"dtype": "float32", "shape": [1], "names": None} for name in rows[0]}
    for file, first in enumerate(range(0, len(episodes), chunk)):
        part = [row for row in rows if first <= row["episode_index"] < first + chunk]
        path = folder / "data" / "chunk-000" / f"file-{file:03d}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(arrow.Table.from_pylist(part), path)
    told = [
        {"episode_index": number, "tasks": [task], "length": FRAMES}
        for number, (task, _) in enumerate(episodes)
    ]
    path = folder / "meta" / "episodes" / "chunk-000" / "file-000.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.Table.from_pylist(told), path)
    info = {"codebase_version": "v3.0", "fps": 30, "features": features}
    info |= {"total_episodes": len(episodes), "total_frames": len(rows)}
    (folder / "meta" / "info.json").write_text(json.dumps(info))
    return folder
