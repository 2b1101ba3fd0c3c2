"""Tables and data frames of other libraries as Arrow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

#: What to do with objects that hold no rows yet: names of the package and the class, and the advice.
_LAZY = (
    ("polars", "LazyFrame", "pass frame.collect(), or use the expressions of maintext.integrations.polars"),
    ("dask", "", "pass frame.compute(), or use maintext.integrations.dask.extract(), which keeps it lazy"),
    ("ray", "Dataset", "use maintext.integrations.ray.extract(), which keeps it lazy"),
    ("pyspark", "DataFrame", "use maintext.spark.extract(), which keeps it lazy"),
)

_EXPECTED = (
    "expected a pyarrow.Table or RecordBatch, a data frame of pandas or polars, a DuckDB relation, another object with "
    "__arrow_c_stream__, or a dict of columns; for other iterables of pages there is extract_many()"
)


def table(data: Any) -> pa.Table | pa.RecordBatch:
    """Returns data as an Arrow table; a record batch stays a record batch.

    :raises TypeError: if the data are a lazy frame, or not a table; the message says what to do
    """
    import pyarrow as pa

    if isinstance(data, (pa.Table, pa.RecordBatch)):
        return data
    if isinstance(data, dict):
        return pa.table(data)
    kind = type(data)
    package = kind.__module__.split(".")[0]
    if package == "pandas" and not hasattr(data, "columns"):
        raise TypeError(f"data is a pandas {kind.__name__}; pass a frame, for example series.to_frame('html')")
    # A lazy frame may offer a stream, and reading it would silently compute the frame.
    for name, lazy, advice in _LAZY:
        if package == name and (kind.__name__ == lazy or not lazy):
            raise TypeError(f"data is a {name} {kind.__name__}, which holds no rows yet; {advice}")
    if hasattr(data, "__arrow_c_array__"):
        return pa.record_batch(data)
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    if package == "pandas":
        return pa.Table.from_pandas(data)
    for method in ("to_arrow_table", "fetch_arrow_table"):  # older versions of DuckDB
        if hasattr(data, method):
            return getattr(data, method)()
    raise TypeError(f"data is {kind.__module__}.{kind.__name__}; {_EXPECTED}")


def like(data: Any, done: pa.Table) -> Any:
    """Returns a result in the type of the data that were given; a table if the type is not known."""
    if isinstance(data, dict):
        return done.to_pydict()
    package = type(data).__module__.partition(".")[0]
    if package == "pandas":
        import pandas

        frame = done.to_pandas(types_mapper=pandas.ArrowDtype)
        frame.index = data.index
        return frame
    if package == "polars":
        import polars

        return polars.from_arrow(done)
    if package == "duckdb":
        import duckdb

        return duckdb.from_arrow(done)
    return done


def column(batch: pa.RecordBatch, name: str) -> pa.Array:
    """Returns a column with plain values: dictionaries, run lengths and extension types are decoded.

    :raises ValueError: if the column does not exist
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    at = batch.schema.get_field_index(name)
    if at < 0:
        raise ValueError(f"no column '{name}'; the columns are {', '.join(batch.schema.names)}")
    values = batch.column(at)
    while True:
        if isinstance(values, pa.ExtensionArray):
            values = values.storage
        elif pa.types.is_dictionary(values.type):
            entries = values.dictionary
            # Arrow cannot decode views yet.
            if pa.types.is_string_view(entries.type):
                entries = entries.cast(pa.large_string())
            elif pa.types.is_binary_view(entries.type):
                entries = entries.cast(pa.large_binary())
            values = entries.take(values.indices)
        elif pa.types.is_run_end_encoded(values.type):
            values = pc.run_end_decode(values)
        elif pa.types.is_null(values.type):
            return values.cast(pa.string())
        else:
            return values


def names(given: str | Iterable[str]) -> list[str]:
    """Returns one or several names as a list."""
    return [given] if isinstance(given, str) else list(given)
