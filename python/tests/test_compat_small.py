"""html2text and markdownify with main content, and the replacements for htmldate and Resiliparse: programs with the import replaced, options, and fragments."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

TEXTS = [
    "The alder grows on wet ground beside rivers and lakes, and its roots hold the bank when the water rises in spring.",
    "Three kinds of alder are common in Europe, and each of them prefers another ground, another height and another climate.",
    "The cones stay on the twigs through the winter, and siskins come in flocks to pick the seeds out of them.",
    "Its wood lasts for centuries under water, which is why whole towns were built on piles made of alder.",
]

PAGE = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Alders on the bank | The Garden</title>
<meta property="article:published_time" content="2024-05-17T08:00:00+00:00">
<meta property="article:modified_time" content="2024-06-02T10:30:00+00:00"><style>p {{ margin: 0 }}</style></head>
<body><nav><ul><li><a href="/">Home</a></li><li><a href="/trees">Trees</a></li></ul></nav>
<main class="post"><h1>Alders on the bank</h1><p>{TEXTS[0]} See <a href="/roots" title="Roots">the roots</a>.</p>
<h2>Kinds</h2><p>{TEXTS[1]}</p>
<table><tr><th>Kind</th><th>Height</th></tr><tr><td>Black alder</td><td>30 m</td></tr><tr><td>Grey alder</td><td>20 m</td></tr></table>
<p>{TEXTS[2]}</p><pre class="python"><code>for tree in alders:
    count(tree)</code></pre>
<ul><li>wet ground</li><li><b>full</b> sun</li></ul><blockquote><p>{TEXTS[3]}</p></blockquote>
<figure><img src="/cone.png" alt="A cone in January"></figure></main>
<aside><h3>More to read</h3><ul><li><a href="/1">Willows in the wind</a></li><li><a href="/2">Poplars by the road</a></li></ul></aside>
<footer><a href="/imprint">Imprint</a> &copy; 2024 The Garden</footer></body></html>"""

#: The same without what surrounds the content.
FRAGMENT = PAGE[PAGE.index("<h1>") : PAGE.index("</main>")]

PROGRAMS = {
    "resiliparse: text of a crawl": """
from PACKAGE.extract.html2text import extract_plain_text
result = [extract_plain_text(source, preserve_formatting=kept, main_content=False, list_bullets=kept, alt_texts=False, links=False,
                             form_fields=False, noscript=False, comments=False, skip_elements=["nav", "footer"])
          for source in sources for kept in (True, False)]
""",
    "resiliparse: links and minimal HTML": """
import re
from PACKAGE.extract.html2text import extract_plain_text
result = []
for source in sources:
    text = extract_plain_text(source, links=True)
    result.append(re.findall(r"\\((/\\w*)\\)", text))
    result.append(re.findall(r"<(h[1-6])>(.*?)</h", extract_plain_text(source, preserve_formatting="minimal_html")))
""",
    "htmldate: original and last dates": """
from datetime import datetime
from PACKAGE import find_date
result = [find_date(source, original_date=original, outputformat="%d %B %Y") for source in sources for original in (True, False)]
result += [find_date(source, max_date=datetime(2024, 5, 31), original_date=True) for source in sources]
""",
    "htmldate: addresses, trees and texts": """
from lxml import html
from PACKAGE import find_date
from PACKAGE.validators import is_valid_date, is_valid_format
result = [find_date(html.fromstring(source)) for source in sources]
result += [find_date("<html><body><p>x</p></body></html>", url="https://example.org/2023/04/05/alders.html")]
result += [find_date("<html><body><p>Posted on 3 March 2021 by Ada</p></body></html>", min_date="2000-01-01")]
result += [find_date(source, url="https://example.org/2019/01/02/a", deferred_url_extractor=True) for source in sources]
result += [is_valid_format("%Y"), is_valid_format("x"), is_valid_date("2024-05-17", "%Y-%m-%d", datetime(2020, 1, 1), datetime(2025, 1, 1))]
""",
    "html2text: a mail as text": """
from PACKAGE import HTML2Text
converter = HTML2Text(bodywidth=0)
converter.ignore_links = True
converter.ignore_images = True
converter.ul_item_mark = "-"
result = [converter.handle(fragment) for fragment in fragments]
""",
    "html2text: references, and a subclass": """
from PACKAGE import HTML2Text, html2text
class Quiet(HTML2Text):
    def handle_tag(self, tag, attrs, start):
        if tag not in ("b", "strong"):
            super().handle_tag(tag, attrs, start)
converter = Quiet(baseurl="https://example.org/a/")
converter.inline_links = False
converter.pad_tables = True
converter.unicode_snob = True
result = [converter.handle(fragment) for fragment in fragments]
result += [html2text(fragment, baseurl="https://example.org/", bodywidth=40) for fragment in fragments]
""",
    "markdownify: documents for a model": """
from PACKAGE import ATX, markdownify as md
result = [md(fragment, heading_style=ATX, bullets="-", strip=["img"], escape_underscores=False) for fragment in fragments]
result += [md(fragment, convert=["h1", "a"], newline_style="backslash") for fragment in fragments]
""",
    "markdownify: an own converter": """
from bs4 import BeautifulSoup
from PACKAGE import MarkdownConverter
class Own(MarkdownConverter):
    class Options(MarkdownConverter.DefaultOptions):
        heading_style = "atx"
        code_language_callback = staticmethod(lambda el: el.get("class", [None])[0])
    def convert_img(self, el, text, parent_tags):
        return super().convert_img(el, text, parent_tags).upper()
    def convert_b(self, el, text, parent_tags):
        return "<<" + text + ">>"
result = [Own(wrap=True, wrap_width=60).convert(fragment) for fragment in fragments]
result += [Own().convert_soup(BeautifulSoup(fragment, "html.parser").find("table") or BeautifulSoup("", "html.parser"))
           for fragment in fragments]
""",
}


