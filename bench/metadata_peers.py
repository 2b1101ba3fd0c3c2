#!/usr/bin/env python3
"""Runs trafilatura, newspaper4k and htmldate on labelled pages and records title, author and date.

    python3 -m venv /path/to/venv && /path/to/venv/bin/pip install -r bench/requirements.txt
    /path/to/venv/bin/python bench/metadata_peers.py --data DATA --out OUT SET...

Reads DATA/train/SET.jsonl.zst (with the `zstd` command) and writes OUT/SET/SYSTEM.jsonl, one line per page: id, title, author,
date, and the processor time used. Every system gets the page as text and its address, if known, and is asked only for fields
that it supports. htmldate runs on the set about dates, htmldate-default, with its default settings and with
`extensive_search=False`. Existing results are kept, so that an interrupted run can resume.
"""
import argparse
import base64
import json
import logging
import subprocess
import time
from pathlib import Path

logging.disable(logging.CRITICAL)


def trafilatura(html, url):
    from trafilatura import load_html
    from trafilatura.metadata import extract_metadata

    found = extract_metadata(load_html(html), default_url=url)
    found = found.as_dict() if found else {}
    return {key: found.get(key) for key in ("title", "author", "date")}


def newspaper4k(html, url):
    import newspaper

    article = newspaper.Article(url or "http://example.org/a", fetch_images=False)
    article.download(input_html=html)
    article.parse()
    date = article.publish_date
    return {"title": article.title, "author": ", ".join(article.authors), "date": date.strftime("%Y-%m-%d") if date else None}


def htmldate(html, url):
    from htmldate import find_date

    return {"date": find_date(html, url=url, original_date=True)}


def htmldate_fast(html, url):
    from htmldate import find_date

    return {"date": find_date(html, url=url, original_date=True, extensive_search=False)}


def systems(name):
    if name == "htmldate-default":
        return {"htmldate": htmldate, "htmldate-fast": htmldate_fast, "trafilatura": trafilatura, "newspaper4k": newspaper4k}
    return {"trafilatura": trafilatura, "newspaper4k": newspaper4k}


def pages(path):
    lines = subprocess.Popen(["zstd", "-dc", "--long=27", str(path)], stdout=subprocess.PIPE).stdout
    for line in lines:
        row = json.loads(line)
        html = row.get("html")
        if html is None:
            html = base64.b64decode(row["html_base64"]).decode("utf-8", "replace")
        url = row.get("url") or ""
        yield row["id"], html, url if url.startswith("http") else None


def run(data, out, name):
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    for system, ask in systems(name).items():
        path = folder / f"{system}.jsonl"
        done = {json.loads(line)["id"] for line in open(path, encoding="utf-8")} if path.exists() else set()
        with open(path, "a", encoding="utf-8") as file:
            for ident, html, url in pages(data / "train" / f"{name}.jsonl.zst"):
                if ident in done:
                    continue
                start = time.process_time()
                try:
                    answer = ask(html, url)
                except Exception as error:  # the error is recorded as the result
                    answer = {"error": type(error).__name__}
                answer["cpu"] = time.process_time() - start
                file.write(json.dumps({"id": ident, **answer}, default=str) + "\n")
                file.flush()
        print(f"{name}: {system}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets; see docs/data.md")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("sets", nargs="+")
    args = parser.parse_args()
    for name in args.sets:
        run(args.data, args.out, name)
