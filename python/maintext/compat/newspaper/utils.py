"""Lists of known articles and categories, and other helpers, as newspaper4k's ``utils``."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from .._news import parsed
from . import settings
from .languages import get_available_languages, print_available_languages

__all__ = [
    "cache_disk",
    "clear_memo_cache",
    "domain_to_filename",
    "extract_meta_refresh",
    "get_available_languages",
    "memorize_articles",
    "print_available_languages",
]

log = logging.getLogger(__name__)


class _DiskCache:
    """Stores the answers of a method by its last argument, for a time, unless ``enabled`` is False."""

    def __init__(self) -> None:
        self.enabled = True

    def __call__(self, seconds: float = 86400) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(function)
            def stored(source: Any, key: str) -> Any:
                if not self.enabled:
                    return function(source, key)
                file = settings.CACHE_DIRECTORY / (hashlib.sha1(key.encode()).hexdigest() + ".json")
                try:
                    if time.time() - file.stat().st_mtime < seconds:
                        return json.loads(file.read_text(encoding="utf-8"))
                except (OSError, ValueError):
                    pass
                found = function(source, key)
                try:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(json.dumps(found), encoding="utf-8")
                except OSError as error:
                    log.warning("categories are not stored: %s", error)
                return found

            return stored

        return decorated


cache_disk = _DiskCache()


def domain_to_filename(domain: str) -> str:
    """Returns the name of the file with the known articles of a site."""
    return re.sub("-$", "", domain.replace("/", "-")) + ".txt"


def extract_meta_refresh(html: str) -> str | None:
    """Returns the address to which a page leads its readers, or None."""
    tree = parsed(html)
    for element in tree.iter("meta") if tree is not None else ():
        if (element.get("http-equiv") or "").lower() == "refresh":
            target = (element.get("content") or "").partition(";")[2].strip()
            if target.lower().startswith("url="):
                return target[4:].strip().strip("\"'") or None
    return None


def clear_memo_cache(source: Any) -> None:
    """Forgets the known articles of a site."""
    file = settings.MEMO_DIR / domain_to_filename(source.domain)
    try:
        file.unlink()
    except FileNotFoundError:
        log.info("memo file for %s has already been deleted!", source.domain)


def memorize_articles(source: Any, articles: list[Any]) -> list[Any]:
    """Returns the articles whose addresses are not known yet, and adds these to the known ones of the site."""
    if not articles:
        return []
    file = settings.MEMO_DIR / domain_to_filename(source.domain)
    try:
        known = dict.fromkeys(line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.strip())
    except OSError:
        known = {}
    fresh = {article.url: article for article in articles if article.url not in known}
    lines = [*known, *fresh]
    if len(lines) > source.config.max_file_memo:
        log.warning("Source %s: memorization file overflow, truncating", source.domain)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{url}\n" for url in lines[: source.config.max_file_memo] if url), encoding="utf-8")
    return list(fresh.values())
