"""The tables of docs/compat.md: the code in the right column runs and gives a value."""

from __future__ import annotations

import ast
import re
from datetime import timezone
from pathlib import Path
from typing import Any

import maintext
import pytest
from conftest import article

DOCUMENT = Path(__file__).parents[2] / "docs" / "compat.md"
ROW = re.compile(r"^\| (.+) \| (?:`(.+)`) \|$", re.MULTILINE)
#: A page that states all that the tables ask for.
HTML = (
    article("alders")
    .replace("<head>", "<head><meta property=og:site_name content='The Site'><meta name=description content='Of alders'>")
    .replace("<head>", "<head><meta property=article:tag content=trees><meta property=og:video content=https://example.org/v.mp4>")
    .replace("<p>It ends", "<img src=/alder.jpg alt='An alder' width=640 height=480><p>It ends")
    .replace("<article>", "<article class=story>")
    .replace("</h1>", "</h1><p class=by>Ada Byron</p><p class=ad>Buy a tree.</p>")
)
#: Words that only a list of articles has a value for.
LISTS = ("entries",)


def rows() -> list[tuple[str, str]]:
    """Returns the rows of the tables whose second column is "here"."""
    python = DOCUMENT.read_text("utf-8").partition(" in JavaScript\n")[0]
    tables = [table for table in python.split("\n\n") if re.match(r"\| with [^|]*\| here \|\n", table)]
    return [(row[1], row[2]) for table in tables for row in ROW.finditer(table) if "differ" not in row[0]]


@pytest.mark.parametrize(("before", "here"), rows())
def test_what_to_write_here_runs_and_gives_a_value(before: str, here: str, request: pytest.FixtureRequest) -> None:
    if "compat" in here:
        pytest.importorskip("lxml")
    site = request.getfixturevalue("site") if "fetch" in here else "https://example.org"
    url = f"{site}/alders"
    names: dict[str, Any] = {"maintext": maintext, "html": HTML, "url": url, "timezone": timezone}
    names |= {"data": HTML.encode("utf-16"), "pages": [HTML, HTML], "soup": HTML, "page": maintext.extract(HTML, url)}
    if isinstance(ast.parse(here).body[0], ast.Expr):
        value = eval(here, names)
        assert value or any(word in here for word in LISTS), f"{before}: {here} gives {value!r}"
    else:
        exec(here, names)
        assert names["page"].text


def test_the_tables_are_read() -> None:
    assert len(rows()) > 60 and {"article.authors", "find_date(html)"} <= {before.strip("`") for before, _ in rows()}
