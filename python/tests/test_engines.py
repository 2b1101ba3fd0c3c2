"""Tests of maintext.integrations for pandas, Polars, DuckDB, Dask and Ray Data: the same rows from each, one for each page."""

from __future__ import annotations

import doctest
import importlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import article

import maintext

pa = pytest.importorskip("pyarrow")

#: Good pages, a null, a PDF, an empty page, one in another charset, and one with a link.
PAGES = [article("alders").encode(), None, b"%PDF-1.7", b"", article("böse").encode("cp1252"), article("birches").encode()]
URLS = [f"http://e.org/{i}" for i in range(4)] + [None, "nonsense"]
CHARSETS = [None, None, None, None, "windows-1252", None]
TABLE = pa.table({"html": PAGES, "url": URLS, "charset": CHARSETS, "id": [f"p{i}" for i in range(6)], "more": list(range(6))})
FIELDS = ["id", "url", "title", "authors", "words", "accessible_for_free", "text", "markdown", "images", "warnings", "error"]


def expected(fields: list[str] | None = None, **options: Any) -> list[dict[str, Any]]:
    """Returns what extract_batch returns for the pages."""
    return maintext.extract_batch(TABLE, id="id", charset_column="charset", fields=fields, **options).to_pylist()


def rows_of(df: Any) -> list[dict[str, Any]]:
    """Returns a pandas data frame as dicts, with None for nulls."""
    return pa.Table.from_pandas(df, preserve_index=False).to_pylist()


@pytest.mark.parametrize("name", ["pandas", "polars", "duckdb", "dask"])
def test_the_examples_run(name: str) -> None:
    module = importlib.import_module(f"maintext.integrations.{name}")
    results = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted > 2 and results.failed == 0


