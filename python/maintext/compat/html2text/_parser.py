"""The tags of html2text's parser."""

from __future__ import annotations

import re
import string
from html.entities import html5, name2codepoint
from typing import Any

from .._content import main_part
from . import _styles
from ._elements import Elements
from ._output import Attributes, escaped
from ._wrap import pad_tables

#: What stands for characters outside of ASCII unless ``unicode_snob`` is set; letters with marks are written without them.
_PLAIN = {"rsquo": "'", "lsquo": "'", "rdquo": '"', "ldquo": '"', "copy": "(C)", "mdash": "--", "nbsp": " ", "rarr": "->", "larr": "<-"}
_PLAIN.update({"middot": "*", "ndash": "-", "oelig": "oe", "aelig": "ae", "lrm": "", "rlm": ""})
_PLAIN.update({f"{letter}{mark}": letter for letter in "aeiou" for mark in ("grave", "acute", "circ", "uml")})
_PLAIN.update({"atilde": "a", "aring": "a"})
_PLAIN_CODES = {name2codepoint[name]: text for name, text in _PLAIN.items() if name != "nbsp"}
#: A no-break space until the text is finished, so that it does not shrink.
_NBSP = "&nbsp_place_holder;"


def _with_references(content: str | None, source: str) -> str:
    """Writes characters of the content as references again if the source has them as references only."""
    if content is None:
        return source
    for name in _PLAIN:
        char = chr(name2codepoint[name])
        if char in content and char not in source:
            content = content.replace(char, f"&{name};")
    return content


class Level:
    """An open list."""

    __slots__ = ("name", "num")

    def __init__(self, name: str, num: int) -> None:
        self.name = name
        self.num = num


