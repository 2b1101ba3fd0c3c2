"""Decoding, parsing and cleaning of pages and texts, as trafilatura's ``utils``."""

from __future__ import annotations

import re
import unicodedata
import zlib
from html import unescape
from typing import Any

#: The most parts that a compressed file may have.
MAX_MEMBERS = 1000
#: The largest page in bytes, trafilatura's MAX_FILE_SIZE.
MAX_FILE_SIZE = 20_000_000

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_BLOCKS = set(
    "address article blockquote br caption dd details div dl dt fieldset figcaption figure form h1 h2 h3 h4 h5 h6 header hr li main nav ol "
    "option p pre section summary table td th title tr ul".split()
)
# Elements of trafilatura's documents.
_BLOCKS |= {"cell", "head", "item", "lb", "list", "quote", "row"}
BLOCK_TAGS = frozenset(_BLOCKS)


def _inflated(data: bytes, wbits: int, limit: int) -> bytes | None:
    """Decompresses gzip or zlib data. Returns None if it is broken or larger than the limit."""
    parts: list[bytes] = []
    size = 0
    for _ in range(MAX_MEMBERS):
        machine = zlib.decompressobj(wbits)
        try:
            part = machine.decompress(data, limit - size + 1)
        except zlib.error:
            return None
        size += len(part)
        if size > limit or not machine.eof:
            return None
        parts.append(part)
        data = machine.unused_data.lstrip(b"\0")
        if not data:
            return b"".join(parts)
    return None


def handle_compressed_file(filecontent: Any, max_size: int | None = None) -> Any:
    """Decompresses bytes. Returns the input unchanged if it is not compressed, broken or larger than the limit."""
    if not isinstance(filecontent, bytes):
        return filecontent
    made = None
    if filecontent[:2] == b"\x1f\x8b":
        made = _inflated(filecontent, zlib.MAX_WBITS | 16, max_size or MAX_FILE_SIZE)
    elif filecontent[:2] in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"):
        made = _inflated(filecontent, zlib.MAX_WBITS, max_size or MAX_FILE_SIZE)
    return filecontent if made is None else made


def detect_encoding(bytesobject: bytes) -> list[str]:
    """Returns the encodings that the bytes show or declare, best first."""
    if bytesobject.startswith(b"\xef\xbb\xbf"):
        return ["utf-8-sig"]
    if bytesobject.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ["utf-16"]
    try:
        bytesobject.decode("utf-8")
        return ["utf-8"]
    except UnicodeDecodeError:
        pass
    found = re.search(rb"""(?:charset|<\?xml[^>]+encoding)\s*=\s*["']?\s*([\w.:-]+)""", bytesobject[:4096], re.IGNORECASE)
    named = found.group(1).decode("ascii").lower() if found else "windows-1252"
    # As browsers do: Latin 1 means the table of Windows.
    return ["windows-1252" if named in ("iso-8859-1", "latin1", "ascii", "us-ascii") else named]


def decode_file(filecontent: bytes | str, max_size: int | None = None) -> str:
    """Decompresses and decodes a page, with the encoding that it declares."""
    if isinstance(filecontent, str):
        return filecontent
    data: bytes = handle_compressed_file(filecontent, max_size)
    try:
        return data.decode(detect_encoding(data)[0])
    except (LookupError, UnicodeDecodeError):
        return data.decode("utf-8", "replace")


def source_of(content: Any, max_size: int | None = None) -> str | bytes:
    """Returns the source of a page: text as it is, bytes decompressed, and trees written as HTML.

    :raises TypeError: if the input is not an element, a response, bytes or a str
    """
    from lxml import etree

    if isinstance(content, etree._Element):
        return str(etree.tostring(content, encoding="unicode", method="html", with_tail=False))
    data = content if isinstance(content, (bytes, str)) else getattr(content, "data", None)
    if data is None and not hasattr(content, "data"):
        raise TypeError(f"incompatible input type: {type(content)}")
    data = handle_compressed_file(data or b"", max_size)
    # Data that could not be decompressed are broken or too large.
    return b"" if data[:2] == b"\x1f\x8b" else data


def load_html(htmlobject: Any, max_size: int | None = None) -> Any:
    """Returns a page as a tree of lxml, or None if it is empty or not a page.

    :raises TypeError: if the input is not an element, a response, bytes or a str
    """
    from lxml import etree, html

    if isinstance(htmlobject, etree._Element):
        return htmlobject
    text = remove_control_characters(decode_file(source_of(htmlobject, max_size)))
    # A text without markup is not a page.
    if "<" not in text:
        return None
    parser: Any = html.HTMLParser  # the stubs of lxml lack some arguments
    try:
        parser = parser(collect_ids=False, default_doctype=False, encoding="utf-8", remove_comments=True, remove_pis=True)
        return html.fromstring(text.encode("utf-8"), parser=parser)
    except (etree.LxmlError, ValueError):
        return None


def remove_control_characters(string: str) -> str:
    """Removes characters that XML forbids."""
    return _CONTROL.sub("", string)


def normalize_unicode(string: str, unicodeform: Any = "NFC") -> str:
    """Normalises the composition of characters."""
    return unicodedata.normalize(unicodeform, string)


def trim(string: str) -> str:
    """Removes outer white space and makes inner white space one space."""
    return " ".join(string.split())


def sanitize(text: str | None) -> str | None:
    """Cleans every line of a text and drops empty lines. Returns None for None."""
    if text is None:
        return None
    lines = (trim(remove_control_characters(unescape(line))) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def text_of(element: Any) -> str:
    """Returns the text of an element on one line, with spaces where blocks meet."""
    from lxml.etree import iterwalk

    parts: list[str] = []
    for event, part in iterwalk(element, events=("start", "end")):
        if not isinstance(part.tag, str):
            continue
        if part is not element and part.tag in BLOCK_TAGS:
            parts.append(" ")
        if event == "start":
            parts.append(part.text or "" if part.tag not in ("script", "style") else "")
        elif part is not element:
            parts.append(part.tail or "")
    return trim("".join(parts))
