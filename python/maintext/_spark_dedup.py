"""Duplicates on Spark: signatures, clusters of duplicate rows, and lines that many pages repeat. :mod:`maintext.spark` exports the functions.

The steps are the same as in datatrove and text-dedup: the keys of a row's signature are buckets, rows in a bucket are joined to the bucket's
smallest node, and the connected components of all these edges are the clusters. A bucket of n rows has n - 1 edges, so a page with
100,000 copies costs 100,000 edges. Every step is a table in a folder, written and read back: a lost worker repeats the tasks of one step.
"""

from __future__ import annotations

import re
import tempfile
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import _maintext

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType

#: Number of rows in a batch of texts from Spark to Python.
TEXT_ROWS = 1024
#: Kinds of duplicates.
KINDS = ("minhash", "exact", "url")

# Folders of local sessions, removed when the interpreter exits.
_folders: list[tempfile.TemporaryDirectory[str]] = []


class Work:
    """A folder of intermediate tables that all executors can read and write. As a context manager, it leaves the last table, which the result
    reads, and nothing after an error.
    """

    def __init__(self, spark: SparkSession, folder: str | None) -> None:
        self.spark: Any = spark
        parent = folder or spark.sparkContext.getCheckpointDir()
        if parent is None and str(spark.sparkContext.master).startswith("local"):
            _folders.append(tempfile.TemporaryDirectory(prefix="maintext-"))
            parent = _folders[-1].name
        if parent is None:
            raise ValueError("name a folder for intermediate tables that all executors reach: work='hdfs://...'")
        self.folder = f"{parent.rstrip('/')}/{uuid.uuid4().hex}"
        self.tables: list[str] = []

    def __enter__(self) -> Work:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.remove(but=None if kind else self.tables[-1])

    def save(self, df: DataFrame, name: str) -> DataFrame:
        """Writes a table and reads it back, so that later steps neither repeat earlier ones nor see different values from them."""
        path = f"{self.folder}/{name}"
        df.write.parquet(path)
        self.tables.append(name)
        read: DataFrame = self.spark.read.schema(df.schema).parquet(path)
        return read

    def remove(self, but: str | None = None) -> None:
        """Removes the folder, or all tables but one."""
        for name in [""] if but is None else [name for name in self.tables if name != but]:
            system, path = self._at(f"{self.folder}/{name}".rstrip("/"))
            system.delete(path, True)
        self.tables = [name for name in self.tables if name == but]

    def expect_nothing_at(self, path: str) -> None:
        """Reports an output that exists before the work for it begins."""
        system, there = self._at(path)
        if system.exists(there):
            raise FileExistsError(f"{path}: exists already; choose another folder, or --mode overwrite or append")

    def _at(self, name: str) -> tuple[Any, Any]:
        """Returns Hadoop's file system of a path, and the path."""
        path = self.spark._jvm.org.apache.hadoop.fs.Path(name)
        return path.getFileSystem(self.spark._jsc.hadoopConfiguration()), path


def _column_of(df: DataFrame, name: str, what: str, *, text: bool = False) -> str:
    from pyspark.sql.types import StringType

    if name not in df.columns:
        raise ValueError(f"no column '{name}' {what}; the columns are {', '.join(df.columns)}")
    if text and not isinstance(df.schema[name].dataType, StringType):
        raise ValueError(f"column '{name}' has the type {df.schema[name].dataType.simpleString()}; expected strings")
    return name


def _keys_type() -> DataType:
    from pyspark.sql.types import ArrayType, LongType

    return ArrayType(LongType())


def _with_column(
    df: DataFrame, name: str, kind: DataType, make: Callable[[pa.RecordBatch], pa.Array], without: Collection[str] = ()
) -> DataFrame:
    """Adds a column that a function makes from batches of the others, and leaves out columns that were needed only for it."""
    import pyarrow as pa
    from pyspark.sql.types import StructField, StructType

    from .spark import _with_batches

    others = [field for field in df.schema.fields if field.name not in without]
    names = [field.name for field in others]
    _with_batches(df, TEXT_ROWS)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            kept = [batch.column(batch.schema.get_field_index(other)) for other in names]
            yield pa.RecordBatch.from_arrays([*kept, make(batch)], names=[*names, name])

    return df.mapInArrow(run, StructType([*others, StructField(name, kind)]))


def _with_keys(df: DataFrame, name: str, text: str, method: str, without: Collection[str] = ()) -> DataFrame:
    return _with_column(df, name, _keys_type(), lambda batch: _maintext.signature_column(batch, text, method).column(0), without)


