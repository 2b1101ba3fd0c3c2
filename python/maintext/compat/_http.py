"""Requests of the replacements that fetch with ``requests`` in the original: the same connections as trafilatura's downloads.

Needs urllib3. An answer has the attributes of ``requests.Response`` that newspaper4k and goose3 hand to their callers.
"""

from __future__ import annotations

import base64
import importlib
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from .trafilatura.downloads import DEFAULT_HEADERS, _pool
from .trafilatura.utils import decode_file

#: The largest page in bytes.
MAX_SIZE = 20_000_000


class Visited:
    """An address that redirected to another one."""

    def __init__(self, url: str, status_code: int) -> None:
        self.url = url
        self.status_code = status_code


class Answer:
    """A fetched page."""

    def __init__(self, url: str, status: int, reason: str, headers: Mapping[str, str], content: bytes, history: list[Visited]) -> None:
        self.url = url
        self.status_code = status
        self.reason = reason
        self.headers = headers
        self.content = content
        self.history = history
        #: The charset of the HTTP header, or None.
        self.encoding: str | None = charset_of(headers.get("content-type") or "")

    @property
    def ok(self) -> bool:
        """Whether the status is below 400."""
        return self.status_code < 400

    @property
    def text(self) -> str:
        """The page, decoded with the charset of the HTTP header, or else with the page's own."""
        return decoded(self.content, self.encoding)

    def json(self) -> Any:
        """Returns the data of a JSON document."""
        return json.loads(self.text)

    def raise_for_status(self) -> None:
        """Raises an error if the status is 400 or more."""
        if not self.ok:
            raise failure("HTTPError", f"{self.status_code} {self.reason} for url: {self.url}")


def charset_of(content_type: str) -> str | None:
    """Returns the charset that an HTTP header names."""
    found = re.search(r"charset=[\"']?([\w.:-]+)", content_type, re.IGNORECASE)
    return found.group(1) if found else None


def decoded(content: bytes, charset: str | None) -> str:
    """Decodes a page with a charset, if it is known and fits, or else with the one that the page declares or its bytes suggest."""
    if charset:
        try:
            return content.decode(charset)
        except (LookupError, UnicodeDecodeError):
            pass
    return decode_file(content)


def failure(kind: str, message: str) -> OSError:
    """Returns the exception that ``requests`` raises, where that package is installed, or else an ``OSError``."""
    try:
        error = getattr(importlib.import_module("requests.exceptions"), kind)(message)
    except ImportError:
        return OSError(message)
    assert isinstance(error, OSError)
    return error


def _proxy(url: str, proxies: Mapping[str, str] | None) -> str | None:
    """Returns the proxy for an address from a dict as ``requests`` takes it."""
    parts = urlsplit(url)
    keys = (f"{parts.scheme}://{parts.hostname}", parts.scheme, f"all://{parts.hostname}", "all")
    return next((proxies[key] for key in keys if proxies and proxies.get(key)), None)


def _headers(headers: Mapping[str, Any] | None, cookies: Mapping[str, str] | None, auth: Any) -> dict[str, str]:
    made = {**DEFAULT_HEADERS, **{name: str(value) for name, value in (headers or {}).items() if value is not None}}
    if cookies:
        made["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
    if auth:
        user, password = auth
        made["Authorization"] = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
    return made


def request(
    url: str,
    method: str = "GET",
    *,
    headers: Mapping[str, Any] | None = None,
    timeout: Any = 7,
    proxies: Mapping[str, str] | None = None,
    auth: Any = None,
    cookies: Mapping[str, str] | None = None,
    verify: Any = True,
    cert: Any = None,
    allow_redirects: bool = True,
    data: Any = None,
    protected: bool = True,
) -> Answer:
    """Fetches an address. The options are those of ``requests.get``.

    :param timeout: seconds, or a pair of seconds for the connection and for the answer
    :param verify: whether the certificate is checked
    :param cert: not supported; accepted because ``requests`` takes it
    :param protected: refuse addresses that are not public
    :raises OSError: if there is no answer, or if it is larger than :data:`MAX_SIZE`. The type is that of ``requests``, if this is
        installed.
    """
    import urllib3
    from urllib3.exceptions import HTTPError, MaxRetryError
    from urllib3.exceptions import TimeoutError as Late

    if not re.match(r"https?://[^/]", url):
        raise failure("InvalidURL", f"not an address of a page: {url!r}")
    limits = timeout if isinstance(timeout, (tuple, list)) else (timeout, timeout)
    answer = None
    try:
        answer = _pool(not verify, protected, _proxy(url, proxies)).request(
            method,
            url,
            body=data,
            headers=_headers(headers, cookies, auth),
            preload_content=False,
            redirect=allow_redirects,
            retries=urllib3.Retry(total=10, redirect=10, connect=0, read=0, status=0, raise_on_redirect=True),
            timeout=urllib3.Timeout(connect=limits[0], read=limits[1]),
        )
        content = bytearray()
        for chunk in answer.stream(2**17):
            content += chunk
            if len(content) > MAX_SIZE:
                raise failure("ContentDecodingError", f"the page is larger than {MAX_SIZE} bytes: {url}")
        return _answer(url, answer, bytes(content))
    except (Late, MaxRetryError) as error:
        cause = getattr(error, "reason", None) or error
        kind = "Timeout" if isinstance(cause, Late) else "TooManyRedirects" if "redirect" in str(cause) else "ConnectionError"
        raise failure(kind, f"{url}: {cause}") from error
    except (HTTPError, ValueError) as error:
        raise failure("ConnectionError", f"{url}: {error}") from error
    finally:
        if answer is not None:
            answer.release_conn()


def _answer(url: str, answer: Any, content: bytes) -> Answer:
    history = []
    address = url
    for visit in answer.retries.history if answer.retries is not None else ():
        if visit.redirect_location:
            history.append(Visited(address, visit.status or 302))
            address = urljoin(address, visit.redirect_location)
    return Answer(address, answer.status, answer.reason or "", answer.headers, content, history)