@pytest.mark.parametrize("name", ["pandas", "polars", "duckdb", "dask", "ray"])
def test_a_missing_package_names_the_extra(name: str) -> None:
    code = (
        f"import sys; sys.modules[{name!r}] = None\n"
        f"try:\n    import maintext.integrations.{name}\nexcept ImportError as error:\n    print(error)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"needs the package {name}; install it with: pip install 'maintext[{name}]'" in found.stdout


def example(name: str, folder: Path) -> str:
    """Writes pages to a folder, and returns the example in the documentation."""
    import pyarrow.parquet as pq

    (folder / "pages").mkdir()
    pq.write_table(TABLE, folder / "pages" / "0.parquet")
    document = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text(encoding="utf-8")
    (section,) = (s for s in re.split(r"^## ", document, flags=re.M) if s.lower().startswith(name))
    (code,) = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
    return code


@pytest.mark.parametrize("name", ["pandas", "polars", "duckdb", "dask"])
def test_the_example_in_the_documentation_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(example(name, tmp_path), {})
    shown = capsys.readouterr().out
    assert "About alders" in shown and "PDF" in shown


class TestPandas:
    def test_all_columns_and_the_index(self) -> None:
        import maintext.integrations.pandas  # noqa: F401

        df = TABLE.to_pandas()
        df.index = list("ufaxxb")  # two labels are equal
        found = df.maintext.extract()
        assert list(found.index) == list("ufaxxb") and rows_of(found) == expected()
        assert pa.Table.from_pandas(found, preserve_index=False).schema.remove_metadata().equals(maintext.schema())
        assert found["title"].isna().tolist() == [False, True, True, True, False, False]
        kept = df.maintext.extract(keep=["more"], fields=["text"])
        assert list(kept.columns) == ["more", "text"] and kept["more"].tolist() == list(range(6))
        assert df.iloc[:0].maintext.extract().shape == (0, len(maintext.schema()))

    def test_columns_of_all_types(self) -> None:
        import pandas as pd

        import maintext.integrations.pandas  # noqa: F401

        text = [article("alders"), None]
        kinds = [object, "str", "category", pd.ArrowDtype(pa.string()), pd.StringDtype()]
        for column in [pd.Series(text, dtype=kind) for kind in kinds]:
            assert column.maintext.text().str.contains("alders").tolist() == [True, None] or str(column.maintext.text()[1]) == "<NA>"
        raw = pd.Series([page.encode() if page else None for page in text], dtype=pd.ArrowDtype(pa.binary()))
        assert "alders" in raw.maintext.text()[0]
        # In a column of mixed values, strings are already decoded, whatever charset the page declares, and a number is not a page.
        mixed = pd.Series(['<meta charset="cp1252">' + article("böse"), article("über").encode(), float("nan"), 3, "\ud800"])
        found = mixed.maintext.extract(fields=["text", "error"])
        assert "böse" in found["text"][0] and "über" in found["text"][1]
        assert found["error"].tolist()[2:4] == ["the page is null", "a page must be str or bytes, not int"]

    def test_addresses_of_a_series(self) -> None:
        import pandas as pd

        import maintext.integrations.pandas  # noqa: F401

        pages = pd.Series([article("alders"), article("birches")], index=[7, 8])
        for url in ("http://e.org/x/", ["http://e.org/x/", None], pd.Series(["http://e.org/x/", None], index=[7, 8])):
            found = pages.maintext.markdown(url)
            assert list(found.index) == [7, 8] and "(http://e.org/x/c)" in found[7]
            assert ("(http://e.org/x/c)" in found[8]) == isinstance(url, str)
        with pytest.raises(ValueError, match="different indexes"):
            pages.maintext.text(pd.Series(["http://e.org/", None]))
        with pytest.raises(ValueError, match="2 pages, but 1 addresses"):
            pages.maintext.text(["http://e.org/"])

    def test_wrong_arguments(self) -> None:
        import maintext.integrations.pandas  # noqa: F401

        df = TABLE.to_pandas()
        with pytest.raises(ValueError, match="no column 'page'; the columns are html, url"):
            df.maintext.extract("page")
        with pytest.raises(ValueError, match="no column 'address'"):
            df.maintext.extract(url="address")
        with pytest.raises(ValueError, match="'url' is a column to keep and a field"):
            df.maintext.extract(keep=["url"])
        for wrong in ({"colour": 1}, {"method": "magic"}, {"fields": ["colour"]}, {"formats": "text"}):
            with pytest.raises(maintext.InvalidOptionError):
                df.maintext.extract(**wrong)


class TestPolars:
    def test_eager_lazy_and_streaming(self) -> None:
        import polars as pl

        import maintext.integrations.polars  # noqa: F401

        df = pl.from_arrow(TABLE)
        page = pl.col("html").maintext.extract(url="url", charset="charset", fields=FIELDS[1:])
        want = [{k: v for k, v in row.items() if k != "id"} for row in expected(FIELDS)]
        assert df.select(page)["html"].to_list() == want
        lazy = df.lazy().with_columns(page=page)
        assert lazy.collect_schema()["page"] == lazy.collect().schema["page"]
        assert lazy.collect(engine="streaming")["page"].to_list() == want
        again = pl.LazyFrame.deserialize(io.BytesIO(lazy.serialize()))
        assert again.collect()["page"].to_list() == want
        everything = df.select(pl.col("html").maintext.extract()).to_series()
        assert [field.name for field in everything.dtype.fields] == maintext.schema().names

    def test_single_fields_in_any_context(self) -> None:
        import polars as pl

        import maintext.integrations.polars  # noqa: F401

        df = pl.DataFrame({"page": [article(f"tree{i}") for i in range(400)] + [None], "group": [i % 7 for i in range(401)]})
        df = pl.concat([df[:13], df[13:200], df[200:]], rechunk=False)
        found = df.lazy().filter(pl.col("group") > 2).select("group", text=pl.col("page").maintext.text()).collect(engine="streaming")
        marks = [i for i in range(400) if i % 7 > 2]
        assert all(f"tree{i}," in text for i, text in zip(marks, found["text"]))
        linked = df.select(pl.col("page").maintext.markdown(url=pl.lit("http://e.org/x/")))["page"]
        assert "(http://e.org/x/c)" in linked[399] and linked[400] is None
        assert df["page"].maintext.field("title")[5] == "About tree5" and df["page"][:0].maintext.text().len() == 0
        words = df.group_by("group").agg(pl.col("page").maintext.field("words").sum()).sort("group")
        assert words["page"].to_list()[0] > 0

    def test_wrong_arguments(self) -> None:
        import polars as pl

        import maintext.integrations.polars  # noqa: F401

        for wrong in ({"colour": 1}, {"method": "magic"}, {"fields": ["colour"]}):
            with pytest.raises(maintext.InvalidOptionError):
                pl.col("html").maintext.extract(**wrong)
        with pytest.raises(Exception, match="expected strings or binary"):
            pl.DataFrame({"n": [1]}).select(pl.col("n").maintext.text())


class TestDuckDB:
    @pytest.fixture
    def con(self):
        import duckdb

        con = duckdb.connect()
        yield con
        con.close()

    def test_a_struct_of_fields(self, con: Any) -> None:
        from maintext.integrations.duckdb import register

        pages = TABLE
        assert register(con) is con and pages.num_rows == 6
        rows = con.sql("select id as i, maintext(html, url, charset) as p from pages order by i").to_arrow_table().column("p").to_pylist()
        want = expected()
        assert [list(row) for row in rows] == [maintext.schema().names] * 6
        assert [{**row, "id": None} for row in rows] == [{**row, "id": None} for row in want]
        # Expressions are folded and shared; a constant is a page too.
        found = con.execute("select count(*), maintext_text('<p>A page of one paragraph of text.') from range(5000) group by 2").fetchall()
        assert found == [(5000, "A page of one paragraph of text.\n")]

    def test_vectors_and_types(self, con: Any) -> None:
        from maintext.integrations.duckdb import register

        register(con, "page", fields=["title", "error"], method="text-density")
        register(con, "page", fields=["title", "error"])
        html = article("X").replace("X", "' || i || '")
        con.execute(f"create table t as select i, '{html}' as html from range(3000) r(i)".replace("content='Ada Byron'", "content=Ada"))
        con.execute("update t set html = null where i = 7")
        found = con.execute("select i, page_text(html), page(html::blob).title, page(html).error from t order by i").fetchall()
        assert found[7] == (7, None, None, "the page is null") and len(found) == 3000
        assert all(f"of {i}," in text and title == f"About {i}" for i, text, title, error in found if i != 7)
        assert "](" in con.execute("select page_markdown(html, 'http://e.org/') from t where i = 8").fetchone()[0]

    def test_wrong_arguments(self, con: Any) -> None:
        import duckdb

        from maintext.integrations.duckdb import register

        with pytest.raises(maintext.InvalidOptionError, match="unknown option 'colour'"):
            register(con, colour=1)
        with pytest.raises(maintext.InvalidOptionError, match="unknown field 'colour'"):
            register(con, fields=["colour"])
        register(con)
        for call, reason in (("maintext_text(1)", "expected strings"), ("maintext_text('a', 'b', 'c', 'd')", "expected a page")):
            with pytest.raises(duckdb.Error, match=reason):
                con.execute(f"select {call}").fetchall()


class TestDask:
    @pytest.mark.parametrize("scheduler", ["sync", "threads", "processes"])
    def test_data_frames(self, scheduler: str) -> None:
        import dask.dataframe as dd
        import pandas as pd

        from maintext.integrations.dask import extract

        df = dd.from_pandas(TABLE.to_pandas(types_mapper=pd.ArrowDtype), npartitions=3)
        lazy = extract(df, keep=["more"], fields=FIELDS)
        found = lazy.compute(scheduler=scheduler)
        assert list(found.index) == list(range(6)) and found["more"].tolist() == list(range(6))
        assert rows_of(found.drop(columns="more")) == expected(FIELDS)
        assert lazy.dtypes.astype(str).tolist() == found.dtypes.astype(str).tolist() and lazy.divisions == df.divisions
        everything = extract(df)
        assert list(everything.columns) == maintext.schema().names

    def test_bags(self) -> None:
        import dask.bag as db

        from maintext.integrations.dask import extract_bag

        found = extract_bag(db.from_sequence(TABLE.to_pylist(), npartitions=2)).compute(scheduler="sync")
        assert found == expected()
        items = [article("alders"), article("birches").encode(), (article("cedars"), "http://e.org/x/"), None, 7]
        found = extract_bag(db.from_sequence(items), fields=["markdown", "error"]).compute(scheduler="sync")
        assert [mark in row["markdown"] for row, mark in zip(found, ("alders", "birches", "(http://e.org/x/c)"))] == [True] * 3
        assert [row["error"] for row in found[3:]] == ["the page is null", "a page must be str or bytes, not int"]

    def test_wrong_arguments(self) -> None:
        import dask.bag as db
        import dask.dataframe as dd

        from maintext.integrations.dask import extract, extract_bag

        df = dd.from_pandas(TABLE.to_pandas(), npartitions=1)
        with pytest.raises(ValueError, match="no column 'page'"):
            extract(df, "page")
        for wrong in ({"colour": 1}, {"fields": ["colour"]}):
            with pytest.raises(maintext.InvalidOptionError):
                extract(df, **wrong)
            with pytest.raises(maintext.InvalidOptionError):
                extract_bag(db.from_sequence([""]), **wrong)


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    ray.init(num_cpus=2, include_dashboard=False, logging_level="error")
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    yield ray
    ray.shutdown()


class TestRay:
    def test_tasks_and_actors(self, ray: Any) -> None:
        from maintext.integrations.ray import Extract, extract

        pages = ray.data.from_arrow([TABLE.slice(0, 2), TABLE.slice(2)])
        for actors in (None, 1):
            found = extract(pages, keep=["more"], fields=FIELDS, actors=actors).take_all()
            assert [row.pop("more") for row in found] == list(range(6))
            assert json.loads(json.dumps(found, default=list)) == expected(FIELDS)
        batches = pages.map_batches(Extract, fn_constructor_kwargs={"fields": ["text"]}, batch_format="pyarrow", concurrency=1)
        assert "alders" in batches.take(1)[0]["text"]

    def test_the_example_in_the_documentation_runs(
        self, ray: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code = example("ray", tmp_path).replace('"pages"', repr(str(tmp_path / "pages")))
        exec(code, {})
        shown = capsys.readouterr().out
        assert "About alders" in shown and "PDF" in shown

    def test_wrong_arguments(self, ray: Any) -> None:
        from maintext.integrations.ray import extract

        pages = ray.data.from_arrow(TABLE)
        with pytest.raises(ValueError, match="no column 'page'"):
            extract(pages, "page")
        with pytest.raises(maintext.InvalidOptionError):
            extract(pages, colour=1)
