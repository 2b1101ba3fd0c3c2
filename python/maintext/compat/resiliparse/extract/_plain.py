"""Plain text of a tree in the layout of Resiliparse."""

from __future__ import annotations

import re
from html import escape
from typing import Any, Union

_MARGIN = {"h1", "h2", "h3", "h4", "h5", "h6", "p"}
_LINES = set(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form header hgroup hr "
    "li main nav ol pre section summary table tbody tfoot thead tr ul caption".split()
)
_NEVER = {"head", "script", "style", "template", "iframe", "datalist", "title"}
#: Media and their descriptions.
_MEDIA = {"video", "audio", "object", "embed", "svg", "figcaption"}
#: Elements of forms.
CONTROLS = ("input", "button", "textarea", "select", "label")
_KEPT = _MARGIN | {"ul", "ol", "li", "pre"}
_WHITE = re.compile(r"[ \t\n\r\f]+")


class _Writer:
    """Collects text with pending line breaks and spaces."""

    def __init__(self, formatted: bool, html: bool) -> None:
        self.parts: list[str] = []
        self.formatted = formatted
        self.html = html
        self.breaks = 0
        self.space = False
        self.indent = 0
        #: The bullet or number of an item that has no text yet.
        self.bullet = ""
        self.started = False

    def line(self, breaks: int) -> None:
        """Asks for line breaks before the next text."""
        if self.formatted:
            self.breaks = max(self.breaks, breaks)
        self.space = True

    def write(self, text: str) -> None:
        """Writes a text after what was asked for."""
        indent = self.indent - (2 if self.bullet else 0)
        if self.started:
            if self.breaks:
                self.parts.append("\n" * self.breaks + " " * indent)
            elif self.space:
                self.parts.append(" ")
        elif self.formatted:
            self.parts.append(" " * indent)
        if self.bullet:
            self.parts.append(self.bullet + " ")
            self.bullet = ""
        self.started = True
        self.breaks = 0
        self.space = False
        self.parts.append(text)

    def text(self, text: str | None, literal: bool) -> None:
        """Writes a text of the page; its white space shrinks unless it is literal."""
        if not text:
            return
        if literal and self.formatted:
            lines = text.rstrip("\n").split("\n")
            self.write(escape(lines[0], quote=False) if self.html else lines[0])
            for line in lines[1:]:
                self.parts.append("\n" + " " * self.indent + (escape(line, quote=False) if self.html else line))
            return
        shrunk = _WHITE.sub(" ", text)
        bare = shrunk.strip(" ")
        if shrunk[:1] == " ":
            self.space = True
        if bare:
            self.write(escape(bare, quote=False) if self.html else bare)
            self.space = shrunk[-1] == " "

    def append(self, text: str) -> None:
        """Appends to the last text, whatever was asked for."""
        self.parts.append(text)


def plain(
    tree: Any, formatting: Union[bool, str], bullets: bool, alt_texts: bool, links: bool, form_fields: bool, noscript: bool
) -> str:
    """Returns the text of a tree; the options are those of ``extract_plain_text``."""
    from lxml.etree import iterwalk

    body = tree.find("body")
    if body is None:
        body = tree
    html = formatting == "minimal_html"
    writer = _Writer(bool(formatting), html)
    unwanted = _NEVER | (set() if alt_texts else _MEDIA) | (set() if noscript else {"noscript"})
    unwanted |= set() if form_fields else set(CONTROLS)
    lists: list[list[Any]] = []
    literal = 0
    if html:
        for element in [e for e in body.iter(*_MARGIN) if len(e) == 0 and not (e.text or "").strip()]:
            element.drop_tag()
    walk = iterwalk(body, events=("start", "end"))
    for event, element in walk:
        tag = element.tag
        if event == "start":
            if not isinstance(tag, str) or tag in unwanted:
                walk.skip_subtree()
                # The end event of a skipped element still comes.
                continue
            _open(writer, element, tag, lists, bullets, alt_texts, form_fields, html, links)
            literal += tag == "pre"
            if tag in ("input", "textarea", "button") and form_fields:
                walk.skip_subtree()
            else:
                writer.text(element.text, literal > 0)
            continue
        if isinstance(tag, str) and tag not in unwanted:
            literal -= tag == "pre"
            _close(writer, element, tag, lists, links, html)
        if element is not body:
            writer.text(element.tail, literal > 0)
    return "".join(writer.parts).rstrip() if not html else "".join(writer.parts)


