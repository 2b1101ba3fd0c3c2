"""Functions for common tasks, as newspaper4k's ``api``."""

from __future__ import annotations

from typing import Any

from .. import _news
from .article import Article
from .configuration import Configuration
from .languages import print_available_languages

__all__ = ["Configuration", "article", "build_article", "fulltext", "languages"]


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


def build_article(url: str = "", config: Configuration | None = None, **kwargs: Any) -> Article:
    """Returns an article that is not downloaded."""
    config = config or Configuration()
    config.update(**kwargs)
    return Article(url or "", config=config)


def languages() -> None:
    """Prints the languages."""
    print_available_languages()


def fulltext(html: str, language: str = "en") -> str:
    """Returns the text of a page with the title above it, without metadata.

    >>> fulltext("<nav>Home</nav><article><p>We left early, and the road was empty.</p><p>Nobody followed.</p></article>")
    'We left early, and the road was empty.\\n\\nNobody followed.'

    :param language: accepted, without effect
    """
    reading = _news.read(html)
    return "\n\n".join(piece.text for piece in reading.pieces(title=True)) if reading else ""
