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
from ._tree import from_html, from_texts, images_of, remove
from .deduplication import content_fingerprint
from .metadata import fill
from .settings import DEFAULT_CONFIG, Extractor, use_config
from .utils import check_html_lang, decode_file, handle_compressed_file, load_html, normalize_unicode
from .xml import build_html_output, build_json_output, control_xml_output, xmltocsv, xmltotxt, yaml_header

__all__ = ["Document", "Extractor", "bare_extraction", "extract", "extract_with_metadata"]

LOGGER = logging.getLogger(__name__)

_NAMES = {
    "output_format": "output_format",
    "fast": "fast",
    "favor_precision": "precision",
    "favor_recall": "recall",
    "include_comments": "comments",
    "include_formatting": "formatting",
    "include_links": "links",
    "include_images": "images",
    "include_tables": "tables",
    "deduplicate": "dedup",
    "target_language": "lang",
    "url": "url",
    "with_metadata": "with_metadata",
    "only_with_metadata": "only_with_metadata",
    "tei_validation": "tei_validation",
    "author_blacklist": "author_blacklist",
    "url_blacklist": "url_blacklist",
    "date_extraction_params": "date_params",
    "config": "config",
}


def source_of(content: Any, tree: Any) -> str:
    """Returns the source of a page: text as it is, bytes decoded, and trees written as HTML."""
    if isinstance(content, (str, bytes)):
        return decode_file(content)
    data = getattr(content, "data", None)
    if isinstance(data, (str, bytes)):
        return decode_file(data)
    from lxml import etree

    return str(etree.tostring(tree, encoding="unicode", method="html", with_tail=False))


def prune(tree: Any, paths: str | Iterable[str]) -> Any:
    """Returns a copy of a tree without the elements that the XPath expressions select."""
    tree = deepcopy(tree)
    for path in [paths] if isinstance(paths, str) else paths:
        for element in tree.xpath(path):
            remove(element)
    return tree


def without_comments(tree: Any) -> Any:
    """Returns a tree without the lists that it names as comments; the tree itself if it has none."""
    names = {"comments", "comments-area", "commentlist", "comment-list", "comments-list"}
    tags = ("details", "div", "ol", "section", "ul")

    def named(element: Any) -> bool:
        words = {*(element.get("class") or "").lower().split(), (element.get("id") or "").lower()}
        return bool(names & words)

    if not any(named(element) for element in tree.iter(*tags)):
        return tree
    tree = deepcopy(tree)
    for element in list(tree.iter(*tags)):
        if named(element):
            remove(element)
    return tree


def _options(given: dict[str, Any]) -> Extractor:
    if given.pop("no_fallback", False):
        warnings.warn('"no_fallback" will be removed, use "fast" instead', DeprecationWarning, stacklevel=4)
        given["fast"] = True
    if given.pop("max_tree_size", None):
        raise ValueError('"max_tree_size" will be removed, use settings.cfg instead')
    settingsfile = given.pop("settingsfile", None)
    if settingsfile:
        given["config"] = use_config(settingsfile)
    return Extractor(**{_NAMES[name]: value for name, value in given.items()})


def _page(source: str, options: Extractor) -> Page:
    favor = None if options.focus == "balanced" else options.focus
    settings: dict[str, Any] = {"favor": favor, "comments": options.comments, "tables": options.tables}
    settings |= {"images": options.images, "links": options.links}
    return _extract_page(source, options.url or None, formats="html", title="as-is", **settings)


def _wrong_language(page: Page, tree: Any, options: Extractor) -> bool:
    """Returns whether the page declares another language than the wanted one, or its text is in another one."""
    if not options.lang:
        return False
    found = page.metadata.get("language_detected") or page.language or ""
    return not check_html_lang(tree, options.lang) or (bool(found) and found.split("-")[0] != options.lang)