def signatures(df: DataFrame, text: str = "text", *, method: str = "minhash", name: str = "signature") -> DataFrame:
    """Adds a column with the keys of :func:`maintext.signature`, as signed 64-bit numbers. Two texts count as duplicates if they share a
    key of ``"minhash"``, or all keys of ``"exact"``. Null texts and texts without words have null.

    :param text: the column of texts
    :param method: ``"minhash"`` (14 keys) or ``"exact"`` (2 keys)
    :param name: the name of the new column
    """
    _column_of(df, text, "of texts", text=True)
    if name in df.columns:
        raise ValueError(f"the column '{name}' exists already; choose another name=")
    _maintext.signature("", method)  # reports an unknown method here instead of in every task
    return _with_keys(df, name, text, method)


def _normal(url: str | None) -> str | None:
    return None if url is None else _maintext.normalize_url(url)


def normalize_url(url: Column | str) -> Column:
    """Returns the normal form of a column of addresses, as :func:`maintext.normalize_url` does; null if it is not a web address."""
    from pyspark.sql.functions import udf

    return udf(_normal, "string")(url)


def _rank(df: DataFrame, text: str, keep: Any) -> Column:
    """Returns the expression whose largest value decides which copy stays."""
    from pyspark.sql import Column
    from pyspark.sql import functions as F

    if isinstance(keep, Column):
        return keep
    if keep == "first":
        return F.lit(0)
    if keep == "longest":
        return F.length(_column_of(df, text, "of texts"))
    return F.col(_column_of(df, "date", "for keep='newest'")) if keep == "newest" else F.expr(keep)


def _nodes(df: DataFrame, text: str, id: str, url: str, by: str, keep: Any) -> DataFrame:
    """Returns a numbered row for each row: ``id``, ``rank`` and ``keys``. The numbers hold only if the table is saved."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F

    _column_of(df, id, "of unique ids")
    try:
        columns = [F.col(id).alias("id"), _rank(df, text, keep).alias("rank")]
        if by == "url":
            address = normalize_url(_column_of(df, url, "of addresses", text=True))
            found = df.select(*columns, F.when(address.isNotNull(), F.array(address)).alias("keys"))
        else:
            texts = df.select(*columns, F.col(_column_of(df, text, "of texts", text=True)).alias("text"))
            found = _with_keys(texts, "keys", "text", by, without=["text"])
    except AnalysisException as error:
        wanted = "expected 'first', 'longest', 'newest' or an expression of the columns"
        raise ValueError(f"keep={keep!r}: {wanted} {', '.join(df.columns)}") from error
    return found.withColumn("node", F.monotonically_increasing_id())


def _check_ids(nodes: DataFrame, id: str) -> None:
    """Reports ids that are null or occur twice: a row could not be found again by them. A failed page without keys needs no id."""
    from pyspark.sql import functions as F

    wrong = nodes.where("id is not null or keys is not null").groupBy("id").count().where(F.col("id").isNull() | (F.col("count") > 1)).head()
    if wrong is not None:
        what = f"the value {wrong['id']!r}" if wrong["id"] is not None else "null"
        raise ValueError(f"column '{id}' has {what} in {wrong['count']} rows; each row needs an id of its own")


def _star_edges(nodes: DataFrame, by: str) -> DataFrame:
    """Returns an edge from each node to the smallest node in each of its buckets."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    # A text of the exact method has one bucket, which all its keys name together.
    key = F.col("keys") if by == "exact" else F.explode("keys")
    buckets = nodes.where("keys is not null").select("node", key.alias("key"))
    least = F.min("node").over(Window.partitionBy("key"))
    return buckets.select("node", least.alias("root")).where("node > root").distinct()


def _are_stars(edges: DataFrame) -> bool:
    """Whether every node has one root, and no root has another root."""
    from pyspark.sql import functions as F

    ends = edges.selectExpr("stack(2, node, 1, 0, root, 0, 1) as (node, below, above)")
    return ends.groupBy("node").agg((F.sum("below") + F.max("above")).alias("roles")).where("roles > 1").head() is None


