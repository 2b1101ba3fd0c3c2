"""The command ``html2text``: ``python -m maintext.compat.html2text page.html``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from . import HTML2Text, __version__

#: Options that set an attribute to True or False.
_FLAGS = {
    "--pad-tables": ("pad_tables", True, "lay out tables with columns of one width"),
    "--no-wrap-links": ("wrap_links", False, "do not wrap lines with links"),
    "--wrap-list-items": ("wrap_list_items", True, "wrap items of lists"),
    "--wrap-tables": ("wrap_tables", True, "wrap rows of tables"),
    "--ignore-emphasis": ("ignore_emphasis", True, "leave out marks of bold and italic text"),
    "--reference-links": ("inline_links", False, "write addresses at the end"),
    "--ignore-links": ("ignore_links", True, "write the text of links alone"),
    "--ignore-mailto-links": ("ignore_mailto_links", True, "write the text of mail addresses alone"),
    "--protect-links": ("protect_links", True, "put addresses into angle brackets"),
    "--ignore-images": ("ignore_images", True, "leave out images"),
    "--images-as-html": ("images_as_html", True, "write images as HTML"),
    "--images-to-alt": ("images_to_alt", True, "write the alternative text of images alone"),
    "--images-with-size": ("images_with_size", True, "write images with a size as HTML"),
    "--hide-strikethrough": ("hide_strikethrough", True, "leave out struck text, with --google-doc"),
    "--escape-all": ("escape_snob", True, "escape all special characters"),
    "--bypass-tables": ("bypass_tables", True, "write tables as HTML"),
    "--ignore-tables": ("ignore_tables", True, "write the text of tables alone"),
    "--single-line-break": ("single_line_break", True, "end paragraphs with one line break; needs --body-width=0"),
    "--unicode-snob": ("unicode_snob", True, "keep characters outside of ASCII"),
    "--no-automatic-links": ("use_automatic_links", False, "do not write links as <address>"),
    "--no-skip-internal-links": ("skip_internal_links", False, "write links within the page"),
    "--links-after-para": ("links_each_paragraph", True, "write addresses after each paragraph"),
    "--mark-code": ("mark_code", True, "put code between [code] and [/code]"),
    "--include-sup-sub": ("include_sup_sub", True, "write superscripts and subscripts as HTML"),
    "--google-doc": ("google_doc", True, "convert a document that Google Docs exports"),
    "--whole": ("main_content", False, "convert whole pages, not their main content"),
}
_SHORT = {"--google-doc": "-g", "--hide-strikethrough": "-s"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="html2text", description="Converts HTML to Markdown.")
    for flag, (name, value, text) in _FLAGS.items():
        names = [_SHORT[flag], flag] if flag in _SHORT else [flag]
        parser.add_argument(*names, dest=name, action="store_const", const=value, default=None, help=text)
    parser.add_argument("--default-image-alt", help="the alternative text of images without one")
    parser.add_argument("-d", "--dash-unordered-list", action="store_true", help="use a dash for items of lists")
    parser.add_argument("-e", "--asterisk-emphasis", action="store_true", help="use asterisks for italic text, underscores for bold text")
    parser.add_argument("-b", "--body-width", type=int, help="the width of lines, 0 for no limit")
    parser.add_argument("-i", "--google-list-indent", type=int, help="pixels by which Google Docs indents lists")
    parser.add_argument("--decode-errors", default="strict", help="strict, ignore or replace")
    parser.add_argument("--open-quote", help="the mark before a quotation")
    parser.add_argument("--close-quote", help="the mark after a quotation")
    parser.add_argument("--version", action="version", version=".".join(map(str, __version__)))
    parser.add_argument("filename", nargs="?", help="the file; by default, the standard input")
    parser.add_argument("encoding", nargs="?", default="utf-8", help="the file's encoding")
    given = vars(parser.parse_args(arguments))
    name, encoding, errors = given.pop("filename"), given.pop("encoding"), given.pop("decode_errors")
    converter = HTML2Text()
    if given.pop("dash_unordered_list"):
        converter.ul_item_mark = "-"
    if given.pop("asterisk_emphasis"):
        converter.emphasis_mark, converter.strong_mark = "*", "__"
    for option, value in given.items():
        if value is not None:
            setattr(converter, option, value)
    if name and name != "-":
        with open(name, "rb") as file:
            data = file.read()
    else:
        data = sys.stdin.buffer.read()
    try:
        source = data.decode(encoding, errors)
    except UnicodeDecodeError:
        print("Warning: use the option --decode-errors=ignore.")
        raise
    sys.stdout.write(converter.handle(source))


if __name__ == "__main__":
    main()
