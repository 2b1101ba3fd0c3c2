"""maintext on Dask: :func:`extract` for data frames, :func:`extract_bag` for bags. ``pip install 'maintext[dask]'``

>>> import dask.bag as db
>>> from maintext.integrations.dask import extract_bag
>>> pages = db.from_sequence(["<nav>Home</nav><article><p>We left early, and the road was empty.</p></article>", None])
>>> extract_bag(pages, fields=["text", "error"]).compute(scheduler="sync")
[{'text': 'We left early, and the road was empty.\\n', 'error': None}, {'text': None, 'error': 'the page is null'}]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ._work import BATCH_ROWS, Work, require

if TYPE_CHECKING:
    import pandas as pd
else:
    require("dask", "dask")
    require("pyarrow", "dask")

__all__ = ["extract", "extract_bag"]


def extract(df: Any, html: str = "html", url: str | None = "url", id: str | None = None, *, threads: int | None = 1, **options: Any) -> Any:
    """Extracts the pages of a data frame. The result is lazy, has one row for each input row, and the same index and partitions.

    :param df: a ``dask.dataframe.DataFrame``
    :param html: the column of pages, str or bytes
    :param url: the column of their addresses, or None; the column ``url`` may be absent
    :param id: the column of their ids; by default the column ``id``, if it exists
    :param threads: threads per task; the tasks of Dask already use all cores
    :param options: ``charset`` (the column of charsets from HTTP headers, for bytes), ``keep`` (other columns to copy to the result),
        ``fields`` (by default all; fewer are faster), ``timeout`` (seconds for one page, or None), ``max_size`` (bytes of one page),
        and the options of :class:`maintext.Extractor`
    :raises ValueError: if a column does not exist
    :raises maintext.InvalidOptionError: if an option or a field is unknown or has an invalid value
    """
    require("dask.dataframe", "dask")
    work = Work(html, url, id, threads=threads, **options)
    needed = [name for name in (html, *work.columns(df.columns), *work.keep) if name is not None]
    df = df[list(dict.fromkeys(needed))]
    return df.map_partitions(_frame, work, meta=_frame(df._meta, work))


def _frame(df: pd.DataFrame, work: Work) -> pd.DataFrame:
    from .pandas import frame

    return frame(df, work)


def extract_bag(bag: Any, *, threads: int | None = 1, **options: Any) -> Any:
    """Extracts the pages of a bag. The result is a lazy bag of dicts with the fields, in the order of the pages.

    :param bag: a ``dask.bag.Bag`` of str or bytes, of pairs (html, url), or of dicts with ``html`` and optionally ``url``, ``id``
        and ``charset``, as :func:`maintext.read` gives them; another item is a dict with ``error``
    :param threads: threads per task; the tasks of Dask already use all cores
    :param options: ``fields``, ``timeout``, ``max_size`` and the options of :class:`maintext.Extractor`
    :raises maintext.InvalidOptionError: if an option or a field is unknown or has an invalid value
    """
    work = Work(threads=threads, **options)
    return bag.map_partitions(_items, work)


def _items(items: Iterable[Any], work: Work) -> Iterator[dict[str, Any]]:
    rest = iter(items)
    while True:
        batch = [_parts(item) for item in islice(rest, BATCH_ROWS)]
        if not batch:
            return
        yield from work.pages(*map(list, zip(*batch))).to_pylist()


def _parts(item: Any) -> tuple[Any, Any, Any, Any]:
    """Returns the page, address, id and charset of an item."""
    if isinstance(item, dict):
        return item.get("html"), item.get("url"), item.get("id"), item.get("charset")
    if isinstance(item, (tuple, list)) and len(item) == 2:
        return item[0], item[1], None, None
    return item, None, None, None
