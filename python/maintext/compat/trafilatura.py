"""Replacements for trafilatura's functions: ``from maintext.compat.trafilatura import extract``.

Arguments, results and output formats are those of trafilatura 2; maintext does the extraction. Settings of trafilatura's heuristics
(``fast``, ``config``, ``date_extraction_params``) are accepted and ignored. ``prune_xpath`` and ``body`` need lxml.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import logging
import warnings
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

from .. import MaintextError, Page, _maintext
from .. import extract as _extract_page
from .._tables import MAX_SIZE

__all__ = [
    "Document",
    "Extractor",
    "bare_extraction",
    "baseline",
    "extract",
    "extract_metadata",
    "extract_with_metadata",
    "fetch_response",
    "fetch_url",
    "html2txt",
    "load_html",
]

LOGGER = logging.getLogger(__name__)

_FORMATS = ("csv", "html", "json", "markdown", "python", "txt", "xml", "xmltei")
_HEADER = ("title", "author", "url", "hostname", "description", "sitename", "date", "categories", "tags", "fingerprint", "id", "license")
_DUPLICATES: dict[str, int] = {}


class Document:
    """A page with the fields of trafilatura's class of the same name."""

    __slots__ = (
        "title",
        "author",
        "url",
        "hostname",
        "description",
        "sitename",
        "date",
        "categories",
        "tags",
        "fingerprint",
        "id",
        "license",
        "body",
        "comments",
        "commentsbody",
        "raw_text",
        "text",
        "language",
        "image",
        "pagetype",
        "filedate",
    )

    def __init__(self, **fields: Any) -> None:
        fields["id"] = fields.pop("idval", fields.get("id"))
        fields["license"] = fields.pop("license_val", fields.get("license"))
        for name in self.__slots__:
            setattr(self, name, fields.get(name))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Document:
        """Creates a document with these fields."""
        return cls(**{name: data.get(name) for name in cls.__slots__})

    def as_dict(self) -> dict[str, Any]:
        """Returns all fields as a dict."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __repr__(self) -> str:
        return f"Document(title={self.title!r}, url={self.url!r})"


class Extractor:
    """A bundle of options, for the argument ``options``."""

    def __init__(
        self,
        *,
        config: Any = None,
        output_format: str = "txt",
        fast: bool = False,
        precision: bool = False,
        recall: bool = False,
        comments: bool = True,
        formatting: bool | None = None,
        links: bool = False,
        images: bool = False,
        tables: bool = True,
        dedup: Any = False,
        lang: str | None = None,
        url: str | None = None,
        source: str | None = None,
        with_metadata: bool = False,
        only_with_metadata: bool = False,
        tei_validation: bool = False,
        author_blacklist: set[str] | None = None,
        url_blacklist: set[str] | None = None,
        date_params: dict[str, Any] | None = None,
    ) -> None:
        if output_format not in _FORMATS:
            raise AttributeError(f"Cannot set format, must be one of: {', '.join(_FORMATS)}")
        self.format = output_format
        self.fast = fast
        self.focus = "recall" if recall else "precision" if precision else "balanced"
        self.comments = comments
        self.formatting = output_format == "markdown" if formatting is None else formatting
        self.links = links
        self.images = images
        self.tables = tables
        self.dedup = dedup
        self.lang = lang
        self.url = url
        self.source = url or source
        needs = only_with_metadata or bool(url_blacklist) or output_format == "xmltei"
        self.with_metadata = with_metadata or needs
        self.only_with_metadata = only_with_metadata
        self.tei_validation = tei_validation
        self.author_blacklist = author_blacklist or set()
        self.url_blacklist = url_blacklist or set()
        self.config = config
        self.date_params = date_params


def _html(content: Any) -> str | bytes | None:
    """Converts a string, bytes, a response or an lxml element to text or bytes."""
    content = getattr(content, "data", content) if not isinstance(content, (str, bytes)) else content
    if content is None or isinstance(content, (str, bytes)):
        return content or None
    if hasattr(content, "iter") and hasattr(content, "tag"):
        from lxml import etree  # the input is an lxml element, so lxml is installed

        return etree.tostring(content, encoding="unicode", method="html")
    raise TypeError(f"incompatible input type: {type(content)}")


def _pruned(html: str | bytes, paths: str | Iterable[str] | None) -> str | bytes:
    """Removes the elements that the XPath expressions select."""
    if not paths:
        return html
    from lxml import etree
    from lxml import html as lxml_html

    tree = lxml_html.fromstring(html)
    for path in [paths] if isinstance(paths, str) else paths:
        for element in tree.xpath(path):
            if element.getparent() is not None:
                element.drop_tree() if hasattr(element, "drop_tree") else element.getparent().remove(element)
    return etree.tostring(tree, encoding="unicode", method="html")


def _page(html: str | bytes, options: Extractor, formats: Iterable[str]) -> Page:
    favor = {"recall": "recall", "precision": "precision"}.get(options.focus)
    settings = {
        "favor": favor,
        "formats": tuple(formats),
        "comments": options.comments,
        "tables": options.tables,
        "images": options.images,
        "links": options.links,
    }
    return _extract_page(html, options.url or None, **settings)


def _fill(document: Document, page: Page, blacklist: set[str]) -> None:
    """Copies the page's metadata to the document."""
    found = page.metadata
    for name in ("title", "url", "hostname", "description", "sitename", "categories", "tags", "license", "language", "image"):
        setattr(document, name, found.get(name))
    authors = [a for a in found.get("authors") or [] if a.lower() not in {b.lower() for b in blacklist}]
    document.author = "; ".join(authors) or None
    # trafilatura's dates have no time.
    document.date = (found.get("date") or "")[:10] or None
    document.pagetype = page.page_type


