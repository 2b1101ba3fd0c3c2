"""The command, as newspaper4k's ``cli``: ``python -m maintext.compat.newspaper --url=https://example.org/article``."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from pathlib import Path
from typing import Any

from .api import article
from .settings import article_json_fields

__all__ = ["main"]


def get_arparse() -> argparse.ArgumentParser:
    """Returns the parser of the command's options."""
    parser = argparse.ArgumentParser(prog="newspaper", description="Download and parse news articles.")
    places = parser.add_mutually_exclusive_group(required=True)
    places.add_argument("--url", "-u", help="the address of the article")
    places.add_argument("--urls-from-file", "-uf", help="a file with an address on each line")
    places.add_argument("--urls-from-stdin", "-us", action="store_true", help="read addresses from standard input")
    parser.add_argument("--html-from-file", "-hf", help="a file with the page of the first address; it is not downloaded")
    parser.add_argument("--language", "-l", default="en", help="the language of the article")
    parser.add_argument("--output-format", "-of", choices=["csv", "json", "text"], default="json", help="the form of the output")
    parser.add_argument("--output-file", "-o", help="the file to write; without it, standard output")
    parser.add_argument("--read-more-link", help="an XPath expression for the link to the whole article")
    parser.add_argument("--skip-fetch-images", action="store_true", help="do not fetch images to see their size")
    parser.add_argument("--follow-meta-refresh", action="store_true", help="follow pages that lead to another one")
    parser.add_argument("--browser-user-agent", "-ua", help="the user agent")
    parser.add_argument("--proxy", help="the proxy, for example http://10.10.1.1:8080")
    parser.add_argument("--request-timeout", type=int, default=7, help="the time limit of a download in seconds")
    parser.add_argument("--cookies", help="cookies: name=value; name=value")
    parser.add_argument("--skip-ssl-verify", action="store_true", help="do not check certificates")
    parser.add_argument("--max-nr-keywords", type=int, default=10, help="the largest number of keywords")
    parser.add_argument("--skip-nlp", action="store_true", help="no keywords and no summary")
    return parser


def get_kwargs(args: argparse.Namespace) -> dict[str, Any]:
    """Returns the arguments of :func:`article` for the options.

    :raises FileNotFoundError: if the file with the page does not exist
    """
    made: dict[str, Any] = {
        "language": args.language,
        "read_more_link": args.read_more_link,
        "browser_user_agent": args.browser_user_agent,
        "request_timeout": args.request_timeout,
        "max_keywords": args.max_nr_keywords,
        "follow_meta_refresh": args.follow_meta_refresh or None,
        "fetch_images": False if args.skip_fetch_images else None,
        "verify": False if args.skip_ssl_verify else None,
        "proxies": {"http": args.proxy, "https": args.proxy} if args.proxy else None,
        "cookies": dict(pair.strip().split("=", 1) for pair in args.cookies.split(";")) if args.cookies else None,
        "input_html": Path(args.html_from_file).read_text(encoding="utf-8") if args.html_from_file else None,
    }
    return {name: value for name, value in made.items() if value is not None}


def _csv(row: dict[str, Any] | None) -> str:
    with io.StringIO() as buffer:
        writer = csv.DictWriter(buffer, fieldnames=article_json_fields)
        if row is None:
            writer.writeheader()
        else:
            writer.writerow(row)
        return buffer.getvalue()


def run(args: argparse.Namespace) -> None:
    """Downloads and parses the articles and writes them."""
    if args.urls_from_file:
        urls = Path(args.urls_from_file).read_text(encoding="utf-8").split()
    else:
        urls = sys.stdin.read().split() if args.urls_from_stdin else [args.url]
    kwargs = get_kwargs(args)
    parts: list[str] = []
    for url in urls:
        found = article(url=url, **kwargs)
        if not args.skip_nlp:
            found.nlp()
        kwargs.pop("input_html", None)
        if args.output_format == "text":
            parts.append(f"{found.title}\n\n{found.text}")
        elif args.output_format == "csv":
            parts.append(_csv(found.to_json(as_string=False)))
        else:
            parts.append(found.to_json())
    if args.output_format == "json":
        written = f"[{','.join(parts)}]"
    else:
        written = "".join([_csv(None), *parts]) if args.output_format == "csv" else "\n".join(parts)
    if args.output_file:
        Path(args.output_file).write_text(written, encoding="utf-8")
    else:
        print(written)


def main(argv: list[str] | None = None) -> None:
    """Runs the command."""
    args = get_arparse().parse_args(argv)
    try:
        run(args)
    except KeyboardInterrupt:
        sys.exit("\nERROR: Interrupted by user, exiting...\n")
