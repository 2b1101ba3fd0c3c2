"""Code that the components share: errors, options, metadata, and reading pages from addresses and files."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from os import PathLike
from typing import Any, NamedTuple, Optional, Union

import maintext
from maintext import Chunk, ChunkOptions, Extractor, InvalidOptionError, MaintextError, Page

#: Where a page comes from: an address (http or https) or a path.
Source = Union[str, "PathLike[str]"]

#: The formats that a component can put into the text of a document.
FORMATS = ("text", "markdown", "html", "xml")

#: The fields of a page that become metadata by default.
FIELDS = ("title", "author", "date", "language", "description", "sitename")

#: Default time limit for the extraction of a page in seconds. Pages on the web stay far below it.
TIMEOUT = 60.0

#: Number of pages in progress for each thread.
_AHEAD = 4


def missing(extra: str, package: str) -> ImportError:
    """Returns the error for a module whose framework is not installed."""
    named = extra.replace("_", "-")
    message = f"maintext.integrations.{extra} needs the package {package}; install it with: pip install 'maintext[{named}]' ('.[{named}]' in a clone)"
    return ImportError(message, name=package)


def for_fields(fields: Iterable[str], options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options of an extractor, with those that the fields need: ``page_type`` and ``things`` are only read on request."""
    return {**{name: True for name in ("page_type", "things") if name in fields}, **options}


def checked(format: str, options: dict[str, Any], fields: Iterable[str] = ()) -> dict[str, Any]:
    """Returns the options of an extractor that renders one format.

    :raises InvalidOptionError: if the format or an option is unknown, or an option has an invalid value
    """
    if format not in FORMATS:
        raise InvalidOptionError(f"format={format!r}: expected one of {', '.join(FORMATS)}")
    if "formats" in options:
        raise InvalidOptionError("formats: a document has one format; use format=")
    made = {**for_fields(fields, options), "formats": (format,)}
    Extractor(**made)
    return made


def check_chunks(chunks: Optional[ChunkOptions], format: str) -> None:
    """Checks the settings of chunks.

    :raises InvalidOptionError: if a setting is unknown or has an invalid value, or chunks cannot have the format
    """
    if chunks is None:
        return
    if format not in ("markdown", "text"):
        raise InvalidOptionError(f"format={format!r}: chunks are of 'markdown' or 'text'")
    passages(_empty(), chunks)


def passages(page: Page, chunks: ChunkOptions) -> list[Chunk]:
    """Returns the chunks of a page."""
    settings: dict[str, Any] = {**chunks}
    return page.chunks(**settings)


def content(page: Page, format: str) -> str:
    """Returns the main content in a format, without the line break at the end."""
    found: Optional[str] = getattr(page, format)
    return (found or "").rstrip("\n")


def fields_of(page: Page, fields: Iterable[str]) -> dict[str, Any]:
    """Returns fields of a page by name, None if the page does not have them.

    :raises InvalidOptionError: if a field is unknown
    """
    whole: Optional[dict[str, Any]] = None
    found = {}
    for name in fields:
        # Attributes are cheaper than to_dict(), which converts everything.
        if name in _ATTRIBUTES:
            found[name] = getattr(page, name)
            continue
        whole = page.to_dict() if whole is None else whole
        if name not in whole:
            raise InvalidOptionError(f"unknown field '{name}'; the fields are {', '.join(sorted(whole))}")
        found[name] = whole[name]
    return found


_ATTRIBUTES = frozenset((*FIELDS, "authors", "confidence", "html", "image", "markdown", "page_type", "tags", "text", "url", "xml"))


def check_fields(fields: Iterable[str]) -> tuple[str, ...]:
    """Returns the names of fields.

    :raises InvalidOptionError: if a field is unknown
    """
    if isinstance(fields, str):
        raise InvalidOptionError(f"fields={fields!r}: expected several names")
    names = tuple(fields)
    fields_of(_empty(), names)
    return names


def known_fields() -> frozenset[str]:
    """Returns the names of all fields of a page."""
    return frozenset(_empty().to_dict())