def run(program: str, package: str) -> Any:
    from datetime import datetime

    fragments = [FRAGMENT, "<p>a<br>b <i>c</i></p>", "plain text", "<ol start=4><li>x<ul><li>y</li></ul></li></ol>"]
    names: dict[str, Any] = {"sources": [PAGE], "fragments": fragments, "datetime": datetime}
    exec(program.replace("PACKAGE", package), names)
    return names["result"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_with_the_import_replaced(name: str) -> None:
    package = name.partition(":")[0]
    ours = run(PROGRAMS[name], f"maintext.compat.{package}")
    assert len(ours) > 1 and any(ours)
    assert ours == run(PROGRAMS[name], package)


RESILIPARSE = [
    {}, {"preserve_formatting": False}, {"list_bullets": False}, {"alt_texts": False}, {"links": True}, {"form_fields": True},
    {"noscript": True}, {"skip_elements": ["table", "ul > li"]},
]  # fmt: skip
FORM = "<p>A</p><form><input value=v><input placeholder=p><button>B</button> <textarea>t</textarea></form><noscript>n <b>o</b></noscript>"


@pytest.mark.parametrize("options", RESILIPARSE, ids=str)
def test_resiliparse_equals_the_original_on_whole_pages(options: dict[str, Any]) -> None:
    theirs, ours = (
        importlib.import_module(f"{name}.extract.html2text").extract_plain_text for name in ("resiliparse", "maintext.compat.resiliparse")
    )
    for source in [PAGE, FRAGMENT, FORM, "<ul><li><p>x</p></li><li>y<br>z</li></ul>after", "<dl><dt>a</dt><dd>b</dd></dl><p>c", ""]:
        expected = theirs(source, **options)
        # The original repeats an item's indentation before the address of a link.
        assert ours(source, **options) == (re.sub(r"(?<=\S) +\(/", " (/", expected) if "links" in options else expected), source


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@pytest.mark.parametrize("package", ["html2text", "markdownify"])
def test_pages_are_converted_whole_unless_the_main_content_is_wanted(package: str) -> None:
    convert = getattr(importlib.import_module(f"maintext.compat.{package}"), package)
    content = convert(PAGE, main_content=True)
    for wanted in (*TEXTS, "Black alder", "20 m", "count(tree)", "wet ground", "cone.png", "Kinds", "Alders on the bank"):
        assert re.sub(r"\W+", "", wanted) in re.sub(r"\W+", "", content)
    for unwanted in ("Home", "Willows", "Imprint", "margin"):
        assert unwanted not in content
    whole = convert(PAGE)
    assert whole == convert(PAGE, main_content=False) == getattr(importlib.import_module(package), package)(PAGE)
    assert "Home" in whole and "Willows" in whole and "Imprint" in whole
    part = "<nav><a href=/>Home</a></nav><p>One short line.</p><footer>Imprint</footer>"
    assert {"Home", "One", "short", "line", "Imprint"} <= set(_words(convert(part)))


def test_main_content_follows_the_options_of_the_original() -> None:
    from bs4 import BeautifulSoup

    from maintext.compat.html2text import html2text
    from maintext.compat.markdownify import MarkdownConverter

    page = PAGE.replace("Kinds", "Kinds &copy; &nbsp; Zo\u00eb")
    assert "## Kinds (C)   Zo\u00eb" in html2text(page, main_content=True), "references are replaced, as in the original"
    assert "[the roots](https://e.org/roots" in html2text(PAGE, "https://e.org/", main_content=True)
    for options in ({"heading_style": "atx"}, {"heading_style": "atx", "strip": ["a"]}):
        converter = MarkdownConverter(main_content=True, **options)
        made = converter.convert(PAGE)
        assert "## Kinds" in made and "Imprint" not in made and ("[the roots]" in made) == ("strip" not in options)
        assert made == converter.convert_soup(BeautifulSoup(PAGE, "html.parser")) == converter.convert(PAGE.encode())


def test_main_content_of_resiliparse_and_its_options() -> None:
    from maintext.compat.resiliparse.extract.html2text import extract_plain_text

    text = extract_plain_text(PAGE, main_content=True)
    assert TEXTS[0] in text and "Imprint" not in text and "  • wet ground" in text and "\n\nKinds\n\n" in text
    assert "\n" not in extract_plain_text(PAGE, main_content=True, preserve_formatting=False)
    assert "the roots (/roots)" in extract_plain_text(PAGE, main_content=True, links=True)
    assert "<h2>Kinds</h2>" in extract_plain_text(PAGE, main_content=True, preserve_formatting="minimal_html")
    assert "A cone" in text and "A cone" not in extract_plain_text(PAGE, main_content=True, alt_texts=False)
    assert TEXTS[3] not in extract_plain_text(PAGE, main_content=True, skip_elements=["blockquote"])
    fields = PAGE.replace(TEXTS[1], TEXTS[1] + " <input value='a value'><noscript>a note</noscript>")
    assert "a value" not in extract_plain_text(fields, main_content=True)
    assert "[ a value ]" in extract_plain_text(fields, main_content=True, form_fields=True)
    assert "a note" in extract_plain_text(fields, main_content=True, noscript=True)
    from resiliparse.parse.html import HTMLTree

    assert extract_plain_text(HTMLTree.parse(PAGE)) == extract_plain_text(PAGE)


def test_invalid_options_raise() -> None:
    from maintext.compat.html2text import html2text
    from maintext.compat.markdownify import markdownify
    from maintext.compat.resiliparse.extract.html2text import extract_plain_text

    for error, call in (
        (ValueError, lambda: markdownify("x", strip=["a"], convert=["b"])),
        (ValueError, lambda: markdownify("x", strip_document="x")),
        (ValueError, lambda: markdownify("x", main_content="x")),
        (ValueError, lambda: html2text("x", main_content=1)),
        (TypeError, lambda: extract_plain_text(b"x")),
        (TypeError, lambda: extract_plain_text("x", main_content="x")),
        (ValueError, lambda: extract_plain_text("x", preserve_formatting="x")),
        (ValueError, lambda: extract_plain_text("x", skip_elements=["p[["])),
    ):
        with pytest.raises(error):
            call()


def test_the_examples_of_the_documentation_run() -> None:
    import doctest

    for name in ("html2text", "htmldate", "markdownify", "resiliparse.extract.html2text"):
        found = doctest.testmod(importlib.import_module(f"maintext.compat.{name}"))
        assert found.attempted and not found.failed
