"""Downloads of many articles and sites, as newspaper4k's ``mthreading``."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .article import Article
from .source import Source

__all__ = ["fetch_news"]


def fetch_news(news_list: Iterable[Any], threads: int = 5) -> list[Any]:
    """Downloads and parses articles, the articles of sites, and addresses, with several threads. Returns them in the same order.

    :raises TypeError: if an item is something else
    """

    def fetched(item: Any) -> Any:
        if isinstance(item, str):
            item = Article(item)
        if isinstance(item, Article):
            item.download()
            item.parse()
        elif isinstance(item, Source):
            item.download_articles()
            item.parse_articles()
        else:
            raise TypeError(f"Invalid type {type(item)} for item {item}")
        return item

    with ThreadPoolExecutor(max_workers=threads) as pool:
        return list(pool.map(fetched, news_list))
