"""The files of the page: no token, no leak, no path that leads elsewhere; our own code alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder
from served import Served, error

from deliberate_practice.charts.palette import ACCENT, OUTCOMES
from deliberate_practice.service.page_files import FOLDER, page_files
from deliberate_practice.task.outcome import OUTCOMES as WORDS


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    service = Served(tmp_path_factory.mktemp("files") / "lab.db")
    yield service
    service.close()


def sources() -> dict[str, str]:
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in FOLDER.rglob("*")
        if path.suffix in (".js", ".css", ".html")
    }


def test_the_page_and_its_files_need_no_token_and_hold_nothing_of_the_lab(served: Served) -> None:
    served.start("a secret name")
    client = served.client(None)
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers.get_list("cache-control") == ["no-store"]
    texts = [page.text]
    named = set(re.findall(r'(?:src|href)="(/page/[^"]+)"', page.text))
    assert len(named) >= 6
    files = {f"/page/{page_files().digest}/{name}" for name in page_files().content}
    assert named <= files
    for address in files:
        answer = client.get(address)
        assert answer.status_code == 200, address
        kinds = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
        assert answer.headers["content-type"].startswith(kinds[Path(address).suffix])
        assert answer.headers.get_list("cache-control") == ["public, max-age=31536000, immutable"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        texts.append(answer.text)
    for text in texts:
        assert "a secret name" not in text
        assert str(served.db.parent) not in text


def test_the_policy_allows_no_inline_script_and_nothing_from_elsewhere(served: Served) -> None:
    for path in ("/", f"/page/{page_files().digest}/app.js", "/page/0/app.js"):
        (policy,) = served.admin.get(path).headers.get_list("content-security-policy")
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert rules["default-src"] == "'none'"
        assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
        assert "unsafe" not in policy
        assert rules["frame-ancestors"] == rules["base-uri"] == "'none'"


@pytest.mark.parametrize(
    "name",
    [
        "nothing.js",
        "",
        "index.html",
        "../page_files.py",
        "..%2fpage_files.py",
        "%2e%2e/%2e%2e/page_files.py",
        "....//app.py",
        "views/../../app.py",
        "%2fetc%2fpasswd",
        "app.js%00.css",
        "APP.JS",
        "style",
    ],
)
def test_unknown_names_lead_nowhere(served: Served, name: str) -> None:
    for digest in (page_files().digest, "0" * 16, ".."):
        with closing(HTTPConnection("127.0.0.1", served.port)) as connection:
            connection.request("GET", f"/page/{digest}/{name}")  # as it stands, dots and all
            answer = connection.getresponse()
            assert answer.status == 404, digest
            assert b"import" not in answer.read()
    assert error(served.admin.get(f"/page/{page_files().digest}/x.js")) == "there is no such file."


def test_the_code_is_our_own_and_data_is_text() -> None:
    """No script of others, no address elsewhere, no data that becomes markup."""
    for name, text in sources().items():
        addresses = set(re.findall(r"https?://[^\"' )]+", text))
        assert addresses <= {"http://www.w3.org/2000/svg"}, name
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert word not in text, (name, word)
        assert not re.search(r"\son[a-z]+=\"|style=\"|<script>", text), name
        assert len(text.splitlines()) < 400, name


def test_the_wheel_has_every_file(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    (wheel,) = WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])
    names = set(ZipFile(wheel).namelist())
    here = "deliberate_practice/service/page"
    files = {f"{here}/{p.relative_to(FOLDER)}" for p in FOLDER.rglob("*") if p.is_file()}
    assert files <= names
    assert f"{here}/app.js" in files


def test_colours_and_shapes_are_those_of_the_charts() -> None:
    palette = page_files().content["palette.css"][0].decode()
    looks = page_files().content["looks.js"][0].decode()
    assert set(OUTCOMES) == set(WORDS)
    assert f"--palette-accent: {ACCENT};" in palette
    for name, look in OUTCOMES.items():
        assert f"--palette-{name}: {look.colour};" in palette
        assert f'"{name}": "{look.marker}"' in looks
        assert re.search(f'"?{look.marker}"?: "M', (FOLDER / "marks.js").read_text())
    styles = "".join(text for name, text in sources().items() if name.endswith(".css"))
    named = set(re.findall(r"--palette-([a-z]+)", styles))
    assert named <= set(re.findall(r"--palette-([a-z]+)", palette))
