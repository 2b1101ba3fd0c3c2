"""Conversion of elements of Beautiful Soup to Markdown, as markdownify's ``MarkdownConverter``."""

from __future__ import annotations

import re
import textwrap
from typing import Any, Callable

from .._content import main_part

ATX, ATX_CLOSED, UNDERLINED = "atx", "atx_closed", "underlined"
SETEXT = UNDERLINED
SPACES, BACKSLASH = "spaces", "backslash"
ASTERISK, UNDERSCORE = "*", "_"
LSTRIP, RSTRIP, STRIP, STRIP_ONE = "lstrip", "rstrip", "strip", "strip_one"

_BLANK = " \t\r\n"
_HEADING = re.compile(r"h\d+\Z")
#: Elements at whose inner and outer borders white space has no meaning.
_BLOCKS = set("p blockquote article div section ol ul li dl dt dd table thead tbody tfoot tr td th".split())
_LITERAL = {"pre", "code", "kbd", "samp"}
#: The default of each option; keyword arguments and classes named Options change them.
DEFAULTS: dict[str, Any] = {
    "autolinks": True,
    "bs4_options": "html.parser",
    "bullets": "*+-",
    "code_language": "",
    "code_language_callback": None,
    "convert": None,
    "default_title": False,
    "escape_asterisks": True,
    "escape_underscores": True,
    "escape_misc": False,
    "heading_style": UNDERLINED,
    "keep_inline_images_in": [],
    "main_content": False,
    "newline_style": SPACES,
    "strip": None,
    "strip_document": STRIP,
    "strip_pre": STRIP,
    "strong_em_symbol": ASTERISK,
    "sub_symbol": "",
    "sup_symbol": "",
    "table_infer_header": False,
    "wrap": False,
    "wrap_width": 80,
}


def _is_block(node: Any, outside: bool = False) -> bool:
    """Returns whether white space inside an element's borders, or outside of them, has no meaning."""
    name = getattr(node, "name", None) or ""
    return name in _BLOCKS or bool(_HEADING.match(name)) or (outside and name == "pre")


def _split(text: str) -> tuple[str, str, str]:
    """Returns one space for white space before a text, the text alone, and one space for white space after it."""
    before = " " if text and text[0] == " " else ""
    after = " " if text and text[-1] == " " else ""
    return before, text.strip(), after


def _indented(text: str, first: str, rest: str) -> str:
    """Puts ``first`` before the first line of a text and ``rest`` before the others that are not empty."""
    lines = text.split("\n")
    return "\n".join([first + lines[0], *(rest + line if line else line for line in lines[1:])])


def _joined(parts: list[str]) -> str:
    """Joins converted children; where two of them ask for line breaks, the greater number counts, at most two."""
    made: list[str] = []
    breaks = 0
    for part in filter(None, parts):
        content = part.strip("\n")
        leading = len(part) - len(part.lstrip("\n"))
        if breaks and leading:
            leading = min(2, max(breaks, leading))
            breaks = 0
        made.append("\n" * (breaks + leading) + content)
        breaks = len(part) - len(part.rstrip("\n")) if content else 0
    return "".join(made) + "\n" * breaks


def inline(mark: Callable[[Any], str]) -> Callable[..., str]:
    """Returns a conversion that puts marks around a text; white space stays outside of them."""

    def convert(self: Any, el: Any, text: str, parent_tags: set[str]) -> str:
        if "_noformat" in parent_tags:
            return text
        opening = mark(self)
        closing = "</" + opening[1:] if opening.startswith("<") and opening.endswith(">") else opening
        before, text, after = _split(text)
        return f"{before}{opening}{text}{closing}{after}" if text else ""

    return convert


def boxed(self: Any, el: Any, text: str, parent_tags: set[str]) -> str:
    """Converts an element to paragraphs of its own."""
    if "_inline" in parent_tags:
        return " " + text.strip() + " "
    text = text.strip()
    return f"\n\n{text}\n\n" if text else ""


