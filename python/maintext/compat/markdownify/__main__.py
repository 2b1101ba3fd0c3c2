"""The command ``markdownify``: ``python -m maintext.compat.markdownify page.html``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from . import ASTERISK, ATX, ATX_CLOSED, BACKSLASH, SPACES, UNDERLINED, UNDERSCORE, markdownify


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="markdownify", description="Converts HTML to Markdown.")
    add = parser.add_argument
    add("html", nargs="?", type=argparse.FileType("r"), default=sys.stdin, help="the file; by default, the standard input")
    add("-s", "--strip", nargs="*", help="tags whose text alone is written")
    add("-c", "--convert", nargs="*", help="the only tags to convert")
    add("-a", "--autolinks", action="store_true", help="write a link whose text is its address as <address>")
    add("--default-title", action="store_false", help="do not take the address as the title of a link without title")
    add("--heading-style", default=UNDERLINED, choices=(ATX, ATX_CLOSED, UNDERLINED), help="the style of headings")
    add("-b", "--bullets", default="*+-", help="the marks of nested lists, from the outermost one")
    add("--strong-em-symbol", default=ASTERISK, choices=(ASTERISK, UNDERSCORE), help="the mark of bold and italic text")
    add("--sub-symbol", default="", help="the mark of subscripts")
    add("--sup-symbol", default="", help="the mark of superscripts")
    add("--newline-style", default=SPACES, choices=(SPACES, BACKSLASH), help="the mark of line breaks")
    add("--code-language", default="", help="the language of every pre element")
    add("--no-escape-asterisks", dest="escape_asterisks", action="store_false", help="do not escape asterisks")
    add("--no-escape-underscores", dest="escape_underscores", action="store_false", help="do not escape underscores")
    add("-i", "--keep-inline-images-in", default=[], nargs="*", help="headings and cells that keep their images")
    add("--table-infer-header", action="store_true", help="the first row is the header of a table without one")
    add("-w", "--wrap", action="store_true", help="wrap paragraphs")
    add("--wrap-width", type=int, default=80, help="the width of wrapped paragraphs")
    add("--bs4-options", default="html.parser", help="Beautiful Soup's parser")
    add("--whole", dest="main_content", action="store_false", default=None, help="convert whole pages, not their main content")
    print(markdownify(**vars(parser.parse_args(argv))))


if __name__ == "__main__":
    main()
