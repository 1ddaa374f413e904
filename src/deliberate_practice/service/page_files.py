"""The files of the page, read once; and the palette of all charts as CSS and JavaScript."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from deliberate_practice.charts.palette import ACCENT, GREY, OUTCOMES, PALE

FOLDER = Path(__file__).with_name("page")
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Media types by the ends of names; other files are not served."""


@dataclass(frozen=True)
class PageFiles:
    """The page as it is served.

    Attributes:
        index: The document.
        digest: Stands for the content of all files in their addresses.
        content: Content and media type of each file, by its name.
    """

    index: bytes
    digest: str
    content: Mapping[str, tuple[bytes, str]]


@cache
def page_files() -> PageFiles:
    """The files of the package."""
    content = {
        path.relative_to(FOLDER).as_posix(): (path.read_bytes(), KINDS[path.suffix])
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in KINDS
    }
    content["palette.css"] = _palette_css().encode(), KINDS[".css"]
    content["looks.js"] = _looks_js().encode(), KINDS[".js"]
    index = (FOLDER / "index.html").read_bytes()
    everything = b"".join([index, *(part for part, _ in content.values())])
    digest = hashlib.sha256(everything).hexdigest()[:16]
    return PageFiles(index.replace(b"DIGEST", digest.encode()), digest, content)


def _palette_css() -> str:
    colours = {"accent": ACCENT, "grey": GREY, "pale": PALE}
    colours |= {name: look.colour for name, look in OUTCOMES.items()}
    lines = "".join(f"  --palette-{name}: {colour};\n" for name, colour in colours.items())
    return f":root {{\n{lines}}}\n"


def _looks_js() -> str:
    markers = {name: look.marker for name, look in OUTCOMES.items()}
    return f"export const MARKERS = {json.dumps(markers)};\n"
