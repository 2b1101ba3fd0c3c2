"""maintext on Ray Data: :func:`extract` for datasets, :class:`Extract` for ``map_batches``. ``pip install 'maintext[ray]'``

    import ray
    from maintext.integrations.ray import extract

    pages = ray.data.read_parquet("pages/")
    texts = extract(pages, fields=["id", "url", "title", "language", "text", "error"])
    texts.write_parquet("texts/")

The result has the columns of ``maintext.schema()``. If a page fails, ``error`` is the reason. Ray returns blocks in any order, unless
``ray.data.DataContext.get_current().execution_options.preserve_order`` is true; ``id`` and ``keep=`` tell the rows apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._work import BATCH_ROWS, Work, require

if TYPE_CHECKING:
    import pyarrow as pa
else:
    require("ray.data", "ray")
    require("pyarrow", "ray")

__all__ = ["Extract", "extract"]


class Extract:
    """Extracts batches of a dataset, in tasks or in a pool of actors.

        dataset.map_batches(Extract(fields=["text"]), batch_format="pyarrow", batch_size=256)
        dataset.map_batches(Extract, fn_constructor_kwargs={"fields": ["text"]}, batch_format="pyarrow", batch_size=256, concurrency=4)

    :param html: the column of pages, string or binary
    :param url: the column of their addresses, or None; the column ``url`` may be absent
    :param id: the column of their ids; by default the column ``id``, if it exists
    :param threads: threads per task; more than one only if tasks have several cores (``num_cpus``)
    :param options: ``charset`` (the column of charsets from HTTP headers, for bytes), ``keep`` (other columns to copy to the result),
        ``fields`` (by default all; fewer are faster), ``timeout`` (seconds for one page, or None), ``max_size`` (bytes of one page),
        and the options of :class:`maintext.Extractor`
    :raises maintext.InvalidOptionError: if an option or a field is unknown or has an invalid value
    """

    def __init__(
        self, html: str = "html", url: str | None = "url", id: str | None = None, *, threads: int | None = 1, **options: Any
    ) -> None:
        self.work = Work(html, url, id, threads=threads, **options)

    def __call__(self, table: pa.Table) -> pa.Table:
        return self.work(table)


def extract(
    dataset: Any,
    html: str = "html",
    url: str | None = "url",
    id: str | None = None,
    *,
    actors: int | tuple[int, int] | None = None,
    batch_rows: int = BATCH_ROWS,
    ray_args: dict[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Extracts the pages of a dataset. The result is lazy and has one row for each input row.

    :param dataset: a ``ray.data.Dataset``
    :param actors: number of actors, or their minimum and maximum; by default, tasks extract the pages
    :param batch_rows: rows in a batch
    :param ray_args: arguments of ``Dataset.map_batches``, for example ``{"num_cpus": 2}``
    :param options: parameters of :class:`Extract`, with the options of :class:`maintext.Extractor`
    :raises ValueError: if a column does not exist; if Ray does not know the columns yet, the tasks raise it
    :raises maintext.InvalidOptionError: if an option or a field is unknown or has an invalid value
    """
    function = Extract(html, url, id, **options)
    schema = dataset.schema(fetch_if_missing=False)
    if schema is not None:
        function.work.columns(schema.names)
    how: dict[str, Any] = {"batch_format": "pyarrow", "batch_size": batch_rows, **(ray_args or {})}
    if actors is None:
        return dataset.map_batches(function, **how)
    how = {"fn_constructor_args": [html, url, id], "fn_constructor_kwargs": options, "concurrency": actors, **how}
    return dataset.map_batches(Extract, **how)
