"""maintext on Spark: :func:`extract` for data frames, :func:`read_warc` for crawls.

    from maintext import spark as mt
    pages = mt.read_warc(spark, "crawl/*.warc.gz")
    texts = mt.extract(pages, fields=["id", "url", "title", "language", "text", "error"])
    texts.where("language = 'de'").write.parquet("texts")

The columns of the result are those of ``maintext.schema()``, the same as of ``maintext batch``: strings, a float (``confidence``), a
boolean (``accessible_for_free``), lists of strings (``authors``, ``tags``, ...) and lists of structs of strings (``comments``,
``images``, ``entries``, ``warnings``). A row has ``error`` null or the reason why its page gave no result: null or too large pages,
what is no HTML, pages over the time limit. No page ends a task.
"""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import _maintext
from ._tables import MAX_SIZE, extract_batch, read
from ._tables import schema as _schema

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["extract", "read_warc"]

#: Longest time for a page, in seconds: no page that people read comes near it.
TIMEOUT = 60.0
#: Pages that go from Spark to Python at once. Spark's own 10,000 rows would be a gigabyte of HTML.
BATCH_ROWS = 256
#: Bytes of pages that go from Python to Spark at once.
BATCH_BYTES = 32 << 20

_RAW = ("id", "url", "html", "charset", "error", "source")


def _with_batches(df: DataFrame, rows: int) -> None:
    """Makes Spark hand over fewer rows at once, unless somebody chose a number."""
    conf = df.sparkSession.conf
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    if int(conf.get(name, "10000") or 10000) in (0, 10000):
        conf.set(name, str(rows))


def extract(
    df: DataFrame,
    html: str = "html",
    url: str | None = "url",
    id: str | None = None,
    *,
    charset: str | None = None,
    error: str | None = None,
    keep: Iterable[str] = (),
    fields: Iterable[str] | None = None,
    threads: int = 1,
    timeout: float | None = TIMEOUT,
    max_size: int = MAX_SIZE,
    batch_rows: int = BATCH_ROWS,
    **options: Any,
) -> DataFrame:
    """Extracts the pages of a data frame: a row for each row.

    :param html: the column with the pages, string or binary
    :param url: the column with their addresses; None, or a name that is not there, for none
    :param id: the column that becomes ``id``; by default the column ``id`` if there is one
    :param charset: the column with the charset of the HTTP header; by default the column ``charset`` if there is one
    :param error: a column that says why a row has no page, as :func:`read_warc` gives it; by default ``error`` if there is one
    :param keep: other columns to hand through
    :param fields: which fields are wanted, all by default; what is not wanted is not rendered
    :param threads: threads of a task; more than one where tasks have more than one core (``spark.task.cpus``)
    :param timeout: longest time for a page, in seconds; None for no limit
    :param max_size: largest page in bytes
    :param batch_rows: rows that Spark hands over at once, unless ``spark.sql.execution.arrow.maxRecordsPerBatch`` is set
    :param options: those of :class:`maintext.Extractor`
    """
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    names = df.columns
    if html not in names:
        raise ValueError(f"no column '{html}'; there are: {', '.join(names)}")
    there = lambda name, usual: name if name is not None else usual if usual in names else None  # noqa: E731
    url = url if url in names else None
    id, charset, error = there(id, "id"), there(charset, "charset"), there(error, "error")
    kept = list(keep)
    fields = list(_maintext.field_names() if fields is None else fields)
    twice = set(kept) & set(fields)
    if twice:
        raise ValueError(f"'{twice.pop()}' is to be kept and is a field of the result; rename it before")
    wanted = list(dict.fromkeys([c for c in (html, url, id, charset, error) if c] + kept))
    selected = df.select(*wanted)
    # Wrong options are told here and not by a hundred tasks.
    _maintext.Extractor(**options)
    result = from_arrow_schema(_schema(fields))
    returned = StructType([*(df.schema[name] for name in kept), *result.fields])
    _with_batches(df, batch_rows)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            done = extract_batch(
                batch,
                html,
                url,
                id,
                charset_column=charset,
                fields=fields,
                threads=threads,
                timeout=timeout,
                max_size=max_size,
                **options,
            )
            if error and "error" in fields:
                done = _with_errors(done, batch.column(error))
            arrays = [batch.column(name) for name in kept] + done.columns
            yield pa.RecordBatch.from_arrays(arrays, names=kept + fields)

    return selected.mapInArrow(run, returned)