def _open(
    writer: _Writer, element: Any, tag: str, lists: list[list[Any]], bullets: bool, alt: bool, fields: bool, html: bool, links: bool,
) -> None:
    if tag in _MARGIN:
        writer.line(2)
    elif tag in _LINES:
        writer.line(1)
    if tag in ("ul", "ol"):
        if html:
            writer.indent = 2 * len(lists)
            writer.write(f"<{tag}>")
        lists.append([tag, 0])
    elif tag == "li":
        depth = max(1, len(lists))
        if not lists:
            lists.append(["ul", 0])
        lists[-1][1] += 1
        writer.indent = 2 * depth
        if html:
            writer.line(1)
            writer.write("<li>")
        elif writer.formatted and bullets:
            writer.bullet = f"{lists[-1][1]}." if lists[-1][0] == "ol" else "•"
            writer.indent += 2
        _glue(writer)
    elif tag in ("td", "th"):
        writer.space = True
        if writer.formatted and any(True for _ in element.itersiblings("td", "th", preceding=True)):
            if writer.started and not writer.breaks:
                writer.append("\t\t")
                writer.space = False
    elif tag == "br":
        if html and writer.started:
            writer.append("<br>")
        writer.line(1)
    elif tag == "img" and alt:
        text = _WHITE.sub(" ", element.get("alt") or "").strip()
        if text:
            writer.write(escape(text, quote=False) if html else text)
    elif tag in ("input", "textarea", "button") and fields:
        _field(writer, element, tag, html)
    elif html and (tag in _KEPT):
        writer.write(f"<{tag}>")
        _glue(writer)
    elif html and links and tag == "a" and element.get("href"):
        writer.write(f'<a href="{escape(element.get("href"))}">')
        _glue(writer)


def _glue(writer: _Writer) -> None:
    """Leaves no space between a tag, or a bullet, and its text."""
    if writer.html:
        writer.space = False
        writer.breaks = 0


def _field(writer: _Writer, element: Any, tag: str, html: bool) -> None:
    """Writes the value of a form field."""
    kind = (element.get("type") or "text").lower()
    if tag == "input":
        value = "" if kind in ("hidden", "checkbox", "radio", "file", "image") else element.get("value") or element.get("placeholder") or ""
    else:
        value = "".join(element.itertext())
    value = _WHITE.sub(" ", value).strip()
    if value:
        writer.space = True
        writer.write(f"[ {escape(value, quote=False) if html else value} ]")
        writer.space = True


def _close(writer: _Writer, element: Any, tag: str, lists: list[list[Any]], links: bool, html: bool) -> None:
    if html and (tag in _MARGIN or tag == "pre"):
        writer.append(f"</{tag}>")
    elif html and tag == "li":
        writer.append("</li>")
        writer.breaks = 0
    elif tag == "a" and links and element.get("href"):
        writer.append("</a>" if html else f" ({element.get('href')})")
    if tag in ("ul", "ol"):
        if lists:
            lists.pop()
        writer.indent = 2 * len(lists)
        if html:
            writer.breaks = 1
            writer.write(f"</{tag}>")
    if tag == "li":
        writer.bullet = ""
        writer.indent = 2 * max(0, len(lists) - 1)
    if tag in _MARGIN:
        writer.line(2)
    elif tag in _LINES:
        writer.line(1)
