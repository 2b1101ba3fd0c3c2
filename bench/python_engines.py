"""Runs maintext in Python's engines: the same answers as `maintext batch`, speed beside other packages, and memory over many calls.

    python_engines.py same --maintext target/release/maintext     5,000 pages through each engine, compared with `maintext batch`
    python_engines.py speed                                       processor time of each package on the same pages, in turns
    python_engines.py memory                                      resident memory during 200,000 calls of all kinds (Linux)

Pages are those of the labelled sets in $MAINTEXT_DATA or --data (docs/data.md). Needs `pip install '.[dask,duckdb,polars,ray,spark]'
zstandard` for `same`, resiliparse and trafilatura for `speed`. Engines and packages that are not installed are skipped.
"""

import argparse
import base64
import functools
import importlib.metadata
import importlib.util
import io
import itertools
import json
import multiprocessing
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

ENGINES = {"pool": "concurrent", "table": "pyarrow", "pandas": "pandas", "polars": "polars", "duckdb": "duckdb", "dask": "dask"}
ENGINES |= {"ray": "ray", "spark": "pyspark"}
#: Columns that hold JSON in tables and objects in Page.to_dict().
JSON_COLUMNS = ("blocks", "data", "metadata_sources", "things")


def load(data, limit, raw=False, every=1, sizes=(1, 250_000)):
    """Returns pages as dicts with id, url, and html: bytes if `raw`, or else str. Training sets first.

    `every` takes only every n-th page of a set, `sizes` only pages of such lengths.
    """
    import zstandard

    pages = []
    for path in [*sorted(pathlib.Path(data).glob("train/*.jsonl.zst")), *sorted(pathlib.Path(data).glob("eval/*.jsonl.zst"))]:
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(path.open("rb")) as stream:
            for line in itertools.islice(io.BufferedReader(stream, 1 << 20), 0, None, every):
                record = json.loads(line)
                html = record.get("html") or ""
                if raw:
                    html = base64.b64decode(record.get("html_base64") or "") or html.encode()
                if sizes[0] <= len(html) <= sizes[1]:
                    name = f"{path.name.split('.')[0]}/{len(pages)}"
                    pages.append({"id": name, "url": record.get("url"), "html": html})
                    if len(pages) == limit:
                        return pages
    return pages


def extract_all(extractor, rows):
    """Extracts rows in a process of the pool. Returns dicts with the columns of tables; Page.to_dict() has more."""
    import maintext

    columns = set(maintext.schema().names)
    found = []
    for row in rows:
        try:
            page = extractor.extract(row["html"], row["url"]).to_dict()
        except Exception as error:
            page = {"error": str(error)}
        found.append({"id": row["id"], "error": None, **{name: value for name, value in page.items() if name in columns}})
    return found


def pool(path):
    import pyarrow.parquet as pq

    import maintext

    rows = pq.read_table(path).to_pylist()
    chunks = [rows[i : i + 64] for i in range(0, len(rows), 64)]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as workers:
        found = workers.map(functools.partial(extract_all, maintext.Extractor()), chunks)
        return list(itertools.chain.from_iterable(found))


def table(path):
    import pyarrow.parquet as pq

    import maintext

    return maintext.extract_batch(pq.read_table(path), id="id")


def pandas(path):
    import pandas as pd

    import maintext.integrations.pandas  # noqa: F401

    return pd.read_parquet(path).maintext.extract()


def polars(path):
    import polars as pl

    import maintext
    import maintext.integrations.polars  # noqa: F401

    fields = [name for name in maintext.schema().names if name != "id"]
    pages = pl.scan_parquet(path).select("id", page=pl.col("html").maintext.extract(url="url"))
    return pages.select("id", *(pl.col("page").struct.field(name) for name in fields)).collect(engine="streaming").to_arrow()


def duckdb(path):
    import duckdb as db

    from maintext.integrations.duckdb import register

    con = register(db.connect())
    found = con.sql(f"select id as key, unnest(page) from (select id, maintext(html, url) as page from '{path}')").to_arrow_table()
    return found.drop_columns("id").rename_columns(["id", *found.column_names[2:]])


def dask(path):
    import dask as engine
    import dask.dataframe as dd

    from maintext.integrations.dask import extract

    with engine.config.set({"dataframe.convert-string": False}):
        return extract(dd.read_parquet(path, split_row_groups=1)).compute(scheduler="processes", num_workers=2)


def ray(path):
    import pyarrow as pa
    import ray as engine

    from maintext.integrations.ray import extract

    engine.init(num_cpus=2, include_dashboard=False, logging_level="error")
    found = pa.concat_tables(engine.get(extract(engine.data.read_parquet(path)).to_arrow_refs()))
    engine.shutdown()
    return found


def spark(path):
    from pyspark.sql import SparkSession

    from maintext import spark as mt

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "4g")
    session = builder.config("spark.sql.files.maxPartitionBytes", str(16 << 20)).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    found = mt.extract(session.read.parquet(path)).toArrow()
    session.stop()
    return found


