"""Scrapy: an item loader and a spider middleware that fill items from the main content of responses.

    from maintext.integrations.scrapy import MaintextLoader

    def parse(self, response):
        loader = MaintextLoader(item=Article(), response=response)
        loader.add_page()                       # every field of the item that a page has: title, author, date, text, ...
        loader.add_css("section", ".kicker")    # and the item loader's own methods
        yield loader.load_item()

Or without any change of the spider, in the settings:

    SPIDER_MIDDLEWARES = {"maintext.integrations.scrapy.MaintextMiddleware": 500}
    MAINTEXT_FIELDS = ["title", "author", "date", "language", "text"]
    MAINTEXT_OPTIONS = {"favor": "precision"}

The page is decoded as Scrapy decodes it (``response.text``); links are resolved against ``response.url`` and ``<base href>``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Optional, Union
from weakref import WeakKeyDictionary

import maintext
from maintext import InvalidInputError, MaintextError, Page

from ._common import check_fields, fields_of, for_fields, known_fields, missing

try:
    from itemadapter import ItemAdapter
    from itemloaders.processors import Identity, TakeFirst
    from scrapy.http import Response, TextResponse
    from scrapy.loader import ItemLoader
    from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
except ImportError as error:
    raise missing("scrapy", "scrapy") from error

__all__ = ["FIELDS", "MaintextLoader", "MaintextMiddleware", "extract"]

logger = logging.getLogger(__name__)

#: The fields that an item without declared fields (a dict) receives.
FIELDS = ("url", "title", "author", "date", "language", "description", "sitename", "text")

_FORMATS = ("text", "markdown", "html", "xml", "blocks")


def extract(response: Response, **options: Any) -> Page:
    """Extracts the main content of a response.

    :param options: options of :class:`maintext.Extractor`
    :raises InvalidInputError: if the response is not text but, for example, an image
    """
    if not isinstance(response, TextResponse):
        raise InvalidInputError(f"{response.url}: not text but {type(response).__name__}")
    return maintext.extract(response.text, response.url, **options)


def _values(response: Response, names: Iterable[str], options: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields that a response has. Only the formats among the names are rendered."""
    names = list(names)
    formats = [name for name in _FORMATS if name in names] or ["text"]
    page = extract(response, **{"formats": formats, **for_fields(names, options)})
    found = fields_of(page, names)
    if "url" in found:
        found["url"] = response.url
    return {name: value for name, value in found.items() if value not in (None, "", [])}


class MaintextLoader(ItemLoader):
    """An item loader with :meth:`add_page`. A field has its first value; fields that are lists (``authors``, ``tags``) have all.

    :param options: options of :class:`maintext.Extractor` for all items of a subclass, set as a class attribute
    """

    options: ClassVar[Mapping[str, Any]] = {}

    default_item_class = dict
    default_output_processor = TakeFirst()
    # Lists of a page stay lists.
    alternates_out = authors_out = blocks_out = breadcrumb_out = categories_out = comments_out = Identity()
    entries_out = feeds_out = images_out = posts_out = tags_out = things_out = videos_out = warnings_out = Identity()

    def add_page(self, fields: Optional[Union[Iterable[str], Mapping[str, str]]] = None, **options: Any) -> MaintextLoader:
        """Adds fields of the page to the item. A page that fails adds none and logs a warning.

        :param fields: names of fields of ``Page.to_dict()``, or a mapping from the item's names to those; by default all fields that
            the item declares, or :data:`FIELDS` if it declares none. ``url`` is the response's.
        :param options: options of :class:`maintext.Extractor`
        :raises InvalidOptionError: if an option or a field is unknown, or an option has an invalid value
        """
        wanted = _wanted(self.item) if fields is None else fields
        names = dict(wanted) if isinstance(wanted, Mapping) else {name: name for name in wanted}
        check_fields(names.values())
        made = {**self.options, **options}
        maintext.Extractor(**made)
        response = self.context["response"]
        try:
            values = _values(response, names.values(), made)
        except MaintextError as error:
            logger.warning("Cannot extract %s: %s", response.url, error)
            return self
        for name, field in names.items():
            if field in values:
                self.add_value(name, values[field])
        return self


def _wanted(item: Any) -> list[str]:
    """Returns the fields of a page that an item declares, or the usual ones for a dict."""
    if isinstance(item, dict):
        return list(FIELDS)
    declared = set(ItemAdapter(item).field_names())
    return [name for name in sorted(known_fields()) if name in declared]


class MaintextMiddleware(BaseSpiderMiddleware):
    """Fills the fields of items that a spider left empty from the main content of the response.

    Settings:

    - ``MAINTEXT_FIELDS``: fields of ``Page.to_dict()``, by default those that the item declares, or :data:`FIELDS` for a dict
    - ``MAINTEXT_OPTIONS``: options of :class:`maintext.Extractor`

    Statistics: ``maintext/extracted``, ``maintext/empty`` and ``maintext/failed`` count responses. An item of a page that failed
    passes as it is. A response is extracted once, and only if it has items that lack fields.

    :raises InvalidOptionError: if an option or a field is unknown, or an option has an invalid value
    """

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        fields = crawler.settings.getlist("MAINTEXT_FIELDS")
        self.fields = check_fields(fields) if fields else None
        self.options = crawler.settings.getdict("MAINTEXT_OPTIONS")
        maintext.Extractor(**self.options)
        self.done: WeakKeyDictionary[Response, dict[str, Any]] = WeakKeyDictionary()

    def get_processed_item(self, item: Any, response: Optional[Response]) -> Any:
        """Fills one item."""
        adapter = ItemAdapter(item)
        names = self.fields or _wanted(item)
        declared = set(adapter.field_names()) if not isinstance(item, dict) else set(names)
        lacking = [name for name in names if name in declared and adapter.get(name) in (None, "", [])]
        if response is None or not lacking:
            return item
        for name, value in self._page(response, lacking).items():
            adapter[name] = value
        return item

    def _page(self, response: Response, names: list[str]) -> dict[str, Any]:
        """Returns fields of a response's page, from the last extraction if that has them."""
        known = self.done.get(response)
        if known is None or not known.keys() >= set(names):
            wanted = {**dict.fromkeys(known or ()), **dict.fromkeys(names)}
            known = {**dict.fromkeys(wanted), **self._extracted(response, list(wanted), known is None)}
            self.done[response] = known
        return {name: known[name] for name in names if known[name] is not None}

    def _extracted(self, response: Response, names: list[str], first: bool) -> dict[str, Any]:
        count = self.crawler.stats.inc_value if first and self.crawler.stats else lambda key: None
        try:
            values = _values(response, [*names, "text"], self.options)
        except MaintextError as error:
            count("maintext/failed")
            logger.warning("Cannot extract %s: %s", response.url, error)
            return {}
        count("maintext/extracted" if "text" in values else "maintext/empty")
        return {name: values[name] for name in names if name in values}