def _document(content: Any, options: Extractor, paths: str | Iterable[str] | None) -> Document | None:
    """Returns the extracted document, or None if a condition is not met."""
    if content is None:
        LOGGER.error("empty HTML tree: %s", options.url)
        return None
    try:
        data = content if isinstance(content, bytes) else getattr(content, "data", None)
        if isinstance(data, bytes):
            data = handle_compressed_file(data, options.max_file_size)
            # Data that could not be decompressed are broken or too large.
            content = "" if data[:2] == b"\x1f\x8b" else decode_file(data)
        tree = load_html(content)
        if tree is None:
            LOGGER.error("empty HTML tree: %s", options.url)
            return None
        if paths:
            tree = prune(tree, paths)
            content = tree
        shown = tree if options.comments else without_comments(tree)
        page = _page(source_of(content, tree) if shown is tree else source_of(None, shown), options)
    except (MaintextError, TypeError) as error:
        LOGGER.warning("discarding data: %s (%s)", options.source, error)
        return None
    if _wrong_language(page, tree, options):
        LOGGER.warning("wrong language: %s", options.source)
        return None
    document = Document(comments="")
    if options.with_metadata:
        fill(document, tree, page.metadata, options.author_blacklist, options.url, options.date_params)
        document.filedate = options.date_params.get("max_date")
        document.clean_and_trim()
        if document.url in options.url_blacklist:
            LOGGER.warning("blacklisted URL: %s", document.url)
            return None
        if options.only_with_metadata and not (document.date and document.title and document.url):
            LOGGER.warning("no metadata: %s", options.source)
            return None
    document.body = from_html(page.html or "", options.formatting, options.links, options.images, options.tables)
    if options.images and len(document.body) == 0:
        document.body = images_of(tree)
    if options.comments:
        document.commentsbody = from_texts([str(comment["text"]) for comment in page.comments])
    if options.max_tree_size and len(list(document.body.iter())) - 1 > options.max_tree_size:
        LOGGER.warning("output tree too long: %s", options.source)
        return None
    document.raw_text = xmltotxt(document.body)
    document.text = xmltotxt(document.body, True) if options.formatting else document.raw_text
    comments = xmltotxt(document.commentsbody, options.formatting)
    document.comments = comments if options.comments else None
    if len(document.text) < options.min_output_size and len(comments) < options.min_output_comm_size:
        LOGGER.warning("discarding data: %s (text too short)", options.source)
        return None
    if options.lang:
        document.language = options.lang
    return document


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
    if as_dict:
        warnings.warn('"as_dict" will be removed, use the .as_dict() method instead', DeprecationWarning, stacklevel=2)
    for name in ("filecontent", "as_dict", "prune_xpath", "options"):
        del given[name]
    document = _document(filecontent, options or _options(given), prune_xpath)
    return document.as_dict() if as_dict and document is not None else document


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
    return document.text if document is not None else None


def extract_with_metadata(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
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
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: str | list[str] | None = None,
    config: Any = DEFAULT_CONFIG,
    options: Extractor | None = None,
) -> Document | None:
    """Returns a :class:`Document` with the metadata, whose ``text`` is the page in an output format."""
    given = dict(locals(), with_metadata=True)
    for name in ("filecontent", "record_id", "prune_xpath", "options"):
        del given[name]
    options = options or _options(given)
    options.with_metadata = True
    return _serialized(filecontent, record_id, prune_xpath, options)


def _serialized(filecontent: Any, record_id: str | None, paths: Any, options: Extractor) -> Document | None:
    if options.format == "python":
        raise ValueError("'python' format only usable in bare_extraction() function")
    document = _document(filecontent, options, paths)
    if document is None:
        return None
    document.id = record_id
    if options.with_metadata or options.format == "csv":
        document.fingerprint = content_fingerprint(f"{document.title} {document.raw_text}")
    document.text = normalize_unicode(determine_returnstring(document, options))
    return document


def determine_returnstring(document: Document, options: Extractor) -> str:
    """Returns a document in the format of the options."""
    if options.format in ("xml", "xmltei"):
        return control_xml_output(document, options)
    if options.format == "csv":
        return xmltocsv(document, options.formatting)
    if options.format == "json":
        return build_json_output(document, options.with_metadata)
    if options.format == "html":
        return build_html_output(document, options.with_metadata)
    header = yaml_header(document) if options.with_metadata else ""
    return f"{header}{document.text}\n{document.comments or ''}".strip()
