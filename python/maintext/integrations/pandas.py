"""maintext on pandas: the accessor ``maintext`` of data frames and series. ``pip install 'maintext[pandas]'``

>>> import pandas as pd
>>> import maintext.integrations.pandas
>>> df = pd.DataFrame({"html": ["<nav>Home</nav><article><p>We left early, and the road was empty.</p></article>", None]})
>>> df.maintext.extract(fields=["words", "error"])
   words             error
0      8              <NA>
1      0  the page is null
>>> df["html"].maintext.text()[0]
'We left early, and the road was empty.\\n'

The result has the index of the input and the columns of ``maintext.schema()``, with Arrow types, so that nulls stay nulls. If a page
fails, ``error`` is the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._work import Work, require

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
else:
    pd = require("pandas", "pandas")
    pa = require("pyarrow", "pandas")

__all__ = ["extract"]


def extract(df: pd.DataFrame, html: str = "html", url: str | None = "url", id: str | None = None, **options: Any) -> pd.DataFrame:
    """Extracts the pages of a data frame. The result has one row for each input row, and the same index.

    :param html: the column of pages, str or bytes
    :param url: the column of their addresses, or None; the column ``url`` may be absent
    :param id: the column of their ids; by default the column ``id``, if it exists
    :param options: ``charset`` (the column of charsets from HTTP headers, for bytes), ``keep`` (other columns to copy to the result),
        ``fields`` (by default all; fewer are faster), ``threads``, ``timeout`` (seconds for one page, or None), ``max_size`` (bytes of one page),
        and the options of :class:`maintext.Extractor`
    :raises ValueError: if a column does not exist
    :raises maintext.InvalidOptionError: if an option or a field is unknown or has an invalid value
    """
    return frame(df, Work(html, url, id, **options))


def frame(df: pd.DataFrame, work: Work) -> pd.DataFrame:
    """Does the work on a data frame."""
    url, id, charset = work.columns(df.columns)
    others = [None if name is None else _values(df[name]) for name in (url, id, charset)]
    done = _to_pandas(work.pages(_values(df[work.html]), *others), df.index)
    return pd.concat([df[work.keep], done], axis=1) if work.keep else done


def _values(series: pd.Series[Any]) -> Any:
    """Returns a column as an Arrow array if it has a type of Arrow's, or else as a list."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(series.cat.categories.dtype)
    return pa.array(series, from_pandas=True) if isinstance(series.dtype, (pd.ArrowDtype, pd.StringDtype)) else series.tolist()


def _to_pandas(table: pa.Table, index: Any) -> pd.DataFrame:
    df: pd.DataFrame = table.to_pandas(types_mapper=pd.ArrowDtype)
    df.index = index
    return df


@pd.api.extensions.register_dataframe_accessor("maintext")
class FrameAccessor:
    """``df.maintext``."""

    def __init__(self, df: pd.DataFrame) -> None:
        self._df = df

    def extract(self, html: str = "html", url: str | None = "url", id: str | None = None, **options: Any) -> pd.DataFrame:
        """Extracts the pages of the data frame, see :func:`extract`."""
        return extract(self._df, html, url, id, **options)


@pd.api.extensions.register_series_accessor("maintext")
class SeriesAccessor:
    """``series.maintext``. ``url`` is a series with the same index, or a list, or the one address of all pages."""

    def __init__(self, series: pd.Series[Any]) -> None:
        self._series = series

    def extract(self, url: Any = None, **options: Any) -> pd.DataFrame:
        """Returns a data frame with the fields of each page. It takes the options of :func:`extract`."""
        work = Work(**options)
        if url is not None:
            if isinstance(url, pd.Series) and not url.index.equals(self._series.index):
                raise ValueError("the series of addresses and the series of pages have different indexes")
            url = [url] * len(self._series) if isinstance(url, str) else url.tolist() if isinstance(url, pd.Series) else list(url)
            if len(url) != len(self._series):
                raise ValueError(f"{len(self._series)} pages, but {len(url)} addresses")
        return _to_pandas(work.pages(_values(self._series), url), self._series.index)

    def field(self, name: str, url: Any = None, **options: Any) -> pd.Series[Any]:
        """Returns a field of each page, for example ``title``."""
        found: pd.Series[Any] = self.extract(url, fields=[name], **options)[name]
        return found

    def text(self, url: Any = None, **options: Any) -> pd.Series[Any]:
        """Returns the main text of each page; null if the page fails."""
        return self.field("text", url, **options)

    def markdown(self, url: Any = None, **options: Any) -> pd.Series[Any]:
        """Returns the main content of each page in Markdown; null if the page fails."""
        return self.field("markdown", url, **options)
