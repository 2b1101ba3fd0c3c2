"""An article, as newspaper4k's ``article``."""

from __future__ import annotations

import copy
import json
import logging
from datetime import datetime
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from .. import _http
from .._news import parsed
from ..trafilatura.utils import decode_file
from . import network, nlp, settings, urls
from ._reading import Filled, fill
from .configuration import Configuration
from .exceptions import ArticleException
from .text import StopWords
from .utils import extract_meta_refresh

__all__ = ["Article", "ArticleDownloadState", "ArticleException"]

log = logging.getLogger(__name__)

#: Options of a request that an article takes directly.
available_requests_params = ["headers", "cookies", "auth", "timeout", "allow_redirects", "proxies", "verify", "cert"]
_PROTECTIONS = {
    "cloudflare": "Cloudflare",
    "cloud-flare": "Cloudflare",
    "CloudFront": "CloudFront",
    "perimeterx": "PerimeterX",
    "geo.captcha-delivery.com": "PerimeterX",
}
_MEDIA_PATHS = ("/video", "/slide", "/gallery", "/powerpoint", "/fashion", "/glamour", "/cloth")


class ArticleDownloadState(Enum):
    """Whether an article was downloaded."""

    NOT_STARTED = 0
    FAILED_RESPONSE = 1
    SUCCESS = 2


