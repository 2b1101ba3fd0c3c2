"""The output of html2text's parser: text, pending line breaks, and the prefixes of quotations, lists and code."""

from __future__ import annotations

import html.parser
import re
from typing import Any, Callable, Optional, Union

from ._wrap import wrapped

Attributes = dict[str, Optional[str]]

_SPECIAL = re.compile(r"([`*_{}\[\]()#!])")
_ESCAPE = re.compile(r"\\(?=[\\`*_{}\[\]()#+\-.!])")
_STARTS = (
    (re.compile(r"^(\s*\d+)(\.)(?=\s)", re.MULTILINE), r"\1\\\2"),
    (re.compile(r"^(\s*)(\+)(?=\s)", re.MULTILINE), r"\1\\\2"),
    (re.compile(r"^(\s*)(-)(?=\s|-)", re.MULTILINE), r"\1\\\2"),
)


def escaped_link(text: str) -> str:
    """Escapes what would end a link's text or address."""
    return re.sub(r"([\\\[\]()])", r"\\\1", text)


def escaped(text: str, everything: bool) -> str:
    """Escapes what Markdown would take for markup: at the starts of lines, or with ``everything`` anywhere."""
    text = _ESCAPE.sub(r"\\\\", text)
    if everything:
        text = _SPECIAL.sub(r"\\\1", text)
    for pattern, replacement in _STARTS:
        text = pattern.sub(replacement, text)
    return text


class Output(html.parser.HTMLParser):
    """The options and the output; the tags are in the subclass."""

    def __init__(self, out: Callable[[str], None] | None = None, baseurl: str = "", bodywidth: int = 78) -> None:
        super().__init__(convert_charrefs=False)
        #: Whether only the main content is converted.
        self.main_content = False
        self.unicode_snob = False
        self.escape_snob = False
        self.links_each_paragraph: Any = False
        self.body_width = bodywidth
        self.skip_internal_links = True
        self.inline_links = True
        self.protect_links = False
        self.google_list_indent = 36
        self.ignore_links = False
        self.ignore_mailto_links = False
        self.ignore_images = False
        self.images_as_html = False
        self.images_to_alt = False
        self.images_with_size = False
        self.ignore_emphasis = False
        self.bypass_tables = False
        self.ignore_tables = False
        self.google_doc = False
        self.ul_item_mark = "*"
        self.emphasis_mark = "_"
        self.strong_mark = "**"
        self.single_line_break = False
        self.use_automatic_links = True
        self.hide_strikethrough = False
        self.mark_code = False
        self.wrap_list_items = False
        self.wrap_links = True
        self.wrap_tables = False
        self.pad_tables = False
        self.default_image_alt = ""
        self.tag_callback: Any = None
        self.open_quote = '"'
        self.close_quote = '"'
        self.include_sup_sub = False
        self.baseurl = baseurl
        self.out: Callable[[str], None] = self.outtextf if out is None else out
        self._clear()

    def _clear(self) -> None:
        """Prepares the state for a new document."""
        self.outtextlist: list[str] = []
        self.quiet = 0
        self.p_p = 0
        self.outcount = 0
        self.start = True
        self.space = False
        self.lastWasNL = False
        self.lastWasList = False
        self.br_toggle = ""
        self.blockquote = 0
        self.pre = False
        self.startpre = False
        self.code = False
        self.list: list[Any] = []
        #: The links whose addresses are not written yet, and the number of all links.
        self.a: list[Any] = []
        self.acount = 0
        self.abbr_title: str | None = None
        self.abbr_data: str | None = None
        self.abbr_list: dict[str, str] = {}
        self.style = 0
        self.drop_white_space = 0

    def outtextf(self, s: str) -> None:
        """Appends to the result."""
        self.outtextlist.append(s)
        if s:
            self.lastWasNL = s[-1] == "\n"

    def pbr(self) -> None:
        """Ends the line."""
        if self.p_p == 0:
            self.p_p = 1

    def p(self) -> None:
        """Ends the paragraph."""
        self.p_p = 1 if self.single_line_break else 2

    def soft_br(self) -> None:
        """Ends the line within the paragraph."""
        self.pbr()
        self.br_toggle = "  "

    def _prefix(self, given: bool) -> str:
        """Returns the prefix of a line; ``given`` means that the text brings the space after the mark of the quotation itself."""
        prefix = ">" * self.blockquote
        if self.blockquote and not given:
            prefix += " "
        if self.pre:
            prefix += "    " * max(1, len(self.list) if self.list else 1) if not self.list else "    " * len(self.list)
        return prefix

    def o(self, data: str, puredata: bool = False, force: Union[bool, str] = False) -> None:
        """Writes a text.

        :param puredata: the text is the page's, so that its white space may shrink
        :param force: write even if the text is empty; "end" at the end of the document
        """
        if self.abbr_data is not None:
            self.abbr_data += data
        if self.quiet:
            return
        if self.google_doc:
            # White space before a text and at the start of a line is layout.
            bare = data.lstrip()
            dropped = self.drop_white_space and puredata
            if dropped and bare:
                self.drop_white_space = 0
            if dropped or (puredata and (self.p_p or self.start) and not bare):
                data = bare
        if puredata and not self.pre:
            data = re.sub(r"\s+", " ", data)
            if data[:1] == " ":
                self.space = True
                data = data[1:]
        if not data and not force:
            return
        if self.startpre:
            if not data.startswith("\n") and not data.startswith("\r\n"):
                data = "\n" + data
            if self.mark_code:
                self.out("\n[code]")
                self.p_p = 0
        prefix = self._prefix(bool(force) and data[:1] == ">")
        if self.pre:
            data = data.replace("\n", "\n" + prefix)
        if self.startpre:
            self.startpre = False
            if self.list:
                data = data.lstrip("\n")
        if self.start:
            self.start = self.space = False
            self.p_p = 0
        if force == "end":
            self.p_p = 0
            self.out("\n")
            self.space = False
        if self.p_p:
            self.out((self.br_toggle + "\n" + prefix) * self.p_p)
            self.space = False
            self.br_toggle = ""
        if self.space:
            if not self.lastWasNL:
                self.out(" ")
            self.space = False
        if self.a and (force == "end" or (self.p_p == 2 and self.links_each_paragraph)):
            self._addresses(force == "end")
        if self.abbr_list and force == "end":
            for abbreviation, meaning in self.abbr_list.items():
                self.out(f"  *[{abbreviation}]: {meaning}\n")
        self.p_p = 0
        self.out(data)
        self.outcount += 1

    def _addresses(self, end: bool) -> None:
        """Writes the addresses of the links so far."""
        if end:
            self.out("\n")
        waiting = []
        for link in self.a:
            if self.outcount <= link.outcount:
                waiting.append(link)
                continue
            title = f" ({link.attrs['title']})" if link.attrs.get("title") else ""
            self.out(f"   [{link.count}]: {self._absolute(link.address)}{title}\n")
        if len(waiting) != len(self.a):
            self.out("\n")
        self.a = waiting

    def _absolute(self, address: str) -> str:
        from urllib.parse import urljoin

        try:
            return urljoin(self.baseurl, address)
        except ValueError:
            return address

    def optwrap(self, text: str) -> str:
        """Wraps the paragraphs of a finished text."""
        return wrapped(text, self.body_width, self.wrap_links, self.wrap_list_items, self.wrap_tables)
