"""Decoding, parsing and cleaning of texts, as trafilatura's ``utils``."""

from __future__ import annotations

import logging
import re
import unicodedata
import zlib
from functools import lru_cache
from html import unescape
from typing import Any, Literal

from ... import MaintextError
from ... import extract as _extract
from .settings import DEFAULT_CONFIG, number

LOGGER = logging.getLogger(__name__)

#: maintext detects languages without a further package.
LANGID_FLAG = True
#: The number of parts that a compressed file may have.
MAX_MEMBERS = 1000

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_IMAGE = re.compile(r"[^\s]+\.(avif|bmp|gif|hei[cf]|jpe?g|png|webp)(\b|$)", re.IGNORECASE)
_LABEL = re.compile(
    r"\W*(drucken|e-?mail|facebook|flipboard|google|instagram|linkedin|mail|pdf|pinterest|pocket|print|qq|reddit|twitter|viber|wechat|"
    r"whatsapp|x|xing|tiktok|mehr zum thema:?|more on this.{0,8}$|related (articles|posts))$",
    re.IGNORECASE,
)


class Response:
    """A fetched page."""

    __slots__ = ("data", "headers", "html", "status", "url")

    def __init__(self, data: bytes, status: int, url: str) -> None:
        self.data = data
        self.status = status
        self.url = url
        self.headers: dict[str, str] | None = None
        self.html: str | None = None

    def __bool__(self) -> bool:
        return self.data is not None

    def __str__(self) -> str:
        return self.html or decode_file(self.data)

    def store_headers(self, headerdict: Any) -> None:
        """Stores headers under names in lower case."""
        self.headers = {name.lower(): value for name, value in headerdict.items()}

    def decode_data(self, decode: bool, max_size: int | None = None) -> None:
        """Decodes the page if ``decode`` is set."""
        if decode and self.data:
            self.html = decode_file(self.data, max_size)

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields as a dict."""
        return {name: getattr(self, name) for name in self.__slots__}


def _inflated(data: bytes, wbits: int, limit: int) -> bytes | None:
    """Decompresses gzip or zlib data, or returns None if it is broken or larger than the limit."""
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


def _optional(name: str) -> Any:
    try:
        return __import__(name, fromlist=["decompress"])
    except ImportError:
        return None


HAS_BROTLI = _optional("brotli") is not None
HAS_ZSTD = (_optional("compression.zstd") or _optional("backports.zstd")) is not None


def _other(data: bytes, limit: int) -> bytes | None:
    """Decompresses Brotli and Zstandard data with the packages that trafilatura uses."""
    zstd = _optional("compression.zstd") or _optional("backports.zstd")
    if zstd is not None and data[:4] == b"\x28\xb5\x2f\xfd":
        made = b""
        try:
            while data:
                machine = zstd.ZstdDecompressor()
                made += machine.decompress(data, limit - len(made) + 1)
                if not machine.eof or len(made) > limit:
                    return None
                data = machine.unused_data
        except Exception:  # the error's type depends on the package
            return None
        return made
    if HAS_BROTLI and data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"<":
        try:
            made = bytes(_optional("brotli").decompress(data))
        except Exception:
            return None
        return made if len(made) <= limit else None
    return None


def handle_compressed_file(filecontent: Any, max_size: int | None = None) -> Any:
    """Decompresses bytes. Returns the input unchanged if it is not compressed, broken or larger than the limit."""
    if not isinstance(filecontent, bytes):
        return filecontent
    limit = max_size or number(DEFAULT_CONFIG, "MAX_FILE_SIZE")
    made = None
    if filecontent[:2] == b"\x1f\x8b":
        made = _inflated(filecontent, zlib.MAX_WBITS | 16, limit)
    elif filecontent[:1] == b"\x78" and filecontent[1:2] in (b"\x01", b"\x5e", b"\x9c", b"\xda"):
        made = _inflated(filecontent, zlib.MAX_WBITS, limit)
    else:
        made = _other(filecontent, limit)
    return filecontent if made is None else made


def _declared(data: bytes) -> list[str]:
    """Returns the encodings that the bytes show or name, best first."""
    if data.startswith(b"\xef\xbb\xbf"):
        return ["utf-8-sig"]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ["utf-16"]
    try:
        data.decode("utf-8")
        return ["utf-8"]
    except UnicodeDecodeError:
        pass
    found = re.search(rb"""charset\s*=\s*["']?\s*([\w.:-]+)""", data[:4096], re.IGNORECASE)
    found = found or re.search(rb"""<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)""", data[:200])
    named = [found.group(1).decode("ascii").lower()] if found else []
    # As browsers do: Latin 1 means the table of Windows.
    return ["windows-1252" if name in ("iso-8859-1", "latin1", "ascii", "us-ascii") else name for name in named]


