"""A replacement for goose3: ``from maintext.compat.goose3 import Goose``.

Classes, options and attributes are those of goose3 3.1; maintext chooses title, authors, date, text and images. Needs lxml; downloads need
urllib3: ``pip install 'maintext[goose3]'``. docs/compat.md lists the differences.
"""

from __future__ import annotations

from typing import Any

from ..trafilatura.utils import decode_file
from ._page import fill
from .article import Article
from .configuration import ArticleContextPattern, AuthorPattern, Configuration, PublishDatePattern
from .image import Image
from .network import NetworkError, NetworkFetcher
from .version import __version__
from .video import Video

__all__ = [
    "Article",
    "ArticleContextPattern",
    "AuthorPattern",
    "Configuration",
    "Goose",
    "Image",
    "NetworkError",
    "PublishDatePattern",
    "Video",
    "__version__",
]


class Goose:
    """Extracts articles.

    >>> with Goose({"strict": False}) as goose:
    ...     article = goose.extract(raw_html="<article><p>We left early, and the road was empty.</p></article>")
    >>> article.cleaned_text
    'We left early, and the road was empty.'

    :param config: a :class:`Configuration`, or a dict of its options; unknown ones are ignored
    """

    def __init__(self, config: Configuration | dict[str, Any] | None = None) -> None:
        self.config = config if isinstance(config, Configuration) else Configuration()
        if isinstance(config, dict):
            for name, value in config.items():
                if hasattr(self.config, name):
                    setattr(self.config, name, value)
        self.fetcher: NetworkFetcher | None = NetworkFetcher(self.config)

    def __enter__(self) -> Goose:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends the use of the network."""
        if self.fetcher is not None:
            self.shutdown_network()

    def shutdown_network(self) -> None:
        """Ends the use of the network."""
        if self.fetcher is not None:
            self.fetcher.close()
        self.fetcher = None

    def extract(self, url: str | None = None, raw_html: str | bytes | None = None) -> Article:
        """Extracts an article from a page.

        :param url: the address; the page is fetched unless ``raw_html`` is given
        :param raw_html: the page
        :raises ValueError: if neither is given, or if the input is not a page
        :raises NetworkError: if the server answers with an error and ``strict`` is set
        :raises OSError: if there is no answer
        """
        if not url and not raw_html:
            raise ValueError("Either url or raw_html should be provided")
        fetcher = self.fetcher or NetworkFetcher(self.config)
        article = Article()
        if raw_html:
            html = decode_file(raw_html)
            article._link_key = raw_html
        else:
            url = (url or "").replace("#!", "?_escaped_fragment_=")
            article._link_key = url
            html = fetcher.fetch_obj(url).text
        if html.strip():
            fill(article, url, html, self.config, fetcher)
        return article
