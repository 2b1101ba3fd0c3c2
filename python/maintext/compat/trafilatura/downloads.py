"""Downloads of single pages, as trafilatura's ``downloads``. Needs urllib3."""

from __future__ import annotations

import ipaddress
import logging
import os
import random
import re
from configparser import ConfigParser
from functools import lru_cache
from typing import Any
from urllib.parse import urljoin

from ... import __version__
from .settings import DEFAULT_CONFIG, Extractor, number
from .utils import Response

__all__ = ["Response", "fetch_response", "fetch_url"]

LOGGER = logging.getLogger(__name__)

#: pycurl is not used.
HAS_PYCURL = False
PROXY_URL = os.environ.get("http_proxy")
USER_AGENT = f"maintext/{__version__}"
_RETRIED = (429, 499, 500, 502, 503, 504, 509, *range(520, 528), 530, 598)


def _encodings() -> str:
    try:
        from urllib3.util import make_headers

        return str(make_headers(accept_encoding=True).get("accept-encoding") or "gzip,deflate")
    except ImportError:
        return "gzip,deflate"


DEFAULT_HEADERS = {"accept-encoding": _encodings(), "User-Agent": USER_AGENT}


def _vetted_classes() -> dict[str, Any]:
    """Returns pools of connections that refuse addresses that are not public."""
    from urllib3.connection import HTTPConnection, HTTPSConnection
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

    class Vetted:
        def _new_conn(self) -> Any:
            socket = super()._new_conn()  # type: ignore[misc]
            peer = ipaddress.ip_address(socket.getpeername()[0].partition("%")[0])
            peer = getattr(peer, "ipv4_mapped", None) or peer
            if not peer.is_global:
                socket.close()
                raise OSError(f"SSRF protection: {peer} is not a public address")
            return socket

    http = type("VettedHTTPConnection", (Vetted, HTTPConnection), {})
    https = type("VettedHTTPSConnection", (Vetted, HTTPSConnection), {})
    return {
        "http": type("VettedHTTPConnectionPool", (HTTPConnectionPool,), {"ConnectionCls": http}),
        "https": type("VettedHTTPSConnectionPool", (HTTPSConnectionPool,), {"ConnectionCls": https}),
    }


@lru_cache(maxsize=16)
def _pool(no_ssl: bool, protected: bool, proxy: str | None) -> Any:
    import urllib3

    arguments: dict[str, Any] = {"num_pools": 50, "cert_reqs": "CERT_NONE" if no_ssl else "CERT_REQUIRED"}
    if proxy and proxy.startswith("socks"):
        from urllib3.contrib.socks import SOCKSProxyManager

        return SOCKSProxyManager(proxy, **arguments)
    if proxy:
        return urllib3.ProxyManager(proxy, **arguments)
    pool = urllib3.PoolManager(**arguments)
    if protected:
        pool.pool_classes_by_scheme = _vetted_classes()
    return pool


def _initiate_pool(config: ConfigParser, no_ssl: bool = False) -> Any:
    return _pool(no_ssl, config.getboolean("DEFAULT", "SSRF_PROTECTION", fallback=True), PROXY_URL)


def _determine_headers(config: ConfigParser, headers: dict[str, str] | None = None) -> dict[str, str]:
    """Returns the headers of a request: the user agent, one of the configuration's if it names some, and its cookie."""
    made = dict(headers or DEFAULT_HEADERS)
    agents = [line.strip().strip("\"'") for line in config.get("DEFAULT", "USER_AGENTS", fallback="").splitlines() if line.strip()]
    cookie = config.get("DEFAULT", "COOKIE", fallback="").strip()
    if agents:
        made["User-Agent"] = random.choice(agents)
    if cookie:
        made["Cookie"] = cookie
    return made


