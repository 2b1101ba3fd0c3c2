"""Options of articles, as newspaper4k's ``configuration``."""

from __future__ import annotations

import copy
from typing import Any
from warnings import warn

from .languages import get_available_languages
from .version import __version__

__all__ = ["Configuration"]

_DEPRECATED = ("word_count", "sent_count", "title", "text", "keywords", "authors", "summary", "summary_sent", "file_memo")


class Configuration:
    """Options of articles.

    - ``min_word_count``, ``min_sent_count``: the words and sentences that :meth:`Article.is_valid_body` wants
    - ``max_title``, ``max_text``, ``max_summary``: the largest number of characters; ``max_keywords``, ``max_authors``,
      ``max_summary_sent``: of keywords, authors and sentences of a summary
    - ``top_image_settings``: ``min_width``, ``min_height``, ``min_area`` and ``max_retries`` for the top image
    - ``fetch_images``: fetch the top image to see its size
    - ``follow_meta_refresh``: follow a page that leads to another one
    - ``clean_article_html``: ``article_html`` is maintext's HTML; otherwise it is the part of the page as it stands
    - ``http_success_only``: an error status raises an exception
    - ``requests_params``: options of a request: timeout, proxies, headers, auth, cookies, verify, allow_redirects
    - ``allow_binary_content``, ``ignored_content_types_defaults``: what to do with other data than pages
    - ``language``: two letters; the page's own language if it is not set
    - ``ssrf_protection`` (not in newspaper4k): refuse addresses that are not public, because pages name many of the addresses
    - ``disable_category_cache``, ``max_file_memo``, ``memorize_articles``, ``number_threads``, ``thread_timeout_seconds``, ``verbose``:
      accepted, without effect, because sources are left to newspaper4k; ``honor_robots_txt`` cannot be set
    """

    def __init__(self) -> None:
        self.min_word_count = 300
        self.min_sent_count = 7
        self.max_title = 200
        self.max_text = 100000
        self.max_keywords = 35
        self.max_authors = 10
        self.max_summary = 5000
        self.max_summary_sent = 5
        self.max_file_memo = 20000
        self.top_image_settings: dict[str, int] = {"min_width": 300, "min_height": 200, "min_area": 10000, "max_retries": 2}
        self.memorize_articles = True
        self.disable_category_cache = False
        self.fetch_images = True
        self.follow_meta_refresh = False
        self.clean_article_html = True
        self.http_success_only = True
        self.requests_params: dict[str, Any] = {"timeout": 7, "proxies": {}, "headers": {"User-Agent": f"maintext/{__version__}"}}
        self.number_threads = 10
        self.verbose = False
        self.thread_timeout_seconds = 10
        self.allow_binary_content = False
        self.ignored_content_types_defaults: dict[str, str] = {}
        self.ssrf_protection = True
        self._language = "en"
        self._use_meta_language = True

    def update(self, **kwargs: Any) -> None:
        """Sets options."""
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __copy__(self) -> Configuration:
        # The options of requests, too, belong to the copy alone.
        made = Configuration.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.requests_params = copy.deepcopy(self.requests_params)
        return made

    @property
    def browser_user_agent(self) -> Any:
        """The user agent of downloads, or None."""
        return self.requests_params.setdefault("headers", {}).get("User-Agent")

    @browser_user_agent.setter
    def browser_user_agent(self, value: str) -> None:
        self.requests_params.setdefault("headers", {})["User-Agent"] = value

    @property
    def headers(self) -> dict[str, str] | None:
        """The headers of downloads."""
        return self.requests_params.get("headers")

    @headers.setter
    def headers(self, value: dict[str, str]) -> None:
        self.requests_params["headers"] = value

    @property
    def request_timeout(self) -> Any:
        """The time limit of a download in seconds, or a pair for the connection and the answer."""
        return self.requests_params.get("timeout")

    @request_timeout.setter
    def request_timeout(self, value: Any) -> None:
        self.requests_params["timeout"] = value

    @property
    def proxies(self) -> dict[str, str] | None:
        """The proxies of downloads by scheme."""
        return self.requests_params.get("proxies")

    @proxies.setter
    def proxies(self, value: dict[str, str]) -> None:
        self.requests_params["proxies"] = value

    @property
    def language(self) -> str:
        """The language as two letters."""
        return self._language

    @language.setter
    def language(self, value: str | None) -> None:
        if value is None:
            self._use_meta_language = True
            self._language = "en"
            return
        if len(value) != 2:
            raise ValueError("Your input language must be a 2 char language code, for example: english-->en and german-->de")
        if value not in get_available_languages():
            raise ValueError(f"We do not currently support input language {value} yet; see languages()")
        self._use_meta_language = False
        self._language = value

    @property
    def use_meta_language(self) -> bool:
        """Whether the page's own language is used: the language was not set."""
        return self._use_meta_language

    @property
    def memoize_articles(self) -> bool:
        """Another name of ``memorize_articles``."""
        return self.memorize_articles

    @memoize_articles.setter
    def memoize_articles(self, value: bool) -> None:
        self.memorize_articles = value

    @property
    def honor_robots_txt(self) -> bool:
        """False: newspaper4k's sources respect robots.txt, and these are not replaced."""
        return False

    @honor_robots_txt.setter
    def honor_robots_txt(self, value: bool) -> None:
        if value:
            raise ValueError("honor_robots_txt is an option of sources, which maintext.compat leaves to newspaper4k")


def _deprecated(old: str, new: str) -> property:
    message = f"`{old}` is deprecated, use `{new}` instead"

    def get(self: Configuration) -> Any:
        warn(message, DeprecationWarning, stacklevel=2)
        return getattr(self, new)

    def put(self: Configuration, value: Any) -> None:
        warn(message, DeprecationWarning, stacklevel=2)
        setattr(self, new, value)

    return property(get, put)


for _name in _DEPRECATED:
    _new = ("min_" if _name in ("word_count", "sent_count") else "max_") + _name
    setattr(Configuration, _new.upper(), _deprecated(_new.upper(), _new))
