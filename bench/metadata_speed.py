#!/usr/bin/env python3
"""maintext's whole extraction without rendering beside htmldate's date alone, in turns on the same pages and machine.

    cargo build --release -p maintext --example fields
    /path/to/venv/bin/python bench/metadata_speed.py --data DATA --fields target/release/examples/fields [--pages N] [--turns N]

Both are measured in processor seconds. For maintext that is the whole process: decompression, JSON, decoding, parsing, content,
title, authors, dates and all other fields; for htmldate the calls of find_date only. Each turn has pages of its own: htmldate remembers
what it has seen.
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


def ours(fields, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([fields, path], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def theirs(rows):
    start = time.process_time()
    for html, url in rows:
        try:
            find_date(html, url=url, original_date=True)
        except Exception:  # a page that it cannot read costs what it costs
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
        sums = [0.0, 0.0]
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
            a, b = ours(args.fields, path), theirs(rows)
            sums = [sums[0] + a, sums[1] + b]
            print(f"turn {turn + 1}: maintext {1000 * a / len(rows):.2f} ms a page, htmldate {1000 * b / len(rows):.2f} ms")
        print(f"htmldate takes {sums[1] / sums[0]:.1f} times as long")
