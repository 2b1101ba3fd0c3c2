"""maintext on Spark: :func:`extract` for data frames, :func:`read_warc` for web archives, :func:`deduplicate` for their texts.

    from maintext import spark as mt
    pages = mt.read_warc(spark, "crawl/*.warc.gz")
    texts = mt.extract(pages, fields=["id", "url", "title", "language", "text", "error"])
    texts.where("language like 'de%'").write.parquet("texts")

The result has the columns of ``maintext.schema()`` and ``maintext batch``: strings, a float (``confidence``), a boolean
(``accessible_for_free``), lists of strings (``authors``, ``tags``, ...) and lists of structs of strings (``comments``,
``images``, ``entries``, ``warnings``). If a page fails, ``error`` is the reason: the page is null or too large, is not HTML, or
exceeds the time limit. Otherwise ``error`` is null. A failed page never ends a task.
"""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any

from . import _maintext
from ._options import PageOptions, named
from ._spark_dedup import clusters, deduplicate, drop_repeated, normalize_url, signatures
from ._spark_sites import SAMPLE, with_samples
from ._tables import MAX_SIZE, extract_batch, listed, read

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

__all__ = ["clusters", "deduplicate", "drop_repeated", "extract", "normalize_url", "read_warc", "signatures"]

#: Default time limit for one page in seconds. Pages on the web stay far below it.
TIMEOUT = 60.0
#: Number of rows in a batch from Spark to Python. Spark's default of 10,000 rows would be a gigabyte of HTML.
BATCH_ROWS = 256
#: Number of bytes in a batch from Python to Spark.
BATCH_BYTES = 32 << 20

# The name of the column of reasons on its way through the extraction, since `error` is a field of the result.
_REASON = "error of the reader"
_RAW = ("id", "url", "html", "charset", "captured", "error", "source")


def _with_batches(df: DataFrame, rows: int) -> None:
    """Sets the number of rows in Spark's batches, unless the user has set it."""
    conf = df.sparkSession.conf
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    if int(conf.get(name, "10000") or 10000) in (0, 10000):
        conf.set(name, str(rows))


@named
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
    sites: bool = False,
    threads: int = 1,
    timeout: float | None = TIMEOUT,
    max_size: int = MAX_SIZE,
    batch_rows: int = BATCH_ROWS,
    tokenizer: str | PathLike[str] | None = None,
    **options: Unpack[PageOptions],
) -> DataFrame:
    """Extracts the pages of a data frame. The result has one row for each input row that no filter drops.

    Columns ``captured``, ``file`` and ``dump`` become the fields of these names; without a column ``file``, ``source`` does.

    :param html: the column of pages, string or binary
    :param url: the column of their addresses; ignored if it does not exist
    :param id: the column of their ids; by default the column ``id`` if it exists, or else the address
    :param charset: the column of charsets from HTTP headers; by default the column ``charset``, if it exists
    :param error: the column of reasons why a row has no page, as in the result of :func:`read_warc`; by default the column ``error``,
        if it exists
    :param keep: other columns to copy to the result
    :param fields: the fields to return, by default all; fewer fields are faster
    :param sites: compares each page with other pages of its host, as ``maintext batch --sites`` does; the pages are read twice and
        shuffled by host
    :param threads: threads per task; use more than one if tasks have several cores (``spark.task.cpus``)
    :param timeout: time limit for one page in seconds, or None
    :param max_size: maximum size of a page in bytes
    :param batch_rows: rows in a batch from Spark, unless ``spark.sql.execution.arrow.maxRecordsPerBatch`` is set
    :param tokenizer: what the field ``token_count`` counts, as in :func:`maintext.extract_batch`; executors need the file, if it is one
    """
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    names = df.columns
    if html not in names:
        raise ValueError(f"no column '{html}'; the columns are {', '.join(names)}")

    def there(name: str | None, usual: str) -> str | None:
        return name if name is not None else usual if usual in names else None

    url = url if url in names else None
    id, charset, error = there(id, "id"), there(charset, "charset"), there(error, "error")
    kept = list(keep)
    # None is not the same as all names: a field that costs time is null unless an option or its name asks for it, as in `maintext batch`.
    asked = listed(fields)
    made = _maintext.schema(asked)
    twice = set(kept) & set(made.names)
    if twice:
        raise ValueError(f"'{twice.pop()}' is a column to keep and a field of the result; rename the column first")
    schema = df.schema
    if sites:
        if url is None:
            raise ValueError("sites=True needs a column of addresses")
        df = with_samples(df, html, url, charset, max_size)
    sample = SAMPLE if sites else None
    wanted = [df[name] for name in dict.fromkeys([c for c in (html, url, id, charset, sample) if c] + kept)]
    chosen = {html, url, id, charset, sample, *kept}
    wanted += [df[name] for name in ("captured", "file", "dump") if name in names and name not in chosen]
    if "file" not in names and "source" in names:
        wanted.append(df["source"].alias("file"))
    reasons = [df[error].cast("string").alias(_REASON)] if error and "error" in made.names else []
    selected = df.select(*wanted, *reasons)
    # Spark pickles the values that `run` uses; columns of a frame are not among them.
    carried, has_reasons = [_REASON, *kept] if reasons else kept, bool(reasons)
    # Reports invalid options here instead of in every task.
    _maintext.Extractor(**options)
    returned = StructType([*(schema[name] for name in kept), *from_arrow_schema(made).fields])
    _with_batches(df, batch_rows)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            done = extract_batch(
                batch,
                html,
                url,
                id or url or "",
                keep=carried,
                charset_column=charset,
                sample_column=sample,
                fields=asked,
                threads=threads,
                timeout=timeout,
                max_size=max_size,
                tokenizer=tokenizer,
                **options,
            )
            yield _with_errors(done) if has_reasons else done

    return selected.mapInArrow(run, returned)