def _components(edges: DataFrame, work: Work) -> DataFrame:
    """Returns an edge from each node to the smallest node of its connected component, except for that node.

    Alternates large stars and small stars (Kiveris, Lattanzi, Mirrokni, Rastogi and Vassilvitskii, "Connected components in MapReduce and
    beyond", 2014) until only stars are left. The number of rounds grows with the logarithm of the longest chain.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    number = 0
    while not _are_stars(edges):
        # Large star: larger neighbours move to the smallest neighbour, or to the node, if it is smaller.
        both = edges.selectExpr("stack(2, node, root, root, node) as (node, other)")
        least = F.least("node", F.min("other").over(Window.partitionBy("node")))
        large = both.select("node", "other", least.alias("root")).where("other > node").selectExpr("other as node", "root").distinct()
        # Small star: the node and its smaller neighbours move to the smallest one.
        least = F.min("root").over(Window.partitionBy("node"))
        small = large.select("node", "root", least.alias("least")).selectExpr("stack(2, node, least, root, least) as (node, root)")
        number += 1
        edges = work.save(small.where("node > root").distinct(), f"edges-{number}")
    return edges


def _found(df: DataFrame, text: str, id: str, url: str, by: str, keep: Any, work: Work) -> DataFrame:
    """Returns ``id``, ``cluster``, ``cluster_size`` and ``kept`` of all rows that have duplicates."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    nodes = work.save(_nodes(df, text, id, url, by, keep), "nodes")
    _check_ids(nodes, id)
    edges = _components(work.save(_star_edges(nodes, by), "edges-0"), work)
    roots = edges.union(edges.selectExpr("root as node", "root").distinct())
    cluster = Window.partitionBy("root")
    first = F.row_number().over(cluster.orderBy(F.desc_nulls_last("rank"), "id"))
    members = nodes.join(roots, "node").select(
        "id", F.min("id").over(cluster).alias("cluster"), F.count("*").over(cluster).alias("cluster_size"), (first == 1).alias("kept")
    )
    return work.save(members, "members")


def clusters(
    df: DataFrame,
    text: str = "text",
    *,
    id: str = "id",
    url: str = "url",
    by: str = "minhash",
    keep: str | Column = "first",
    work: str | None = None,
) -> DataFrame:
    """Finds the clusters of duplicate rows. Returns a row for each row that has duplicates: ``id``, ``cluster`` (the smallest id in the
    cluster), ``cluster_size`` and ``kept`` (true for the copy that stays). It takes the arguments of :func:`deduplicate`.
    """
    if by not in KINDS:
        raise ValueError(f"by={by!r}: expected 'minhash', 'exact' or 'url'")
    with Work(df.sparkSession, work) as space:
        return _found(df, text, id, url, by, keep, space)


def deduplicate(
    df: DataFrame,
    text: str = "text",
    *,
    id: str = "id",
    url: str = "url",
    by: str = "minhash",
    keep: str | Column = "first",
    mark: bool = False,
    work: str | None = None,
) -> DataFrame:
    """Drops duplicate rows; one row of each cluster stays. Null texts, texts without words and invalid addresses have no duplicates.

    With ``by="minhash"``, rows whose texts share a key of :func:`maintext.signature` are duplicates, and so are the rows of a chain of such
    pairs. ``maintext batch --dedup minhash`` compares with earlier kept pages only, so it keeps more pages of a chain.

    The frame is read twice, first for the signatures. Write the result of :func:`extract` to a table before, or pages are extracted twice.

    :param text: the column of texts
    :param id: the column of ids, different for each row; only rows without duplicates, such as failed pages, may have null
    :param url: the column of addresses, for ``by="url"``, which are compared in their normal form
    :param by: ``"minhash"`` (nearly equal texts), ``"exact"`` (equal except for white space) or ``"url"``
    :param keep: the copy that stays: ``"first"`` (the smallest id), ``"longest"`` (the most characters), ``"newest"`` (the largest ``date``),
        or a column or SQL expression whose largest value stays, such as ``"confidence"``. Nulls lose; among equals, the smallest id stays
    :param mark: whether to keep all rows and add the columns ``cluster``, ``cluster_size`` and ``kept`` of :func:`clusters`
    :param work: a folder for intermediate tables that all executors can read and write, by default the checkpoint folder of the Spark
        context, or a temporary folder if Spark is local. Its subfolder of the result stays until you remove it
    :raises ValueError: if a column does not exist, an id is null or occurs twice, or a folder is missing
    """
    from pyspark.sql import functions as F

    added = ("cluster", "cluster_size", "kept")
    twice = [name for name in added if mark and name in df.columns]
    if twice:
        raise ValueError(f"the column '{twice[0]}' exists already; rename it first")
    found = clusters(df, text, id=id, url=url, by=by, keep=keep, work=work)
    if not mark:
        losers = found.where("not kept").select(F.col("id").alias("other id"))
        return df.join(losers, df[id] == losers["other id"], "left_anti")
    found = found.withColumnRenamed("id", "other id")
    joined = df.join(found, df[id] == found["other id"], "left")
    alone = {"cluster": F.col(id), "cluster_size": F.lit(1), "kept": F.lit(True)}
    return joined.select(*(df[name] for name in df.columns), *(F.coalesce(found[name], alone[name]).alias(name) for name in added))