def detect_encoding(bytesobject: bytes) -> list[str]:
    """Returns the encodings that a page may have, best first."""
    found = _declared(bytesobject)
    if found in (["utf-8"], ["utf-8-sig"], ["utf-16"]):
        return found
    for name in ("gb18030", "big5", "shift_jis", "euc-kr", "windows-1251", "windows-1252"):
        try:
            text = bytesobject.decode(name)
        except UnicodeDecodeError:
            continue
        letters = [c for c in text if ord(c) > 127]
        wanted = {"windows-1251": "CYRILLIC", "windows-1252": "LATIN"}.get(name, ("CJK", "HANGUL", "HIRAGANA", "KATAKANA"))
        kinds = (wanted,) if isinstance(wanted, str) else wanted
        known = sum(unicodedata.name(c, "").startswith(kinds) for c in letters)
        if letters and known * 2 > len(letters):
            found.append(name)
    return [name for place, name in enumerate(found) if name not in found[:place] and name != "utf-8"]


def decode_file(filecontent: bytes | str, max_size: int | None = None) -> str:
    """Decompresses and decodes a page with the encoding that it declares, or else the one that its bytes suggest."""
    if isinstance(filecontent, str):
        return filecontent
    data = handle_compressed_file(filecontent, max_size)
    for name in detect_encoding(data):
        try:
            return str(data.decode(name))
        except (LookupError, UnicodeDecodeError):
            continue
    return str(data.decode("utf-8", "replace"))


def is_dubious_html(beginning: str) -> bool:
    """Returns whether a text does not start like a page."""
    return "html" not in beginning


def repair_faulty_html(htmlstring: str, beginning: str) -> str:
    """Removes a broken document type and the slash of an ``html`` tag that closes itself."""
    if "doctype" in beginning:
        first, line_end, rest = htmlstring.partition("\n")
        htmlstring = re.sub(r"^< ?! ?doctype[^>]*/[^<>]*>", "", first, count=1, flags=re.IGNORECASE) + line_end + rest
    lines = htmlstring.split("\n", 3)
    for place, line in enumerate(lines[:3]):
        if "<html" in line.lower() and line.rstrip().endswith("/>"):
            lines[place] = re.sub(r"(<html.*?)\s*/>", r"\1>", line, count=1, flags=re.IGNORECASE)
            break
    return "\n".join(lines)


def _parser() -> Any:
    from lxml import html

    # The stubs of lxml lack some arguments.
    parser: Any = html.HTMLParser
    return parser(collect_ids=False, default_doctype=False, encoding="utf-8", remove_comments=True, remove_pis=True)


def load_html(htmlobject: Any, max_size: int | None = None) -> Any:
    """Returns a page as a tree of lxml, or None if it is empty or not a page.

    :raises TypeError: if the input is not an element, a response, bytes or a str
    """
    from lxml import etree, html

    if isinstance(htmlobject, etree._Element):
        return htmlobject
    if not isinstance(htmlobject, (bytes, str)):
        data = getattr(htmlobject, "data", None)
        if data is None and not hasattr(htmlobject, "data"):
            raise TypeError(f"incompatible input type: {type(htmlobject)}")
        htmlobject = data or b""
    text = _CONTROL.sub("", decode_file(htmlobject, max_size))
    beginning = text[:50].lower()
    dubious = is_dubious_html(beginning)
    text = repair_faulty_html(text, beginning)
    if not text.strip():
        return None
    try:
        tree = html.fromstring(text.encode("utf-8"), parser=_parser())
    except (etree.LxmlError, ValueError):
        return None
    # A text without markup is not a page.
    if dubious and "<" not in text:
        LOGGER.error("parsed tree length: %s, wrong data type or not valid HTML", len(tree))
        return None
    return tree


