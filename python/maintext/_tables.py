"""Arrow tables, files and web archives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from . import _maintext

if TYPE_CHECKING:
    import pyarrow as pa

#: Default maximum size of a page in bytes.
MAX_SIZE = 20 << 20

Paths = "str | PathLike[str] | Iterable[str | PathLike[str]]"


def _paths(paths: Any) -> list[str]:
    if isinstance(paths, (str, PathLike)):
        paths = [paths]
    return [fspath(path) for path in paths]


def schema(fields: Iterable[str] | None = None) -> pa.Schema:
    """Returns the Arrow schema of the tables that maintext writes, for all fields or the given ones."""
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
    """Extracts the pages of an Arrow table on all cores.

    :param data: a ``pyarrow.RecordBatch`` or ``Table``, or any object with ``__arrow_c_array__`` or ``__arrow_c_stream__``; its data
        is not copied
    :param html: the column of pages, as strings or as binary in any encoding
    :param url: the column of their addresses, or None
    :param id: the column of their ids; by default, ``id`` is null
    :param charset_column: the column of charsets from HTTP headers, for binary pages
    :param fields: the fields to return, by default all; fewer fields are faster
    :param timeout: time limit for one page in seconds
    :param max_size: maximum size of a page in bytes; a larger page fails
    :returns: a record batch if ``data`` is one, or else a table, with one row for each input row; ``error`` is the reason why a page
        failed, or null
    """
    import pyarrow as pa

    fields = None if fields is None else list(fields)

    def one(batch: pa.RecordBatch) -> pa.RecordBatch:
        names = batch.schema.names
        # A missing column of addresses is an error only if the caller named it.
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
    """Reads the pages of files one at a time: folders of HTML, JSONL, WARC and Parquet files, or patterns.

    :param errors: whether to return unreadable pages too, with the reason in ``error`` and ``html`` None; by default they are skipped
    :returns: an iterator of dicts with ``id``, ``url``, ``html`` (bytes), ``charset`` and ``error``
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
    append: bool = False,
    progress: Callable[[int, int], object] | None = None,
    **options: Any,
) -> dict[str, int]:
    """Extracts the pages of files into a file, on all cores and in bounded memory, like the command ``maintext batch``.

    An interrupted run resumes where it stopped when it is called again with the same arguments.

    :param inputs: folders of HTML, JSONL, WARC and Parquet files, lists of addresses (``.urls``), or patterns
    :param output: ``.jsonl``, ``.jsonl.gz``, ``.jsonl.zst``, ``.parquet``, or a folder (ends with ``/``)
    :param where: conditions that a page must meet, such as ``"lang=zh,page_type=article,min-words=50"``
    :param dedup: ``"exact"`` or ``"minhash"`` to drop duplicates
    :param errors: a JSONL file for failed pages
    :param restart: whether to replace the output of an earlier run, finished or not; without it, that output is kept and an error
    :param append: whether to add the rows to the output of an earlier run
    :param progress: a function that is called regularly with the numbers of pages and bytes read
    :returns: the numbers of pages read, written, failed, ...
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
        append,
        progress,
        options or None,
    )
