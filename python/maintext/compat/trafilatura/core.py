"""Extraction, as trafilatura's ``core``."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from ... import MaintextError, Page
from ... import extract as _extract_page
from ._document import Document
from ._output import csv_row, html_document, json_object, plain, xml_document, yaml_header
from ._tree import from_html, from_texts, remove
from .deduplication import content_fingerprint
from .metadata import fill
from .settings import DEFAULT_CONFIG, Extractor, use_config
from .utils import load_html, normalize_unicode, source_of

__all__ = ["Document", "Extractor", "bare_extraction", "extract", "extract_with_metadata"]

LOGGER = logging.getLogger(__name__)

#: Arguments of the functions that an :class:`Extractor` names differently.
_RENAMED = {
    "favor_precision": "precision",
    "favor_recall": "recall",
    "include_comments": "comments",
    "include_formatting": "formatting",
    "include_links": "links",
    "include_images": "images",
    "include_tables": "tables",
    "deduplicate": "dedup",
    "target_language": "lang",
    "date_extraction_params": "date_params",
}
#: Lists of comments, by the names that blogs give them.
_COMMENTS = tuple(
    f"{mark}{name}" for name in ("comments", "comments-area", "commentlist", "comment-list", "comments-list") for mark in (".", "#")
)


def _pruned(tree: Any, paths: str | Iterable[str]) -> Any:
    """Returns a copy of a tree without the elements that the XPath expressions select."""
    tree = deepcopy(tree)
    for path in [paths] if isinstance(paths, str) else paths:
        for element in tree.xpath(path):
            remove(element)
    return tree


def _options(given: dict[str, Any]) -> Extractor:
    """Returns the options that the arguments of a function name."""
    if given.pop("no_fallback", False):
        warnings.warn('"no_fallback" will be removed, use "fast" instead', DeprecationWarning, stacklevel=3)
        given["fast"] = True
    if given.pop("max_tree_size", None):
        raise ValueError('"max_tree_size" will be removed, use settings.cfg instead')
    settingsfile = given.pop("settingsfile", None)
    if settingsfile:
        given["config"] = use_config(settingsfile)
    return Extractor(**{_RENAMED.get(name, name): value for name, value in given.items()})


def _page(source: str | bytes, options: Extractor) -> Page:
    formats: list[Any] = ["html", *(["markdown"] if options.formatting else []), *(["xml"] if options.format == "xmltei" else [])]
    settings: dict[str, Any] = {"comments": options.comments, "tables": options.tables, "images": options.images, "links": options.links}
    if options.focus != "balanced":
        settings["favor"] = options.focus
    if not options.comments:
        settings["drop_selector"] = _COMMENTS
    return _extract_page(source, options.url or None, formats=formats, title="as-is", **settings)


def _extracted(content: Any, options: Extractor, paths: str | Iterable[str] | None) -> tuple[Document, Page] | None:
    """Returns the document and maintext's page, or None if a condition is not met."""
    try:
        source = source_of(content, options.max_file_size)
        tree = load_html(source)
        if tree is None:
            LOGGER.error("empty HTML tree: %s", options.source)
            return None
        if paths:
            source = source_of(_pruned(tree, paths))
        page = _page(source, options)
    except (MaintextError, TypeError) as error:
        LOGGER.warning("discarding data: %s (%s)", options.source, error)
        return None
    language = str(page.metadata.get("language_detected") or page.language or "").split("-")[0]
    if options.lang and language not in ("", options.lang):
        LOGGER.warning("wrong language: %s", options.source)
        return None
    document = Document(language=options.lang)
    if options.with_metadata:
        fill(document, tree, page.metadata, options.author_blacklist, options.url, options.date_params)
        if document.url in options.url_blacklist:
            LOGGER.warning("blacklisted URL: %s", document.url)
            return None
        if options.only_with_metadata and not (document.date and document.title and document.url):
            LOGGER.warning("no metadata: %s", options.source)
            return None
    document.body = from_html(page.html or "", options.formatting, options.links, options.images, options.tables)
    if options.max_tree_size and len(list(document.body.iter())) - 1 > options.max_tree_size:
        LOGGER.warning("output tree too long: %s", options.source)
        return None
    if options.comments:
        document.commentsbody = from_texts([str(comment["text"]) for comment in page.comments])
        document.comments = plain(document.commentsbody)
    document.raw_text = plain(document.body)
    document.text = (page.markdown or "").strip() if options.formatting else document.raw_text
    if len(document.text) < options.min_output_size and len(document.comments or "") < options.min_output_comm_size:
        LOGGER.warning("discarding data: %s (text too short)", options.source)
        return None
    return document, page


def bare_extraction(
    filecontent: Any,
    url: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "python",
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    as_dict: bool = False,
    prune_xpath: str | list[str] | None = None,
    config: Any = DEFAULT_CONFIG,
    options: Extractor | None = None,
) -> Any:
    """Returns the page as a :class:`Document`, or None if no content was found or a condition is not met."""
    given = dict(locals())
    for name in ("filecontent", "as_dict", "prune_xpath", "options"):
        del given[name]
    found = _extracted(filecontent, options or _options(given), prune_xpath)
    if found is None:
        return None
    return found[0].as_dict() if as_dict else found[0]


def extract(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: str | list[str] | None = None,
    config: Any = DEFAULT_CONFIG,
    options: Extractor | None = None,
) -> str | None:
    """Returns the page in an output format, or None if no content was found or a condition is not met."""
    given = dict(locals())
    for name in ("filecontent", "record_id", "prune_xpath", "options"):
        del given[name]
    document = _serialized(filecontent, record_id, prune_xpath, options or _options(given))
    return None if document is None else document.text


def extract_with_metadata(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    *,
    prune_xpath: str | list[str] | None = None,
    options: Extractor | None = None,
    **arguments: Any,
) -> Document | None:
    """Returns a :class:`Document` with the metadata, whose ``text`` is the page in an output format.

    :param arguments: the further arguments of :func:`extract`
    """
    options = options or _options({**arguments, "url": url})
    options.with_metadata = True
    return _serialized(filecontent, record_id, prune_xpath, options)


def _serialized(filecontent: Any, record_id: str | None, paths: Any, options: Extractor) -> Document | None:
    if options.format == "python":
        raise ValueError("'python' format only usable in bare_extraction() function")
    found = _extracted(filecontent, options, paths)
    if found is None:
        return None
    document, page = found
    document.id = record_id
    if options.with_metadata or options.format in ("csv", "xml"):
        document.fingerprint = content_fingerprint(f"{document.title} {document.raw_text}")
    document.text = normalize_unicode(_written(document, page, options))
    return document


def _written(document: Document, page: Page, options: Extractor) -> str:
    """Returns a document in the format of the options."""
    if options.format == "xml":
        return xml_document(document, options.with_metadata)
    if options.format == "xmltei":
        return page.xml or ""
    if options.format == "csv":
        return csv_row(document)
    if options.format == "json":
        return json_object(document, options.with_metadata)
    if options.format == "html":
        return html_document(document, page.html or "", options.with_metadata)
    header = yaml_header(document) if options.with_metadata else ""
    return f"{header}{document.text}\n{document.comments or ''}".strip()
