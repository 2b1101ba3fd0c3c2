"""The command ``htmldate``: ``python -m maintext.compat.htmldate``."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from platform import python_version

from . import __version__
from .core import find_date
from .utils import fetch_url


def cli_examine(htmlstring: str | None, args: argparse.Namespace) -> str | None:
    """Returns the date of a page; the options come from the command line."""
    if not htmlstring or not 10 <= len(htmlstring) <= 10_000_000:
        return None
    return find_date(
        htmlstring,
        extensive_search=not args.fast,
        original_date=args.original,
        verbose=args.verbose,
        min_date=args.mindate,
        max_date=args.maxdate,
    )


def parse_args(args: Sequence[str]) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="htmldate", description="Finds the date of a page.")
    add = parser.add_argument
    add("-f", "--fast", action="store_true", help="do not search the text")
    add("-i", "--inputfile", help="a file with one address per line")
    add("--original", action="store_true", help="prefer the date of publication to that of the last change")
    add("-min", "--mindate", help="the earliest acceptable date (YYYY-MM-DD)")
    add("-max", "--maxdate", help="the latest acceptable date (YYYY-MM-DD)")
    add("-u", "--URL", help="the address to fetch; by default, the page is read from the standard input")
    add("-v", "--verbose", action="store_true", help="log what is found")
    add("--version", action="version", version=f"Htmldate {__version__} - Python {python_version()}", help="print the version")
    return parser.parse_args(args)


def process_args(args: argparse.Namespace) -> None:
    """Writes the dates of the pages that the command line names."""
    if args.verbose:
        logging.basicConfig(level=logging.DEBUG)
    if args.inputfile:
        with open(args.inputfile, encoding="utf-8") as file:
            for line in file:
                sys.stdout.write(f"{line.strip()}\t{cli_examine(fetch_url(line.strip()), args)}\n")
        return
    if args.URL:
        page = fetch_url(args.URL)
        if page is None:
            sys.exit(f"No data for URL: {args.URL}\n")
    else:
        try:
            page = sys.stdin.read()
        except UnicodeDecodeError as error:
            sys.exit(f"Wrong buffer encoding: {error}\n")
    found = cli_examine(page, args)
    if found is not None:
        sys.stdout.write(found + "\n")


def main() -> None:
    """Runs the command."""
    process_args(parse_args(sys.argv[1:]))
