"""The extraction that the modules for data frames and query engines share: one table in, one table with maintext's columns out."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .. import _maintext
from .._tables import MAX_SIZE, extract_batch, listed
from .._tables import schema as _schema
from ._common import missing

if TYPE_CHECKING:
    import pyarrow as pa

#: Default time limit for one page in seconds, as on Spark.
TIMEOUT = 60.0
#: Default number of pages in a batch.
BATCH_ROWS = 256
#: Maximum number of rows that are extracted at once.
MOST_ROWS = 4096


def require(module: str, extra: str) -> Any:
    """Imports an optional package.

    :raises ImportError: if it is missing; the message names the extra to install
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise missing(extra, module.split(".")[0]) from error


class Work:
    """The columns and options of an extraction. They are checked once; the object can be sent to other processes.

    :param html: the column of pages, string or binary
    :param url: the column of their addresses, or None; the column ``url`` may be absent
    :param id: the column of their ids; by default the column ``id``, if it exists
    :param charset: the column of charsets from HTTP headers, for binary pages; by default the column ``charset``, if it exists
    :param keep: other columns to copy to the result
    :param fields: the fields to return, by default all of ``maintext.schema()``; fewer fields are faster
    :param threads: number of threads, by default one per core
    :param timeout: time limit for one page in seconds, or None
    :param max_size: maximum size of a page in bytes; a larger page fails
    :param options: options of :class:`maintext.Extractor`
    :raises ValueError: if a column to keep has the name of a field
    :raises maintext.InvalidOptionError: if an option or a field is unknown or has an invalid value
    """

    def __init__(
        self,
        html: str = "html",
        url: str | None = "url",
        id: str | None = None,
        *,
        charset: str | None = None,
        keep: Iterable[str] = (),
        fields: str | Iterable[str] | None = None,
        threads: int | None = None,
        timeout: float | None = TIMEOUT,
        max_size: int = MAX_SIZE,
        **options: Any,
    ) -> None:
        if "formats" in options:
            raise _maintext.InvalidOptionError("formats: a table has the formats that fields= names")
        _maintext.Extractor(**options)
        self.html, self.url, self.id, self.charset = html, url, id, charset
        self.keep = [keep] if isinstance(keep, str) else list(keep)
        # None is not the same as all names: a field that costs time (page_type, blocks) is null unless an option or its name asks for it.
        self.fields = listed(fields)
        twice = set(self.keep) & set(self.schema.names)
        if twice:
            raise ValueError(f"'{min(twice)}' is a column to keep and a field of the result; rename the column first")
        self.threads, self.timeout, self.max_size, self.options = threads, timeout, max_size, options

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the fields, without the kept columns."""
        return _schema(self.fields)

    def columns(self, names: Iterable[str]) -> tuple[str | None, str | None, str | None]:
        """Returns the columns of addresses, ids and charsets in a table with these columns. The usual columns are optional.

        :raises ValueError: if a column does not exist that the caller named
        """
        names = list(names)
        found: list[str | None] = []
        for name, usual in ((self.url, "url"), (self.id, "id"), (self.charset, "charset")):
            optional = name is None or name == usual
            # Without an address column, url=None applies; without an id or a charset, the usual column is used if it exists.
            name = usual if name is None and usual != "url" else name
            found.append(name if name in names or not optional else None)
        for name in (self.html, *found, *self.keep):
            if name is not None and name not in names:
                raise ValueError(f"no column '{name}'; the columns are {', '.join(map(str, names))}")
        return found[0], found[1], found[2]

    def __call__(self, table: pa.Table) -> pa.Table:
        """Returns the kept columns and the fields of the pages in a table."""
        import pyarrow as pa

        url, id, charset = self.columns(table.column_names)
        done = self.extract(table, url, id, charset)
        if not self.keep:
            return done
        return pa.table([*(table.column(name) for name in self.keep), *done.columns], names=[*self.keep, *done.column_names])

    def extract(self, table: pa.Table, url: str | None, id: str | None, charset: str | None) -> pa.Table:
        """Extracts a table with these columns, in slices that no array of strings can outgrow."""
        import pyarrow as pa

        done = [
            extract_batch(
                table.slice(start, MOST_ROWS),
                self.html,
                url,
                # Partitions have no numbers of rows: without ids, the addresses are the ids.
                id or url or "",
                charset_column=charset,
                fields=self.fields,
                threads=self.threads,
                timeout=self.timeout,
                max_size=self.max_size,
                **self.options,
            )
            for start in range(0, max(1, table.num_rows), MOST_ROWS)
        ]
        return pa.concat_tables(done)

    def pages(self, pages: Any, urls: Any = None, ids: Any = None, charsets: Any = None) -> pa.Table:
        """Extracts Python values: str, bytes, or None. A value of another type is a row with an error."""
        import pyarrow as pa

        column, known, problems = page_column(pages, charsets)
        arrays = {self.html: column}
        names: dict[str, str | None] = {}
        for kind, values in (("url", urls), ("id", ids), ("charset", known)):
            names[kind] = None if values is None else f"{self.html} {kind}"
            if values is not None:
                arrays[f"{self.html} {kind}"] = values if isinstance(values, (pa.Array, pa.ChunkedArray)) else texts(values)
        done = self.extract(pa.table(arrays), names["url"], names["id"], names["charset"])
        return with_errors(done, problems) if problems else done


def is_null(value: Any) -> bool:
    """Returns whether a value is missing: None, NaN, or pandas' NA."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def texts(values: Iterable[Any]) -> pa.Array:
    """Returns values as strings, with nulls."""
    import pyarrow as pa

    return pa.array([None if is_null(value) else _utf8(str(value)) for value in values], pa.string())


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def page_column(pages: Any, charsets: Any) -> tuple[Any, Any, dict[int, str]]:
    """Returns pages as an Arrow array, with the charsets of binary pages, and an error for each value that is not a page."""
    import pyarrow as pa

    if isinstance(pages, (pa.Array, pa.ChunkedArray)):
        if pa.types.is_dictionary(pages.type):
            pages = pages.cast(pages.type.value_type)
        return (pages.cast(pa.string()) if pa.types.is_null(pages.type) else pages), charsets, {}
    values: list[Any] = []
    problems: dict[int, str] = {}
    for row, page in enumerate(pages):
        if isinstance(page, (bytearray, memoryview)):
            page = bytes(page)
        if not isinstance(page, (str, bytes)):
            if not is_null(page):
                problems[row] = f"a page must be str or bytes, not {type(page).__name__}"
            page = None
        values.append(page)
    if not any(isinstance(page, bytes) for page in values):
        return pa.array([page and _utf8(page) for page in values], pa.large_string()), None, problems
    if any(isinstance(page, str) for page in values):
        # Text in a binary column is UTF-8, whatever the page says.
        given = [None] * len(values) if charsets is None else list(charsets)
        charsets = ["utf-8" if isinstance(page, str) else given[row] for row, page in enumerate(values)]
        values = [page.encode("utf-8", "replace") if isinstance(page, str) else page for page in values]
    return pa.array(values, pa.large_binary()), charsets, problems


def with_errors(done: pa.Table, problems: dict[int, str]) -> pa.Table:
    """Replaces the errors of some rows."""
    import pyarrow as pa

    at = done.schema.get_field_index("error")
    if at < 0:
        return done
    errors = [problems.get(row, error) for row, error in enumerate(done.column(at).to_pylist())]
    return done.set_column(at, done.schema.field(at), pa.array(errors, pa.string()))
