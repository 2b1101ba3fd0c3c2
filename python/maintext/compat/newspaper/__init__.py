"""A replacement for newspaper4k: ``import maintext.compat.newspaper as newspaper``.

Modules, classes, functions and fields are those of newspaper4k 0.9; maintext chooses title, authors, date, text and images. Sources of
many articles and the command are left to newspaper4k. Needs lxml; downloads need urllib3: ``pip install 'maintext[newspaper]'``. docs/compat.md lists the differences.
"""

from __future__ import annotations

from .api import Configuration as Config
from .api import article, build_article, fulltext, languages
from .article import Article
from .exceptions import ArticleBinaryDataException, ArticleException
from .languages import valid_languages
from .version import __version__

__all__ = [
    "Article",
    "ArticleBinaryDataException",
    "ArticleException",
    "Config",
    "__version__",
    "article",
    "build_article",
    "fulltext",
    "languages",
    "valid_languages",
]
