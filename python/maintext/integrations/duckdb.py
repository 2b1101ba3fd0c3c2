"""maintext in DuckDB: functions for SQL. ``pip install 'maintext[duckdb]'``

>>> import duckdb
>>> from maintext.integrations.duckdb import register
>>> con = register(duckdb.connect())
>>> html = "<title>A walk</title><article><p>We left early, and the road was empty.</p></article>"
>>> con.execute("select maintext_text(?)", [html]).fetchone()
('We left early, and the road was empty.\\n',)
>>> con.execute("select p.title, p.error from (select maintext(?, 'https://example.org/') as p)", [html]).fetchone()
('A walk', None)
>>> con.close()

Each function takes the page, as VARCHAR or BLOB, and optionally its address and its charset: ``maintext_text(html, url, charset)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._work import Work, require

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
else:
    duckdb = require("duckdb", "duckdb")
    pa = require("pyarrow", "duckdb")

__all__ = ["register"]


def register(
    con: duckdb.DuckDBPyConnection, name: str = "maintext", *, fields: Iterable[str] | None = None, **options: Any
) -> duckdb.DuckDBPyConnection:
    """Registers functions for pages with a connection: ``maintext`` (a struct of fields), ``maintext_text`` and ``maintext_markdown``.

    The field ``error`` of the struct is the reason why a page failed, or null. The text of a failed page is null.

    :param con: the connection; functions that an earlier call registered are replaced
    :param name: name of the first function and prefix of the others
    :param fields: the fields of the struct, by default all of ``maintext.schema()``; fewer fields are faster
    :param options: ``threads`` for the pages of a vector, ``timeout``, ``max_size`` and the options of :class:`maintext.Extractor`
    :returns: the connection
    :raises maintext.InvalidOptionError: if an option or a field is unknown or has an invalid value
    """
    functions = {name: Work(fields=fields, **options)}
    functions |= {f"{name}_{field}": Work(fields=[field], **options) for field in ("text", "markdown")}
    for function, work in functions.items():
        kind = pa.struct(list(work.schema)) if function == name else work.schema.field(0).type
        try:
            con.remove_function(function)
        except duckdb.Error:
            pass  # the usual case: there is none
        settings: dict[str, Any] = {"type": "arrow", "null_handling": "special"}
        con.create_function(function, _function(work, function == name), None, _sql_type(kind), **settings)
    return con


def _function(work: Work, struct: bool) -> Any:
    def run(*columns: Any) -> Any:
        if not 1 <= len(columns) <= 3:
            raise TypeError("expected a page, and optionally its address and its charset")
        html, url, charset = (*columns, None, None)[:3]
        done = work.pages(html, url, None, charset).combine_chunks()
        arrays = [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in done.columns]
        return pa.StructArray.from_arrays(arrays, fields=list(done.schema)) if struct else arrays[0]

    return run


def _sql_type(kind: pa.DataType) -> str:
    """Returns the type of DuckDB that holds an Arrow type."""
    if pa.types.is_struct(kind):
        parts = (kind.field(i) for i in range(kind.num_fields))
        return f"STRUCT({', '.join(f'{_quoted(part.name)} {_sql_type(part.type)}' for part in parts)})"
    if pa.types.is_list(kind):
        return f"{_sql_type(kind.value_type)}[]"
    names = {"string": "VARCHAR", "bool": "BOOLEAN", "int32": "INTEGER", "int64": "BIGINT", "float": "FLOAT", "double": "DOUBLE"}
    return names[str(kind)]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