def _with_errors(done: pa.RecordBatch, known: pa.Array) -> pa.RecordBatch:
    """What the reader said of a row it could not read is better than that its page is null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    at = done.schema.get_field_index("error")
    errors = pc.coalesce(known.cast(pa.string()), done.column(at))
    arrays = [errors if i == at else column for i, column in enumerate(done.columns)]
    return pa.RecordBatch.from_arrays(arrays, schema=done.schema)


def _raw_schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(name, pa.binary() if name == "html" else pa.string()) for name in _RAW])


def read_warc(
    spark: SparkSession,
    paths: str | Iterable[str],
    *,
    partitions: int | None = None,
    max_size: int = MAX_SIZE,
) -> DataFrame:
    """The HTML pages of WARC files, a task a file: ``id``, ``url``, ``html`` (binary), ``charset``, ``error``, ``source`` (the file).

    Broken and truncated records are rows with ``error``, and the records behind them are read.

    :param paths: files, patterns with ``*``, or addresses as ``s3://bucket/x.warc.gz`` and ``hdfs://...``. Files have to be where the
        executors see them; those at addresses are copied to the executor's disk by pyarrow's file systems, one at a time.
    :param partitions: tasks; one for each file by default
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    files: list[str] = []
    for path in [paths] if isinstance(paths, str) else paths:
        if "://" not in path and any(c in path for c in "*?["):
            found = sorted(glob.glob(path, recursive=True))
            if not found:
                raise FileNotFoundError(f"{path}: no file has such a name")
            files += found
        else:
            files.append(os.path.abspath(path) if "://" not in path else path)
    rows = spark.sparkContext.parallelize([(file,) for file in files], partitions or max(1, len(files)))
    listed = spark.createDataFrame(rows, "file string")
    _with_batches(listed, BATCH_ROWS)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for file in batch.column(0).to_pylist():
                yield from _pages_of(file, max_size)

    return listed.mapInArrow(run, from_arrow_schema(_raw_schema()))


def _pages_of(file: str, max_size: int) -> Iterator[pa.RecordBatch]:
    """The pages of a file, some megabytes at a time."""
    import pyarrow as pa

    schema = _raw_schema()
    rows: list[dict[str, Any]] = []
    held = 0

    def batch() -> pa.RecordBatch:
        return pa.RecordBatch.from_pylist(rows, schema=schema)

    with _local(file) as (path, problem):
        if path is None:
            rows.append({"source": file, "error": f"{file}: {problem}"})
        else:
            for page in read(path, max_size=max_size, errors=True):
                rows.append({**page, "source": file})
                held += len(page["html"] or b"")
                if held >= BATCH_BYTES or len(rows) >= BATCH_ROWS:
                    yield batch()
                    rows, held = [], 0
    if rows:
        yield batch()


class _local:
    """A file where it can be opened: itself, or a copy of one at an address that is removed afterwards."""

    def __init__(self, file: str) -> None:
        self.file = file.removeprefix("file://")
        self.folder: str | None = None

    def __enter__(self) -> tuple[str | None, str]:
        if "://" not in self.file:
            # A file that is not there is a row of the result, and no failed task.
            there = os.path.exists(self.file)
            return (self.file, "") if there else (None, "cannot be opened: no such file on this executor")
        from pyarrow import fs

        self.folder = tempfile.mkdtemp(prefix="maintext-")
        copy = os.path.join(self.folder, os.path.basename(self.file))
        try:
            system, path = fs.FileSystem.from_uri(self.file)
            with system.open_input_stream(path, compression=None) as source, open(copy, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
        except (OSError, ValueError) as error:
            return None, f"cannot be read: {error}"
        return copy, ""

    def __exit__(self, *_: object) -> None:
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