class Article(Filled):
    """A page of news: ``download()`` fetches it, ``parse()`` extracts it, ``nlp()`` adds keywords and a summary.

    >>> article = Article("https://example.org/alders", fetch_images=False)
    >>> html = "<title>Alders</title><article><h1>Alders</h1><p>The alder stands on the bank, and the river is below.</p></article>"
    >>> article.download(input_html=html).parse().text
    'The alder stands on the bank, and the river is below.'

    :param url: the address; relative to ``source_url`` if that is given
    :param title: the title until ``parse()`` finds one
    :param source_url: the site's address
    :param read_more_link: an XPath expression for the link to the whole article
    :param config: options; ``kwargs`` are single options of :class:`Configuration` or of requests
    """

    def __init__(
        self,
        url: str,
        title: str = "",
        source_url: str = "",
        read_more_link: str = "",
        config: Configuration | None = None,
        **kwargs: Any,
    ) -> None:
        if isinstance(title, Configuration) or isinstance(source_url, Configuration):
            raise ArticleException("Configuration object being passed incorrectly as title or source_url!")
        super().__init__()
        self.config = Configuration() if config is None else copy.copy(config)
        for name in available_requests_params:
            if name in kwargs:
                self.config.requests_params[name] = kwargs.pop(name)
        self.config.update(**kwargs)
        if source_url is None:
            raise ArticleException("input url bad format")
        self.source_url = source_url or f"{urls.get_scheme(url)}://{urls.get_domain(url)}"
        self.url = urls.prepare_url(url, self.source_url)
        self.original_url = self.url
        self.title = title
        self.read_more_link = read_more_link
        self.keywords: list[str] = []
        self.keyword_scores: dict[str, float] = {}
        self._summary = ""
        self._html = ""
        self.is_parsed = False
        self.download_state = ArticleDownloadState.NOT_STARTED
        self.download_exception_msg: str | None = None
        self.history: list[str] | None = []

    def build(self) -> None:
        """Calls ``download()``, ``parse()`` and ``nlp()``."""
        self.download()
        self.parse()
        self.nlp()

    def _failed(self, message: str) -> None:
        self.download_state = ArticleDownloadState.FAILED_RESPONSE
        self.download_exception_msg = message
        log.debug("Download failed on URL %s because of %s", self.url, message)

    def _from_file(self, path: str) -> str | None:
        try:
            with open(path, "rb") as file:
                return decode_file(file.read())
        except OSError as error:
            self._failed(str(error))
            return None

    def _from_web(self, url: str) -> str | None:
        try:
            html, status, history = network.get_html_status(url, self.config)
        except OSError as error:
            self._failed(str(error))
            return None
        self.history = [visit.url for visit in history]
        if status < 400:
            return html
        protection = next((name for mark, name in _PROTECTIONS.items() if mark in html), None)
        self._failed(f"Website protected with {protection}, url: {url}" if protection else f"Status code {status} for url {url}")
        return None

    def download(
        self,
        input_html: str | bytes | None = None,
        title: str | None = None,
        recursion_counter: int = 0,
        ignore_read_more: bool = False,
    ) -> Article:
        """Fetches the page, or takes it from ``input_html``. Failures are in ``download_state`` and ``download_exception_msg``.

        :param title: a title for the article
        :param recursion_counter: how often the page has led to another one
        :param ignore_read_more: do not follow the link of ``read_more_link``
        """
        html: str | None
        if input_html is not None:
            html = decode_file(input_html)
        elif urlsplit(self.url).scheme == "file":
            html = self._from_file(urlsplit(self.url).path)
        else:
            html = self._from_web(self.url)
        if html is None:
            return self
        if self.config.follow_meta_refresh and recursion_counter < 1:
            target = extract_meta_refresh(html)
            if target:
                fetched = network.get_html(urls.urljoin_if_valid(self.url, target), self.config)
                return self.download(input_html=fetched, recursion_counter=recursion_counter + 1)
        if self.read_more_link and not ignore_read_more:
            html = self._read_more(html)
        self.html = html
        if title is not None:
            self.title = title
        return self

    def _read_more(self, html: str) -> str:
        """Returns the page to which the link of ``read_more_link`` leads, or else the page itself."""
        tree = parsed(html)
        links = tree.xpath(self.read_more_link) if tree is not None else []
        target = next((link.get("href") for link in links if link.get("href")), None)
        if target is None:
            return html
        address = urls.prepare_url(target, self.url)
        whole = self._from_web(address)
        if whole is None:
            log.info("Failed to download read more link: %s, leaving original content in place", address)
            return html
        self.url = address
        return whole

    def parse(self) -> Article:
        """Extracts text, title, authors, date, images and metadata.

        :raises ArticleException: if the page was not downloaded
        """
        self.throw_if_not_downloaded_verbose()
        fill(self)
        self.is_parsed = True
        return self

    def nlp(self) -> None:
        """Finds ``keywords``, ``keyword_scores`` and ``summary``.

        :raises ArticleException: if the article was not parsed
        """
        self.throw_if_not_downloaded_verbose()
        self.throw_if_not_parsed_verbose()
        stopwords = StopWords(self.config.language)
        scores = nlp.keywords(self.text, stopwords, self.config.max_keywords)
        for word, score in nlp.keywords(self.title, stopwords, self.config.max_keywords).items():
            scores[word] = (scores[word] + score) / 2 if word in scores else score
        best = sorted(scores.items(), key=lambda item: item[1], reverse=True)[: self.config.max_keywords]
        self.keywords = [word for word, _ in best]
        self.keyword_scores = dict(best)
        self.summary = "\n".join(nlp.summarize(self.title, self.text, stopwords, self.config.max_summary_sent))

    def is_valid_url(self) -> bool:
        """Returns whether the address looks like an article's."""
        return urls.valid_url(self.url)

    def is_media_news(self) -> bool:
        """Returns whether the address is that of a gallery or a video."""
        return any(path in self.url for path in _MEDIA_PATHS)

    def is_valid_body(self) -> bool:
        """Returns whether the text is long enough for an article.

        :raises ArticleException: if the article was not parsed
        """
        if not self.is_parsed:
            raise ArticleException("must parse article before checking if it's body is valid!")
        words, sentences = len(self.text.split(" ")), len(self.text.split("."))
        if self.meta_type == "article" and words > self.config.min_word_count:
            return True
        if not self.text and not self.is_media_news():
            return False
        titled = len(self.title.split(" ")) >= 2
        return titled and words >= self.config.min_word_count and sentences >= self.config.min_sent_count and bool(self.html)

    @property
    def title(self) -> str:
        """The title, at most ``max_title`` characters."""
        return self._title

    @title.setter
    def title(self, value: str | None) -> None:
        self._title = (value or "")[: self.config.max_title]

    @property
    def text(self) -> str:
        """The text, at most ``max_text`` characters."""
        return self._text

    @text.setter
    def text(self, value: str | None) -> None:
        self._text = (value or "")[: self.config.max_text]

    @property
    def summary(self) -> str:
        """The summary, at most ``max_summary`` characters."""
        return self._summary

    @summary.setter
    def summary(self, value: str | None) -> None:
        self._summary = (value or "")[: self.config.max_summary]

    @property
    def html(self) -> str:
        """The page. Setting it makes the article a downloaded one."""
        return self._html

    @html.setter
    def html(self, value: str | bytes | None) -> None:
        self.download_state = ArticleDownloadState.SUCCESS
        self._html = decode_file(value) if value else ""

    @property
    def imgs(self) -> list[str]:
        """Another name of ``images``."""
        return self.images

    @property
    def top_img(self) -> str:
        """Another name of ``top_image``."""
        return self.top_image

    @property
    def text_cleaned(self) -> str:
        """Another name of ``text``."""
        return self.text

    def throw_if_not_downloaded_verbose(self) -> None:
        """Raises an exception if the page was not downloaded."""
        if self.download_state == ArticleDownloadState.NOT_STARTED:
            raise ArticleException("You must `download()` an article first!")
        if self.download_state == ArticleDownloadState.FAILED_RESPONSE:
            raise ArticleException(f"Article `download()` failed with {self.download_exception_msg} on URL {self.url}")

    def throw_if_not_parsed_verbose(self) -> None:
        """Raises an exception if the article was not parsed."""
        if not self.is_parsed:
            raise ArticleException("You must `parse()` an article first!")

    def to_json(self, as_string: bool | None = True) -> Any:
        """Returns the fields that ``settings.article_json_fields`` names, as JSON or as a dict.

        :raises ArticleException: if the article was not parsed
        """
        self.throw_if_not_parsed_verbose()
        fields: dict[str, Any] = {}
        for name in settings.article_json_fields:
            value = getattr(self, name, getattr(self.config, name, None))
            if isinstance(value, set):
                value = sorted(value)
            fields[name] = value.isoformat() if isinstance(value, datetime) else value
        return json.dumps(fields, indent=4, ensure_ascii=False) if as_string else fields

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Article):
            raise NotImplementedError("Can only compare to other Article objects")
        same = ("url", "title", "text", "top_image", "publish_date")
        lists = ("movies", "authors", "keywords", "images")
        return all(getattr(self, name) == getattr(other, name) for name in same) and all(
            sorted(getattr(self, name)) == sorted(getattr(other, name)) for name in lists
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        text = self.text if len(self.text) <= 100 else f"{self.text[:50]} [...] {self.text[-50:]}"
        return f"__Title__: {self.title}\n\n {text}"
