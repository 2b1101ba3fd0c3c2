"""Samples of the pages of sites on Spark, for ``extract(sites=True)`` of :mod:`maintext.spark`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from . import _maintext

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

#: Column of the site's sample, while pages are extracted.
SAMPLE = "_maintext_sample"
_SITE = "_maintext_site"
#: Maximum number of pages in a sample, and minimum number of pages of a site that are compared, as in ``maintext batch --sites``.
_MOST, _FEWEST = 32, 3
_HOST = r"^[a-z][a-z0-9+.-]*://(?:[^/?#@]*@)?(?:www\.)?([^/?#:]+)"


def _host(address: Column) -> Column:
    """Returns the host of an address without ``www.``, or null."""
    from pyspark.sql import functions as F

    found = F.regexp_extract(F.lower(address), _HOST, 1)
    return F.when(found != "", found)


def with_samples(df: DataFrame, html: str, url: str, charset: str | None, max_size: int) -> DataFrame:
    """Adds the column :data:`SAMPLE` to pages: the sample of their host, or null for hosts with too few pages. Each task samples the hosts of
    its pages, and a join brings the samples to the pages, so Spark's own handling of skewed joins applies to large hosts."""
    from pyspark.sql import functions as F

    pages = df.withColumn(_SITE, _host(df[url]))
    wanted = [name for name in (html, url, charset, _SITE) if name]

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        samples = _maintext.Samples()
        for batch in batches:
            samples.add(batch, html, url, _SITE, charset, max_size)
        yield samples.table()

    sampled = pages.select(*wanted).where(F.col(_SITE).isNotNull()).mapInArrow(run, "site string, key bigint, page binary")
    first = F.slice(F.array_sort(F.collect_list(F.struct("key", "page"))), 1, _MOST)
    sites = sampled.groupBy(F.col("site").alias(_SITE)).agg(first.alias("pages")).where(F.size("pages") >= _FEWEST)
    joined = F.aggregate("pages", F.lit(bytearray()), lambda all, one: F.concat(all, one["page"]))
    return pages.join(sites.select(_SITE, joined.alias(SAMPLE)), _SITE, "left").drop(_SITE)
