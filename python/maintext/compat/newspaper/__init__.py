"""A replacement for newspaper4k: ``import maintext.compat.newspaper as newspaper``.

Modules, classes, functions and fields are those of newspaper4k 0.9; maintext chooses title, authors, date, text and images. Needs lxml;
downloads need urllib3: ``pip install 'maintext[newspaper]'``. docs/compat-news.md lists the differences.
"""

from __future__ import annotations

from .api import Configuration as Config
from .api import article, build, build_article, fulltext, hot, languages, popular_urls
from .article import Article
from .exceptions import ArticleBinaryDataException, ArticleException
from .languages import valid_languages
from .source import Source
from .version import __version__

__all__ = [
    "Article",
    "ArticleBinaryDataException",
    "ArticleException",
    "Config",
    "Source",
    "__version__",
    "article",
    "build",
    "build_article",
    "fulltext",
    "hot",
    "languages",
    "popular_urls",
    "valid_languages",
]
