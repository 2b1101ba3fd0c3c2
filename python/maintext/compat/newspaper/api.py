"""Functions for common tasks, as newspaper4k's ``api``."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from .. import _news
from . import network
from .article import Article
from .configuration import Configuration
from .languages import print_available_languages
from .settings import TRENDING_URL
from .source import Source

__all__ = ["Configuration", "article", "build", "build_article", "fulltext", "hot", "languages", "popular_urls"]

#: Sites of broadcasters and newspapers.
_SITES = """www.bbc.com www.cbc.ca www.abc.net.au www.rnz.co.nz www.npr.org www.rte.ie www.dw.com www.france24.com www.rfi.fr www.nhk.or.jp
www.tagesschau.de www.srf.ch orf.at www.rai.it www.rtve.es www.rtp.pt nos.nl www.vrt.be www.svt.se www.nrk.no www.dr.dk yle.fi www.ruv.is
www.theguardian.com www.nytimes.com www.washingtonpost.com www.reuters.com apnews.com www.aljazeera.com www.lemonde.fr www.spiegel.de
www.zeit.de elpais.com www.corriere.it www.publico.pt
www.asahi.com www.thehindu.com www.smh.com.au www.irishtimes.com www.folha.uol.com.br"""


def article(url: str, language: str | None = None, **kwargs: Any) -> Article:
    """Downloads and parses an article.

    :param language: its language as two letters
    :param kwargs: ``input_html``, the page, and arguments of :class:`Article`
    :raises ArticleException: if the download fails
    """
    input_html = kwargs.pop("input_html", None)
    made = Article(url, language=language, **kwargs)
    made.download(input_html=input_html)
    return made.parse()


def build(
    url: str = "",
    dry: bool = False,
    only_homepage: bool = False,
    only_in_path: bool = False,
    input_html: str | None = None,
    config: Configuration | None = None,
    **kwargs: Any,
) -> Source:
    """Returns a site with its articles, which are not downloaded.

    :param dry: do not fetch anything
    :param only_homepage: take articles from the front page only
    :param only_in_path: take articles below the front page's path only
    :param input_html: the front page; without it, it is fetched
    :param kwargs: single options of :class:`Configuration`
    """
    config = config or Configuration()
    config.update(**kwargs)
    made = Source(url or "", config=config)
    if not dry:
        made.build(only_homepage=only_homepage, only_in_path=only_in_path, input_html=input_html)
    return made


def build_article(url: str = "", config: Configuration | None = None, **kwargs: Any) -> Article:
    """Returns an article that is not downloaded."""
    config = config or Configuration()
    config.update(**kwargs)
    return Article(url or "", config=config)


def languages() -> None:
    """Prints the languages."""
    print_available_languages()


def popular_urls() -> list[str]:
    """Returns addresses of sites with news."""
    return [f"http://{site}" for site in _SITES.split()]


def hot() -> list[str] | None:
    """Returns what people search for at the moment, or None if it cannot be fetched."""
    try:
        feed = network.get_html(TRENDING_URL)
    except Exception as error:
        print("ERR hot terms failed!", error)
        return None
    items = re.findall(r"<item>.*?<title>(.*?)</title>", feed, re.DOTALL)
    return [unescape(item).strip() for item in items] or None


def fulltext(html: str, language: str = "en") -> str:
    """Returns the text of a page with the title above it, without metadata.

    >>> fulltext("<nav>Home</nav><article><p>We left early, and the road was empty.</p><p>Nobody followed.</p></article>")
    'We left early, and the road was empty.\\n\\nNobody followed.'

    :param language: accepted, without effect
    """
    reading = _news.read(html)
    return "\n\n".join(piece.text for piece in reading.pieces(title=True)) if reading else ""