def _with_errors(done: pa.RecordBatch) -> pa.RecordBatch:
    """Replaces errors about null pages with the reader's own errors, which are more precise. They are in the first column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = done.schema.names[1:]
    columns = dict(zip(names, done.columns[1:]))
    columns["error"] = pc.coalesce(done.column(0).cast(pa.string()), columns["error"])
    return pa.RecordBatch.from_arrays(list(columns.values()), names=names)


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
    """Returns the HTML pages of WARC files: ``id``, ``url``, ``html`` (binary), ``charset``, ``captured`` (``WARC-Date``), ``error`` and
    ``source`` (the file).

    Broken and truncated records become rows with ``error``; reading continues with the next record.

    :param paths: files, patterns with ``*``, or URIs such as ``s3://bucket/x.warc.gz`` and ``hdfs://...``. Files must be accessible
        to the executors. Files at URIs are copied to the executor's disk with pyarrow's file systems, one at a time.
    :param partitions: number of tasks, by default one per file
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    files: list[str] = []
    for path in [paths] if isinstance(paths, str) else paths:
        if "://" not in path and any(c in path for c in "*?["):
            found = sorted(glob.glob(path, recursive=True))
            if not found:
                raise FileNotFoundError(f"{path}: no file matches this pattern")
            files += found
        else:
            files.append(os.path.abspath(path) if "://" not in path else path)
    rows = spark.sparkContext.parallelize([(file,) for file in files], partitions or max(1, len(files)))
    listed = spark.createDataFrame(rows, "file string")
    _with_batches(listed, BATCH_ROWS)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for file in batch.column(0).to_pylist():
                yield from _pages_of(file, max_size)

    return listed.mapInArrow(run, from_arrow_schema(_raw_schema()))


def _pages_of(file: str, max_size: int) -> Iterator[pa.RecordBatch]:
    """Reads the pages of a file in batches of some megabytes."""
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
    """A context manager that returns a local path: the file itself, or a temporary copy of a file at a URI."""

    def __init__(self, file: str) -> None:
        self.file = file.removeprefix("file://")
        self.folder: str | None = None

    def __enter__(self) -> tuple[str | None, str]:
        if "://" not in self.file:
            # A missing file becomes a row with an error instead of a failed task.
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
