"""The replacements for html2text, htmldate, markdownify and Resiliparse: programs with the import replaced, options, and fragments."""

from __future__ import annotations

import importlib
import random
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


# -- fragments and pages ------------------------------------------------------------------------------------------------------------

_INLINE = ["b", "i", "em", "code", "a", "span", "q"]
_BLOCKS = ["p", "div", "ul", "ol", "h1", "h3", "blockquote", "pre", "table", "dl", "section"]


def fragment(seed: int) -> str:
    """Returns a random fragment, whose words are all different."""
    chance = random.Random(seed)
    number = 0

    def word() -> str:
        nonlocal number
        number += 1
        return chance.choice(["w{}", "w{} v{}", " w{} ", "w{}_x", "w{}*", "w{}.", "w{} &amp; v{}", "\nw{}"]).format(number, number)

    def inline(depth: int) -> str:
        made = ""
        for _ in range(chance.randint(1, 3)):
            tag = chance.choice(_INLINE)
            mark = ' href="/t"' if tag == "a" else ""
            made += word() if depth > 2 or chance.random() < 0.6 else f"<{tag}{mark}>{inline(depth + 1)}</{tag}>"
        return made

    def block(depth: int) -> str:
        tag = chance.choice(_BLOCKS)
        if tag in ("ul", "ol"):
            items = "".join(f"<li>{inline(0) + (block(depth + 1) if depth < 2 and chance.random() < 0.3 else '')}</li>" for _ in range(2))
            return f"<{tag}>{items}</{tag}>"
        if tag == "table":
            return "<table>" + "".join(f"<tr><td>{inline(1)}</td><td>{inline(1)}</td></tr>" for _ in range(2)) + "</table>"
        if tag == "dl":
            return f"<dl><dt>{inline(1)}</dt><dd>{inline(1)}</dd></dl>"
        if tag in ("div", "section", "blockquote") and depth < 3:
            return f"<{tag}>{block(depth + 1)}{block(depth + 1)}</{tag}>"
        return f"<{tag}>{inline(0)}</{tag}>"

    return "".join(block(0) for _ in range(chance.randint(1, 4)))


MARKDOWNIFY = [
    {}, {"heading_style": "atx"}, {"heading_style": "atx_closed"}, {"wrap": True, "wrap_width": 30}, {"wrap": True, "wrap_width": None},
    {"escape_misc": True}, {"escape_asterisks": False, "escape_underscores": False}, {"strip": ["a", "b"]}, {"convert": ["b", "li", "ul"]},
    {"bullets": "-"}, {"bullets": ["+", "-"]}, {"autolinks": False}, {"default_title": True}, {"code_language": "py"},
    {"code_language_callback": lambda element: element.name}, {"newline_style": "backslash"}, {"strip_document": None, "strip_pre": None},
    {"strip_document": "lstrip", "strip_pre": "strip_one"}, {"strip_document": "rstrip"}, {"strong_em_symbol": "_"},
    {"sub_symbol": "<sub>", "sup_symbol": "^"}, {"table_infer_header": True}, {"keep_inline_images_in": ["td"]}, {"bs4_options": "lxml"},
]  # fmt: skip

HTML2TEXT = [
    {}, {"body_width": 0}, {"body_width": 30}, {"inline_links": False}, {"inline_links": False, "links_each_paragraph": True},
    {"ignore_links": True}, {"ignore_mailto_links": True}, {"skip_internal_links": False}, {"protect_links": True},
    {"use_automatic_links": False}, {"wrap_links": False, "body_width": 30}, {"wrap_list_items": True, "body_width": 30},
    {"wrap_tables": True, "body_width": 30}, {"ignore_images": True}, {"images_to_alt": True}, {"images_as_html": True},
    {"images_with_size": True}, {"default_image_alt": "D"}, {"bypass_tables": True}, {"ignore_tables": True}, {"unicode_snob": True},
    {"escape_snob": True}, {"mark_code": True}, {"single_line_break": True, "body_width": 0}, {"ignore_emphasis": True},
    {"emphasis_mark": "*", "strong_mark": "__", "ul_item_mark": "-"}, {"open_quote": "<<", "close_quote": ">>"},
    {"include_sup_sub": True}, {"baseurl": "http://example.org/a/"}, {"hide_strikethrough": True},
]  # fmt: skip

#: Elements that the random fragments lack.
EXTRA = (
    '<p>x<sub>1</sub><sup>2</sup> <img src="/i.png" alt="I" width=3> <img src="j.png"> <a href="mailto:a@b.c">m</a> <a href="#n">n</a> '
    '<a href="http://c.d/e">http://c.d/e</a> <del>d</del> &mdash; &nbsp;é 1. a * b_c</p><hr><h2>h<br>i</h2><table><tr><th>a<td>b|c'
    '<tr><td>long text in a cell that is longer than a line<td><img src=k alt=K></table><pre>\n\n  a\n b \n\n</pre><abbr title="T">t</abbr>'
)


@pytest.mark.parametrize("options", MARKDOWNIFY, ids=str)
def test_markdownify_equals_the_original_on_fragments(options: dict[str, Any]) -> None:
    theirs, ours = (importlib.import_module(name).markdownify for name in ("markdownify", "maintext.compat.markdownify"))
    for source in [EXTRA, FRAGMENT, *map(fragment, range(50))]:
        assert ours(source, **options) == theirs(source, **options), source


@pytest.mark.parametrize("options", HTML2TEXT, ids=str)
def test_html2text_equals_the_original_on_fragments(options: dict[str, Any]) -> None:
    # One converter per fragment: the original's keeps a part of its state.
    for source in [EXTRA, FRAGMENT, *map(fragment, range(50))]:
        made = []
        for package in ("html2text", "maintext.compat.html2text"):
            converter = importlib.import_module(package).HTML2Text()
            for name, value in options.items():
                setattr(converter, name, value)
            made.append(converter.handle(source))
        assert made[0] == made[1], source


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
    from maintext.compat.html2text import HTML2Text
    from maintext.compat.markdownify import markdownify
    from maintext.compat.resiliparse.extract.html2text import extract_plain_text

    for error, call in (
        (TypeError, lambda: markdownify("x", unknown=1)),
        (ValueError, lambda: markdownify("x", strip=["a"], convert=["b"])),
        (ValueError, lambda: markdownify("x", strip_document="x")),
        (ValueError, lambda: markdownify("x", main_content="x")),
        (AttributeError, lambda: setattr(HTML2Text(), "bodywidth", 3)),
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
