"""Output formats, as trafilatura's ``xml``."""

from __future__ import annotations

import csv
import io
import json
import re
from copy import deepcopy
from typing import Any

from .utils import remove_control_characters

#: The fields of the metadata in XML, HTML and the header of texts, in order.
META_ATTRIBUTES = [
    "sitename",
    "title",
    "author",
    "date",
    "url",
    "hostname",
    "description",
    "categories",
    "tags",
    "license",
    "id",
    "fingerprint",
    "language",
]
#: The same for the header of a text.
HEADER = ["title", "author", "url", "hostname", "description", "sitename", "date", "categories", "tags", "fingerprint", "id", "license"]

_MARKS = {"#b": ("**", "**"), "#i": ("*", "*"), "#u": ("<u>", "</u>"), "#t": ("`", "`")}
_MARKS |= {"#sub": ("<sub>", "</sub>"), "#sup": ("<sup>", "</sup>")}
_BLOCKS = {"p", "head", "quote", "list", "table"}
#: Borders between pieces of text, by strength.
_LINE, _PARAGRAPH = 1, 2


#: Formulas in TeX, inline and set apart.
_FORMULA = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)


def _escaped(text: str, opening: bool) -> str:
    """Escapes characters that are markup in Markdown, with those of a block's beginning if ``opening`` is set."""
    made = re.sub(r"(\\*)([*_`\[\]<~])", lambda m: m.group(1) * 2 + "\\" + m.group(2), text)
    if opening:
        made = re.sub(r"^(\s*)([#>+-])(?=\s|$|[#>])", r"\1\\\2", made)
        made = re.sub(r"^(\s*\d{1,9})([.)])(?=\s|$)", r"\1\\\2", made)
    return made


def _markdown(text: str, opening: bool, inline: bool) -> str:
    """Returns prose as Markdown, with its formulas between dollar signs."""
    parts = []
    place = 0
    for found in _FORMULA.finditer(text):
        parts.append(_escaped(text[place : found.start()], opening and place == 0))
        block = found.group(2)
        if block is None:
            parts.append(f"${found.group(1).strip()}$")
        else:
            parts.append(f"$$ {block.strip()} $$" if inline else f"$$\n{block.strip()}\n$$")
        place = found.end()
    parts.append(_escaped(text[place:], opening and place == 0))
    return "".join(parts)


