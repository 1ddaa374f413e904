"""Reports: complete, self-contained, the same every time, and drawn by a real browser."""

from __future__ import annotations

import csv
import html.parser
import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from browser import browser

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.study.experiment import Experiment, Study
from deliberate_practice.study.report.write import write_report
from deliberate_practice.study.run_study import run_study
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill

OURS = ("deliberate", "random")
STUDY = Study(
    "small",
    [
        Experiment("toast", "breakfast", [6, 12], strategies=OURS, seeds=2, against="random"),
        Experiment("slow", "breakfast", [6, 12], strategies=OURS, seeds=2, truth={"rate": 0.5}),
        Experiment("coin", "counterexample", [6], strategies=OURS, seeds=2, approach="free"),
    ],
)
NETWORK = re.compile(r'(?:src|href)="(?!#|figures/)')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("study")
    run_study(STUDY, out)
    write_report(out)
    return out


class _Tags(html.parser.HTMLParser):
    """Which tags were opened, and the attributes of some."""

    def __init__(self) -> None:
        super().__init__()
        self.count: Counter[str] = Counter()
        self.charts: list[dict[str, str | None]] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.attributes |= attributes.keys()
        self.count[tag] += 1
        if attributes.get("class") == "chart":
            self.charts.append(attributes)
        if tag == "a":
            self.links.append(attributes["href"] or "")


def _tags(path: Path) -> _Tags:
    tags = _Tags()
    tags.feed(path.read_text(encoding="utf-8"))
    return tags


def test_the_page_says_everything_in_words_too(folder: Path) -> None:
    tags = _tags(folder / "report.html")
    assert tags.count["h1"] == 1
    assert tags.count["h2"] == 7  # verdict, overview, two experiments, two tasks, wrong priors
    assert tags.count["caption"] == tags.count["table"] > 3
    assert len(tags.charts) > 10
    assert all(chart["role"] == "img" and chart["aria-label"] for chart in tags.charts)


def test_every_link_leads_somewhere_and_nothing_is_loaded(folder: Path) -> None:
    tags = _tags(folder / "report.html")
    text = (folder / "report.html").read_text(encoding="utf-8")
    for link in tags.links:
        if link.startswith("#"):
            assert f'id="{link[1:]}"' in text
        else:
            assert (folder / link).is_file()
    assert tags.count["link"] == tags.count["img"] == 0
    assert not NETWORK.search(text.split('<script type="application/json"')[0])
    assert "default-src 'none'" in text


def test_every_chart_is_there_for_print_with_its_data(folder: Path) -> None:
    for chart in _tags(folder / "report.html").charts:
        name = (chart["id"] or "").removeprefix("chart-")
        for ending in ("pdf", "png", "csv"):
            assert (folder / "figures" / f"{name}.{ending}").stat().st_size > 50


def test_the_same_results_give_the_same_page_and_progress_is_told(folder: Path) -> None:
    before = (folder / "report.html").read_bytes()
    told: dict[str, list[tuple[int, int]]] = {}
    write_report(folder, progress=lambda items, *far: told.setdefault(items, []).append(far))
    assert (folder / "report.html").read_bytes() == before
    assert list(told) == ["frontiers", "experiments", "figures"]
    for far in told.values():
        assert far == [(done, len(far)) for done in range(1, len(far) + 1)]


def test_a_study_that_is_not_finished_is_reported_as_far_as_it_is(tmp_path: Path) -> None:
    import sqlite3

    run_study(Study("half", STUDY.experiments[:1]), tmp_path)
    database = sqlite3.connect(tmp_path / "results.sqlite")
    database.execute("DELETE FROM results WHERE strategy = 'random' AND seed = 1 AND budget = 12")
    database.commit()
    database.close()
    text = write_report(str(tmp_path)).read_text(encoding="utf-8")
    assert "7 of 8" in text
    assert "Not all sessions are finished" in text


def test_refuses_a_folder_without_results(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"there is no .*results.sqlite; first run: deliberate"):
        write_report(tmp_path)
    with pytest.raises(ArgumentError, match="episode-seconds: 0"):
        write_report(tmp_path, episode_seconds=0)