def _element(page: Page) -> Any:
    """Returns the content as an element of lxml if it is installed, or else of the standard library."""
    try:
        from lxml import etree
    except ImportError:  # pragma: no cover
        etree = ElementTree
    body = etree.Element("body")
    if not page.xml:
        return body
    tree = etree.fromstring(page.xml.encode())
    for element in tree.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    content = tree.find(".//text/body")
    for child in list(content) if content is not None else []:
        # The outer division of TEI has no meaning here.
        body.extend(list(child)) if child.tag == "div" else body.append(child)
    return body


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
    config: Any = None,
    options: Extractor | None = None,
) -> Any:
    """Returns the page as a :class:`Document`, or None if no content was found or a condition is not met."""
    if no_fallback:
        warnings.warn('"no_fallback" will be removed, use "fast" instead', DeprecationWarning, stacklevel=2)
    if as_dict:
        warnings.warn('"as_dict" will be removed, use the .as_dict() method instead', DeprecationWarning, stacklevel=2)
    if max_tree_size:
        raise ValueError('"max_tree_size" will be removed, use settings.cfg instead')
    if options is None:
        options = Extractor(
            output_format=output_format,
            fast=fast or no_fallback,
            precision=favor_precision,
            recall=favor_recall,
            comments=include_comments,
            formatting=include_formatting,
            links=include_links,
            images=include_images,
            tables=include_tables,
            dedup=deduplicate,
            lang=target_language,
            url=url,
            with_metadata=with_metadata,
            only_with_metadata=only_with_metadata,
            author_blacklist=author_blacklist,
            url_blacklist=url_blacklist,
        )
    found = _document(filecontent, options, prune_xpath)
    if found is None:
        return None
    document, _ = found
    return document.as_dict() if as_dict else document


def _document(filecontent: Any, options: Extractor, prune: Any) -> tuple[Document, Page] | None:
    formats = ["text", "xml"]
    if options.formatting or options.format == "markdown":
        formats.append("markdown")
    if options.format == "html":
        formats.append("html")
    try:
        html = _html(filecontent)
        if html is None:
            LOGGER.error("empty HTML tree: %s", options.url)
            return None
        page = _page(_pruned(html, prune), options, formats)
    except (MaintextError, TypeError) as error:
        LOGGER.warning("discarding data: %s (%s)", options.source, error)
        return None
    document = Document()
    if options.with_metadata:
        _fill(document, page, options.author_blacklist)
        if document.url in options.url_blacklist:
            return None
        if options.only_with_metadata and not (document.date and document.title and document.url):
            return None
    if options.lang and (page.language or "").split("-")[0] != options.lang:
        return None
    comments = "\n".join(str(comment["text"]) for comment in page.comments) if options.comments else ""
    if not page.text.strip() and not comments:
        return None
    if options.dedup and _is_duplicate(page.text):
        return None
    document.raw_text = page.text.strip()
    document.text = (page.markdown or page.text if options.formatting else page.text).strip()
    document.comments = comments if options.comments else None
    document.body = _element(page)
    document.commentsbody = _comments(comments)
    document.fingerprint = hashlib.blake2b(" ".join(page.text.split()).encode(), digest_size=8).hexdigest()
    document.language = page.language if options.lang else document.language
    return document, page


def _comments(comments: str) -> Any:
    body = ElementTree.Element("body")
    for line in comments.splitlines():
        ElementTree.SubElement(body, "p").text = line
    return body


