"""Build the documentation as a site in results/site; a broken link fails the build.

Pages link to files of the repository, such as examples. In the site each of these files has a page
of its own, so that every link works without a network.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Container, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

ROOT = Path(__file__).parents[1]
SITE = ROOT / "results" / "site"
COPIED = ("*.png", "*.svg", "*.mp4", "*.css")
OUTSIDE = re.compile(r"\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")
"""A link from a page to a file or folder outside the documentation."""
NEAR = re.compile(r"\]\((?!https?://)([^)#\s]+)(#[^)\s]*)?\)")
"""A link from a file outside the documentation to another file."""
SEARCH = "assets/javascripts/workers/search.*.js"
"""The worker that searches a site. A browser does not start it from a file."""
FROM_FILES = """if (location.protocol === "file:") {{
  const source = {source};
  const Usual = window.Worker;
  window.Worker = class extends Usual {{
    constructor() {{
      super(URL.createObjectURL(new Blob([source], {{ type: "text/javascript" }})));
    }}
  }};
}}
"""
"""A site that is opened as files starts the worker from this text of it."""
POLYFILL = "iframe-worker.js"
"""Where this is written; with another name pages would load one from elsewhere."""
MISSING = "404.html"
"""The page that a server shows in place of one that is not there, whatever its folder."""
FROM_SERVERS = """<script>
  if (location.protocol !== "file:") document.write('<base href="/">');
</script>"""
"""Its links are relative, so that it opens as a file; on a server they begin at the root."""
LANGUAGES = {".py": "python", ".toml": "toml", ".sh": "sh", ".pddl": "lisp", ".json": "json"}
LARGEST = 200_000
"""Larger files are not shown [bytes]."""


def make_site(site: Path = SITE) -> list[str]:
    """Build the site.

    Args:
        site: The folder to build it in; what is there is replaced.

    Returns:
        Its broken links, each with its page.

    Raises:
        subprocess.CalledProcessError: A page is not valid.
    """
    source = site.with_name(f"{site.name}-source")
    for folder in (source, site):
        shutil.rmtree(folder, ignore_errors=True)
    _write_pages(source / "docs")
    settings = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    (source / "zensical.toml").write_text(settings, encoding="utf-8")
    build = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    subprocess.run(build, cwd=source, check=True, capture_output=True, text=True)
    shutil.move(source / "site", site)
    (worker,) = site.glob(SEARCH)
    text = json.dumps(worker.read_text(encoding="utf-8")).replace("</", "<\\/")
    (site / POLYFILL).write_text(FROM_FILES.format(source=text), encoding="utf-8")
    _make_relative(site / MISSING)
    shutil.rmtree(source)
    return list(broken_links(site))


def _make_relative(page: Path) -> None:
    """Let the links of a page that begin at the root of a server lead to files, too."""
    text = re.sub(r'\b(href|src)="/', r'\1="', page.read_text(encoding="utf-8"))
    page.write_text(text.replace("<head>", f"<head>{FROM_SERVERS}", 1), encoding="utf-8")


def _write_pages(target: Path) -> None:
    """Copy pages, pictures and styles, with a page for every file that they link to."""
    docs = ROOT / "docs"
    target.mkdir(parents=True)
    for pattern in COPIED:
        for file in docs.glob(pattern):
            shutil.copy(file, target)
    linked: dict[str, None] = {}
    for page in sorted(docs.glob("*.md")):
        text = OUTSIDE.sub(lambda found: _inside(found, linked), page.read_text(encoding="utf-8"))
        (target / page.name).write_text(text, encoding="utf-8")
    for path in linked:
        _write_file_page(path, target, linked)


def _inside(found: re.Match[str], linked: dict[str, None]) -> str:
    """The link to the page of a file or folder outside the documentation."""
    path = found[1].rstrip("/")
    linked[path] = None
    place = found[2] if path.endswith(".md") and found[2] else ""
    return f"]({_page_of(path)}{place})"


def _page_of(path: str) -> str:
    return f"files/{path.replace('/', '-')}.md"


def _from_file_page(found: re.Match[str], file: Path, shown: Container[str]) -> str:
    """The link of a file outside the documentation, on its page."""
    path = os.path.relpath(file.parent / found[1], ROOT)
    if path.startswith("docs/"):
        return f"](../{path.removeprefix('docs/')}{found[2] or ''})"
    return f"](../{_page_of(path) if path in shown else 'index.md'})"


def _write_file_page(path: str, target: Path, shown: Container[str]) -> None:
    """A page that shows a file, or lists a folder.

    Args:
        path: The file or folder.
        target: The folder of pages.
        shown: All that have a page.
    """
    original = ROOT / path
    page = target / _page_of(path)
    page.parent.mkdir(exist_ok=True)
    if original.is_dir():
        names = sorted(entry.name for entry in original.iterdir() if entry.name[0] not in "._")
        pages = {name: f"{path}/{name}" for name in names}
        text = "\n".join(
            f"- [`{name}`](../{_page_of(inner)})" if inner in shown else f"- `{name}`"
            for name, inner in pages.items()
        )
    elif original.suffix == ".md":
        text = NEAR.sub(
            lambda found: _from_file_page(found, original, shown), original.read_text("utf-8")
        )
    elif original.suffix in LANGUAGES and original.stat().st_size <= LARGEST:
        code = original.read_text(encoding="utf-8").rstrip()
        text = f"````{LANGUAGES[original.suffix]}\n{code}\n````"
    else:
        text = "This file is part of the repository."
    title = "" if original.suffix == ".md" else f"# {path}\n\n"
    page.write_text(f"{title}{text}\n", encoding="utf-8")


def broken_links(site: Path) -> Iterator[str]:
    """Links, pictures and scripts of a site that lead nowhere, or to another server."""
    pages = {page: _read(page) for page in sorted(site.rglob("*.html"))}
    for page, read in pages.items():
        for target, loads in read.links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if loads:
                    yield f"{page.relative_to(site)}: loads {target}"
            elif not _leads_somewhere(page, parts, pages):
                yield f"{page.relative_to(site)}: {target}"


def _leads_somewhere(page: Path, parts: SplitResult, pages: Mapping[Path, _Page]) -> bool:
    """Whether a file is there, and the place in it."""
    place = Path(os.path.normpath(page.parent / unquote(parts.path))) if parts.path else page
    if not place.exists():
        return False
    return not parts.fragment or place not in pages or unquote(parts.fragment) in pages[place].ids


def _read(page: Path) -> _Page:
    found = _Page()
    found.feed(page.read_text(encoding="utf-8"))
    return found


class _Page(HTMLParser):
    """Collects the targets of a page, whether a browser loads them by itself, and its places."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, bool]] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the targets and the name of a tag."""
        for name, value in attrs:
            if value and (name == "src" or (name == "href" and tag in ("a", "link"))):
                self.links.append((value, name == "src" or tag == "link"))
            elif value and name == "id":
                self.ids.add(value)


if __name__ == "__main__":
    try:
        broken = make_site()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.stdout}{error.stderr}")
    if broken:
        sys.exit("broken links:\n" + "\n".join(broken))
    print(f"the site is in {SITE}; open {SITE / 'index.html'}")
