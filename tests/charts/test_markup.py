"""Names in pages and figures are shown as they are, whatever they contain."""

from __future__ import annotations

import html.parser
import json
from pathlib import Path

from hypothesis import given, strategies as st

from deliberate_practice.charts.markup import json_in_html, text_in_figure, text_in_html

PIECES = ["<", ">", "&", "</script>", "<!--", "<script>", "-->", "]]>", "\u2028", "'", '"', "\\"]
names = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


class Reader(html.parser.HTMLParser):
    """The elements of a page, and the text inside them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


@given(names)
def test_json_in_a_script_holds_no_character_that_a_page_could_take_for_its_own(name: str) -> None:
    text = json_in_html({name: [name, 1.5]})
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == {name: [name, 1.5]}


@given(names)
def test_text_stays_text_in_elements_and_attributes(name: str) -> None:
    name = name.replace("\r", "").replace("\0", "")  # a page has neither
    reader = read(f'<p title="{text_in_html(name)}">{text_in_html(name)}</p>')
    assert reader.tags == [("p", [("title", name)])]
    assert reader.text == name


def test_figures_show_dollars_and_underscores(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    for name in (r"$\frac{", "$a$", r"\$", "_hidden", "<b>&", "x^2_i"):
        figure = Figure()
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], label=text_in_figure(name))
        axes.set_title(text_in_figure(name))
        (label,) = axes.legend().get_texts()
        assert label.get_text().strip().replace(r"\$", "$") == name
        for ending in ("svg", "pdf", "png"):
            figure.savefig(tmp_path / f"figure.{ending}")