def _is_duplicate(text: str) -> bool:
    key = hashlib.blake2b(" ".join(text.split()).encode(), digest_size=16).hexdigest()
    _DUPLICATES[key] = _DUPLICATES.get(key, 0) + 1
    # trafilatura accepts a text twice.
    return _DUPLICATES[key] > 2


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
    config: Any = None,
    options: Extractor | None = None,
) -> str | None:
    """Returns the page in the requested format, or None if no content was found or a condition is not met."""
    if no_fallback:
        warnings.warn('"no_fallback" will be removed, use "fast" instead', DeprecationWarning, stacklevel=2)
    if max_tree_size:
        raise ValueError('"max_tree_size" will be removed, use settings.cfg instead')
    document = _serialized(
        filecontent,
        record_id,
        prune_xpath,
        options
        or Extractor(
            output_format=output_format,
            fast=fast or no_fallback,
            precision=favor_precision,
            recall=favor_recall,
            comments=include_comments,
            formatting=include_formatting,
            links=include_links,
            images=include_images,
            tables=include_tables,
            dedup=deduplicate,
            lang=target_language,
            url=url,
            with_metadata=with_metadata,
            only_with_metadata=only_with_metadata,
            tei_validation=tei_validation,
            author_blacklist=author_blacklist,
            url_blacklist=url_blacklist,
        ),
    )
    return None if document is None else document.text


def extract_with_metadata(filecontent: Any, url: str | None = None, record_id: str | None = None, **kwargs: Any) -> Document | None:
    """Returns a :class:`Document` with the metadata; its ``text`` is the result of :func:`extract`."""
    prune = kwargs.pop("prune_xpath", None)
    options = kwargs.pop("options", None)
    if options is None:
        names = {
            "fast": "fast",
            "favor_precision": "precision",
            "favor_recall": "recall",
            "include_comments": "comments",
            "output_format": "output_format",
            "tei_validation": "tei_validation",
            "target_language": "lang",
            "include_tables": "tables",
            "include_images": "images",
            "include_formatting": "formatting",
            "include_links": "links",
            "deduplicate": "dedup",
            "url_blacklist": "url_blacklist",
            "author_blacklist": "author_blacklist",
        }
        ignored = {"date_extraction_params", "settingsfile", "config"}
        unknown = set(kwargs) - set(names) - ignored
        if unknown:
            raise TypeError(f"extract_with_metadata() got an unexpected keyword argument '{unknown.pop()}'")
        options = Extractor(url=url, **{names[k]: v for k, v in kwargs.items() if k in names})
    options.with_metadata = True
    return _serialized(filecontent, record_id, prune, options)


def _serialized(filecontent: Any, record_id: str | None, prune: Any, options: Extractor) -> Document | None:
    if options.format == "python":
        raise ValueError("'python' format only usable in bare_extraction() function")
    found = _document(filecontent, options, prune)
    if found is None:
        return None
    document, page = found
    document.id = record_id
    write = {"csv": _csv, "html": _as_html, "json": _json, "xml": _xml, "xmltei": _tei}.get(options.format, _text)
    document.text = write(document, page, options)
    return document


def _text(document: Document, page: Page, options: Extractor) -> str:
    header = ""
    if options.with_metadata:
        fields = ((name, getattr(document, name)) for name in _HEADER)
        header = "---\n" + "".join(f"{name}: {value}\n" for name, value in fields if value) + "---\n"
    markdown = options.formatting or options.format == "markdown"
    text = (page.markdown if markdown else page.text) or ""
    return f"{header}{text.strip()}\n{document.comments or ''}".strip()


def _json(document: Document, page: Page, options: Extractor) -> str:
    if options.with_metadata:
        fields = document.as_dict()
        fields["source"] = fields.pop("url")
        fields["source-hostname"] = fields.pop("sitename")
        fields["excerpt"] = fields.pop("description")
        fields["categories"] = ";".join(fields.pop("categories") or [])
        fields["tags"] = ";".join(fields.pop("tags") or [])
        for name in ("body", "commentsbody"):
            del fields[name]
    else:
        fields = {}
    fields["text"] = page.text.strip()
    fields["comments"] = document.comments or ""
    return json.dumps(fields, ensure_ascii=False)


def _csv(document: Document, page: Page, options: Extractor) -> str:
    out = io.StringIO()
    row = [
        document.url,
        document.id,
        document.fingerprint,
        document.hostname,
        document.title,
        document.image,
        document.date,
        (page.markdown or page.text if options.formatting else page.text).strip(),
        document.comments,
        document.license,
        document.pagetype,
    ]
    csv.writer(out, delimiter="\t", quoting=csv.QUOTE_MINIMAL).writerow([value or "null" for value in row])
    return out.getvalue()


