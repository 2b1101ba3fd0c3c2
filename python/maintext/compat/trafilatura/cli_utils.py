"""The work of the command line, as trafilatura's ``cli_utils``."""

from __future__ import annotations

import gzip
import logging
import os
import random
import re
import signal
import string
import sys
import threading
import traceback
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import settings, spider
from .baseline import html2txt
from .core import extract
from .deduplication import generate_bow_hash
from .downloads import Response, add_to_compressed_dict, buffered_downloads, buffered_response_downloads, load_download_buffer
from .feeds import find_feed_urls
from .settings import FILENAME_LEN, Extractor, args_to_extractor
from .sitemaps import sitemap_search
from .utils import URL_BLACKLIST_REGEX, language_classifier, make_chunks

LOGGER = logging.getLogger(__name__)

_ENDINGS = {"csv": ".csv", "html": ".html", "json": ".json", "markdown": ".md", "xml": ".xml", "xmltei": ".xml"}
_INPUTS = ("URL", "crawl", "explore", "probe", "feed", "sitemap")


def load_input_urls(args: Any) -> list[str]:
    """Returns the addresses of the arguments: those of a file, or the one that is given."""
    if args.input_file:
        lines = Path(args.input_file).read_text(encoding="utf-8", errors="ignore").splitlines()
        found = [match.group(0) for match in (re.match(r"https?://\S+", line.strip()) for line in lines) if match]
    else:
        given = (getattr(args, name, None) for name in _INPUTS)
        found = [next((value for value in given if value and value is not True), "")]
    found = list(dict.fromkeys(address for address in found if address))
    if not found:
        LOGGER.warning("No input provided")
    return found


def load_blacklist(filename: str) -> set[str]:
    """Returns the unwanted addresses of a file, without scheme and final slash."""
    lines = Path(filename).read_text(encoding="utf-8").splitlines()
    return {URL_BLACKLIST_REGEX.sub("", line.strip()) for line in lines if line.strip()}


def load_input_dict(args: Any) -> Any:
    """Returns a store of the addresses of the arguments."""
    return add_to_compressed_dict(
        load_input_urls(args), blacklist=args.blacklist, url_filter=args.url_filter, verbose=bool(args.verbose)
    )


def check_outputdir_status(directory: str) -> bool:
    """Creates a folder if it does not exist. Returns whether it can be used."""
    path = Path(directory)
    try:
        if path.exists() and not path.is_dir():
            raise OSError("not a folder")
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.stderr.write(f"ERROR: Destination cannot be created or written to: {directory} ({error})\n")
        return False
    return os.access(path, os.W_OK)


