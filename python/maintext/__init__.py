"""The main text of any web page, with title, author, date, language and images.

>>> import maintext
>>> page = maintext.extract("<nav>Home</nav><article><p>We left early, and the road was empty.</p></article>")
>>> page.text
'We left early, and the road was empty.\\n'

For many pages, use :func:`extract_many` (iterators), :func:`extract_batch` (Arrow tables), :func:`batch` (files and web archives) or
:mod:`maintext.spark`. :func:`inspect` explains the result for a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import _maintext
from ._inspect import Inspection
from ._maintext import (
    METHODS,
    ExtractionError,
    Extractor,
    InvalidInputError,
    InvalidOptionError,
    MaintextError,
    Page,
    __version__,
    classify,
    entries,
    language,
    normalize_url,
    signature,
)
from ._options import Options, named
from ._tables import batch, extract_batch, read, schema
from ._types import Chunk, ChunkOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._study import Trained, train

__all__ = [
    "METHODS",
    "Chunk",
    "ChunkOptions",
    "ExtractionError",
    "Extractor",
    "Inspection",
    "InvalidInputError",
    "InvalidOptionError",
    "MaintextError",
    "Page",
    "Trained",
    "__version__",
    "batch",
    "classify",
    "entries",
    "extract",
    "extract_batch",
    "extract_many",
    "fetch",
    "inspect",
    "language",
    "normalize_url",
    "read",
    "schema",
    "signature",
    "train",
]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> Any:
    # What few programs use is imported on first use.
    if name not in ("Trained", "train"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _study

    return getattr(_study, name)


# Cached extractors by their options, so that a loop over extract() does not load the model each time.
_ready: dict[tuple[Any, ...], Extractor] = {}


def _extractor(given: Options) -> Extractor:
    options: dict[str, Any] = {**given}
    formats = options.get("formats")
    if formats is not None and not isinstance(formats, str):
        options = {**options, "formats": tuple(formats)}
    # The types too, since 1 equals True and is not a valid value where True is.
    key = tuple(sorted((name, type(value), value) for name, value in options.items()))
    try:
        found = _ready.get(key)
    except TypeError:  # an option that cannot be hashed is invalid; the extractor reports it
        return Extractor(**options)
    if found is None:
        found = Extractor(**options)
        if len(_ready) >= 32:
            _ready.clear()
        _ready[key] = found
    return found


@named
def extract(html: str | bytes | bytearray | memoryview, url: str | None = None, **options: Unpack[Options]) -> Page:
    """Extracts the main content of a page.

    :param html: the page, as str or as bytes in any encoding; bytes may also be another format that the command reads, such as a feed,
        Markdown or MHTML (docs/inputs.md)
    :param url: its address; relative links and images are resolved against it
    :raises InvalidInputError: if the input is not a page but, for example, a PDF
    :raises InvalidOptionError: if an option is unknown or has an invalid value
    """
    return _extractor(options).extract(html, url)


@named
def extract_many(
    pages: Iterable[Any],
    threads: int | None = None,
    timeout: float | None = None,
    **options: Unpack[Options],
) -> Iterator[Page]:
    """Extracts many pages on all cores, in input order and in bounded memory.

    :param pages: an iterable of str or bytes, pairs (html, url), or dicts with "html", "url" and "charset", as :func:`read` gives them
    :param threads: number of worker threads, by default one per core
    :param timeout: time limit for one page in seconds
    :returns: an iterator of pages. A failed page has the reason in ``error`` and does not end the iteration.
    """
    if threads is not None and threads < 0:
        raise InvalidOptionError(f"threads={threads}: expected a whole number above 0")
    return _extractor(options).extract_many(pages, threads, timeout)


@named
def fetch(
    url: str,
    *,
    timeout: float = 30.0,
    max_size: int = 20 << 20,
    representation: str = "html",
    **options: Unpack[Options],
) -> Page:
    """Fetches a page and extracts it.

    :param url: its address
    :param timeout: time limit for the request in seconds
    :param max_size: maximum size of the page in bytes
    :param representation: the form to ask the server for: "html", or "markdown", which takes an answer in Markdown or plain text as a whole
    :returns: a page with ``status``, ``final_url`` and ``representation``
    :raises OSError: if the page cannot be fetched
    """
    return _extractor(options).fetch(url, timeout=timeout, max_size=max_size, representation=representation)


@named
def inspect(html: str | bytes | bytearray | memoryview, url: str | None = None, **options: Unpack[Options]) -> Inspection:
    """Returns all text blocks of a page with the method's scores and decisions.

    A notebook displays the result as a table.

    :param html: the page, as str or as bytes in any encoding
    :param url: its address
    """
    return Inspection(_maintext.inspect(html, url, **options))