def remove_control_characters(string: str) -> str:
    """Removes characters that XML forbids."""
    return _CONTROL.sub("", string)


def normalize_unicode(string: str, unicodeform: Literal["NFC", "NFD", "NFKC", "NFKD"] = "NFC") -> str:
    """Normalises the composition of characters."""
    return unicodedata.normalize(unicodeform, string)


@lru_cache(maxsize=1024)
def line_processing(line: str, preserve_space: bool = False, trailing_space: bool = False) -> str | None:
    """Cleans a line: entities, control characters, and white space unless it is preserved. Returns None for an empty line."""
    cleaned = remove_control_characters(unescape(line.replace("&#13;", "\r").replace("&#10;", "\n").replace("&nbsp;", "\u00a0")))
    if preserve_space:
        return cleaned
    trimmed = trim(cleaned)
    if not trimmed:
        return None
    if trailing_space:
        return (" " if cleaned[0].isspace() else "") + trimmed + (" " if cleaned[-1].isspace() else "")
    return trimmed


def sanitize(text: str | None, preserve_space: bool = False, trailing_space: bool = False) -> str | None:
    """Cleans every line of a text and drops empty lines. Returns None for None."""
    if text is None:
        return None
    if trailing_space:
        return line_processing(text, preserve_space, True)
    lines = (line_processing(line, preserve_space) for line in text.splitlines())
    return "\n".join(line for line in lines if line is not None)


@lru_cache(maxsize=1024)
def trim(string: str) -> str:
    """Removes outer white space and makes inner white space one space."""
    return " ".join(string.split())


def is_image_file(imagesrc: str | None) -> bool:
    """Returns whether an address names an image."""
    return bool(imagesrc) and len(imagesrc or "") <= 8192 and bool(_IMAGE.search(imagesrc or ""))


def check_html_lang(tree: Any, target_language: str, strict: bool = False) -> bool:
    """Returns whether the language that the page declares is the wanted one; True if it declares none."""
    for name in ('http-equiv="content-language"', 'property="og:locale"'):
        key, value = name.replace('"', "").split("=")
        found = [e for e in tree.iter("meta") if (e.get(key) or "").lower() == value and e.get("content")]
        if found:
            return any(target_language in re.findall(r"[a-z]{2}", e.get("content").lower()) for e in found)
    if strict:
        for element in tree.iter("html"):
            if element.get("lang"):
                return target_language in re.findall(r"[a-z]{2}", element.get("lang").lower())
    return True


def language_classifier(temp_text: str, temp_comments: str) -> str | None:
    """Returns the code of the language of the longer one of two texts."""
    from html import escape

    text = temp_text if len(temp_text) >= len(temp_comments) else temp_comments
    try:
        found = _extract(f"<body><p>{escape(text)}</p></body>", formats="text").metadata.get("language_detected")
    except MaintextError:
        return None
    return str(found).split("-")[0] if found else None


def language_filter(temp_text: str, temp_comments: str, target_language: str | None, docmeta: Any) -> tuple[bool, Any]:
    """Returns whether the text has another language than the wanted one, and the document with its language."""
    if target_language:
        docmeta.language = language_classifier(temp_text, temp_comments)
        if docmeta.language is not None and docmeta.language != target_language:
            LOGGER.warning("wrong language: %s %s", docmeta.language, docmeta.url)
            return True, docmeta
    return False, docmeta


def text_chars_test(string: str | None) -> bool:
    """Returns whether a string holds more than white space."""
    return bool(string) and not (string or "").isspace()


def textfilter(element: Any) -> bool:
    """Returns whether an element has no text, or only the label of a button."""
    text = element.text if element.text is not None else element.tail
    return not text_chars_test(text) or any(_LABEL.match(line) for line in text.splitlines())
