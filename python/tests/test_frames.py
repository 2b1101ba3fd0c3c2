"""Tests of data frames, ids, kept columns and signatures."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
from conftest import article

import maintext
from maintext import _frames, _maintext, _options

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

HTMLS = [article("alders"), article("birches"), article("alders"), None]
URLS = [f"https://example.org/{i}" for i in range(4)]
FIELDS = ["id", "url", "text", "error"]


def rows(data: Any, **options: Any) -> list[dict[str, Any]]:
    return _frames.table(maintext.extract_batch(data, fields=FIELDS, **options)).to_pylist()


def test_encoded_columns_are_decoded() -> None:
    plain = rows(pa.table({"html": HTMLS, "url": URLS}))
    assert [row["error"] for row in plain] == [None, None, None, "the page is null"] and "birches" in plain[1]["text"]
    table = pa.table({"html": HTMLS, "url": URLS})
    encoded = pa.table({name: column.dictionary_encode() for name, column in zip(table.column_names, table.columns)})
    runs = pa.RunEndEncodedArray.from_arrays([3, 4], [HTMLS[0], None])
    frame = pd.DataFrame({"html": HTMLS, "url": URLS})
    polars = pl.DataFrame({"html": HTMLS, "url": URLS})
    for data in (
        encoded,
        encoded.to_batches()[0],
        frame,
        frame.astype("category"),
        polars,
        polars.cast(pl.Categorical),
        polars.with_columns(pl.col("url").cast(pl.Enum(URLS))),
        duckdb.from_arrow(table),
        {"html": HTMLS, "url": URLS},
    ):
        assert rows(data) == plain, type(data)
    found = rows(pa.table({"html": runs}))
    assert ["alders" in (row["text"] or "") for row in found] == [True, True, True, False]
    assert rows({"html": pa.nulls(2)})[0]["error"] == "the page is null"


def test_what_was_given_is_returned() -> None:
    table = pa.table({"html": HTMLS, "url": URLS})
    frame = pd.DataFrame({"html": HTMLS, "url": URLS}, index=["a", "b", "c", "d"])
    for data in (table, table.to_batches()[0], frame, pl.DataFrame(frame), duckdb.from_arrow(table), {"html": HTMLS, "url": URLS}):
        found = maintext.extract_batch(data, fields=FIELDS)
        assert type(found) is type(data)
    assert maintext.extract_batch(frame, fields=["text"]).index.tolist() == ["a", "b", "c", "d"]
    assert maintext.extract_batch({"html": HTMLS[:1]}, fields=["error"]) == {"error": [None]}


def test_lazy_frames_and_other_objects_say_what_to_do() -> None:
    from dask import dataframe as dd

    lazy = dd.from_pandas(pd.DataFrame({"html": HTMLS[:2]}), npartitions=1)
    for data, message in [
        (pl.LazyFrame({"html": HTMLS}), r"a polars LazyFrame, which holds no rows yet; pass frame.collect\(\)"),
        (lazy, r"a dask DataFrame, which holds no rows yet; pass frame.compute\(\), or use maintext.integrations.dask.extract\(\)"),
        (pd.Series(HTMLS), r"a pandas Series; pass a frame, for example series.to_frame\('html'\)"),
        (HTMLS, r"data is builtins.list; expected a pyarrow.Table.*extract_many\(\)"),
        (None, "data is builtins.NoneType"),
    ]:
        with pytest.raises(TypeError, match=message):
            maintext.extract_batch(data)
    assert len(rows(lazy.compute())) == 2


def test_ids_are_columns_or_the_numbers_of_rows() -> None:
    table = pa.table({"html": HTMLS, "key": ["a", "b", "c", "d"], "id": [7, 8, 9, 10]})
    ids = lambda data, **options: [row["id"] for row in rows(data, **options)]  # noqa: E731
    assert ids(table) == ["7", "8", "9", "10"] and ids(table, id="key") == ["a", "b", "c", "d"]
    without = table.drop_columns(["id"])
    chunked = pa.concat_tables([without.slice(0, 1), without.slice(1, 2), without.slice(3)])
    assert ids(without) == ids(chunked) == ["0", "1", "2", "3"]
    assert ids(chunked.to_batches()[1]) == ["0", "1"]
    assert ids(table, id="") == [None] * 4
    with pytest.raises(ValueError, match="no column 'number'; the columns are html, key, id"):
        maintext.extract_batch(table, id="number")


def test_kept_columns_come_first() -> None:
    dictionary = pa.array(["x", "y", "x", None]).dictionary_encode()
    table = pa.table({"html": HTMLS, "score": [1.5, 2.5, None, 0], "kind": dictionary})
    table = pa.concat_tables([table.slice(0, 3), table.slice(3)])
    for data in (table, table.to_batches()[0]):
        found = maintext.extract_batch(data, keep=["kind", "score"], fields=FIELDS)
        assert type(found) is type(data) and found.schema.names == ["kind", "score", *FIELDS]
        assert found.schema.field("kind") == table.schema.field("kind")
        assert found.select(["score"]).to_pylist() == data.select(["score"]).to_pylist()
    assert maintext.extract_batch(table, keep="score", fields=["text"]).column_names == ["score", "text"]
    empty = maintext.extract_batch(table.slice(0, 0), keep="score", fields=["text"])
    assert empty.column_names == ["score", "text"] and empty.num_rows == 0
    with pytest.raises(ValueError, match="no column 'colour'; the columns are html, score, kind"):
        maintext.extract_batch(table, keep="colour")
    with pytest.raises(ValueError, match="'url' is a column to keep and a field of the result"):
        maintext.extract_batch(pa.table({"html": HTMLS, "url": URLS}), keep="url")
    with pytest.raises(ValueError, match="no column 'page'"):
        maintext.extract_batch(table.slice(0, 0), "page")


def test_signatures_name_every_option_with_its_default() -> None:
    own = inspect.signature(maintext.Extractor).parameters
    assert set(own) == set(_options.Options.__annotations__)
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY and p.default is not inspect.Parameter.empty for p in own.values())
    with pytest.raises(maintext.InvalidOptionError) as error:
        maintext.Extractor(colour=1)  # type: ignore[call-arg]
    assert re.split(r", *", str(error.value).partition("the options are ")[2]) == list(own)
    defaults = {name: parameter.default for name, parameter in own.items()}
    assert maintext.extract(article("alders"), **defaults) == maintext.extract(article("alders"))
    from maintext.integrations import dask as on_dask  # noqa: F401 (the module imports without pyspark)

    for function in (maintext.extract, maintext.extract_many, maintext.fetch, maintext.inspect, maintext.extract_batch, maintext.batch):
        parameters = inspect.signature(function).parameters
        assert set(own) <= set(parameters) and "options" not in parameters, function
        assert all(own[name].default == parameters[name].default for name in own)


def test_help_describes_every_parameter() -> None:
    public = [getattr(maintext, name) for name in maintext.__all__]
    functions = [f for f in public if inspect.isfunction(f)]
    methods = [maintext.Extractor, maintext.Extractor.extract, maintext.Extractor.extract_many]
    assert len(functions) >= 9
    for function in [*functions, *methods]:
        described = re.findall(r"^:param (\w+): \S", inspect.getdoc(function) or "", re.MULTILINE)
        named = [name for name in inspect.signature(function).parameters if name != "self"]
        assert sorted(described) == sorted(named), function
    for name in dir(maintext.Page):
        if not name.startswith("_"):
            assert getattr(maintext.Page, name).__doc__, name
    assert _maintext.Page.__doc__
