"""Links, images, tables, and the styles of Google documents."""

from __future__ import annotations

import re
from typing import Any, Optional

from . import _styles
from ._output import Attributes, Output, escaped_link
from ._wrap import TABLE_MARK


class Link:
    """A link or an image with its address."""

    __slots__ = ("address", "attrs", "count", "outcount")

    def __init__(self, attrs: Attributes, address: str, count: int, outcount: int) -> None:
        self.attrs = attrs
        self.address = address
        self.count = count
        self.outcount = outcount


class Elements(Output):
    """The elements with a state of their own."""

    def _clear(self) -> None:
        super()._clear()
        self.astack: list[Optional[Attributes]] = []
        self.maybe_automatic_link: str | None = None
        self.empty_link = False
        self.split_next_td = False
        self.td_count = 0
        self.table_start = False
        self.style_def: dict[str, _styles.Style] = {}
        self._element_style: _styles.Style = {}
        self.tag_stack: list[tuple[str, Attributes, _styles.Style]] = []
        self.emphasis = 0

    def _open_link(self) -> None:
        """Writes the bracket before a link's text; by now the link is known to have one."""
        self.o("[")
        self.maybe_automatic_link = None
        self.empty_link = False

    def _styled(self, tag: str, attrs: Attributes, start: bool) -> None:
        """Takes the style of an element of a Google document."""
        own: _styles.Style = {}
        parent: _styles.Style = {}
        if start:
            parent = self.tag_stack[-1][2] if self.tag_stack else {}
            own = _styles.style_of(attrs, self.style_def, parent)
            self.tag_stack.append((tag, attrs, own))
        elif self.tag_stack:
            own = self.tag_stack.pop()[2]
            parent = self.tag_stack[-1][2] if self.tag_stack else {}
        self._element_style = own
        # Headings are bold in Google's style sheets.
        if not self.ignore_emphasis and not re.match(r"h\d\Z", tag):
            self.handle_emphasis(start, own, parent)

    def handle_emphasis(self, start: bool, tag_style: _styles.Style, parent_style: _styles.Style) -> None:
        """Writes the marks for what an element's style adds to its parent's."""
        marks = _styles.marks(tag_style) - _styles.marks(parent_style)
        if "struck" in marks and self.hide_strikethrough:
            self.quiet += 1 if start else -1
        written = [("italic", self.emphasis_mark), ("bold", self.strong_mark), ("fixed", "`")]
        if "fixed" in marks and self.pre:
            marks.discard("fixed")
        emphasis = marks & {"italic", "bold"}
        if start:
            if marks & {"italic", "bold", "fixed"}:
                self.emphasis += 1
            for name, mark in written:
                if name in marks:
                    self.o(mark)
                    self.drop_white_space = 0 if name == "fixed" else self.drop_white_space + 1
            self.code = self.code or "fixed" in marks
            return
        if marks & {"italic", "bold", "fixed"}:
            self.emphasis -= 1
            self.space = False
        for name, mark in reversed(written):
            if name not in marks:
                continue
            if name != "fixed" and self.drop_white_space:
                # Nothing but white space was within the marks.
                self.drop_white_space -= 1
                if self.outtextlist:
                    self.outtextlist.pop()
            else:
                self.o(mark)
            self.code = self.code and name != "fixed"
        if emphasis and not self.emphasis:
            self.o(" ")

    @property
    def _own_style(self) -> _styles.Style:
        return self._element_style

    def _tag_a(self, tag: str, attrs: Attributes, start: bool) -> None:
        if self.ignore_links:
            return
        if start:
            address = attrs.get("href")
            shown = address is not None and not (self.skip_internal_links and address.startswith("#"))
            if not shown or (self.ignore_mailto_links and str(address).startswith("mailto:")):
                self.astack.append(None)
                return
            self.astack.append(attrs)
            self.maybe_automatic_link = address
            self.empty_link = True
            if self.protect_links:
                attrs["href"] = f"<{address}>"
            return
        attrs_of_link = self.astack.pop() if self.astack else None
        if self.maybe_automatic_link is not None and not self.empty_link:
            self.maybe_automatic_link = None
        elif attrs_of_link:
            address = attrs_of_link.get("href") or ""
            if self.empty_link:
                self._open_link()
            if self.inline_links:
                self.p_p = 0
                title = f' "{escaped_link(attrs_of_link["title"] or "").strip()}"' if attrs_of_link.get("title") else ""
                self.o(f"]({escaped_link(self._absolute(address))}{title})")
            else:
                self.o(f"][{self._counted(attrs_of_link, address)}]")

    def _counted(self, attrs: Attributes, address: str) -> int:
        """Returns the number of a link; one with the same address and title has the same number."""
        for link in self.a:
            if link.address == address and link.attrs.get("title") == attrs.get("title"):
                return int(link.count)
        self.acount += 1
        self.a.append(Link(attrs, address, self.acount, self.outcount))
        return self.acount

    def _tag_img(self, tag: str, attrs: Attributes, start: bool) -> None:
        if not start or self.ignore_images:
            return
        source = attrs.get("src") or ""
        if not source:
            return
        width, height = attrs.get("width"), attrs.get("height")
        alt = attrs.get("alt") or self.default_image_alt
        if self.images_as_html or (self.images_with_size and ("width" in attrs or "height" in attrs)):
            given = (("src", source), ("width", width), ("height", height), ("alt", alt))
            self.o("<img " + "".join(f"{name}='{value}' " for name, value in given if value) + "/>")
            return
        if self.maybe_automatic_link is not None:
            address = self.maybe_automatic_link
            if self.images_to_alt and alt == address and re.match(r"[a-zA-Z+]+://", address):
                self.o(f"<{escaped_link(alt)}>")
                self.empty_link = False
                return
            self._open_link()
        if self.images_to_alt:
            self.o(escaped_link(alt))
        elif self.inline_links:
            self.o(f"![{escaped_link(alt)}]({escaped_link(self._absolute(source))})")
        else:
            self.o(f"![{escaped_link(alt)}][{self._counted(attrs, source)}]")

    def _cells(self, tag: str, attrs: Attributes, start: bool) -> None:
        if self.ignore_tables:
            if tag == "tr" and not start:
                self.soft_br()
        elif self.bypass_tables:
            self._as_html(tag, start)
        elif tag == "table":
            if start:
                self.table_start = True
            if self.pad_tables:
                self.o(TABLE_MARK if start else "\n" + TABLE_MARK)
                self.o("  \n")
        elif tag == "tr":
            self._row(start)
        elif start:
            if self.split_next_td:
                self.o("| ")
            self.split_next_td = True
            self.td_count += 1

    _tag_table = _tag_tr = _tag_td = _tag_th = _cells

    def _row(self, start: bool) -> None:
        if start:
            self.td_count = 0
            return
        self.split_next_td = False
        self.soft_br()
        if self.table_start:
            self.o("|".join(["---"] * self.td_count))
            self.soft_br()
            self.table_start = False

    def _as_html(self, tag: str, start: bool) -> None:
        if start:
            self.soft_br()
        cell = tag in ("td", "th")
        self.o(f"<{tag}>" + "\n\n" * cell if start else "\n" * cell + f"</{tag}>")