class Parser(Elements):
    """Turns tags and texts into output."""

    def _clear(self) -> None:
        super()._clear()
        self.quote = False
        self.stressed = False
        self.preceding_stressed = False
        self.preceding_data = ""
        self.current_tag = ""

    def handle(self, data: str) -> str:
        """Converts a page or a fragment."""
        if self.main_content not in (True, False):
            raise ValueError(f"main_content={self.main_content!r}: expected True or False")
        if self.main_content:
            data = _with_references(main_part(data, self.baseurl or None), data)
        self.start = True
        self.feed(data)
        self.feed("")
        made = self.finish()
        text = self.optwrap(made)
        return pad_tables(text) if self.pad_tables else text

    def feed(self, data: str) -> None:
        """Parses a part of the input."""
        # Old pages write "script" as a string within a script.
        super().feed(data.replace("</' + 'script>", "</ignore>"))

    def finish(self) -> str:
        """Ends the document and returns it without wrapping."""
        self.close()
        self.pbr()
        self.o("", force="end")
        text = "".join(self.outtextlist)
        text = text.replace(_NBSP, "\xa0" if self.unicode_snob else " ")
        links = self.acount
        self._clear()
        self.reset()
        self.acount = links * 0
        return text

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Takes a start tag of the parser."""
        self.handle_tag(tag, dict(attrs), start=True)

    def handle_endtag(self, tag: str) -> None:
        """Takes an end tag of the parser."""
        self.handle_tag(tag, {}, start=False)

    def handle_charref(self, name: str) -> None:
        """Takes a numeric reference."""
        self.handle_data(self.charref(name), True)

    def handle_entityref(self, name: str) -> None:
        """Takes a named reference."""
        text = self.entityref(name)
        # The parser reports what follows as data, which needs the space of a "&" alone.
        self.handle_data(text, True)

    def charref(self, name: str) -> str:
        """Returns the text of a numeric reference."""
        number = int(name[1:], 16) if name[0] in "xX" else int(name)
        if not self.unicode_snob and number in _PLAIN_CODES:
            return _PLAIN_CODES[number]
        try:
            return chr(number)
        except (ValueError, OverflowError):
            return ""

    def entityref(self, c: str) -> str:
        """Returns the text of a named reference."""
        if not self.unicode_snob and c in _PLAIN:
            return _NBSP if c == "nbsp" else _PLAIN[c]
        if c == "nbsp":
            return _NBSP
        return html5.get(c + ";", f"&{c};")

    def handle_data(self, data: str, entity_char: bool = False) -> None:
        """Takes a text."""
        if not data:
            return
        if self.stressed:
            data = data.strip()
            self.stressed = False
            self.preceding_stressed = True
        elif self.preceding_stressed:
            plain = self.current_tag in ("a", "code", "pre") or re.match(r"h[1-9]\Z", self.current_tag)
            if not plain and re.match(r"[^][(){}\s.!?]", data[0]):
                data = " " + data
            self.preceding_stressed = False
        if self.style:
            self.style_def.update(_styles.rules(data))
        if self.maybe_automatic_link is not None:
            address = self.maybe_automatic_link
            if address == data and re.match(r"[a-zA-Z+]+://", address) and self.use_automatic_links:
                self.o(f"<{data}>")
                self.empty_link = False
                return
            self._open_link()
        if not self.code and not self.pre and not entity_char:
            data = escaped(data, self.escape_snob)
        self.preceding_data = data
        self.o(data, puredata=True)

    def handle_tag(self, tag: str, attrs: Attributes, start: bool) -> None:
        """Takes a tag; ``start`` is False for end tags."""
        self.current_tag = tag
        if self.tag_callback is not None and self.tag_callback(self, tag, attrs, start) is True:
            return
        if start and self.maybe_automatic_link is not None and tag not in ("p", "div", "style", "dl", "dt"):
            if tag != "img" or self.ignore_images:
                self._open_link()
        if tag == "body":
            # A head that is not closed ends here.
            self.quiet = 0
        if self.google_doc:
            self._styled(tag, attrs, start)
        if tag not in ("ul", "ol"):
            self.lastWasList = False
        found = getattr(self, "_tag_" + (tag if tag.isalnum() else ""), None)
        if found is not None:
            found(tag, attrs, start)

    def _heading(self, tag: str, attrs: Attributes, start: bool) -> None:
        if self.astack:
            # A link around a heading opens within it.
            if start and self.outtextlist and self.outtextlist[-1] == "[":
                self.outtextlist.pop()
                self.space = False
                self.o("#" * int(tag[1]) + " [")
            return
        self.p()
        if start:
            self.o("#" * int(tag[1]) + " ")

    _tag_h1 = _tag_h2 = _tag_h3 = _tag_h4 = _tag_h5 = _tag_h6 = _tag_h7 = _tag_h8 = _tag_h9 = _heading

    def _paragraph(self, tag: str, attrs: Attributes, start: bool) -> None:
        if self.google_doc:
            if start and self._own_style.get("height") is not None:
                self.p()
            else:
                self.soft_br()
        elif self.astack:
            return
        elif not self.split_next_td:
            self.p()

    _tag_p = _tag_div = _paragraph

    def _tag_br(self, tag: str, attrs: Attributes, start: bool) -> None:
        if start:
            self.o("  \n> " if self.blockquote else "  \n")

    def _tag_hr(self, tag: str, attrs: Attributes, start: bool) -> None:
        if start:
            self.p()
            self.o("* * *")
            self.p()

    def _tag_head(self, tag: str, attrs: Attributes, start: bool) -> None:
        if tag == "style":
            self.style += 1 if start else -1
        self.quiet = max(0, self.quiet + 1) if start else self.quiet - 1

    _tag_style = _tag_script = _tag_head

    def _tag_blockquote(self, tag: str, attrs: Attributes, start: bool) -> None:
        self.p()
        if start:
            self.o("> ", force=True)
            self.start = True
            self.blockquote += 1
        else:
            self.blockquote -= 1
            self.p()

    def _stress(self, mark: str, apart: bool, start: bool) -> None:
        if not mark:
            return
        if start and apart:
            mark = " " + mark
            self.preceding_data += mark[:1]
        self.o(mark)
        if start:
            self.stressed = True

    def _tag_em(self, tag: str, attrs: Attributes, start: bool) -> None:
        if not self.ignore_emphasis:
            last = self.preceding_data[-1:]
            self._stress(self.emphasis_mark, bool(last) and last not in string.whitespace + string.punctuation, start)

    _tag_i = _tag_u = _tag_em

    def _tag_strong(self, tag: str, attrs: Attributes, start: bool) -> None:
        if not self.ignore_emphasis:
            self._stress(self.strong_mark, self.preceding_data[-1:] == self.strong_mark[:1] != "", start)

    _tag_b = _tag_strong

    def _tag_del(self, tag: str, attrs: Attributes, start: bool) -> None:
        self._stress("~~", self.preceding_data[-1:] == "~", start)

    _tag_s = _tag_strike = _tag_del

    def _tag_kbd(self, tag: str, attrs: Attributes, start: bool) -> None:
        if not self.pre:
            self.o("`")
            self.code = not self.code

    _tag_code = _tag_tt = _tag_kbd

    def _tag_abbr(self, tag: str, attrs: Attributes, start: bool) -> None:
        if start:
            self.abbr_title = attrs.get("title")
            self.abbr_data = ""
        else:
            if self.abbr_title is not None and self.abbr_data is not None:
                self.abbr_list[self.abbr_data] = self.abbr_title
            self.abbr_title = self.abbr_data = None

    def _tag_q(self, tag: str, attrs: Attributes, start: bool) -> None:
        self.o(self.close_quote if self.quote else self.open_quote)
        self.quote = not self.quote

    def _tag_dl(self, tag: str, attrs: Attributes, start: bool) -> None:
        if start:
            self.p()

    def _tag_dt(self, tag: str, attrs: Attributes, start: bool) -> None:
        if not start:
            self.pbr()

    def _tag_dd(self, tag: str, attrs: Attributes, start: bool) -> None:
        if start:
            self.o("    ")
        else:
            self.pbr()

    def _tag_sup(self, tag: str, attrs: Attributes, start: bool) -> None:
        if self.include_sup_sub:
            self.o(f"<{'' if start else '/'}{tag}>")

    _tag_sub = _tag_sup

    def _tag_pre(self, tag: str, attrs: Attributes, start: bool) -> None:
        if start:
            self.startpre = self.pre = True
        else:
            self.pre = False
            if self.mark_code:
                self.out("\n[/code]")
        self.p()

    def _tag_ul(self, tag: str, attrs: Attributes, start: bool) -> None:
        if start:
            if not self.list and not self.lastWasList:
                self.p()
            name = tag
            if self.google_doc:
                name = "ol" if _styles.is_ordered(self._own_style) else "ul"
            first = attrs.get("start") or ""
            number = int(first) - 1 if tag == "ol" and re.fullmatch(r"\s*[+-]?\d+\s*", first) else 0
            self.list.append(Level(name, number))
        elif self.list:
            self.list.pop()
            if not self.google_doc and not self.list:
                self.o("\n")
        self.lastWasList = True

    _tag_ol = _tag_ul

    def _tag_li(self, tag: str, attrs: Attributes, start: bool) -> None:
        self.lastWasList = False
        self.pbr()
        if not start:
            return
        level = self.list[-1] if self.list else Level("ul", 0)
        if self.google_doc:
            self.o("  " * self._indent())
        elif self.list:
            pairs = zip(self.list, self.list[1:])
            self.o(" " * (2 + sum(3 if outer.name == "ol" and inner.name == "ul" else 2 for outer, inner in pairs)))
        if level.name == "ul":
            self.o(self.ul_item_mark + " ")
        else:
            level.num += 1
            self.o(f"{level.num}. ")
        self.start = True

    def _indent(self) -> int:
        margin = re.match(r"\d+", self._own_style.get("margin-left", ""))
        return int(margin.group(0)) // self.google_list_indent if margin else 0
