"""Addresses of articles, as newspaper4k's ``urls``."""

from __future__ import annotations

import logging
import re
from typing import Any
from urllib.parse import parse_qs, urljoin, urlparse, urlsplit

from .._news import host_parts, joined

__all__ = [
    "get_domain",
    "get_path",
    "get_scheme",
    "is_abs_url",
    "normalize_url",
    "prepare_url",
    "redirect_back",
    "url_to_filetype",
    "urljoin_if_valid",
    "valid_url",
]

log = logging.getLogger(__name__)

#: Endings of pages; all others belong to files.
ALLOWED_TYPES = ["html", "htm", "md", "rst", "aspx", "jsp", "rhtml", "cgi", "xhtml", "jhtml", "asp", "shtml"]
#: Folders of articles.
GOOD_PATHS = "story article feature featured slides slideshow gallery news video media v radio press".split()
#: Folders and subdomains without articles.
BAD_CHUNKS = """careers contact about faq terms privacy advert preferences feedback info browse howto account subscribe donate shop admin
auth_user emploi annonces blog courrierdeslecteurs page_newsletters adserver clicannonces services contribution boutique
espaceclient""".split()
#: Names of sites without articles.
BAD_DOMAINS = "amazon doubleclick twitter facebook google youtube instagram pinterest".split()

#: A date in an address: a year, a month as number or name, and a day that may be missing.
DATE_REGEX = r"[./\-_\s]?(?:19|20)\d{2}[./\-_\s]?(?:[0-3]?\d|\w{3,5})[./\-_\s](?:[0-3]?\d(?:[./\-+?]|$))"
STRICT_DATE_REGEX = r"(?<=\W)" + DATE_REGEX
_ABSOLUTE = re.compile(
    r"(?:http|ftp)s?://(?:(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,}\.?|localhost|\[[a-f0-9:]+\])(?::\d+)?(?:[/?]\S*)?$"
    r"|(?:http|ftp)s?://\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:[/?]\S*)?$",
    re.IGNORECASE,
)


def redirect_back(url: str, source_domain: str) -> str:
    """Returns the address that the parameter ``url`` of another site's address holds, or else the address itself."""
    parts = urlparse(url)
    if source_domain in parts.netloc or parts.netloc in source_domain:
        return url
    return next(iter(parse_qs(parts.query).get("url", [])), url)


def prepare_url(url: str, source_url: str | None = None) -> str:
    """Resolves an address against that of its site. Returns an empty text if it is not valid."""
    if source_url is None:
        return url
    try:
        return redirect_back(urljoin(source_url, url), urlparse(source_url).netloc)
    except ValueError as error:
        log.error("url %s failed on err %s", url, error)
        return ""


def valid_url(url: str, test: bool = False) -> bool:
    """Returns whether an address looks like an article's: by a long name with hyphens, a date, a number, or its folders.

    :param test: accepted, without effect
    """
    if not url or len(url) < 11 or "mailto:" in url or not re.search("https?://", url):
        return False
    path = urlparse(url).path
    if not path.startswith("/"):
        return False
    chunks = [chunk for chunk in path.split("/") if chunk]
    if chunks:
        kind = url_to_filetype(url)
        if kind and kind not in ALLOWED_TYPES:
            return False
        if "." in chunks[-1]:
            chunks[-1] = chunks[-1].split(".")[-2]
    if "index" in chunks:
        chunks.remove("index")
    subdomain, site = host_parts(url)
    if site.lower() in BAD_DOMAINS:
        return False
    name = chunks[-1] if chunks else ""
    mark = "-" if name.count("-") >= name.count("_") else "_"
    if name.count(mark) > 4 and site.lower() not in name.lower().split(mark):
        return True
    if len(chunks) <= 1 or any(bad in chunks or bad == subdomain for bad in BAD_CHUNKS):
        return False
    if re.search(DATE_REGEX, url):
        return True
    numbered = [bool(re.search(r"\d{3,}$", chunk)) for chunk in chunks]
    if (len(chunks) <= 3 and numbered[-1]) or (len(chunks) == 3 and numbered[1]):
        return True
    return any(chunk.lower() in GOOD_PATHS for chunk in chunks)


def url_to_filetype(abs_url: str) -> str | None:
    """Returns the ending of the file that an address names, or None."""
    name = urlparse(abs_url).path.rstrip("/").rsplit("/", 1)[-1]
    ending = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    return ending if ending and (len(ending) <= 5 or ending in ALLOWED_TYPES) else None


def get_domain(abs_url: str | None, **kwargs: Any) -> str | None:
    """Returns the host of an address, with its port."""
    return None if abs_url is None else urlparse(abs_url, **kwargs).netloc


def get_scheme(abs_url: str | None, **kwargs: Any) -> str | None:
    """Returns the scheme of an address."""
    return None if abs_url is None else urlparse(abs_url, **kwargs).scheme


def get_path(abs_url: str | None, **kwargs: Any) -> str | None:
    """Returns the path of an address."""
    return None if abs_url is None else urlparse(abs_url, **kwargs).path


def is_abs_url(url: str) -> bool:
    """Returns whether an address is complete."""
    return _ABSOLUTE.match(url) is not None


def urljoin_if_valid(base_url: str, url: str) -> str:
    """Resolves an address. Returns an empty text if it is not valid."""
    return joined(base_url, url)


def normalize_url(url: str) -> str:
    """Returns an address without scheme, "www." and the slash at its end, to compare addresses."""
    parts = urlsplit(url)
    host = re.sub(r"^www\.", "", parts.netloc.lower())
    return host + (parts.path.rstrip("/") or "/") + (f"?{parts.query}" if parts.query else "")
