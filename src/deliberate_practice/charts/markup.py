"""Text and data inside pages and figures, escaped so that every name is shown literally."""

from __future__ import annotations

import json
from html import escape

_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})
"""Characters that may end a script or begin markup in a page, with their JSON escapes."""


def text_in_html(text: str) -> str:
    """A text for the content of an element, or for an attribute in double quotes."""
    return escape(text, quote=True)


def text_in_chart(text: str) -> str:
    """A text for plotly, which reads some HTML in its labels."""
    return escape(text, quote=False)


def text_in_figure(text: str) -> str:
    """A text for matplotlib, without mathematics in dollars or a leading underscore."""
    plain = text.replace("$", r"\$")
    return f" {plain}" if plain.startswith("_") else plain


def json_in_html(data: object) -> str:
    """Data for a script element, as JSON that no browser can mistake for markup.

    >>> json_in_html({"name": "<!--<script>"})
    '{"name": "\\\\u003c!--\\\\u003cscript\\\\u003e"}'

    Raises:
        ValueError: A number is not finite.
    """
    return json.dumps(data, allow_nan=False).translate(_ESCAPES)