class Converter:
    """The walk over the tree; conversions of single elements are in the subclass."""

    class DefaultOptions:
        """Options of every converter."""

    class Options(DefaultOptions):
        """Options of a subclass."""

    def __init__(self, **options: Any) -> None:
        self.options: dict[str, Any] = dict(DEFAULTS)
        for holder in (self.DefaultOptions, self.Options):
            self.options.update({name: value for name, value in vars(holder).items() if not name.startswith("__")})
        known = set(self.options)
        self.options.update(options)
        unknown = sorted(set(options) - known)
        if unknown and (type(self).__module__ or "").startswith("maintext."):
            raise TypeError(f"unknown option of markdownify: {', '.join(unknown)}")
        if self.options["strip"] is not None and self.options["convert"] is not None:
            raise ValueError("You may specify either tags to strip or tags to convert, but not both.")
        if self.options["main_content"] not in (True, False):
            raise ValueError(f"main_content={self.options['main_content']!r}: expected True or False")
        given = self.options["bs4_options"]
        self.options["bs4_options"] = dict(given) if isinstance(given, dict) else {"features": given}
        self._found: dict[str, Any] = {}
        # The document that has passed the choice of content.
        self._ready: Any = None

    def _soup(self, html: Any) -> Any:
        try:
            from bs4 import BeautifulSoup
        except ImportError as error:
            raise ImportError("markdownify needs beautifulsoup4: pip install 'maintext[markdownify]'") from error
        return BeautifulSoup(html, **self.options["bs4_options"])

    def convert(self, html: Any) -> str:
        """Converts a page or a fragment, as str, bytes or an open file."""
        if hasattr(html, "read"):
            html = html.read()
        return self.convert_soup(self._chosen(self._soup(html), html))

    def convert_soup(self, soup: Any) -> str:
        """Converts an element or a document of Beautiful Soup."""
        if soup is not self._ready:
            soup = self._chosen(soup, None)
        self._ready = None
        return str(self.process_tag(soup, parent_tags=set()))

    def _chosen(self, soup: Any, source: Any) -> Any:
        """Returns the main content of a page as a new document if it is wanted, or the document itself."""
        if self.options["main_content"]:
            content = main_part(source if isinstance(source, str) else str(soup))
            if content is not None:
                soup = self._soup(content)
        self._ready = soup
        return soup

    def process_element(self, node: Any, parent_tags: set[str] | None = None) -> str:
        """Converts an element or a text."""
        from bs4.element import NavigableString

        tags = parent_tags or set()
        return self.process_text(node, tags) if isinstance(node, NavigableString) else self.process_tag(node, tags)

    def process_tag(self, node: Any, parent_tags: set[str] | None = None) -> str:
        """Converts an element with everything inside it."""
        outer = parent_tags or set()
        inner = set(outer) | {node.name}
        if _HEADING.match(node.name) or node.name in ("td", "th"):
            inner.add("_inline")
        if node.name in _LITERAL:
            inner.add("_noformat")
        parts = [self.process_element(child, parent_tags=inner) for child in self._children(node)]
        text = "".join(parts) if "pre" in inner else _joined(parts)
        convert = self.get_conv_fn_cached(node.name)
        return text if convert is None else str(convert(node, text, parent_tags=outer))

    def _children(self, node: Any) -> list[Any]:
        """Returns the children that can show something."""
        from bs4.element import Comment, Doctype, NavigableString, Tag

        block = _is_block(node)
        kept = []
        for child in node.children:
            if isinstance(child, (Comment, Doctype)):
                continue
            if isinstance(child, Tag) or child.strip() or not isinstance(child, NavigableString):
                kept.append(child)
                continue
            before, after = child.previous_sibling, child.next_sibling
            at_border = block and (before is None or after is None)
            if not (at_border or _is_block(before, True) or _is_block(after, True)):
                kept.append(child)
        return kept

    def process_text(self, el: Any, parent_tags: set[str] | None = None) -> str:
        """Converts a text."""
        tags = parent_tags or set()
        text = str(el) or ""
        if "pre" not in tags:
            if self.options["wrap"]:
                text = re.sub(r"[\t \r\n]+", " ", text)
            else:
                text = re.sub(r"[\t \r\n]*[\r\n][\t \r\n]*", "\n", text)
                text = re.sub(r"[\t ]+", " ", text)
        if "_noformat" not in tags:
            text = self.escape(text, tags)
        before, after = el.previous_sibling, el.next_sibling
        if _is_block(before, True) or (_is_block(el.parent) and before is None):
            text = text.lstrip(_BLANK)
        if _is_block(after, True) or (_is_block(el.parent) and after is None):
            text = text.rstrip()
        return text

    def get_conv_fn_cached(self, tag_name: str) -> Any:
        """Returns the conversion of a tag, or None."""
        if tag_name not in self._found:
            self._found[tag_name] = self.get_conv_fn(tag_name)
        return self._found[tag_name]

    def get_conv_fn(self, tag_name: str) -> Any:
        """Looks up the conversion of a tag, or returns None."""
        name = tag_name.lower()
        if not self.should_convert_tag(name):
            return None
        found = getattr(self, "convert_" + re.sub(r"[\[\]:-]", "_", name), None)
        level = re.match(r"h(\d+)\Z", name)
        if found is None and level:
            number = int(level.group(1))
            return lambda el, text, parent_tags: self.convert_hN(number, el, text, parent_tags)  # type: ignore[attr-defined]
        return found

    def should_convert_tag(self, tag: str) -> bool:
        """Returns whether the options strip and convert let a tag be converted."""
        strip, convert = self.options["strip"], self.options["convert"]
        if strip is not None:
            return tag not in strip
        return tag in convert if convert is not None else True

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Escapes characters that Markdown would take for markup."""
        if not text:
            return ""
        if self.options["escape_misc"]:
            text = re.sub(r"([]\\&<`>~=+|[])", r"\\\1", text)
            # A run of dashes at the start of a line, and what looks like a heading or an item of a list.
            text = re.sub(r"(\s|\A)(-+(?:\s|\Z))", r"\1\\\2", text)
            text = re.sub(r"(\s|\A)(#{1,6}(?:\s|\Z))", r"\1\\\2", text)
            text = re.sub(r"((?:\s|\A)[0-9]{1,9})([.)](?:\s|\Z))", r"\1\\\2", text)
        if self.options["escape_asterisks"]:
            text = text.replace("*", r"\*")
        if self.options["escape_underscores"]:
            text = text.replace("_", r"\_")
        return text

    def underline(self, text: str, pad_char: str) -> str:
        """Returns a heading with a line of characters below it."""
        text = text.rstrip()
        return f"\n\n{text}\n{pad_char * len(text)}\n\n" if text else ""

    def _wrapped(self, text: str) -> str:
        """Wraps the lines of a text; explicit line breaks stay."""
        width = self.options["wrap_width"]
        lines = []
        for line in text.split("\n"):
            bare = line.lstrip(_BLANK)
            trailing = bare[len(bare.rstrip()) :]
            if width is None:
                lines.append(line)
                continue
            filled = textwrap.fill(bare, width=width, break_long_words=False, break_on_hyphens=False)
            lines.append(filled + trailing)
        return "\n".join(lines)