@pytest.mark.parametrize("text", ['{"a": 1}', "[3]", "{"])
def test_refuses_solvers_that_nobody_measured(folder: Path, tmp_path: Path, text: str) -> None:
    shutil.copy(folder / "results.sqlite", tmp_path)
    (tmp_path / "solvers.json").write_text(text)
    with pytest.raises(ArgumentError, match=r"solvers\.json is not .*; measure it anew: python"):
        write_report(tmp_path)


HOSTILE = (
    "<script>alert(1)</script>\"'&<!--<script>",
    "</script><img src=x onerror=alert(2)>",
    "<a href='javascript:alert(3)'>$\\frac{</a>",
    "=cmd|'/c calc'!A0",
    "_<b>hidden</b>]]>-->",
)
"""Names that a page, a figure or a table could take for something else."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a study in which everything has such a name."""
    task, value, goal, skill, other = HOSTILE
    described = Task(
        name=task,
        variables={value: ["a", value, other]},
        goals=[Goal(goal, 1.0, {value: value}), Goal(skill, 2.0, {value: other})],
        skills=[
            Skill(skill, {value: "a"}, {value: value}, 0.3, curve=PiecewiseLinear(rate=0.03)),
            Skill(other, {value: "a"}, {value: other}, 0.1, curve=PiecewiseLinear(rate=0.02)),
        ],
    )
    out = tmp_path_factory.mktemp("hostile")
    experiment = Experiment("e1", described, [5, 20], strategies=OURS, seeds=2, approach="free")
    run_study(Study("hostile", [experiment]), out)
    write_report(out)
    return out


def test_names_cannot_break_the_page(hostile: Path) -> None:
    text = (hostile / "report.html").read_text(encoding="utf-8")
    tags = _tags(hostile / "report.html")
    assert tags.count["script"] == text.count("</script") == 3
    assert not tags.count.keys() & {"img", "b"}
    assert all(link.startswith(("#", "figures/")) for link in tags.links)
    assert not {name for name in tags.attributes if name.startswith("on")}
    data = re.findall(r'<script type="application/json" id="charts">([^<]*)</script>', text)
    charts = json.loads(data[0])
    assert list(charts) == [str(chart["id"]).removeprefix("chart-") for chart in tags.charts]
    shown = json.dumps(charts)
    assert "&lt;b&gt;hidden" in shown
    assert "<b>hidden" not in shown
    for link in tags.links:
        assert link.startswith("#") or (hostile / link).is_file()


def test_names_cannot_break_tables(hostile: Path) -> None:
    tables = sorted((hostile / "figures").glob("*.csv"))
    assert len(tables) > 8
    for path in tables:
        with path.open(newline="", encoding="utf-8") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "@", "\t", "\r"))]


def test_lists_in_tables_break_between_names_only() -> None:
    from deliberate_practice.study.report.content import Section, Table
    from deliberate_practice.study.report.page import page

    table = Table("t", "c", ["beliefs"], [["bayes, running-average"]])
    text = page("t", [Section("s", [], [table])])
    assert "<td><span>bayes</span>, <span>running-average</span></td>" in text


def test_numbers_in_tables_break_before_their_intervals_only() -> None:
    from deliberate_practice.study.report.content import Section, Table
    from deliberate_practice.study.report.page import page

    table = Table("t", "c", ["best", "ahead by"], [["ees", "+0.1 (+0.0 to +0.2)"]])
    text = page("t", [Section("s", [], [table])])
    assert '<td class="number">+0.1 <span>(+0.0 to +0.2)</span></td>' in text


@pytest.mark.slow
@pytest.mark.parametrize("study", ["folder", "hostile"])
def test_a_browser_draws_every_chart_without_a_network(
    study: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    folder: Path = request.getfixturevalue(study)
    command = [
        *(browser(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        "--proxy-server=127.0.0.1:9",  # nobody answers there
        *(f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=30000"),
        *("--dump-dom", (folder / "report.html").as_uri()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    charts = len(_tags(folder / "report.html").charts)
    assert f'data-drawn="{charts}"' in done.stdout
    drawn = re.findall(r'id="chart-[^"]*"[^>]*>.*?class="main-svg"', done.stdout, re.DOTALL)
    assert len(drawn) == charts
    assert done.stdout.count('class="point"') > charts
