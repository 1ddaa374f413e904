"""Take the pictures of the service's page: a session that practises, on a desk and on a phone.

Needs the extras ``service`` and ``dev``, and Chromium. Run ``python docs/make_page_pictures.py``,
with a folder to write all pictures there instead of those in docs.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from deliberate_practice.foundation import clock
from deliberate_practice.practice.domain import make_robot, practised_task
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import start_session

DOCS = Path(__file__).parent
DESK, PHONE = (1240, 980), (390, 780)
KEPT = {"session-desk-light": "page.png", "operator-phone-light": "page-phone.png"}
"""Pictures that the documentation shows: the first screen of a view, by size and scheme."""
TRIAL_SECONDS = 95


def main(folder: Path | None) -> None:
    """Make a lab, serve it, and take the pictures."""
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        db = Path(place) / "lab.db"
        fill(db)
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        with serving(db) as link:
            for name, content in pictures(browser, link, whole=folder is not None):
                target = folder / f"{name}.png" if folder else DOCS / KEPT[name]
                target.write_bytes(content)
                print(f"{target}: {len(content) // 1000} kB")
        browser.close()


def fill(db: Path) -> None:
    """Sessions that are under way, as if they had been practised in the last hours."""
    began = datetime.now(UTC) - timedelta(hours=9)
    with (
        practised(db, "tuesday", "breakfast", 60, 60, began, "curves", seed=3),
        practised(db, "night", "cleanup", 150, 58, began, "regions", seed=4) as night,
    ):
        night.note("new gripper pads", by="ada")
        night.note("slipped off the handle", 41, by="ada")
        night.ask(asker="left-arm")
        night.ask(asker="right-arm")
    with practised(db, "by hand", "breakfast", 30, 5, began, "curves", gate="always") as hand:
        hand.ask(asker="first by hand")


@contextmanager
def practised(
    db: Path, name: str, task: str, budget: int, trials: int, began: datetime, robot: str,
    seed: int = 0, gate: str = "abort",
) -> Iterator[Session]:  # fmt: skip
    """A session after some trials of two robots, one of which was aborted."""
    stated = practised_task(task, robot)
    with start_session(
        db, name, stated, budget, seed=seed, gate=gate, robot=robot, approach="free"
    ) as session:
        runs = make_robot(robot, session.task, seed)
        real = clock.now
        for number in range(1, trials + 1):
            moment = began + timedelta(seconds=number * TRIAL_SECONDS)
            clock.now = lambda moment=moment: moment  # type: ignore[misc]  # a night in a second
            asker = "left-arm" if number % 3 else "right-arm"
            trial = session.ask(asker=asker)
            if trial is None and session.idle and session.idle.trial:
                session.ready(session.idle.trial, by="ada")
                trial = session.ask(asker=asker)
            assert trial is not None
            (result,) = runs.run([trial])
            outcome = "aborted" if number == 41 else result.outcome
            at = result.at if outcome == result.outcome else None
            session.tell(trial.id, outcome, at)
        clock.now = real
        yield session


@contextmanager
def serving(db: Path) -> Iterator[str]:
    """The link of an admin to a running service."""
    command = [sys.executable, "-c", "from deliberate_practice.cli import main; main()"]
    words = [*command, "serve", "--db", str(db), "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        link = next(line.split()[1] for line in process.stdout if "#token=" in line)
        try:
            yield link
        finally:
            process.terminate()
            process.stdout.read()


def pictures(browser: Browser, link: str, whole: bool) -> Iterator[tuple[str, bytes]]:
    """Every view in whole at both sizes, light and dark; or the first screen of those we keep."""
    address = re.sub("/#.*", "", link)
    views = {
        "sessions": "#/",
        "session": "#/sessions/night",
        "operator": "#/sessions/by%20hand",
        "done": "#/sessions/tuesday",
        "start": "#/new",
    }
    for size, (width, height) in {"desk": DESK, "phone": PHONE}.items():
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                device_scale_factor=1.5 if size == "desk" else 2,
                reduced_motion="reduce",
                is_mobile=size == "phone",
                has_touch=size == "phone",
            )
            page = context.new_page()
            page.goto(link)
            page.wait_for_selector("main h1")
            for view, place in views.items():
                name = f"{view}-{size}-{scheme}"
                if whole or name in KEPT:
                    yield name, picture(page, f"{address}/{place}", whole)
            context.close()


def picture(page: Page, address: str, whole: bool) -> bytes:
    """A view, once it has come to rest."""
    page.goto(address)
    page.wait_for_selector("main h1")
    page.wait_for_timeout(1_200)
    return page.screenshot(full_page=whole)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
