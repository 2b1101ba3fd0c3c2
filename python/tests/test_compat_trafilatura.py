"""The modules, formats and settings of the replacement for trafilatura."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import article

pytest.importorskip("lxml")

from maintext.compat.trafilatura import bare_extraction, baseline, extract, extract_metadata, fetch_url, html2txt
from maintext.compat.trafilatura.deduplication import content_fingerprint
from maintext.compat.trafilatura.settings import DEFAULT_CONFIG, Extractor, use_config
from maintext.compat.trafilatura.utils import decode_file, load_html, sanitize, trim

RICH = (
    "<html><head><title>Notes: on alders</title><meta name=description content='Trees: and water'></head><body><article><h2>Bark</h2>"
    "<p>The <b>bark</b> is <i>dark</i>, the wood <u>light</u>, <code>ok</code>, <del>wrong</del> H<sub>2</sub>O and "
    "<a href='roots.html'>roots</a> keep the bank, so that rivers stay where they are.<br>A second line follows the first one here.</p>"
    "<ul><li>one<ul><li>two</li></ul></li>"
    "<li>three</li></ul><ol><li>first</li><li>second</li></ol><p>Between lists and tables there is a sentence of some length.</p>"
    "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><pre>x = 1\n  y = 2</pre>"
    "<blockquote><p>A quotation about alders.</p></blockquote><img src='a.jpg' alt='an alder' title='Tree'>"
    "<dl><dt>Alnus</dt><dd>The genus</dd></dl><p>The last paragraph ends the text about alders.</p></article></body></html>"
)
ADDRESS = "https://www.example.org/trees/alders.html"


def test_text_has_links_images_tables_and_formatting_if_they_are_wanted() -> None:
    text = extract(RICH, url=ADDRESS)
    assert "rivers stay where they are.\nA second line" in text and "- one\n  - two\n- three\n- first\n- second\n" in text
    assert "| a | b | \n|---|---|\n| 1 | 2 | \n" in text and "x = 1\n  y = 2" in text
    assert "[" not in text and "*" not in text and "Notes" not in text
    assert "|" not in extract(RICH, include_tables=False)
    assert "[roots](https://www.example.org/trees/roots.html)" in extract(RICH, url=ADDRESS, include_links=True)
    assert "[roots](roots.html)" in extract(RICH, include_links=True)
    assert "![Tree an alder](https://www.example.org/trees/a.jpg)" in extract(RICH, url=ADDRESS, include_images=True)
    formatted = extract(RICH, include_formatting=True)
    assert formatted.startswith("## Bark\n\nThe **bark** is *dark*, the wood light, `ok`, ~~wrong~~ H<sub>2</sub>O and roots keep")
    assert "\n\n1. first\n2. second\n\n" in formatted and "```\nx = 1\n  y = 2\n```" in formatted
    assert extract(RICH, output_format="markdown") == formatted


def test_elements_and_their_attributes_are_those_of_trafilatura() -> None:
    wanted = {"include_formatting": True, "include_links": True, "include_images": True, "with_metadata": True}
    xml = extract(RICH, url=ADDRESS, output_format="xml", **wanted)
    assert xml.startswith('<doc sitename="example.org" title="Notes: on alders" url="') and 'hostname="example.org"' in xml
    for part in (
        '<head rend="h2">Bark</head>',
        '<hi rend="#b">bark</hi>',
        '<hi rend="#i">dark</hi>',
        '<hi rend="#u">light</hi>',
        "<code>ok</code>",
        '<del rend="overstrike">wrong</del>',
        '<hi rend="#sub">2</hi>',
        '<ref target="https://www.example.org/trees/roots.html">roots</ref>',
        "<lb/>A second line",
        '<item>one<list rend="ul"><item>two</item></list></item>',
        '<list rend="ol">',
        '<cell role="head">a</cell>',
        "<code>x = 1\n  y = 2</code>",
        "<quote>\n      <p>A quotation about alders.</p>\n    </quote>",
        '<graphic src="https://www.example.org/trees/a.jpg" alt="an alder" title="Tree"/>',
        '<item rend="dt-1">Alnus</item>\n      <item rend="dd-1">The genus</item>',
        "</main>\n  <comments/>\n</doc>",
    ):
        assert part in xml, part
    document = bare_extraction(RICH)
    assert document.body.tag == document.commentsbody.tag == "body" and type(document.body) is type(document.commentsbody)
    html = extract(RICH, output_format="html", include_formatting=True)
    assert html.startswith("<html>\n<body>\n<h2>Bark</h2>") and "<strong>bark</strong>" in html and "<dt>Alnus</dt>" in html
    tei = extract(RICH, output_format="xmltei", url=ADDRESS)
    assert "<TEI" in tei and "Bark" in tei


def test_the_header_is_yaml() -> None:
    header = extract(RICH, url=ADDRESS, output_format="markdown", with_metadata=True).split("---\n")[1].splitlines()
    assert header[:3] == ['title: "Notes: on alders"', f"url: {ADDRESS}", "hostname: example.org"]
    assert 'description: "Trees: and water"' in header
    title = "<title>2024</title><h1>2024</h1><p>A text about the year, which is long enough to be found by an extractor of text."
    assert 'title: "2024"' in extract(title, with_metadata=True)


def test_metadata_has_the_forms_of_trafilatura() -> None:
    found = extract_metadata(
        '<html><head><meta property="og:url" content="https://www.example.org/a"><meta property="og:site_name" content="The Daily">'
        '<meta property="og:type" content="article"><title>Trees</title>'
        '<meta name=author content="Ada Byron and Mary Shelley">'
        '<meta property="article:section" content="Wood"><meta property="article:tag" content="Bank"></head><body>'
        '<a rel="license" href="https://creativecommons.org/licenses/by-sa/4.0/">some rights</a></body></html>'
    )
    assert (found.url, found.hostname, found.sitename) == ("https://www.example.org/a", "example.org", "The Daily")
    assert (found.pagetype, found.license, found.author) == ("article", "CC BY-SA 4.0", "Ada Byron; Mary Shelley")
    assert (found.categories, found.tags) == (["Wood"], ["Bank"])
    assert len(found.filedate) == 10
    data = '<script type="application/ld+json">{"@graph": [{"@type": ["NewsArticle"]}]}</script>'
    assert extract_metadata(f"<html><head>{data}<title>A</title></head></html>").pagetype == "newsarticle"


def test_bytes_are_decompressed_and_decoded() -> None:
    page = article("alders")
    assert "alders" in extract(gzip.compress(page.encode()))
    assert "alders" in extract(gzip.compress(page[:900].encode()) + gzip.compress(page[900:].encode()))
    small = use_config()
    small.set("DEFAULT", "MAX_FILE_SIZE", "100")
    assert extract(gzip.compress(page.encode()), config=small) is None
    text = "<html><head><meta charset=windows-1252></head><body><p>Près de la rivière, “l’aulne” pousse, et ses racines sont fortes"
    assert "Près de la rivière, “l’aulne”" in extract(text.encode("windows-1252"))
    assert decode_file('<meta charset="gb18030">高山云雾出好茶'.encode("gb18030")).endswith("高山云雾出好茶")
    assert load_html(b"no page") is None and load_html("<p>a").tag == "p"
    with pytest.raises(TypeError, match="incompatible"):
        load_html(7)
    assert sanitize(" a&nbsp; b \n\n c\x00 ") == "a b\nc" and trim("\ta  b\n") == "a b"


@pytest.mark.parametrize("address", ["example.org/a", "/a/b", "about:blank", ""])
def test_an_address_is_a_hint(address: str) -> None:
    assert "alders" in extract(article("alders"), url=address)


def test_fingerprints_equal_those_of_trafilatura() -> None:
    assert content_fingerprint("abcde ijk l, " * 10) == "528497a1d07b66d6"


def test_a_search_for_duplicates_is_refused() -> None:
    for call in (lambda: extract(RICH, deduplicate=True), lambda: Extractor(dedup=True)):
        with pytest.raises(ValueError, match=r"use trafilatura\.deduplication"):
            call()


def test_a_configuration_sets_sizes(tmp_path: Path) -> None:
    file = tmp_path / "settings.cfg"
    file.write_text("[DEFAULT]\nMIN_OUTPUT_SIZE = 100000\nDOWNLOAD_TIMEOUT = 20\n")
    config = use_config(str(file))
    assert extract(RICH, config=config) is None and extract(RICH, settingsfile=str(file)) is None and extract(RICH) is not None
    assert Extractor(config=config).min_output_size == 100000 and DEFAULT_CONFIG.getint("DEFAULT", "MIN_OUTPUT_SIZE") == 1
    assert use_config() is not DEFAULT_CONFIG and use_config()["DEFAULT"]["DOWNLOAD_TIMEOUT"] == "30"
    with pytest.raises(FileNotFoundError):
        use_config(str(tmp_path / "missing.cfg"))
    long = use_config()
    long["DEFAULT"]["MAX_TREE_SIZE"] = "3"
    assert extract(RICH, config=long) is None
    empty = use_config()
    empty["DEFAULT"]["MIN_OUTPUT_SIZE"] = "0"
    assert extract("<html><body></body></html>", config=empty) == ""


def test_comments_are_left_out_if_they_are_not_wanted() -> None:
    comments = "<ol class='commentlist'>" + "<li><p>A reader says that alders are the best of all trees, and is right.</p></li>" * 4 + "</ol>"
    page = article("alders").replace("</article>", f"</article>{comments}")
    assert "A reader" not in extract(page, include_comments=False) and "speaks of alders" in extract(page, include_comments=False)
    assert bare_extraction(page, include_comments=False).comments is None


def test_whole_pages_as_text() -> None:
    page = "<html><body><nav>Menu</nav><p>First block.</p><p>Sec<b>ond</b></p><style>a</style><footer>Imprint</footer></body>"
    assert html2txt(page) == "Menu First block. Second" and html2txt(page, clean=False) == "Menu First block. Second Imprint"
    assert html2txt("") == html2txt("123") == ""
    data = '<script type="application/ld+json">{"articleBody": "%s"}</script>' % ("The text is in the data. " * 8)
    assert baseline(f"<html><head>{data}</head><body></body></html>")[1].startswith("The text is in the data.")


def test_downloads(site: str) -> None:
    assert "Prés salés" in fetch_url(f"{site}/birches")
    config = use_config()
    config.set("DEFAULT", "MAX_FILE_SIZE", "20")
    assert fetch_url(f"{site}/birches", config=config) is None
    assert fetch_url(f"{site}/missing") is None and fetch_url("#@1234") is None
    with pytest.raises(ValueError, match="always checks certificates"):
        fetch_url(site, no_ssl=True)


def test_messages_are_silent_unless_logging_is_configured(tmp_path: Path) -> None:
    program = "from maintext.compat.trafilatura import extract; assert extract('') is None and extract(b'%PDF-1.4') is None"
    for configured in ("", "import logging; logging.basicConfig(level='WARNING'); "):
        run = subprocess.run([sys.executable, "-c", configured + program], capture_output=True, text=True, check=True, cwd=tmp_path)
        assert bool(run.stderr) == bool(configured), run.stderr