def _fenced(text: str) -> str:
    """Returns code within as many backquotes as it needs."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    if "\n" in text:
        fence = "`" * max(3, longest + 1)
        return f"{fence}\n{text}\n{fence}"
    if longest >= 3:
        return f"{'`' * (longest + 1)}\n{text}\n{'`' * (longest + 1)}"
    fence = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _destination(address: str) -> str:
    """Returns the address of a link, in angle brackets if Markdown needs them."""
    if not re.search(r"[\s()<>]", address):
        return address
    return "<" + re.sub(r"(\\*)([<>])", lambda m: m.group(1) * 2 + "\\" + m.group(2), address) + ">"


class _Writer:
    """Collects pieces of text and the borders between them."""

    def __init__(self, formatting: bool, inline: bool) -> None:
        self.formatting = formatting
        #: Whether the text is that of a cell, which is one line.
        self.inline = inline
        self.parts: list[str] = []
        self.border = 0
        #: Whether the next text loses its opening space, which was written before the mark.
        self.trim = False

    def text(self, text: str, opening: bool, inline: bool) -> None:
        """Writes prose."""
        if self.trim:
            text, self.trim = text.lstrip(" "), False
        opening = opening or (self.border > 0 and bool(text.strip()))
        self.write(_markdown(text, opening and not inline, inline) if self.formatting else text)

    def close(self, mark: str) -> None:
        """Writes a closing mark, before the spaces at the end of what it closes."""
        spaces = bool(self.parts) and not self.border and self.parts[-1].endswith(" ")
        if spaces:
            self.parts[-1] = self.parts[-1].rstrip(" ")
        self.write(mark + (" " if spaces else ""))

    def break_(self, border: int) -> None:
        self.border = max(self.border, border)

    def write(self, text: str, verbatim: bool = False) -> None:
        if self.border:
            if not verbatim:
                text = text.lstrip(" ")
            if not text:
                return
            if self.parts:
                last = self.parts[-1]
                if last.strip() and not last.endswith("| "):
                    self.parts[-1] = last.rstrip(" ")
                self.parts.append("\n\n" if self.border == _PARAGRAPH and self.formatting else "\n")
            self.border = 0
        self.parts.append(text)


def _cell(cell: Any, formatting: bool) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(_written(cell, formatting, True).split()))


def _table(writer: _Writer, table: Any) -> None:
    rows = [[_cell(cell, writer.formatting) for cell in row.iter("cell") if _owner(cell) is table] for row in table.iter("row")]
    rows = [row for row in rows if any(row)] or rows[:0]
    headed = any(cell.get("role") == "head" for row in list(table.iter("row"))[:1] for cell in row)
    writer.break_(_PARAGRAPH)
    for place, row in enumerate(rows):
        if row:
            writer.write("| " + " | ".join(row) + " | ", verbatim=True)
            writer.break_(_LINE)
            if place == 0 and headed:
                writer.write("|" + "---|" * len(row), verbatim=True)
                writer.break_(_LINE)
    writer.break_(_PARAGRAPH)


def _owner(cell: Any) -> Any:
    return next(cell.iterancestors("table"), None)


def _code(writer: _Writer, element: Any) -> None:
    parts = [element.text or ""]
    for child in element:
        parts.append("\n" if child.tag == "lb" else "".join(child.itertext()))
        parts.append(child.tail or "")
    text = "".join(parts)
    if writer.inline:
        text = " ".join(text.split())
    parent = element.getparent()
    inside = writer.inline or parent is not None and parent.tag in ("p", "item", "cell", "head", "hi", "ref", "del")
    if not inside or "\n" in text:
        writer.break_(_PARAGRAPH)
        text = text.strip("\n")
        if writer.formatting:
            text = _fenced(text)
        writer.write(text, verbatim=True)
        writer.break_(_PARAGRAPH)
    else:
        writer.write(_fenced(text) if writer.formatting else text, verbatim=True)


def _item(writer: _Writer, element: Any) -> None:
    if writer.inline:
        writer.break_(_LINE)
        return
    lists = list(element.iterancestors("list"))
    marker = "- "
    if writer.formatting and lists and lists[0].get("rend") == "ol":
        marker = f"{list(lists[0].iterchildren('item')).index(element) + 1}. "
    writer.break_(_LINE)
    writer.write("  " * (len(lists) - 1) + marker, verbatim=True)


def _empty(element: Any) -> bool:
    """Returns whether an element has neither text nor images."""
    return not any(part.strip() for part in element.itertext()) and element.find(".//graphic") is None


def _within_same(element: Any) -> bool:
    """Returns whether an element with the same formatting contains this one."""
    return element.tag == "hi" and any(a.get("rend") == element.get("rend") for a in element.iterancestors("hi"))


def _continues(one: Any, other: Any) -> bool:
    """Returns whether two neighbours are one stretch of formatting."""
    if one is None or other is None or one.tag != "hi" or other.tag != "hi":
        return False
    return bool(one.get("rend") == other.get("rend") and one.get("rend") != "#t" and not (one.tail or "").strip())


def _start(writer: _Writer, element: Any) -> None:
    tag, formatting = element.tag, writer.formatting
    if tag in _BLOCKS:
        parent = element.getparent()
        within = parent is not None and parent.tag in ("item", "cell")
        if within and tag == "p":
            # A paragraph of an item goes on in its line.
            if writer.parts and not writer.border and not writer.parts[-1].endswith(" "):
                writer.write(" ")
            return
        nested = within or (tag == "list" and parent is not None and parent.tag == "list")
        writer.break_(_LINE if nested else _PARAGRAPH)
        if tag == "head" and formatting and not writer.inline:
            level = re.fullmatch(r"h([1-6])", element.get("rend") or "")
            writer.write("#" * (int(level.group(1)) if level else 2) + " ", verbatim=True)
    elif tag == "item":
        _item(writer, element)
    elif tag == "lb":
        if not (writer.parts and re.fullmatch(r" *(?:-|\d+\.) ", writer.parts[-1])):
            writer.break_(_LINE)
    elif tag in ("hi", "del") and formatting:
        if _continues(element.getprevious(), element) or _within_same(element):
            return
        if (element.text or "")[:1].isspace():
            writer.write(" ")
            writer.trim = True
        writer.write("~~" if tag == "del" else _MARKS.get(element.get("rend") or "", ("", ""))[0])
    elif tag == "ref":
        if (element.text or "")[:1].isspace():
            writer.write(" ")
            writer.trim = True
        writer.write("[")
    elif tag == "graphic":
        label = " ".join(f"{element.get('title') or ''} {element.get('alt') or ''}".split())
        parent = element.getparent()
        if parent is not None and parent.tag == "body":
            writer.break_(_PARAGRAPH)
        source = element.get("src") or ""
        if writer.formatting:
            label, source = _escaped(label, False), _destination(source)
        # Spaces separate an image from the words beside it.
        if writer.parts and not writer.border and not writer.parts[-1].endswith((" ", "[", "*", "~")):
            writer.write(" ")
        after = " " if element.tail and not element.tail[:1].isspace() and element.tail[:1].isalnum() else ""
        writer.write(f"![{label}]({source}){after}")
        if parent is not None and parent.tag == "body":
            writer.break_(_PARAGRAPH)


def _end(writer: _Writer, element: Any) -> None:
    tag, formatting = element.tag, writer.formatting
    if tag in _BLOCKS:
        parent = element.getparent()
        if tag == "p" and parent is not None and parent.tag in ("item", "cell"):
            if element.tail and element.tail.strip():
                writer.write(" ")
            return
        writer.break_(_LINE if parent is not None and parent.tag in ("item", "cell", "list") else _PARAGRAPH)
    elif tag == "item":
        writer.break_(_LINE)
    elif tag == "hi" and formatting and (_continues(element, element.getnext()) or _within_same(element)):
        return
    elif tag == "hi" and formatting:
        writer.close(_MARKS.get(element.get("rend") or "", ("", ""))[1])
    elif tag == "del" and formatting:
        writer.close("~~")
    elif tag == "ref":
        target = element.get("target")
        if target and formatting:
            target = _destination(target)
        writer.close(f"]({target})" if target else "]")


def xmltotxt(xmloutput: Any, include_formatting: bool = False) -> str:
    """Returns an element as text, with Markdown if ``include_formatting`` is set."""
    return "" if xmloutput is None else _written(xmloutput, include_formatting, False)


def _written(top: Any, formatting: bool, inline: bool) -> str:
    from lxml.etree import iterwalk

    writer = _Writer(formatting, inline)
    walk = iterwalk(top, events=("start", "end"))
    for event, element in walk:
        if not isinstance(element.tag, str):
            continue
        if event == "start":
            if element.tag in ("item", "ref") and _empty(element):
                walk.skip_subtree()
                continue
            if element.tag in ("code", "table"):
                (_code if element.tag == "code" else _table)(writer, element)
                if element is top:
                    break
                walk.skip_subtree()
                continue
            if element.tag == "hi" and element.get("rend") == "#t" and formatting:
                writer.write(_fenced("".join(element.itertext())), verbatim=True)
                walk.skip_subtree()
                continue
            if element is not top:
                _start(writer, element)
            text, opening = element.text, element.tag in ("p", "item", "quote")
            if text is not None and element.tag in ("p", "item", "cell", "quote") and not text.strip():
                text = None
        else:
            if element is top:
                break
            if element.tag in ("item", "ref") and _empty(element):
                pass
            elif element.tag not in ("code", "table") and not (element.tag == "hi" and element.get("rend") == "#t" and formatting):
                _end(writer, element)
            text, opening = element.tail, False
        if text:
            text = re.sub(r"\s+", " ", text)
            if text.strip() or not writer.border:
                heading = element.tag == "head" and event == "start"
                writer.text(text, opening and not heading, inline or heading)
    text = "".join(writer.parts)
    return "\n".join(line if line.lstrip().startswith("|") else line.rstrip() for line in text.splitlines()).strip()


def _value(value: Any) -> str:
    return ";".join(value) if isinstance(value, (list, tuple)) else str(value)


def _attributes(document: Any) -> list[tuple[str, str]]:
    fields = ((name, getattr(document, name, None)) for name in META_ATTRIBUTES)
    return [(name, remove_control_characters(_value(value))) for name, value in fields if value]


def yaml_header(document: Any) -> str:
    """Returns the metadata as a header in YAML."""
    lines = []
    for name in HEADER:
        value = getattr(document, name, None)
        if not value:
            continue
        if isinstance(value, (list, tuple)):
            written = "[" + ", ".join("'" + str(v).replace("'", "''") + "'" for v in value) + "]"
        else:
            written = str(value)
            plain = re.fullmatch(r"\w(?:[^:#\"'\n\\]|:(?=\S)|(?<=\S)#)*", written) and not _typed(written)
            if written[0].isdigit() or not plain or written.endswith((" ", ":")):
                written = json.dumps(written, ensure_ascii=False)
        lines.append(f"{name}: {written}\n")
    return "---\n" + "".join(lines) + "---\n"


def _typed(text: str) -> bool:
    """Returns whether YAML would read a text as a number, a truth value or nothing."""
    words = {"true", "false", "yes", "no", "on", "off", "null", "~", "y", "n"}
    return text.lower() in words or bool(re.fullmatch(r"[-+]?[\d._]+(e[-+]?\d+)?|0x[\da-f]+|0o[0-7]+", text.lower()))


def xmltocsv(document: Any, include_formatting: bool, *, delim: str = "\t", null: str = "null") -> str:
    """Returns a document as one row of tab-separated values."""
    texts = (xmltotxt(document.body, include_formatting), xmltotxt(document.commentsbody, include_formatting))
    fields = [document.url, document.id, document.fingerprint, document.hostname, document.title, document.image, document.date]
    out = io.StringIO()
    row = [*fields, *texts, document.license, document.pagetype]
    csv.writer(out, delimiter=delim, quoting=csv.QUOTE_MINIMAL).writerow([value or null for value in row])
    return out.getvalue()


def build_json_output(docmeta: Any, with_metadata: bool = True) -> str:
    """Returns a document as JSON."""
    text, comments = xmltotxt(docmeta.body, False), xmltotxt(docmeta.commentsbody, False)
    if not with_metadata:
        return json.dumps({"text": text, "comments": comments}, ensure_ascii=False)
    fields = docmeta.as_dict()
    fields["source"] = fields.pop("url")
    fields["source-hostname"] = fields.pop("sitename")
    fields["excerpt"] = fields.pop("description")
    fields["categories"] = ";".join(fields.pop("categories") or [])
    fields["tags"] = ";".join(fields.pop("tags") or [])
    del fields["body"], fields["commentsbody"]
    fields["text"], fields["comments"] = text, comments
    return json.dumps(fields, ensure_ascii=False)


def _printed(tree: Any) -> str:
    from lxml import etree

    return str(etree.tostring(tree, encoding="unicode", pretty_print=True)).strip()


def build_xml_output(document: Any, with_metadata: bool = True) -> Any:
    """Returns a document as an element ``doc`` with its metadata, ``main`` and ``comments``."""
    from lxml import etree

    made = etree.Element("doc", dict(_attributes(document)) if with_metadata else {})
    for tag, source in (("main", document.body), ("comments", document.commentsbody)):
        part = deepcopy(source)
        part.tag = tag
        part.tail = None
        made.append(part)
    return made


def html_of(body: Any) -> Any:
    """Converts an element with trafilatura's elements to HTML."""
    from lxml import etree

    tree = deepcopy(body)
    names = {"lb": "br", "quote": "blockquote", "row": "tr", "item": "li", "graphic": "img", "code": "pre"}
    marks = {"#b": "strong", "#i": "i", "#u": "u", "#t": "kbd", "#sub": "sub", "#sup": "sup"}
    for element in tree.iter():
        rend = element.get("rend") or ""
        if element.tag == "head":
            element.tag = rend if re.fullmatch("h[1-6]", rend) else "h3"
        elif element.tag == "list":
            element.tag = rend if rend in ("ol", "dl") else "ul"
        elif element.tag == "hi":
            element.tag = marks.get(rend, "i")
        elif element.tag == "cell":
            element.tag = "th" if element.get("role") == "head" else "td"
        elif element.tag == "ref":
            element.tag = "a"
            element.set("href", element.attrib.pop("target", ""))
        elif element.tag == "code" and element.getparent() is not None and element.getparent().tag not in ("body", "blockquote", "li"):
            continue
        elif element.tag in names:
            if element.tag == "item" and rend[:2] in ("dt", "dd"):
                element.tag = rend[:2]
            else:
                element.tag = names[element.tag]
        for name in ("rend", "role"):
            element.attrib.pop(name, None)
    tree.tag = "body"
    made = etree.Element("html")
    made.append(tree)
    return made


def build_html_output(document: Any, with_metadata: bool = False) -> str:
    """Returns a document as an HTML page."""
    from lxml import etree

    page = html_of(document.body)
    for comment in document.commentsbody:
        page[-1].append(deepcopy(comment))
    if with_metadata:
        head = etree.Element("head")
        for name, value in _attributes(document):
            etree.SubElement(head, "meta", name=name, content=value)
        page.insert(0, head)
    return _printed(page)


def control_xml_output(document: Any, options: Any) -> str:
    """Returns a document as XML or TEI."""
    from .tei import build_tei_output, validate_tei

    if options.format == "xml":
        return _printed(build_xml_output(document, options.with_metadata))
    tree = build_tei_output(document)
    if options.tei_validation:
        validate_tei(tree)
    return _printed(tree)


def validate_tei(xmldoc: Any) -> bool:
    """Returns whether a document is valid TEI, see :func:`maintext.compat.trafilatura.tei.validate_tei`."""
    from .tei import validate_tei as validate

    return validate(xmldoc)
