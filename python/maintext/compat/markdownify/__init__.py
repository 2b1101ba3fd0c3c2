"""A replacement for markdownify: ``from maintext.compat.markdownify import markdownify``.

>>> from maintext.compat.markdownify import markdownify
>>> markdownify("<b>Yes</b> <a href='https://example.org/a'>here</a>")
'**Yes** [here](https://example.org/a)'

The whole input is converted; ``main_content=True`` converts the main content of a page alone. Needs Beautiful Soup, and lxml for the main
content: ``pip install 'maintext[markdownify]'``.
"""

from __future__ import annotations

import re
from typing import Any

from ._converter import (
    ASTERISK,
    ATX,
    ATX_CLOSED,
    BACKSLASH,
    LSTRIP,
    RSTRIP,
    SETEXT,
    SPACES,
    STRIP,
    STRIP_ONE,
    UNDERLINED,
    UNDERSCORE,
    Converter,
    _indented,
    _is_block,
    _split,
    boxed,
    inline,
)

__all__ = [
    "ASTERISK",
    "ATX",
    "ATX_CLOSED",
    "BACKSLASH",
    "LSTRIP",
    "RSTRIP",
    "SETEXT",
    "SPACES",
    "STRIP",
    "STRIP_ONE",
    "UNDERLINED",
    "UNDERSCORE",
    "MarkdownConverter",
    "markdownify",
]


def _title(title: str | None) -> str:
    return ' "{}"'.format(title.replace('"', r"\"")) if title else ""


def _number(value: Any, least: int, most: int) -> int:
    """Returns an attribute as a number, or the least allowed one if it is not a number."""
    return max(least, min(most, int(value))) if isinstance(value, str) and value.isdigit() else least