@lru_cache(maxsize=1)
def _empty() -> Page:
    return maintext.extract("", formats="text")


def flat(page: Page, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the fields that a page has, as strings and numbers: vector stores take no lists and no None."""
    found = {}
    for name, value in fields_of(page, fields).items():
        if isinstance(value, list):
            value = ", ".join(str(item) for item in value)
        if isinstance(value, (str, int, float)) and value != "":
            found[name] = value
    return found


def address_of(*candidates: Any) -> Optional[str]:
    """Returns the first candidate that is an address on the web."""
    return next((c for c in candidates if isinstance(c, str) and c[:8].lower().startswith(("http://", "https://"))), None)


class Loaded(NamedTuple):
    """A page, or the error that took its place."""

    source: str
    path: Optional[str]
    page: Optional[Page]
    error: Optional[Exception]


def _sources(sources: Any) -> list[str]:
    if isinstance(sources, (str, PathLike)):
        sources = [sources]
    return [os.fspath(source) for source in sources]


def _from(fs: Any, path: str) -> Iterator[dict[str, Any]]:
    """Reads a page from a file system of fsspec."""
    with fs.open(path, "rb") as file:
        yield {"id": None, "url": None, "html": file.read(), "charset": None, "error": None}


def _place(source: str, folder: bool, record: dict[str, Any]) -> tuple[str, str]:
    """Returns the path and the name of a page that was read."""
    id = record["id"] or ""
    if folder:
        path = os.path.join(source, id)
        return path, record["url"] or path
    single = os.path.basename(source) == os.path.basename(id) or not id
    return source, record["url"] or (source if single else f"{source}#{id}")


def load(sources: Any, options: dict[str, Any], *, workers: int, timeout: float, max_size: int, fs: Any = None) -> Iterator[Loaded]:
    """Reads and extracts pages from addresses, files, folders and archives, in order and in bounded memory.

    :param sources: an address or path, or several
    :param options: options of :class:`maintext.Extractor`
    :param workers: number of threads
    :param timeout: time limit for a request in seconds
    :param max_size: maximum size of a page in bytes
    :param fs: a file system of fsspec, from which paths are read, as one page each
    """

    def one(source: str, path: Optional[str], record: Optional[dict[str, Any]]) -> Loaded:
        try:
            if record is None:
                return Loaded(source, path, maintext.fetch(source, timeout=timeout, max_size=max_size, **options), None)
            if record.get("whole"):
                page = next(maintext.extract_many([record], 1, **options))
                return Loaded(source, path, page, None) if page.error is None else Loaded(source, path, None, MaintextError(page.error))
            more = {"charset": record["charset"]} if record["charset"] else {}
            return Loaded(source, path, maintext.extract(record["html"], record["url"], **{**more, **options}), None)
        except (MaintextError, OSError, ValueError) as error:
            return Loaded(source, path, None, error)

    def jobs() -> Iterator[Union[Loaded, tuple[str, Optional[str], Optional[dict[str, Any]]]]]:
        for source in _sources(sources):
            if address_of(source):
                yield source, None, None
                continue
            folder = fs is None and os.path.isdir(source)
            try:
                read = maintext.read(source, max_size=max_size, errors=True) if fs is None else _from(fs, source)
                for record in read:
                    path, name = _place(source, folder, record)
                    if record["error"] is not None:
                        yield Loaded(name, path, None, OSError(record["error"]))
                    else:
                        yield name, path, record
            except (OSError, ValueError) as error:
                yield Loaded(source, source, None, error)

    pending: deque[Union[Loaded, Future[Loaded]]] = deque()
    pool = ThreadPoolExecutor(workers, "maintext")
    try:
        for job in jobs():
            pending.append(job if isinstance(job, Loaded) else pool.submit(one, *job))
            if len(pending) >= workers * _AHEAD:
                yield _result(pending.popleft())
        while pending:
            yield _result(pending.popleft())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _result(pending: Union[Loaded, Future[Loaded]]) -> Loaded:
    return pending if isinstance(pending, Loaded) else pending.result()
