"""Tables, files and crawls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from . import _maintext

if TYPE_CHECKING:
    import pyarrow as pa

#: Largest page in bytes, unless said otherwise.
MAX_SIZE = 20 << 20

Paths = "str | PathLike[str] | Iterable[str | PathLike[str]]"


def _paths(paths: Any) -> list[str]:
    if isinstance(paths, (str, PathLike)):
        paths = [paths]
    return [fspath(path) for path in paths]


def schema(fields: Iterable[str] | None = None) -> pa.Schema:
    """The Arrow schema of the tables that maintext writes, or of some of its fields."""
    return _maintext.schema(None if fields is None else list(fields))


def extract_batch(
    data: Any,
    html: str = "html",
    url: str | None = "url",
    id: str | None = None,
    *,
    charset_column: str | None = None,
    fields: Iterable[str] | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    max_size: int | None = None,
    **options: Any,
) -> Any:
    """Extracts the pages of an Arrow table, on all cores.

    :param data: a ``pyarrow.RecordBatch`` or ``Table``, or anything with ``__arrow_c_array__`` or ``__arrow_c_stream__``; it is read
        where it lies, by the Arrow C data interface
    :param html: the column with the pages, strings or binary in any encoding
    :param url: the column with their addresses, if there is one
    :param id: the column whose values become ``id``; without it ``id`` is null
    :param charset_column: the column with the charset of the HTTP header, for pages in binary
    :param fields: which fields are wanted, all by default; what is not wanted is not rendered
    :param timeout: longest time for a page, in seconds
    :param max_size: largest page in bytes; a larger one fails
    :returns: a record batch for a record batch, and otherwise a table, with a row for each row and the reason in ``error`` where a
        page failed
    """
    import pyarrow as pa

    fields = None if fields is None else list(fields)

    def one(batch: pa.RecordBatch) -> pa.RecordBatch:
        names = batch.schema.names
        # A column of addresses that is not there is missed only if it was asked for by another name than the usual one.
        address = None if url == "url" and "url" not in names else url
        return _maintext.extract_record_batch(
            batch, html, address, id, charset_column, fields, threads, timeout, max_size, options or None
        )

    if isinstance(data, pa.RecordBatch):
        return one(data)
    if not isinstance(data, pa.Table) and hasattr(data, "__arrow_c_array__"):
        return one(pa.record_batch(data))
    table = data if isinstance(data, pa.Table) else pa.table(data)
    return pa.Table.from_batches([one(batch) for batch in table.to_batches()], schema(fields))


def read(
    inputs: Any,
    *,
    max_size: int = MAX_SIZE,
    errors: bool = False,
) -> Iterator[dict[str, Any]]:
    """The pages of files, one at a time: folders of HTML, JSONL, WARC and Parquet files, patterns.

    :param errors: whether what cannot be read is given as well, with its reason in ``error`` and ``html`` None; otherwise it is passed over
    :returns: dicts with ``id``, ``url``, ``html`` (bytes), ``charset`` and ``error``
    """
    return _maintext.Records(_paths(inputs), max_size, errors)


def batch(
    inputs: Any,
    output: str | PathLike[str],
    *,
    fields: Iterable[str] | None = None,
    where: str = "",
    dedup: str | None = None,
    errors: str | PathLike[str] | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    max_size: int = MAX_SIZE,
    restart: bool = False,
    progress: Callable[[int, int], object] | None = None,
    **options: Any,
) -> dict[str, int]:
    """What the command ``maintext batch`` does: files in, a file out, on all cores, in bounded memory.

    A run that was killed goes on where it was when it is called again with the same arguments.

    :param inputs: folders of HTML, JSONL, WARC and Parquet files, lists of addresses (``.urls``), patterns
    :param output: ``.jsonl``, ``.jsonl.gz``, ``.jsonl.zst``, ``.parquet``, or a folder (ends with ``/``)
    :param where: conditions, as ``"lang=zh,page_type=article,min-words=50"``
    :param dedup: ``"exact"`` or ``"minhash"``
    :param errors: a JSONL file for pages that failed
    :param progress: called now and then with the number of pages and of bytes that were read
    :returns: how many pages were read, written, failed, ...
    """
    fields = None if fields is None else list(fields)
    failed = None if errors is None else fspath(errors)
    return _maintext.batch(
        _paths(inputs),
        fspath(output),
        fields,
        where,
        dedup,
        failed,
        threads,
        timeout,
        max_size,
        restart,
        progress,
        options or None,
    )