#: Number of bytes of a key of a part of a text.
_KEY = 8


def _key(part: str) -> int | None:
    """Returns the key of a line or paragraph, or None if it has no words."""
    signature = _maintext.signature(part, "exact")
    return None if signature is None else int.from_bytes(signature[:_KEY], "little", signed=True)


def _parts(text: str, unit: str) -> list[str]:
    """Cuts a text into parts with their line feeds, so that joining them gives the text."""
    return re.findall(r"[^\n]*\n|[^\n]+$", text) if unit == "line" else re.findall(r"(?s).+?(?:\n[^\S\n]*\n\s*|\Z)", text)


def drop_repeated(
    df: DataFrame,
    text: str = "text",
    *,
    id: str = "id",
    unit: str = "line",
    pages: int = 1,
    within: str | Column | None = None,
    work: str | None = None,
) -> DataFrame:
    """Removes lines or paragraphs that more than ``pages`` rows have; all their copies go. The other parts keep their order.

    Parts are equal if only white space differs. A text whose parts all go is empty; its row stays. The frame is read twice.

    :param text: the column of texts
    :param id: the column of ids, as in :func:`deduplicate`
    :param unit: ``"line"``, or ``"paragraph"`` for parts between blank lines, as in Markdown
    :param pages: the number of rows that may share a part
    :param within: a column or SQL expression; only rows with the same value are compared, such as the rows of a host; null equals nothing
    :param work: as in :func:`deduplicate`
    """
    import pyarrow as pa
    from pyspark.sql import functions as F
    from pyspark.sql.types import StringType

    if unit not in ("line", "paragraph"):
        raise ValueError(f"unit={unit!r}: expected 'line' or 'paragraph'")
    if pages < 1:
        raise ValueError(f"pages={pages}: expected at least 1")
    group = F.lit(0) if within is None else F.expr(within) if isinstance(within, str) else within
    texts = df.select(
        F.col(_column_of(df, id, "of unique ids")).alias("id"), group.alias("group"), F.col(_column_of(df, text, "of texts", text=True)).alias("text")
    )

    def keys(batch: pa.RecordBatch) -> pa.Array:
        found = ({_key(part) for part in _parts(text or "", unit)} - {None} for text in batch.column("text").to_pylist())
        return pa.array([list(keys) or None for keys in found], pa.list_(pa.int64()))

    def remaining(batch: pa.RecordBatch) -> pa.Array:
        pairs = zip(batch.column("other text").to_pylist(), batch.column("repeated keys").to_pylist())
        return pa.array([_without(text, keys, unit) for text, keys in pairs], pa.string())

    with Work(df.sparkSession, work) as space:
        repeated = _repeated(texts, id, keys, pages, space)
    joined = df.withColumnRenamed(text, "other text").join(repeated, F.col(id) == F.col("other id"), "left").drop("other id")
    found = _with_column(joined, text, StringType(), remaining, without=["other text", "repeated keys"])
    return found.select(*df.columns)


def _repeated(texts: DataFrame, id: str, keys: Callable[[pa.RecordBatch], pa.Array], pages: int, work: Work) -> DataFrame:
    """Returns the keys of each row that more than a number of rows of its group have."""
    from pyspark.sql import functions as F

    parts = work.save(_with_column(texts, "keys", _keys_type(), keys, without=["text"]), "parts")
    _check_ids(parts, id)
    occurring = parts.select("id", "group", F.explode("keys").alias("key"))
    common = occurring.groupBy("group", "key").count().where(F.col("count") > pages).drop("count")
    repeated = occurring.join(common, ["group", "key"]).groupBy(F.col("id").alias("other id")).agg(F.collect_list("key").alias("repeated keys"))
    return work.save(repeated, "repeated")


def _without(text: str | None, keys: list[int] | None, unit: str) -> str | None:
    """Returns the text without the parts that have these keys."""
    if text is None or not keys:
        return text
    gone = set(keys)
    return "".join(part for part in _parts(text, unit) if _key(part) not in gone)
