"""maintext on Polars: the namespace ``maintext`` of expressions and series. ``pip install 'maintext[polars]'``

>>> import polars as pl
>>> import maintext.integrations.polars
>>> df = pl.LazyFrame({"html": ["<nav>Home</nav><article><p>We left early, and the road was empty.</p></article>", None]})
>>> df.select(pl.col("html").maintext.text()).collect()["html"].to_list()
['We left early, and the road was empty.\\n', None]
>>> page = pl.col("html").maintext.extract(fields=["text", "error"])
>>> df.select(page.struct.unnest()).collect()["error"].to_list()
[None, 'the page is null']

Expressions work in lazy frames and in the streaming engine (``collect(engine="streaming")``, ``sink_parquet``), which holds a few
thousand pages at a time. They hand Arrow arrays to native code that runs on all cores, without Python's lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._work import Work, require

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
else:
    pl = require("polars", "polars")
    pa = require("pyarrow", "polars")

__all__ = ["MaintextExpr", "MaintextSeries"]


class _Pages:
    """The function that Polars calls with columns of pages, addresses and charsets. It can be sent to other processes."""

    def __init__(self, work: Work, one: bool, given: tuple[str, ...]) -> None:
        self.work, self.one, self.given = work, one, given

    def __call__(self, columns: Sequence[pl.Series]) -> pl.Series:
        # The newest level has string views, so Polars does not copy the pages.
        pages, rows = columns[0].to_arrow(compat_level=pl.CompatLevel.newest()), len(columns[0])
        arrays = {name: column.to_arrow() for name, column in zip(self.given, columns[1:])}
        # A literal has one row.
        others = {n: pa.concat_arrays([a] * rows) if len(a) == 1 != rows else a for n, a in arrays.items()}
        done = self.work.pages(pages, others.get("url"), None, others.get("charset"))
        found: Any = pl.from_arrow(done)
        series: pl.Series = found.to_series() if self.one else found.to_struct()
        return series.alias(columns[0].name)


def _types(work: Work) -> dict[str, Any]:
    frame: Any = pl.from_arrow(work.schema.empty_table())
    return dict(frame.schema)


@pl.api.register_expr_namespace("maintext")
class MaintextExpr:
    """``pl.col("html").maintext``. ``url`` and ``charset`` are expressions, or names of columns."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def _run(self, one: bool, work: Work, url: Any, charset: Any) -> pl.Expr:
        others = {"url": url, "charset": charset}
        given = tuple(name for name, column in others.items() if column is not None)
        columns = [self._expr, *(others[name] for name in given)]
        types = _types(work)
        kind = next(iter(types.values())) if one else pl.Struct(types)
        return pl.map_batches(columns, _Pages(work, one, given), return_dtype=kind, is_elementwise=True)

    def extract(self, url: Any = None, *, charset: Any = None, **options: Any) -> pl.Expr:
        """Returns a struct of fields for each page, a string or binary.

        :param url: the addresses of the pages
        :param charset: their charsets from HTTP headers, for binary pages
        :param options: ``fields``, ``threads``, ``timeout``, ``max_size`` and the options of :class:`maintext.Extractor`
        :raises maintext.InvalidOptionError: if an option or a field is unknown or has an invalid value
        """
        work = Work(**options)
        return self._run(False, work, url, charset)

    def field(self, name: str, url: Any = None, *, charset: Any = None, **options: Any) -> pl.Expr:
        """Returns a field of each page, for example ``title``. It takes the parameters of :meth:`extract`."""
        return self._run(True, Work(fields=[name], **options), url, charset)

    def text(self, url: Any = None, **options: Any) -> pl.Expr:
        """Returns the main text of each page; null if the page fails."""
        return self.field("text", url, **options)

    def markdown(self, url: Any = None, **options: Any) -> pl.Expr:
        """Returns the main content of each page in Markdown; null if the page fails."""
        return self.field("markdown", url, **options)


@pl.api.register_series_namespace("maintext")
class MaintextSeries:
    """``series.maintext``, with the methods of expressions. ``url`` is another series, or an expression with a literal."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def _run(self, name: str, *args: Any, **options: Any) -> pl.Series:
        of: Any = pl.lit(self._series)
        return pl.select(getattr(of.maintext, name)(*args, **options)).to_series()

    def extract(self, url: Any = None, **options: Any) -> pl.Series:
        """Returns a struct of fields for each page, see :meth:`MaintextExpr.extract`."""
        return self._run("extract", url, **options)

    def field(self, name: str, url: Any = None, **options: Any) -> pl.Series:
        """Returns a field of each page, for example ``title``."""
        return self._run("field", name, url, **options)

    def text(self, url: Any = None, **options: Any) -> pl.Series:
        """Returns the main text of each page; null if the page fails."""
        return self._run("text", url, **options)

    def markdown(self, url: Any = None, **options: Any) -> pl.Series:
        """Returns the main content of each page in Markdown; null if the page fails."""
        return self._run("markdown", url, **options)