def rows_of(found):
    """Returns a table, a data frame, or dicts as comparable rows by id: JSON columns are parsed, floats rounded."""
    if not isinstance(found, list):
        import pyarrow as pa

        found = (found if isinstance(found, pa.Table) else pa.Table.from_pandas(found, preserve_index=False)).to_pylist()
    rows = {}
    for row in found:
        row = {name: json.loads(value) if name in JSON_COLUMNS and isinstance(value, str) else value for name, value in row.items()}
        if row.get("confidence") is not None:
            # Tables hold 32-bit numbers, JSON their shortest digits.
            row["confidence"] = struct.unpack("f", struct.pack("f", row["confidence"]))[0]
        # A failed page of a pool has no fields: only its reason is compared.
        rows[row["id"]] = {"error": row["error"]} if row["error"] is not None else row
    return rows


def child(name, path, out):
    """Runs one engine, writes its rows in order of their ids, and prints their number."""
    found = globals()[name](path)
    rows = rows_of(found)
    with open(out, "w", encoding="utf-8") as file:
        for key in sorted(rows):
            file.write(json.dumps(rows[key], sort_keys=True, default=list) + "\n")
    print(len(found))


def same(args, folder):
    """Compares each engine with `maintext batch` on the same pages and prints a table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pages = load(args.data, args.pages or 5000, raw=True)
    # Two pages that fail, and an empty one. (A null has no id in the output of `maintext batch`.)
    for place, html in ((2, b"%PDF-1.7"), (1, b"\x89PNG\r\n\x1a\n\0\0"), (0, b"")):
        pages[len(pages) * place // 3]["html"] = html
    path, out = os.path.join(folder, "pages.parquet"), os.path.join(folder, "batch.parquet")
    schema = pa.schema([("id", pa.string()), ("url", pa.string()), ("html", pa.binary())])
    pq.write_table(pa.Table.from_pylist(pages, schema=schema), path, row_group_size=250, compression="zstd")
    size = sum(len(page["html"]) for page in pages) / len(pages) / 1000
    ended = subprocess.run([args.maintext, "batch", path, "-o", out], capture_output=True, text=True)
    if ended.returncode not in (0, 1):  # 1: some pages failed
        sys.exit(ended.stderr)
    wanted = rows_of(pq.read_table(out))
    wanted = [json.loads(json.dumps(wanted[key], default=list)) for key in sorted(wanted)]
    print(f"{len(pages):,} pages, {size:.0f} kB on average\n")
    print("| engine | version | rows | equal to `maintext batch` | failed pages |")
    print("| --- | --- | --: | --: | --: |", flush=True)
    good = len(wanted) == len(pages)
    for name in args.only or ENGINES:
        if importlib.util.find_spec(ENGINES[name]) is None:
            continue
        lines = os.path.join(folder, f"{name}.jsonl")
        command = [sys.executable, __file__, "same", "--child", name, "--input", path, "--output", lines]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if ran.returncode:
            sys.exit(f"{name}: {ran.stderr[-3000:]}")
        given = int(ran.stdout.splitlines()[-1])
        found = [json.loads(line) for line in open(lines, encoding="utf-8")]
        equal = sum(a == b for a, b in zip(found, wanted))
        for a, b in itertools.islice(((a, b) for a, b in zip(found, wanted) if a != b), args.show):
            print({key: (str(a.get(key))[:99], str(b.get(key))[:99]) for key in {*a, *b} if a.get(key) != b.get(key)}, file=sys.stderr)
        failed = sum(row["error"] is not None for row in found)
        good &= equal == len(wanted) == len(pages) == given
        version = "" if name in ("pool", "table") else importlib.metadata.version(ENGINES[name])
        label = {"pool": "process pool (spawn)", "table": "`extract_batch`"}.get(name, name)
        print(f"| {label} | {version} | {given:,} | {equal:,} | {failed} |", flush=True)
    return good


def speed(args, folder):
    """Measures processor time in turns of 25 pages, so that load on the machine affects all packages equally."""
    import pyarrow as pa

    import maintext

    pages = load(args.data, args.pages or 300, every=15, sizes=(2_000, 1_000_000))
    turns = [pages[start : start + 25] for start in range(0, len(pages), 25)]
    tables = {chunk[0]["id"]: pa.table({"html": [page["html"] for page in chunk]}) for chunk in turns}
    text, bare = maintext.Extractor(formats="text"), maintext.Extractor(formats="text", metadata=False)

    def each(call):
        return lambda chunk: [call(page["html"]) for page in chunk]

    def batch(**settings):
        return lambda chunk: maintext.extract_batch(tables[chunk[0]["id"]], threads=1, **settings)

    calls = {
        "maintext `extract`, text": each(lambda html: bare.extract(html).text),
        "maintext `extract`, text and metadata": each(lambda html: text.extract(html).text),
        "maintext `extract`, all formats and metadata": each(lambda html: maintext.extract(html).text),
        "maintext `extract_batch`, text": batch(fields=["text"], metadata=False),
        "maintext `extract_batch`, all fields": batch(),
    }
    if importlib.util.find_spec("polars"):
        import polars as pl

        import maintext.integrations.polars  # noqa: F401

        column = pl.col("html").maintext.text(threads=1, metadata=False)
        frames = {key: pl.from_arrow(table) for key, table in tables.items()}
        calls["maintext in Polars, text"] = lambda chunk: frames[chunk[0]["id"]].select(column)
    if importlib.util.find_spec("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        calls["resiliparse `extract_plain_text(main_content=True)`"] = each(lambda html: extract_plain_text(html, main_content=True))
    if importlib.util.find_spec("trafilatura"):
        import trafilatura

        calls["trafilatura `extract`"] = each(trafilatura.extract)
    found = dict.fromkeys(calls, 0.0)
    for call in calls.values():
        call(turns[0])  # loads models and tables
    for number, chunk in enumerate(turns):
        order = list(calls) if number % 2 else list(calls)[::-1]
        for name in order:
            start = time.process_time()
            calls[name](chunk)
            found[name] += time.process_time() - start
    size = sum(len(page["html"]) for page in pages) / len(pages) / 1000
    print(f"{len(pages):,} pages, {size:.0f} kB on average, processor time of one thread, in turns\n")
    least = found["maintext `extract`, text"]
    print("| call | pages per second | time / time of maintext `extract`, text |\n| --- | --: | --: |")
    for name, seconds in found.items():
        print(f"| {name} | {len(pages) / seconds:.0f} | {seconds / least:.2f} |")
    return True


def memory(args, folder):
    """Prints the resident memory during calls of all kinds, which repeat a page of each size, and errors."""
    import copy
    import pickle

    import pyarrow as pa

    import maintext

    pages = load(args.data, 200, every=4, sizes=(2_000, 12_000))
    attributes = [name for name in dir(maintext.Page) if not name.startswith("_") and not callable(getattr(maintext.Page, name))]
    everything = maintext.Extractor(page_type=True, things=True, formats=["text", "markdown", "html", "xml", "blocks"])

    def page(html, url):
        found = everything.extract(html, url)
        return [getattr(found, name) for name in attributes], found.to_dict(), found.to_json(), found._repr_html_()

    def batch(html, url):
        rows = pa.record_batch({"html": [html.encode(), None, b"%PDF-1.7"], "url": [url, None, "nonsense"]})
        return maintext.extract_batch(rows).to_pylist()

    def many(html, url):
        return [found.error for found in maintext.extract_many([html, None, (html, url), 7], threads=1)]

    def wrong(html, url):
        failed = 0
        for call in (
            lambda: maintext.extract(b"%PDF-1.7"),
            lambda: maintext.extract(html, colour=1),
            lambda: maintext.Extractor(method="magic"),
            lambda: maintext.extract(7),
            lambda: maintext.extract_batch(pa.record_batch({"n": [1]}), "n"),
        ):
            try:
                call()
            except Exception:
                failed += 1
        if failed != 5:
            sys.exit("a wrong call did not fail")

    def copies(html, url):
        return copy.deepcopy(pickle.loads(pickle.dumps(everything))) == everything, maintext.inspect(html).blocks

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    kinds = [page, lambda html, url: maintext.extract(html, url).text, batch, many, wrong, copies]
    calls = args.calls or 200_000
    seen = []
    print("| calls | MB resident |\n| --: | --: |")
    for call in range(calls + 1):
        if call and call % (calls // 10) == 0:
            seen.append(resident())
            print(f"| {call:,} | {seen[-1]:.1f} |", flush=True)
        chosen = pages[call // len(kinds) % len(pages)]
        kinds[call % len(kinds)](chosen["html"], chosen["url"])
    # The second half may need at most 3 % more than the first, by fragmentation.
    return max(seen[5:]) < 1.03 * max(seen[:5])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["same", "speed", "memory"])
    parser.add_argument("--data", default=os.environ.get("MAINTEXT_DATA"), help="folder with train/ and eval/ [default: $MAINTEXT_DATA]")
    parser.add_argument("--maintext", default="maintext", help="the command, for `same`")
    parser.add_argument("--pages", type=int, help="number of pages [default: 5,000 for `same`, 300 for `speed`]")
    parser.add_argument("--calls", type=int, help="number of calls for `memory` [default: 200,000]")
    parser.add_argument("--only", action="append", choices=list(ENGINES), help="engine for `same`; may be repeated")
    parser.add_argument("--show", type=int, default=3, help="number of differing rows to print for each engine")
    parser.add_argument("--child", choices=list(ENGINES), help=argparse.SUPPRESS)
    parser.add_argument("--input", help=argparse.SUPPRESS)
    parser.add_argument("--output", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.child, args.input, args.output)
        return 0
    if not args.data:
        parser.error("set $MAINTEXT_DATA or give --data")
    with tempfile.TemporaryDirectory() as folder:
        return 0 if {"same": same, "speed": speed, "memory": memory}[args.what](args, folder) else 1


if __name__ == "__main__":
    sys.exit(main())