class MarkdownConverter(Converter):
    """Converts HTML to Markdown. A subclass may replace the conversion of a tag: ``convert_img(self, el, text, parent_tags)``.

    :param autolinks: ``<address>`` for a link whose text is its address
    :param bs4_options: the parser, or keyword arguments, of Beautiful Soup
    :param bullets: the marks of nested lists, from the outermost one
    :param code_language: the language of every ``pre``
    :param code_language_callback: a function that returns the language of a ``pre`` element
    :param convert: the only tags to convert
    :param default_title: the address as the title of a link without title
    :param escape_asterisks, escape_underscores, escape_misc: characters to escape
    :param heading_style: ATX, ATX_CLOSED or UNDERLINED
    :param keep_inline_images_in: headings and cells whose images are not replaced by their alternative text
    :param main_content: convert the main content of a page alone
    :param newline_style: SPACES or BACKSLASH
    :param strip: tags whose text alone is written
    :param strip_document: STRIP, LSTRIP, RSTRIP or None: blank lines at the ends of the result
    :param strip_pre: STRIP, STRIP_ONE or None: blank lines at the ends of a ``pre``
    :param strong_em_symbol: ASTERISK or UNDERSCORE
    :param sub_symbol, sup_symbol: the marks of subscripts and superscripts, or a tag such as ``<sub>``
    :param table_infer_header: the first row is the header of a table without one
    :param wrap, wrap_width: wrap paragraphs at this width; None for no limit
    """

    def convert__document_(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Strips the whole result."""
        how = self.options["strip_document"]
        if how == LSTRIP:
            return text.lstrip("\n")
        if how == RSTRIP:
            return text.rstrip("\n")
        if how == STRIP:
            return text.strip("\n")
        if how is None:
            return text
        raise ValueError(f"Invalid value for strip_document: {how}")

    def convert_a(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a link."""
        if "_noformat" in parent_tags:
            return text
        before, text, after = _split(text)
        if not text:
            return ""
        href, title = el.get("href"), el.get("title")
        if self.options["autolinks"] and not title and not self.options["default_title"] and text.replace(r"\_", "_") == href:
            return f"<{href}>"
        if self.options["default_title"] and not title:
            title = href
        return f"{before}[{text}]({href}{_title(title)}){after}" if href else text

    convert_b = inline(lambda self: 2 * str(self.options["strong_em_symbol"]))
    convert_strong = convert_b
    convert_em = inline(lambda self: str(self.options["strong_em_symbol"]))
    convert_i = convert_em
    convert_del = inline(lambda self: "~~")
    convert_s = convert_del
    convert_sub = inline(lambda self: str(self.options["sub_symbol"]))
    convert_sup = inline(lambda self: str(self.options["sup_symbol"]))
    convert_article = boxed
    convert_div = boxed
    convert_section = boxed
    convert_dl = boxed

    def convert_blockquote(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a quotation."""
        text = (text or "").strip(" \t\r\n")
        if "_inline" in parent_tags:
            return f" {text} "
        if not text:
            return "\n"
        return "\n" + "\n".join(f"> {line}" if line else ">" for line in text.split("\n")) + "\n\n"

    def convert_br(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a line break."""
        if "_inline" in parent_tags:
            return " "
        return "\\\n" if str(self.options["newline_style"]).lower() == BACKSLASH else "  \n"

    def convert_code(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts code within a line."""
        if "_noformat" in parent_tags:
            return text
        before, text, after = _split(text)
        if not text:
            return ""
        longest = max((len(run) for run in re.findall("`+", text)), default=0)
        fence = "`" * (longest + 1)
        pad = " " if longest else ""
        return f"{before}{fence}{pad}{text}{pad}{fence}{after}"

    convert_kbd = convert_code
    convert_samp = convert_code

    def convert_dd(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a definition."""
        text = (text or "").strip()
        if "_inline" in parent_tags:
            return f" {text} "
        return _indented(text, ":   ", "    ") + "\n" if text else "\n"

    def convert_dt(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a term."""
        text = re.sub(r"[\t \r\n]+", " ", (text or "").strip())
        if "_inline" in parent_tags:
            return f" {text} "
        return f"\n\n{text}\n" if text else "\n"

    def convert_hN(self, n: int, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a heading of level n."""
        if "_inline" in parent_tags:
            return text
        n = max(1, min(6, n))
        style = str(self.options["heading_style"]).lower()
        text = text.strip()
        if style == UNDERLINED and n <= 2:
            return self.underline(text, "=" if n == 1 else "-")
        text = re.sub(r"[\t \r\n]+", " ", text)
        marks = "#" * n
        return f"\n\n{marks} {text} {marks}\n\n" if style == ATX_CLOSED else f"\n\n{marks} {text}\n\n"

    def convert_hr(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a rule."""
        return "\n\n---\n\n"

    def convert_img(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts an image."""
        alt, source = el.attrs.get("alt") or "", el.attrs.get("src") or ""
        if "_inline" in parent_tags and el.parent.name not in self.options["keep_inline_images_in"]:
            return str(alt)
        return f"![{alt}]({source}{_title(el.attrs.get('title'))})"

    def convert_video(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a video to a link to it."""
        if "_inline" in parent_tags and el.parent.name not in self.options["keep_inline_images_in"]:
            return text
        source, poster = el.attrs.get("src") or "", el.attrs.get("poster") or ""
        if not source:
            inner = el.find("source", attrs={"src": True})
            source = inner.attrs.get("src") or "" if inner else ""
        picture = f"![{text}]({poster})" if poster else ""
        if source:
            return f"[{picture or text}]({source})"
        return picture or text

    def convert_list(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a list of items."""
        if "li" in parent_tags:
            return "\n" + text.rstrip()
        after = el.next_sibling
        while after is not None and not getattr(after, "name", None) and not str(after).strip():
            after = after.next_sibling
        paragraph = after is not None and getattr(after, "name", None) not in ("ul", "ol")
        return "\n\n" + text + ("\n" if paragraph else "")

    convert_ul = convert_list
    convert_ol = convert_list

    def convert_li(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts an item."""
        text = (text or "").strip()
        if not text:
            return "\n"
        parent = el.parent
        if parent is not None and parent.name == "ol":
            start = parent.get("start")
            first = int(start) if start and str(start).isnumeric() else 1
            bullet = f"{first + len(el.find_previous_siblings('li'))}."
        else:
            depth = sum(1 for above in el.parents if above.name == "ul") - 1
            bullets = self.options["bullets"]
            bullet = bullets[max(depth, -1) % len(bullets)]
        bullet += " "
        return _indented(text, bullet, " " * len(bullet)) + "\n"

    def convert_p(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a paragraph."""
        if "_inline" in parent_tags:
            return " " + text.strip(" \t\r\n") + " "
        text = text.strip(" \t\r\n")
        if self.options["wrap"]:
            text = self._wrapped(text)
        return f"\n\n{text}\n\n" if text else ""

    def convert_pre(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts preformatted text."""
        if not text:
            return ""
        language = self.options["code_language"]
        if self.options["code_language_callback"]:
            language = self.options["code_language_callback"](el) or language
        how = self.options["strip_pre"]
        if how == STRIP:
            text = re.sub(r"\A[ \r\n]*\n|[ \r\n]*\Z", "", text)
        elif how == STRIP_ONE:
            text = re.sub(r"\A *\n|(?:\n *)?\n?\Z", "", text)
        elif how is not None:
            raise ValueError(f"Invalid value for strip_pre: {how}")
        return f"\n\n```{language}\n{text}\n```\n\n"

    def convert_q(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a quotation within a line."""
        return f'"{text}"'

    def convert_script(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Leaves out what is not text."""
        return ""

    convert_style = convert_script

    def convert_table(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a table."""
        return "\n\n" + text.strip() + "\n\n"

    def convert_caption(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts the caption of a table."""
        return text.strip() + "\n\n"

    def convert_figcaption(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts the caption of a figure."""
        return "\n\n" + text.strip() + "\n\n"

    def convert_td(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a cell."""
        return " " + text.strip().replace("\n", " ") + " |" * _number(el.get("colspan"), 1, 1000)

    convert_th = convert_td

    def convert_tr(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Converts a row; the first one is followed, or without header preceded, by the header's underline."""
        cells = el.find_all(["td", "th"])
        first = el.find_previous_sibling() is None
        group = el.parent.name
        head = all(cell.name == "th" for cell in cells) or (group == "thead" and len(el.parent.find_all("tr")) == 1)
        no_head = first and (group != "tbody" or el.parent.find_previous_sibling() is None) and not head
        columns = sum(_number(cell.get("colspan"), 1, 1000) for cell in cells)
        rule = "| " + " | ".join(["---"] * columns) + " |\n"
        before = after = ""
        if first and (head or (no_head and self.options["table_infer_header"])):
            after = rule
        elif no_head:
            before = "| " + " | ".join([""] * columns) + " |\n" + rule
        return f"{before}|{text}\n{after}"


def markdownify(html: Any, **options: Any) -> str:
    """Converts a page or a fragment to Markdown; the options are those of :class:`MarkdownConverter`."""
    return MarkdownConverter(**options).convert(html)