def _retries(config: ConfigParser) -> Any:
    from urllib3.util import Retry

    redirects = number(config, "MAX_REDIRECTS")
    return Retry(
        total=redirects,
        redirect=redirects,
        connect=0,
        read=0,
        status=0,
        backoff_factor=number(config, "DOWNLOAD_TIMEOUT") / 2,
        status_forcelist=_RETRIED,
        raise_on_status=False,
        respect_retry_after_header=False,
    )


def _send_urllib_request(url: str, no_ssl: bool, config: ConfigParser) -> Response | None:
    """Fetches a page. Returns None if there is no answer, or one that is too large.

    :raises urllib3.exceptions.SSLError: if the certificate is not valid
    """
    from urllib3.exceptions import HTTPError, MaxRetryError, SSLError

    limit = number(config, "MAX_FILE_SIZE")
    answer = None
    try:
        answer = _initiate_pool(config, no_ssl).request(
            "GET",
            url,
            headers=_determine_headers(config),
            preload_content=False,
            retries=_retries(config),
            timeout=number(config, "DOWNLOAD_TIMEOUT"),
        )
        data = bytearray()
        for chunk in answer.stream(2**17):
            data += chunk
            if len(data) > limit:
                raise ValueError("the page is larger than MAX_FILE_SIZE")
        made = Response(bytes(data), answer.status, urljoin(url, answer.geturl() or url))
        made.store_headers(answer.headers)
        return made
    except SSLError:
        LOGGER.warning("invalid certificate: %s", url)
        raise
    except MaxRetryError as error:
        if isinstance(error.reason, SSLError):
            LOGGER.warning("invalid certificate: %s", url)
            raise error.reason from error
        LOGGER.error("download error: %s %s", url, error)
    except (HTTPError, OSError, ValueError) as error:
        LOGGER.error("download error: %s %s", url, error)
    finally:
        if answer is not None:
            answer.release_conn()
    return None


def _is_suitable_response(url: str, response: Response, options: Extractor) -> bool:
    """Returns whether an answer is a page of a usable size."""
    size = len(response.data or b"")
    if response.status != 200:
        LOGGER.error("not a 200 response: %s for URL %s", response.status, url)
        return False
    if not options.min_file_size <= size <= options.max_file_size:
        LOGGER.error("wrong file size: %s for URL %s", size, url)
        return False
    return True


def fetch_response(
    url: str,
    *,
    decode: bool = False,
    no_ssl: bool = False,
    with_headers: bool = False,
    config: ConfigParser = DEFAULT_CONFIG,
) -> Response | None:
    """Fetches a page, whatever its status. Returns None if there is no answer."""
    from urllib3.exceptions import SSLError

    for insecure in [True] if no_ssl else [False, True]:
        if insecure and not no_ssl and not config.getboolean("DEFAULT", "INSECURE_SSL_FALLBACK", fallback=True):
            return None
        try:
            response = _send_urllib_request(url, insecure, config)
        except SSLError:
            continue
        if response is not None:
            if not with_headers:
                response.headers = None
            response.decode_data(decode, number(config, "MAX_FILE_SIZE"))
        return response
    return None


def fetch_url(
    url: str,
    no_ssl: bool = False,
    config: ConfigParser = DEFAULT_CONFIG,
    options: Extractor | None = None,
) -> str | None:
    """Fetches a page as text, in its own charset. Returns None on failure, and if the status is not 200."""
    config = options.config if options is not None else config
    response = fetch_response(url, decode=True, no_ssl=no_ssl, with_headers=True, config=config)
    if response is None or not response.data:
        return None
    if not _is_suitable_response(url, response, options or Extractor(config=config)):
        return None
    return _in_charset(response)


def _in_charset(response: Response) -> str | None:
    """Decodes a page with the charset of its HTTP header where it declares none itself."""
    named = re.search(r"charset=[\"']?([\w.:-]+)", (response.headers or {}).get("content-type", ""), re.IGNORECASE)
    if named and isinstance(response.data, bytes):
        try:
            return response.data.decode(named.group(1))
        except (LookupError, UnicodeDecodeError):
            pass
    return response.html