def _as_html(document: Document, page: Page, options: Extractor) -> str:
    from html import escape

    meta = ""
    if options.with_metadata:
        fields = ((name, getattr(document, name)) for name in _HEADER)
        written = ((n, ";".join(v) if isinstance(v, list) else v) for n, v in fields if v)
        meta = "<head>" + "".join(f'<meta name="{n}" content="{escape(str(v))}"/>' for n, v in written) + "</head>"
    return f"<html>{meta}<body>{(page.html or '').strip()}</body></html>"


def _xml(document: Document, page: Page, options: Extractor) -> str:
    attributes = {"fingerprint": document.fingerprint or ""}
    if options.with_metadata:
        fields = ((name, getattr(document, name)) for name in _HEADER)
        attributes = {n: ";".join(v) if isinstance(v, list) else str(v) for n, v in fields if v}
    doc = ElementTree.Element("doc", attributes)
    main = ElementTree.SubElement(doc, "main")
    body = ElementTree.fromstring(_string(document.body))
    main.extend(list(body))
    comments = ElementTree.SubElement(doc, "comments")
    comments.extend(list(document.commentsbody))
    if hasattr(ElementTree, "indent"):
        ElementTree.indent(doc)
    return ElementTree.tostring(doc, encoding="unicode")


def _string(element: Any) -> str:
    if isinstance(element, ElementTree.Element):
        return ElementTree.tostring(element, encoding="unicode")
    from lxml import etree

    return etree.tostring(element, encoding="unicode")


def _tei(document: Document, page: Page, options: Extractor) -> str:
    return (page.xml or "").strip()


def extract_metadata(
    filecontent: Any,
    default_url: str | None = None,
    date_config: dict[str, Any] | None = None,
    extensive: bool = True,
    author_blacklist: set[str] | None = None,
) -> Document:
    """Returns the metadata of a page as a :class:`Document` without content."""
    document = Document()
    html = _html(filecontent)
    if html is None:
        return document
    try:
        page = _page(html, Extractor(url=default_url), ())
    except MaintextError as error:
        LOGGER.warning("discarding data: %s (%s)", default_url, error)
        return document
    _fill(document, page, author_blacklist or set())
    return document


def html2txt(content: Any, clean: bool = True) -> str:
    """Returns all text of a page, or with ``clean`` the main content with a preference for recall."""
    html = _html(content)
    if html is None:
        return ""
    if clean:
        return " ".join(_page(html, Extractor(recall=True), ("text",)).text.split())
    blocks = _maintext.inspect(html).blocks
    return " ".join(block["text"] for block in blocks)


def baseline(filecontent: Any) -> tuple[Any, str, int]:
    """Returns the content as an element and as text, and the length of the text."""
    html = _html(filecontent)
    if html is None:
        return ElementTree.Element("body"), "", 0
    page = _page(html, Extractor(recall=True), ("text", "xml"))
    text = page.text.strip()
    return _element(page), text, len(text)


def load_html(htmlobject: Any, max_size: int | None = None) -> Any:
    """Returns the page as an lxml tree, or None if it is empty."""
    html = _html(htmlobject)
    if html is None:
        return None
    from lxml import html as lxml_html

    return lxml_html.fromstring(html)


class Response:
    """The result of :func:`fetch_response`."""

    def __init__(self, data: bytes, status: int, url: str, charset: str | None) -> None:
        self.data = data
        self.status = status
        self.url = url
        self.headers: dict[str, str] | None = None
        self.html: str | None = data.decode(charset or "utf-8", "replace")

    def __bool__(self) -> bool:
        return bool(self.data)

    def __str__(self) -> str:
        return self.html or ""

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields as a dict."""
        return {"data": self.data, "headers": self.headers, "html": self.html, "status": self.status, "url": self.url}


def fetch_response(url: str, *, decode: bool = False, no_ssl: bool = False, with_headers: bool = False, config: Any = None) -> Response | None:
    """Fetches a page. Returns None on failure."""
    try:
        address, body, charset = _maintext.fetch(url, 30.0, MAX_SIZE)
    except OSError as error:
        LOGGER.error("download error: %s", error)
        return None
    return Response(body, 200, address, charset)


def fetch_url(url: str, no_ssl: bool = False, config: Any = None, options: Any = None) -> str | None:
    """Fetches a page as text. Returns None on failure."""
    response = fetch_response(url, no_ssl=no_ssl)
    return response.html if response else None
