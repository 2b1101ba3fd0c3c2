"""Documents as plain text and in trafilatura's other formats."""

from __future__ import annotations

import csv
import io
import json
import re
from copy import deepcopy
from html import escape
from typing import Any

from ._document import Document
from .utils import remove_control_characters, text_of

#: The fields of the metadata in XML and HTML, in order.
_META = "sitename title author date url hostname description categories tags license id fingerprint language".split()
#: The same for the header of a text.
_HEADER = "title author url hostname description sitename date categories tags fingerprint id license".split()
_BLOCKS = {"p", "head", "quote", "list", "table"}
#: Parents whose code is part of a line.
_LINES = {"p", "item", "cell", "head", "hi", "ref", "del"}


class _Writer:
    """Collects pieces of text and the line breaks between them."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.broken = False

    def write(self, text: str, verbatim: bool = False) -> None:
        if self.broken and not verbatim:
            text = text.lstrip(" ")
        if not text:
            return
        if self.broken and self.parts:
            self.parts.append("\n")
        self.broken = False
        self.parts.append(text)

    def space(self) -> None:
        """Writes a space unless one is there, or a line begins."""
        if self.parts and not self.broken and not self.parts[-1].endswith((" ", "[")):
            self.write(" ")


def _code(writer: _Writer, element: Any) -> None:
    for line_break in element.iter("lb"):
        line_break.tail = "\n" + (line_break.tail or "")
    text = "".join(element.itertext())
    parent = element.getparent()
    alone = parent is None or parent.tag not in _LINES or "\n" in text
    writer.broken = writer.broken or alone
    writer.write(text.strip("\n") if alone else text, verbatim=True)
    writer.broken = writer.broken or alone


def _table(writer: _Writer, table: Any) -> None:
    for place, row in enumerate(table.findall("row")):
        cells = [text_of(cell) for cell in row.findall("cell")]
        if not any(cells):
            continue
        writer.broken = True
        writer.write("| " + " | ".join(cells) + " | ", verbatim=True)
        if place == 0 and any(cell.get("role") == "head" for cell in row):
            writer.broken = True
            writer.write("|" + "---|" * len(cells), verbatim=True)
    writer.broken = True


def _image(writer: _Writer, element: Any) -> None:
    label = " ".join(f"{element.get('title') or ''} {element.get('alt') or ''}".split())
    writer.broken = writer.broken or element.getparent().tag == "body"
    writer.space()
    after = " " if (element.tail or "")[:1].isalnum() else ""
    writer.write(f"![{label}]({element.get('src') or ''}){after}")
    writer.broken = element.getparent().tag == "body"


def _in_line(element: Any) -> bool:
    """Returns whether an element is a paragraph within the line of an item or a cell."""
    parent = element.getparent()
    return element.tag == "p" and parent is not None and parent.tag in ("item", "cell")


def _start(writer: _Writer, element: Any) -> None:
    if _in_line(element):
        writer.space()
    elif element.tag in _BLOCKS:
        writer.broken = True
    elif element.tag == "item":
        writer.broken = True
        level = sum(1 for _ in element.iterancestors("list"))
        writer.write("  " * (level - 1) + "- ", verbatim=True)
    elif element.tag == "lb":
        # A break at the beginning of an item has no effect.
        writer.broken = writer.broken or not (writer.parts and writer.parts[-1].endswith("- "))
    elif element.tag == "ref":
        if (element.text or "")[:1].isspace():
            writer.space()
        writer.write("[")
    elif element.tag == "graphic":
        _image(writer, element)


def _end(writer: _Writer, element: Any) -> None:
    if _in_line(element):
        if (element.tail or "").strip():
            writer.space()
    elif element.tag in _BLOCKS or element.tag == "item":
        writer.broken = True
    elif element.tag == "ref":
        writer.write(f"]({element.get('target')})" if element.get("target") else "]")


def plain(top: Any) -> str:
    """Returns an element as plain text, one line per block."""
    from lxml.etree import iterwalk

    writer = _Writer()
    walk = iterwalk(deepcopy(top), events=("start", "end"))
    for event, element in walk:
        text = element.text if event == "start" else element.tail
        if element.tag in ("code", "table"):
            if event == "start":
                (_code if element.tag == "code" else _table)(writer, element)
                walk.skip_subtree()
                continue
        elif event == "start" and element.tag in ("item", "ref") and not text_of(element) and element.find(".//graphic") is None:
            walk.skip_subtree()
            element.tag = "empty"
            continue
        elif event == "start":
            _start(writer, element)
        else:
            _end(writer, element)
        if element.tag == "ref" and event == "start":
            text = (text or "").lstrip()
        writer.write(re.sub(r"\s+", " ", text or ""))
    lines = "".join(writer.parts).splitlines()
    return "\n".join(line if line.lstrip().startswith("|") else line.rstrip() for line in lines).strip()


def _attributes(document: Document) -> dict[str, str]:
    """Returns the stated metadata as texts."""
    fields = {name: getattr(document, name) for name in _META}
    joined = {name: ";".join(value) if isinstance(value, list) else str(value) for name, value in fields.items() if value}
    return {name: remove_control_characters(value) for name, value in joined.items()}


def _scalar(value: str) -> str:
    """Returns a text as a scalar of YAML, in quotation marks where YAML needs them."""
    words = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
    plain_form = re.fullmatch(r"[^\W\d](?:[^:#\"'\n\\]|:(?=\S)|(?<=\S)#)*", value) and not value.endswith((" ", ":"))
    return value if plain_form and value.lower() not in words else json.dumps(value, ensure_ascii=False)


def yaml_header(document: Document) -> str:
    """Returns the metadata as a header in YAML."""
    lines = ["---"]
    for name in _HEADER:
        value = getattr(document, name)
        if isinstance(value, list) and value:
            lines.append(f"{name}: [" + ", ".join("'" + str(v).replace("'", "''") + "'" for v in value) + "]")
        elif value:
            lines.append(f"{name}: {_scalar(str(value))}")
    return "\n".join(lines) + "\n---\n"


def csv_row(document: Document) -> str:
    """Returns a document as one row of tab-separated values."""
    fields = [document.url, document.id, document.fingerprint, document.hostname, document.title, document.image, document.date]
    out = io.StringIO()
    row = [*fields, document.raw_text, document.comments, document.license, document.pagetype]
    csv.writer(out, delimiter="\t", quoting=csv.QUOTE_MINIMAL).writerow([value or "null" for value in row])
    return out.getvalue()


def json_object(document: Document, with_metadata: bool) -> str:
    """Returns a document as JSON."""
    texts = {"text": document.raw_text, "comments": document.comments or ""}
    if not with_metadata:
        return json.dumps(texts, ensure_ascii=False)
    fields = {**document.as_dict(), **texts}
    fields["source"] = fields.pop("url")
    fields["source-hostname"] = fields.pop("sitename")
    fields["excerpt"] = fields.pop("description")
    fields["categories"] = ";".join(fields.pop("categories") or [])
    fields["tags"] = ";".join(fields.pop("tags") or [])
    del fields["body"], fields["commentsbody"]
    return json.dumps(fields, ensure_ascii=False)


def xml_document(document: Document, with_metadata: bool) -> str:
    """Returns a document as an element ``doc`` with its metadata, ``main`` and ``comments``."""
    from lxml import etree

    made = etree.Element("doc", _attributes(document) if with_metadata else {"fingerprint": document.fingerprint or ""})
    for tag, source in (("main", document.body), ("comments", document.commentsbody)):
        part = deepcopy(source)
        part.tag = tag
        made.append(part)
    return str(etree.tostring(made, encoding="unicode", pretty_print=True)).strip()


def html_document(document: Document, content: str, with_metadata: bool) -> str:
    """Returns maintext's HTML of the content as a page."""
    stated = _attributes(document).items() if with_metadata else ()
    metas = "".join(f'<meta name="{name}" content="{escape(value)}">\n' for name, value in stated)
    head = f"<head>\n{metas}</head>\n" if metas else ""
    return f"<html>\n{head}<body>\n{content.strip()}\n</body>\n</html>"
