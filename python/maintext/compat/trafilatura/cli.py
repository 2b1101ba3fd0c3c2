"""The command line of trafilatura: ``python -m maintext.compat.trafilatura -u https://example.org``."""

from __future__ import annotations

import argparse
import logging
import platform
import sys
from typing import Any

from ... import __version__
from .cli_utils import (
    cli_crawler,
    cli_discovery,
    examine,
    file_processing_pipeline,
    load_blacklist,
    load_input_dict,
    probe_homepage,
    url_processing_pipeline,
    write_result,
)
from .settings import PARALLEL_CORES, SUPPORTED_FMT_CLI

__all__ = ["examine", "load_input_dict", "main", "map_args", "parse_args", "process_args"]

#: The version of trafilatura whose options these are.
_FOLLOWS = "2.3.1"


def add_args(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Adds the options of the command."""
    add = parser.add_argument_group("Input", "URLs, files or directories to process")
    one = add.add_mutually_exclusive_group()
    one.add_argument("-i", "--input-file", help="file with addresses, one per line")
    one.add_argument("--input-dir", help="folder of pages")
    one.add_argument("-u", "--URL", help="address of a page")
    add.add_argument("--parallel", help="number of threads", type=int, default=PARALLEL_CORES)
    add.add_argument("-b", "--blacklist", help="file with unwanted addresses")
    add = parser.add_argument_group("Output", "Whether and how files are written")
    add.add_argument("--list", action="store_true", help="print addresses and do not fetch them")
    add.add_argument("-o", "--output-dir", help="folder for the results")
    add.add_argument("--backup-dir", help="folder for copies of the pages")
    add.add_argument("--keep-dirs", action="store_true", help="keep folders and names of the input")
    add = parser.add_argument_group("Navigation", "Discovery of addresses and crawls")
    one = add.add_mutually_exclusive_group()
    one.add_argument("--feed", nargs="?", const=True, help="look for feeds, or read this feed")
    one.add_argument("--sitemap", nargs="?", const=True, help="look for sitemaps, or read this sitemap")
    one.add_argument("--crawl", nargs="?", const=True, help="visit some pages of a site")
    one.add_argument("--explore", nargs="?", const=True, help="read the sitemaps of a site and visit some of its pages")
    one.add_argument("--probe", nargs="?", const=True, help="tell whether a site has usable content")
    add.add_argument("--archived", action="store_true", help="fetch pages that fail from the Internet Archive")
    add.add_argument("--url-filter", nargs="+", type=str, help="only addresses that contain one of these")
    add = parser.add_argument_group("Extraction", "Choice of text and metadata")
    add.add_argument("-f", "--fast", action="store_true", help="accepted; extraction is always fast")
    add.add_argument("--formatting", action="store_true", help="keep bold, italic and other formatting")
    add.add_argument("--links", action="store_true", help="keep links with their targets")
    add.add_argument("--images", action="store_true", help="keep images")
    add.add_argument("--no-comments", action="store_false", dest="comments", help="leave out comments")
    add.add_argument("--no-tables", action="store_false", dest="tables", help="leave out tables")
    add.add_argument("--only-with-metadata", action="store_true", help="only pages with title, URL and date")
    add.add_argument("--with-metadata", action="store_true", help="add metadata")
    add.add_argument("--target-language", type=str, help="only pages in this language, an ISO 639-1 code")
    add.add_argument("--deduplicate", action="store_true", help="leave out repeated pages and paragraphs")
    add.add_argument("--config-file", type=str, help="file with settings")
    add.add_argument("--precision", action="store_true", help="less text, with less noise")
    add.add_argument("--recall", action="store_true", help="more text, with more noise")
    add = parser.add_argument_group("Format", "Choice of the output format")
    one = add.add_mutually_exclusive_group()
    one.add_argument("--output-format", choices=SUPPORTED_FMT_CLI, default="txt", help="output format")
    for name in SUPPORTED_FMT_CLI:
        if name != "txt":
            one.add_argument(f"--{name}", action="store_true", help=f"output format {name}")
    add.add_argument("--validate-tei", action="store_true", help="check TEI output")
    parser.add_argument("-v", "--verbose", action="count", default=0, help="log more (-v or -vv)")
    version = f"Trafilatura {_FOLLOWS} - Python {platform.python_version()} (maintext {__version__})"
    parser.add_argument("--version", action="version", version=version)
    return parser


def parse_args(args: list[str]) -> Any:
    """Reads the arguments of the command."""
    parser = add_args(argparse.ArgumentParser(prog="trafilatura", description="The command line of trafilatura, by maintext"))
    # trafilatura 2.0 takes the name of the program too.
    found = parser.parse_args(args[1:] if args[:1] == [""] else args)
    if found.keep_dirs and not (found.output_dir or found.input_file or found.input_dir):
        parser.error("--keep-dirs requires --output-dir")
    # The names of trafilatura 2.0.
    found.no_tables, found.no_comments = found.tables, found.comments
    mapped = map_args(found)
    if found.list:
        defaults = vars(parser.parse_args([]))
        names = ("output_format", "formatting", "links", "images", "comments", "tables", "with_metadata", "precision", "recall")
        unused = [name for name in names if getattr(found, name) != defaults[name]]
        if unused:
            print(f"--list only prints URLs, ignoring: {', '.join(unused)}", file=sys.stderr)
    return mapped


def map_args(args: Any) -> Any:
    """Sets the output format from the short options."""
    for name in SUPPORTED_FMT_CLI:
        if name != "txt" and getattr(args, name, False):
            args.output_format = name
            break
    return args


def main() -> None:
    """Runs the command."""
    process_args(parse_args(sys.argv[1:]))


def process_args(args: Any) -> None:
    """Does what the arguments ask for."""
    if args.verbose:
        logging.basicConfig(stream=sys.stdout, level=logging.WARNING if args.verbose == 1 else logging.DEBUG)
    if args.blacklist:
        args.blacklist = load_blacklist(args.blacklist)
    code = 0
    if args.explore or args.feed or args.sitemap:
        code = cli_discovery(args)
    elif args.crawl:
        cli_crawler(args)
    elif args.probe:
        probe_homepage(args)
    elif args.input_dir:
        file_processing_pipeline(args)
    elif args.input_file or args.URL:
        code = url_processing_pipeline(args, load_input_dict(args))
    else:
        write_result(examine(sys.stdin.buffer.read(), args, url=args.URL), args)
    if code:
        sys.exit(code)


if __name__ == "__main__":
    main()
