"""Downloads, as newspaper4k's ``network``. Needs urllib3; the connections are those of maintext's other downloads."""

from __future__ import annotations

import logging
from typing import Any

from .. import _http
from .configuration import Configuration
from .exceptions import ArticleBinaryDataException, ArticleException

__all__ = ["do_request", "get_html", "get_html_status", "is_binary_url"]

log = logging.getLogger(__name__)


def _is_binary(answer: Any) -> bool:
    """Returns whether an answer is other data than a page, by its type or else by its first bytes."""
    kind = (answer.headers.get("content-type") or "").lower()
    if kind.startswith(("image/", "video/", "audio/", "font/")) or answer.headers.get("content-disposition"):
        return True
    if kind.startswith("application/"):
        return "json" not in kind and "xml" not in kind
    start = answer.content[:1000]
    if answer.status_code >= 400 or not start or b"<html" in start.lower():
        return False
    letters = sum(31 < byte < 128 or byte in b"\t\r\n" for byte in start)
    return bool(letters / len(start) < 0.6) and "\ufffd" in answer.text[:500]


def is_binary_url(url: str) -> bool:
    """Returns whether an address leads to other data than a page; False if it cannot be fetched."""
    try:
        return _is_binary(_http.request(url, timeout=3))
    except OSError:
        return False


def do_request(url: str, config: Configuration, method: str = "get", data: str | None = None) -> Any:
    """Fetches an address. The answer has the attributes of ``requests.Response``.

    :raises ArticleBinaryDataException: if it is other data than a page, unless the configuration allows that
    :raises OSError: if there is no answer
    """
    if method not in ("get", "post"):
        raise NotImplementedError(f"Method {method} not implemented")
    answer = _http.request(url, method.upper(), data=data, protected=config.ssrf_protection, **config.requests_params)
    if not config.allow_binary_content and _is_binary(answer):
        raise ArticleBinaryDataException(f"Article is binary data: {url}")
    return answer


def get_html_status(url: str, config: Configuration | None = None, response: Any = None) -> tuple[str, int, list[Any]]:
    """Returns a page, its status, and the addresses that redirected to it.

    :param response: an answer; without it, the page is fetched
    """
    config = config or Configuration()
    if response is None:
        response = do_request(url, config)
    if response.status_code != 200:
        log.warning("get_html_status(): bad status code %s on URL: %s", response.status_code, url)
    kind = response.headers.get("content-type")
    if kind in config.ignored_content_types_defaults:
        return config.ignored_content_types_defaults[kind], response.status_code, response.history
    html = _http.decoded(response.content, _http.charset_of(kind or ""))
    return html, response.status_code, response.history


def get_html(url: str, config: Configuration | None = None, response: Any = None) -> str:
    """Returns a page, or an empty text if there is no answer.

    :raises ArticleException: if the status is an error; without ``http_success_only``, the page is an empty text
    """
    config = config or Configuration()
    try:
        html, status, _ = get_html_status(url, config, response)
    except OSError as error:
        log.debug("get_html() error. %s on URL: %s", error, url)
        return ""
    if status >= 400:
        log.warning("get_html() bad status code %s on URL: %s", status, url)
        if config.http_success_only:
            raise ArticleException(f"Http error when downloading {url}. Status code: {status}")
        return ""
    return html