def determine_counter_dir(dirname: str, c: int) -> str:
    """Returns the subfolder for the result of a number."""
    if c == -1 or not settings.MAX_FILES_PER_DIRECTORY:
        return dirname
    return str(Path(dirname) / str(c // settings.MAX_FILES_PER_DIRECTORY + 1))


def get_writable_path(destdir: str, extension: str) -> tuple[str, str]:
    """Returns a new path in a folder, and its name."""
    while True:
        name = "".join(random.choices(string.ascii_letters + string.digits, k=FILENAME_LEN))
        path = Path(destdir) / f"{name}{extension}"
        if not path.exists():
            return str(path), name


def generate_hash_filename(content: str) -> str:
    """Returns a file name that depends on the words of a page."""
    return urlsafe_b64encode(generate_bow_hash(re.sub(r"<[^<]+?>", "", content), 12)).decode()


def determine_output_path(
    args: Any, orig_filename: str, content: str, counter: int = -1, new_filename: str | None = None
) -> tuple[str, str]:
    """Returns the path of a result, and its folder."""
    ending = _ENDINGS.get(args.output_format, ".txt")
    if args.keep_dirs:
        folder = Path(args.output_dir) / Path(orig_filename).parent
        name = re.sub(r"\.[a-z]{2,5}$", "", Path(orig_filename).name)
    else:
        folder = Path(determine_counter_dir(args.output_dir, counter))
        name = new_filename or generate_hash_filename(content)
    slash = "/" if str(folder) == args.output_dir.rstrip("/") and args.output_dir.endswith("/") else ""
    return str(folder / f"{name}{ending}"), f"{folder}{slash}"


def archive_html(htmlstring: str, args: Any, counter: int = -1) -> str:
    """Writes a copy of a page. Returns the file's name."""
    folder = determine_counter_dir(args.backup_dir, counter)
    if not check_outputdir_status(folder):
        return ""
    path, name = get_writable_path(folder, ".html.gz")
    Path(path).write_bytes(gzip.compress(htmlstring.encode("utf-8")))
    return name


def write_result(
    result: str | None, args: Any, orig_filename: str = "", counter: int = -1, new_filename: str | None = None
) -> None:
    """Prints a result or writes it to a file."""
    if result is None:
        return
    if args.output_dir is None:
        sys.stdout.write(result + "\n")
        return
    path, folder = determine_output_path(args, orig_filename, result, counter, new_filename)
    if check_outputdir_status(folder):
        Path(path).write_text(result, encoding="utf-8")


def generate_filelist(inputdir: str) -> Iterator[str]:
    """Returns the files of a folder and its subfolders."""
    return (str(path) for path in sorted(Path(inputdir).rglob("*")) if path.is_file())


def file_processing(filename: str, args: Any, counter: int = -1, options: Extractor | None = None) -> None:
    """Extracts a file and writes the result."""
    options = options or args_to_extractor(args)
    path = Path(filename)
    content = path.read_bytes()
    options.source = filename
    result = examine(content, args, options=options)
    write_result(result, args, str(path.relative_to(args.input_dir)) if args.input_dir and args.keep_dirs else filename, counter)


def process_result(htmlstring: str, args: Any, counter: int, options: Extractor | None) -> int:
    """Extracts a fetched page and writes the result. Returns the next number."""
    name = archive_html(htmlstring, args, counter) if args.backup_dir else None
    result = examine(htmlstring, args, url=options.url if options else None, options=options)
    write_result(result, args, "", counter, name)
    return counter + 1 if counter >= 0 and result is not None else counter


def download_queue_processing(url_store: Any, args: Any, counter: int, options: Extractor) -> tuple[list[str], int]:
    """Fetches and extracts all addresses of a store. Returns those that failed, and the next number."""
    failed: list[str] = []
    while not url_store.done:
        addresses, url_store = load_download_buffer(url_store, options.config.getfloat("DEFAULT", "SLEEP_TIME"))
        for address, text in buffered_downloads(addresses, args.parallel, options=options):
            if text is None:
                failed.append(address)
                continue
            options.url = options.source = address
            counter = process_result(text, args, counter, options)
    return failed, counter


def _print_urls(addresses: list[str], args: Any) -> None:
    for address in addresses:
        write_result(address, args)


def cli_discovery(args: Any) -> int:
    """Looks for addresses in feeds and sitemaps, and extracts them or prints them."""
    store = load_input_dict(args)
    inputs = store.dump_urls()
    if args.list:
        store.reset()
    options = args_to_extractor(args)
    external = options.config.getboolean("DEFAULT", "EXTERNAL_URLS")
    search = find_feed_urls if args.feed else sitemap_search
    pause = options.config.getfloat("DEFAULT", "SLEEP_TIME")

    def found(address: str) -> list[str]:
        return search(address, target_lang=args.target_language, external=external, sleep_time=pause, config=options.config)

    code = 0
    with ThreadPoolExecutor(max_workers=args.parallel) as pool:
        for chunk in make_chunks(inputs, args.parallel * 100):
            for links in pool.map(found, chunk):
                store = add_to_compressed_dict(links, args.blacklist, args.url_filter, store)
    if args.explore:
        store = build_exploration_dict(store, inputs, args)
        cli_crawler(args, url_store=store, options=options)
        return code
    return url_processing_pipeline(args, store)


def build_exploration_dict(url_store: Any, input_urls: list[str], args: Any) -> Any:
    """Returns a store of the sites without known addresses, for which a crawl is needed."""
    from courlan import extract_domain

    known = {extract_domain(domain) for domain in url_store.get_known_domains()}
    missing = [address for address in input_urls if extract_domain(address) not in known]
    return add_to_compressed_dict(missing, blacklist=args.blacklist, url_filter=args.url_filter)


def cli_crawler(args: Any, n: int = 30, url_store: Any = None, options: Extractor | None = None) -> None:
    """Visits at most ``n`` pages of every site, and prints or extracts the addresses that it finds."""
    from courlan import get_base_url

    options = options or args_to_extractor(args)
    pause = options.config.getfloat("DEFAULT", "SLEEP_TIME")
    crawls: dict[str, spider.CrawlParameters] = {}
    spider.URL_STORE = url_store if url_store is not None else load_input_dict(args)
    for address in spider.URL_STORE.dump_urls():
        site = get_base_url(address)
        if site and site not in crawls:
            started = spider.init_crawl(address, lang=args.target_language, config=options.config)
            crawls[started.base] = started
    while spider.URL_STORE.done is False:
        addresses, spider.URL_STORE = load_download_buffer(spider.URL_STORE, pause)
        for address, response in buffered_response_downloads(addresses, args.parallel, options=options):
            if not isinstance(response, Response):
                continue
            base = get_base_url(response.url)
            params = crawls.get(base)
            if params is None:
                LOGGER.warning("no crawl parameters for %s", response.url)
                continue
            spider.process_response(response, params)
            params.i += 1
        # A site is finished after n pages, and without new addresses.
        if any(count >= n for count in spider.URL_STORE.get_all_counts()):
            break
    store = spider.URL_STORE
    if args.list or args.crawl or args.explore:
        _print_urls(sorted(store.dump_urls()) if args.explore else store.dump_urls(), args)


def probe_homepage(args: Any) -> None:
    """Prints the addresses of pages with content in the wanted language."""
    options = args_to_extractor(args)
    addresses = load_input_urls(args)
    for address, text in buffered_downloads(addresses, args.parallel, options=options):
        if text is None:
            continue
        content = html2txt(text)
        usable = len(content) > options.min_extracted_size and any(c.isalpha() for c in content)
        language = language_classifier(content, "") if args.target_language else None
        if usable and (not args.target_language or language in (None, args.target_language)):
            sys.stdout.write(address + "\n")


def _define_exit_code(errors: list[str], total: int) -> int:
    """Returns 126 if nearly all downloads failed, 1 if some did, and 0 otherwise."""
    share = len(errors) / total if total else 0
    return 126 if share > 0.99 else 1 if errors else 0


def url_processing_pipeline(args: Any, url_store: Any) -> int:
    """Prints the addresses of a store, or fetches and extracts them. Returns the exit code."""
    if args.list:
        _print_urls(url_store.dump_urls(), args)
        return 0
    options = args_to_extractor(args)
    total = url_store.total_url_number()
    counter = 0 if args.output_dir and total > settings.MAX_FILES_PER_DIRECTORY else -1
    failed, counter = download_queue_processing(url_store, args, counter, options)
    if failed and args.archived:
        archived = add_to_compressed_dict([f"https://web.archive.org/web/20/{address}" for address in failed])
        failed, _ = download_queue_processing(archived, args, counter, options)
    return _define_exit_code(failed, total)


def file_processing_pipeline(args: Any) -> None:
    """Extracts all files of a folder, with one thread per core."""
    files = list(generate_filelist(args.input_dir)) if Path(args.input_dir).is_dir() else []
    numbered = len(files) >= settings.MAX_FILES_PER_DIRECTORY > 0 and bool(args.output_dir)
    with ThreadPoolExecutor(max_workers=max(args.parallel or 1, 1)) as pool:
        jobs = ((name, place if numbered else -1) for place, name in enumerate(files))
        for done in [pool.submit(file_processing, name, args, number) for name, number in jobs]:
            done.result()


@contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    """Raises TimeoutError after some seconds, in the main thread of systems with signals."""
    if not seconds or not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise TimeoutError("the extraction took too long")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def examine(htmlstring: Any, args: Any, url: str | None = None, options: Extractor | None = None) -> str | None:
    """Extracts a page. Prints errors and returns None if there is no result."""
    options = options or args_to_extractor(args, url)
    if url:
        options.url = options.source = url
    if not htmlstring:
        sys.stderr.write("ERROR: empty document\n")
        return None
    size = len(htmlstring)
    if size > options.max_file_size or size < options.min_file_size:
        sys.stderr.write(f"ERROR: file too {'large' if size > options.max_file_size else 'small'}\n")
        return None
    try:
        with _time_limit(int(options.config.get("DEFAULT", "EXTRACTION_TIMEOUT", fallback="0") or 0)):
            return extract(htmlstring, options=options)
    except TimeoutError:
        sys.stderr.write("ERROR: timeout during extraction\n")
    except Exception as error:  # the command goes on with the next page
        sys.stderr.write(f"ERROR: {error}\n{traceback.format_exc()}\n")
    return None
