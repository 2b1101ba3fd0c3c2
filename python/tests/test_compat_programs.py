"""Small programs that use the calls of trafilatura most seen in public code. They run with only the import replaced; where the original is
installed, its results are compared."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

pytest.importorskip("lxml")

SENTENCES = [
    f"The alder number {name} stands on the bank of the river, where its roots hold the soil together, and where siskins look for seeds."
    for name in ("one", "two", "three", "four", "five", "six", "seven", "eight")
]
PAGE = (
    '<html lang="en"><head><title>Alders on the bank</title><meta name="author" content="Ada Byron"/>'
    '<meta property="og:site_name" content="River Notes"/><meta property="og:type" content="article"/>'
    '<meta name="description" content="Trees: where they stand"/><link rel="canonical" href="https://www.example.org/alders"/>'
    '<meta property="article:published_time" content="2024-05-17T10:00:00Z"/></head>'
    '<body><nav><a href="/">Home</a> <a href="/b">More</a></nav>'
    f"<article><h1>Alders on the bank</h1><p>{SENTENCES[0]}</p><p>{SENTENCES[1]}</p><h2>In winter</h2><p>{SENTENCES[2]}</p>"
    f'<p>{SENTENCES[3]} See <a href="https://www.example.org/roots">the roots</a> and <b>the cones</b>.</p><ul><li>{SENTENCES[4]}</li>'
    f"<li>{SENTENCES[5]}</li></ul><p>{SENTENCES[6]}</p><p>{SENTENCES[7]}</p></article>"
    "<footer><a href='/i'>Imprint</a></footer></body></html>"
)

PROGRAMS = {
    "the text of a page": """
from PACKAGE import extract
result = extract(page)
""",
    "a page as Markdown, with links": """
from PACKAGE import extract
result = extract(page, output_format="markdown", include_links=True, include_comments=False)
""",
    "a page as JSON, as dict": """
import json
from PACKAGE import extract
found = json.loads(extract(page, output_format="json", with_metadata=True, url="https://www.example.org/alders"))
names = ("title", "author", "date", "hostname", "source", "source-hostname", "excerpt", "text", "comments", "language")
result = {name: found[name] for name in names}
""",
    "a configuration without time limit": """
from PACKAGE import extract
from PACKAGE.settings import use_config
config = use_config()
config.set("DEFAULT", "EXTRACTION_TIMEOUT", "0")
config.set("DEFAULT", "MIN_OUTPUT_SIZE", "5000")
result = [extract(page, config=config) is None, extract(page, config=use_config()) is None]
""",
    "metadata alone": """
from PACKAGE.metadata import extract_metadata
found = extract_metadata(page, default_url="https://www.example.org/alders").as_dict()
names = ("title", "author", "date", "url", "hostname", "sitename", "description", "pagetype", "image", "license")
result = {name: found[name] for name in names}
""",
    "fields of a document": """
from PACKAGE import bare_extraction
document = bare_extraction(page, url="https://www.example.org/alders", with_metadata=True, include_comments=False)
result = [document.title, document.author, document.date, document.text, document.comments, document.body.tag,
          [p.text for p in document.body.iter("p")][:2], sorted(document.as_dict())]
""",
    "elements of the XML output": """
from lxml import etree
from PACKAGE import extract
tree = etree.fromstring(extract(page, output_format="xml", include_formatting=True, include_links=True))
result = [(e.tag, dict(e.attrib)) for e in tree.iter() if e.tag != "doc"]
""",
    "bytes from a cache, and a fallback": """
import gzip
from PACKAGE import baseline, extract, html2txt
from PACKAGE.utils import decode_file, load_html
stored = gzip.compress(page.encode("utf-8"))
result = [extract(stored), extract("") or html2txt("<html><body><p>Short.</p></body></html>"), decode_file(stored) == page,
          load_html(stored).tag, baseline(page)[2] > 500]
""",
    "languages and conditions": """
from PACKAGE import extract
result = [extract(page, target_language=code) is not None for code in ("en", "de")]
result += [extract(page, only_with_metadata=True) is None, extract(page, url_blacklist={"https://www.example.org/alders"}) is None]
""",
    "fingerprints": """
from PACKAGE import extract
from PACKAGE.deduplication import content_fingerprint
from PACKAGE.meta import reset_caches
reset_caches()
result = [content_fingerprint(extract(page)), content_fingerprint("short")]
""",
}

def run(program: str, package: str, page: str = PAGE) -> Any:
    names: dict[str, Any] = {"page": page}
    exec(program.replace("PACKAGE", package), names)
    return names["result"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_with_the_import_replaced(name: str) -> None:
    ours = run(PROGRAMS[name], "maintext.compat.trafilatura")
    assert ours and ours is not True
    if name == "the text of a page":
        assert ours.count("The alder number") == 8 and "Imprint" not in ours
    pytest.importorskip("trafilatura")
    # py3langid, by which the original knows languages, is not installed.
    if name != "languages and conditions":
        assert ours == run(PROGRAMS[name], "trafilatura")


def test_compressed_pages_equal_their_text() -> None:
    from maintext.compat.trafilatura import extract

    assert extract(gzip.compress(PAGE.encode())) == extract(PAGE)
