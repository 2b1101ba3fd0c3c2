"""Small programs that use the calls most seen in public code: ten for trafilatura, two for newspaper4k, three for goose3. They run with
only the import replaced; where the original is installed, its results are compared."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from news_pages import newspaper4k

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

#: Programs for newspaper4k and goose3.
NEWS = {
    ("newspaper", "an article's fields"): """
from PACKAGE import Article, Config
config = Config()
config.browser_user_agent = "Mozilla/5.0"
config.request_timeout = 10
config.fetch_images = False
article = Article("https://www.example.org/alders", config=config, language="en")
article.download(input_html=page)
article.parse()
result = [article.title, article.authors, article.publish_date.strftime("%Y-%m-%d"), article.text, article.top_image, article.images,
          article.movies, article.meta_lang, article.meta_description, article.meta_site_name, article.canonical_link]
""",
    ("newspaper", "articles as JSON, with errors"): """
import json
import PACKAGE as newspaper
from PACKAGE.article import ArticleException
result = []
for address, html in [("https://www.example.org/alders", page), ("file:///no/such/file.html", None)]:
    try:
        article = newspaper.article(address, input_html=html, fetch_images=False)
        fields = json.loads(article.to_json())
        result.append({name: fields[name] for name in ("url", "title", "authors", "publish_date", "language", "text")})
    except ArticleException as error:
        result.append(str(error)[:30])
""",
    ("goose3", "an article's fields"): """
from PACKAGE import Goose
g = Goose()
article = g.extract(raw_html=page)
result = [article.title, article.cleaned_text, article.meta_description, article.meta_lang, article.authors, article.publish_date,
          article.publish_datetime_utc, article.domain, article.canonical_link, article.links, article.top_image]
g.close()
""",
    ("goose3", "a configuration, and the context manager"): """
from PACKAGE import Goose
from PACKAGE.configuration import Configuration
config = Configuration()
config.browser_user_agent = "Mozilla/5.0"
config.http_timeout = 5.05
config.strict = False
config.parse_lists = True
with Goose(config) as g:
    first = g.extract(url="https://www.example.org/alders", raw_html=page)
with Goose({"use_meta_language": False, "target_language": "en", "enable_image_fetching": False, "pretty_lists": False}) as g:
    second = g.extract(raw_html=page)
result = [first.cleaned_text, first.final_url, second.cleaned_text, second.title]
""",
    ("goose3", "all information as a dict"): """
from PACKAGE import Goose
from PACKAGE.text import StopWords
infos = Goose({"stopwords_class": StopWords}).extract(url="https://www.example.org/alders", raw_html=page).infos
result = {name: infos[name] for name in infos if name != "cleaned_text"}
try:
    Goose().extract()
except ValueError as error:
    result["error"] = str(error)
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


@pytest.mark.parametrize(("package", "name"), NEWS)
def test_a_program_for_news_runs_with_the_import_replaced(package: str, name: str) -> None:
    # goose3 drops headings with fewer than three frequent words.
    page = PAGE.replace("In winter", "What the tree does in the winter of the year")
    ours = run(NEWS[package, name], f"maintext.compat.{package}", page)
    assert "Alders on the bank" in str(ours)
    if package == "newspaper" and newspaper4k() is None:
        pytest.skip("needs newspaper4k without newspaper3k")
    assert ours == run(NEWS[package, name], package, page)


def test_compressed_pages_equal_their_text() -> None:
    from maintext.compat.trafilatura import extract

    assert extract(gzip.compress(PAGE.encode())) == extract(PAGE)
