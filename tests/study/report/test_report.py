"""Reports: complete, self-contained, the same every time, and drawn by a real browser."""

from __future__ import annotations

import html.parser
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from browser import browser

from deliberate_practice.errors import ArgumentError
from deliberate_practice.study.plan import Experiment, Study
from deliberate_practice.study.report.write import write_report
from deliberate_practice.study.run_study import run_study

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

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
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
    assert tags.count["h2"] == 6  # overview, two experiments, two tasks, wrong priors
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
    text = write_report(tmp_path).read_text(encoding="utf-8")
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


def test_names_cannot_break_the_page(tmp_path: Path) -> None:
    from deliberate_practice.study.figures.chart import Chart, Panel, Series
    from deliberate_practice.study.report.content import Section, Table
    from deliberate_practice.study.report.page import page

    bad = "</script><b onload='x'>&"
    chart = Chart("c", bad, bad, [Panel(bad, [Series(bad, [bad], [1.0], "bar")])], 1, bad, bad)
    text = page(bad, [Section(bad, [bad], [chart, Table("t", bad, [bad], [[bad]])])])
    assert bad not in text
    assert "<b onload" not in text.replace("<\\/script><b onload", "")


def test_lists_in_tables_break_between_names_only() -> None:
    from deliberate_practice.study.report.content import Section, Table
    from deliberate_practice.study.report.page import page

    table = Table("t", "c", ["beliefs"], [["bayes, running-average"]])
    text = page("t", [Section("s", [], [table])])
    assert "<td><span>bayes</span>, <span>running-average</span></td>" in text


@pytest.mark.slow
def test_a_browser_draws_every_chart_without_a_network(folder: Path, tmp_path: Path) -> None:
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
