"""Arrow tables, files and web archives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from . import _frames, _maintext
from ._maintext import InvalidOptionError
from ._options import Options, named
from ._types import ChunkOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Unpack

#: Default maximum size of a page in bytes.
MAX_SIZE = 20 << 20


def _paths(paths: Any) -> list[str]:
    if isinstance(paths, (str, PathLike)):
        paths = [paths]
    return [fspath(path) for path in paths]


def listed(names: str | Iterable[str] | None) -> list[str] | None:
    """Returns names of fields as a list. A string has them with commas between, as the command takes them."""
    if isinstance(names, str):
        return [name.strip() for name in names.split(",")]
    return None if names is None else list(names)


def _check(options: Options, **numbers: int | None) -> None:
    """Refuses negative numbers, and the formats, which the names of the fields choose."""
    for name, number in numbers.items():
        if isinstance(number, int) and number < 0:
            raise InvalidOptionError(f"{name}={number}: expected a whole number above 0")
    if "formats" in options:
        raise InvalidOptionError("formats has no effect here: fields= names what is written, such as fields=['url', 'text']")


def _need_arrow() -> None:
    """Raises an error that says how to install pyarrow, if it is missing."""
    if find_spec("pyarrow") is None:
        message = "tables need the package pyarrow; install it with: pip install 'maintext[arrow]' ('.[arrow]' in a clone)"
        raise ImportError(message, name="pyarrow")


def schema(fields: str | Iterable[str] | None = None) -> pa.Schema:
    """Returns the Arrow schema of the tables that maintext writes.

    :param fields: the fields, by default all
    """
    _need_arrow()
    return _maintext.schema(listed(fields))


@named
def extract_batch(
    data: Any,
    html: str = "html",
    url: str | None = "url",
    id: str | None = None,
    *,
    keep: str | Iterable[str] = (),
    charset_column: str | None = None,
    sample_column: str | None = None,
    fields: str | Iterable[str] | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    max_size: int | None = None,
    chunks: ChunkOptions | None = None,
    tokenizer: str | PathLike[str] | None = None,
    **options: Unpack[Options],
) -> Any:
    """Extracts the pages of a table on all cores. Columns ``captured``, ``file`` and ``dump`` become the fields of these names.

    :param data: a ``pyarrow.Table`` or ``RecordBatch``, a data frame of pandas or polars, a DuckDB relation, any object with
        ``__arrow_c_array__`` or ``__arrow_c_stream__``, or a dict of columns; strings are not copied, except from encoded columns
        (categories of pandas, dictionaries of Arrow)
    :param html: the column of pages, as strings or as binary in any encoding
    :param url: the column of their addresses, or None; ignored if it is "url" and does not exist
    :param id: the column of their ids; by default the column "id" if it exists, or else the row's number, from 0; "" for no ids
    :param keep: columns of the input to copy to the result, before the fields
    :param charset_column: the column of charsets from HTTP headers, for binary pages
    :param sample_column: the column of samples of sites that :mod:`maintext.spark` makes
    :param fields: the fields to return, by default all; fewer fields are faster
    :param threads: number of threads; None for one per core
    :param timeout: time limit for one page in seconds; None for no limit
    :param max_size: maximum size of a page in bytes; a larger page fails; None for no limit
    :param chunks: settings of the field ``chunks``, a list of passages that is returned if ``fields`` names it: ``size``, ``tokenizer``,
        ``overlap``, ``min`` and ``split_large`` as in :meth:`Page.chunks`, and ``form``, "markdown" or "text"
    :param tokenizer: what the field ``token_count`` counts, if ``fields`` names it: ``"words"``, ``"chars"``, the name of a vocabulary, or the
        path of a ``tokenizer.json``
    :returns: the type that was given: a table or a record batch, a data frame of pandas (with the index of its rows) or polars, a DuckDB relation, a
        dict of lists; a table for other objects. One row for each input row; ``error`` is the reason why a page
        failed, or null
    :raises TypeError: if the data are a lazy frame, or not a table; the message says what to do
    :raises ValueError: if a column does not exist, or its type cannot hold pages
    """
    _need_arrow()
    import pyarrow as pa

    _check(options, threads=threads, max_size=max_size)
    fields = listed(fields)
    kept = _frames.names(keep)
    result = _maintext.schema(fields)
    twice = set(kept) & set(result.names)
    if twice:
        raise ValueError(f"'{min(twice)}' is a column to keep and a field of the result; rename the column first")
    table = _frames.table(data)
    existing = table.schema.names
    # A missing column of addresses is an error only if the caller named it.
    address = None if url == "url" and "url" not in existing else url
    ids = "id" if id is None and "id" in existing else id
    for name in kept:
        if name not in existing:
            raise ValueError(f"no column '{name}'; the columns are {', '.join(existing)}")
    returned = pa.schema([*(table.schema.field(name) for name in kept), *result])

    def one(batch: pa.RecordBatch, first: int) -> pa.RecordBatch:
        columns = {name: _frames.column(batch, name) for name in (html, address, ids, charset_column, sample_column) if name}
        numbered = ids
        if ids is None:
            numbered = "number of the row"
            columns[numbered] = pa.array(range(first, first + batch.num_rows), pa.int64())
        for name in ("captured", "file", "dump"):
            if name in existing and name not in columns:
                columns[name] = _frames.column(batch, name)
        done = _maintext.extract_record_batch(
            pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns)),
            html,
            address,
            numbered or None,
            charset_column,
            sample_column,
            fields,
            threads,
            timeout,
            max_size,
            None if chunks is None else {**chunks},
            None if tokenizer is None else fspath(tokenizer),
            {**options} or None,
        )
        if kept:
            arrays = [batch.column(batch.schema.get_field_index(name)) for name in kept]
            done = pa.RecordBatch.from_arrays([*arrays, *done.columns], schema=returned)
        return done

    if isinstance(table, pa.RecordBatch):
        return one(table, 0)
    if not table.num_rows:  # the columns and options are checked all the same
        one(pa.RecordBatch.from_pylist([], schema=table.schema), 0)
    done, rows = [], 0
    for batch in table.to_batches():
        done.append(one(batch, rows))
        rows += batch.num_rows
    return _frames.like(data, pa.Table.from_batches(done, returned))


def read(
    inputs: Any,
    *,
    max_size: int = MAX_SIZE,
    errors: bool = False,
) -> Iterator[dict[str, Any]]:
    """Reads the pages of files one at a time: folders of HTML, JSONL, WARC and Parquet files, or patterns.

    :param inputs: paths of files, folders or patterns, one or several
    :param max_size: maximum size of a page in bytes
    :param errors: whether to return unreadable pages too, with the reason in ``error`` and ``html`` None; by default they are skipped
    :returns: an iterator of dicts with ``id``, ``url``, ``html`` (bytes), ``charset``, ``captured``, ``error`` and ``whole`` (whether all of it is
        content, as of a text or a chapter); :func:`extract_many` takes them as they are
    """
    return _maintext.Records(_paths(inputs), max_size, errors)


@named
def batch(
    inputs: Any,
    output: str | PathLike[str],
    *,
    format: str | None = None,
    shard_size: int = 1 << 30,
    fields: str | Iterable[str] | None = None,
    dump: str | None = None,
    tokenizer: str | PathLike[str] | None = None,
    where: str = "",
    sites: bool = False,
    dedup: str | None = None,
    errors: str | PathLike[str] | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    max_size: int = MAX_SIZE,
    restart: bool = False,
    rows: str = "pages",
    chunks: ChunkOptions | None = None,
    html_column: str = "html",
    url_column: str = "url",
    id_column: str = "id",
    progress: Callable[[int, int], object] | None = None,
    **options: Unpack[Options],
) -> dict[str, int]:
    """Extracts the pages of files into a file, on all cores and in bounded memory, like the command ``maintext batch``.

    An interrupted run resumes where it stopped when it is called again with the same arguments.

    :param inputs: folders of HTML, JSONL, WARC and Parquet files, lists of addresses (``.urls``), or patterns
    :param output: ``.jsonl``, ``.jsonl.gz``, ``.jsonl.zst``, ``.parquet``, or a folder (ends with ``/``)
    :param format: makes the output a folder: of one file per page (``"text"``, ``"markdown"``), or of numbered files with many pages and
        a ``_manifest.json`` (``"parquet"`` or ``"jsonl"``)
    :param shard_size: size of the rows in a numbered file in bytes, before compression
    :param fields: the fields to write, by default all; ``"fineweb"`` stands for the fields of that data set
    :param dump: the value of the field ``dump``: the name of the crawl
    :param tokenizer: what the field ``token_count`` counts: ``"words"``, ``"chars"``, or the path of a ``tokenizer.json``
    :param where: conditions that a page must meet, such as ``"lang=zh,page_type=article,min-words=50"``
    :param sites: compares each page with other pages of its host, which needs a first pass over the inputs
    :param dedup: ``"exact"`` or ``"minhash"`` to drop duplicates
    :param errors: a JSONL file for failed pages
    :param threads: number of threads; None for one per core
    :param timeout: time limit for one page in seconds; None for no limit
    :param max_size: maximum size of a page in bytes
    :param restart: whether to replace the output of an earlier run, finished or not; without it, that output is kept and an error
    :param rows: ``"pages"``, or ``"chunks"`` for a row per passage, with ``id``, ``url`` and ``title`` of its page
    :param chunks: settings of passages, for ``rows="chunks"`` and the field ``chunks``; see :func:`extract_batch`
    :param html_column: the column of pages in Parquet files
    :param url_column: the column of their addresses
    :param id_column: the column of their ids
    :param progress: a function that is called regularly with the numbers of pages and bytes read; an exception ends the run, which can be resumed
    :returns: the numbers of pages read, written, failed, ...
    """
    _check(options, threads=threads, max_size=max_size, shard_size=shard_size)
    fields = listed(fields)
    failed = None if errors is None else fspath(errors)
    return _maintext.batch(
        _paths(inputs),
        fspath(output),
        format,
        shard_size,
        fields,
        dump,
        None if tokenizer is None else fspath(tokenizer),
        where,
        sites,
        dedup,
        failed,
        threads,
        timeout,
        max_size,
        restart,
        rows,
        None if chunks is None else {**chunks},
        [html_column, url_column, id_column],
        progress,
        {**options} or None,
    )
