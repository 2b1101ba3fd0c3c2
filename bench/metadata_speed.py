#!/usr/bin/env python3
"""Compares the time of maintext's whole extraction without rendering with htmldate's time for the date alone, on the same pages in turns.

    cargo build --release -p maintext-core --example fields
    /path/to/venv/bin/python bench/metadata_speed.py --data DATA --fields target/release/examples/fields [--pages N] [--turns N]

Both are measured in processor seconds. For maintext this includes the whole process: decompression, JSON, decoding, parsing, content,
title, authors, dates and all other fields; for htmldate only the calls of find_date. Each turn uses different pages, because htmldate
caches results. Two more runs of maintext only read the file, and read and parse it; their difference is the time of parsing alone.
"""
import argparse
import base64
import json
import logging
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from htmldate import find_date

logging.disable(logging.CRITICAL)


def ours(fields, path, stage):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([fields, path, stage], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def theirs(rows):
    start = time.process_time()
    for html, url in rows:
        try:
            find_date(html, url=url, original_date=True)
        except Exception:  # the time still counts
            pass
    return time.process_time() - start


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fields", required=True)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    source = args.data / "train" / "htmldate-default.jsonl.zst"
    raw = subprocess.run(["zstd", "-dc", "--long=27", str(source)], capture_output=True, check=True).stdout
    lines = raw.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        sums = [0.0, 0.0, 0.0]
        for turn in range(args.turns):
            part = lines[turn * args.pages : (turn + 1) * args.pages]
            if not part:
                break
            rows = []
            for line in part:
                row = json.loads(line)
                html = row.get("html") or base64.b64decode(row["html_base64"]).decode("utf-8", "replace")
                rows.append((html, row.get("url")))
            path = str(Path(folder) / f"pages{turn}.jsonl.zst")
            subprocess.run(["zstd", "-q", "-o", path], input=b"\n".join(part) + b"\n", check=True)
            whole, parse, read = (ours(args.fields, path, stage) for stage in ("whole", "parse", "read"))
            times = [whole, max(parse - read, 1e-9), theirs(rows)]
            sums = [a + b for a, b in zip(sums, times)]
            whole, parse, htmldate = (1000 * t / len(rows) for t in times)
            print(f"turn {turn + 1}: maintext {whole:.2f} ms per page, of which parsing {parse:.2f} ms; htmldate {htmldate:.2f} ms")
        print(f"htmldate takes {sums[2] / sums[0]:.1f} times as long, and {sums[2] / sums[1]:.1f} times as long as parsing alone")
