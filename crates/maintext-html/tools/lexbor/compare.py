#!/usr/bin/env python3
"""Measures the MB/s of lexbor (through selectolax, parsing only) and maintext-html, in one process, in turns, on one core.

    pip install selectolax zstandard
    cargo build --release --manifest-path tools/lexbor/Cargo.toml
    MAINTEXT_DATA=... python3 tools/lexbor/compare.py tools/lexbor/target/release/libmaintext_html_lexbor.so [set]

maintext-html's time includes the check that the bytes are UTF-8.
"""
import ctypes
import io
import json
import os
import re
import sys
import time

import zstandard
from selectolax.lexbor import LexborHTMLParser

ROUNDS = 7


def pages(name):
    path = os.path.join(os.environ["MAINTEXT_DATA"], "train", name + ".jsonl.zst")
    with open(path, "rb") as file:
        reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
        for line in io.TextIOWrapper(reader, encoding="utf-8"):
            record = json.loads(line)
            if "html" in record:
                yield record["html"].encode()


def script_share(page):
    scripts = re.findall(rb"<(script|style)\b.*?</\1", page, re.S | re.I)
    total = sum(len(m.group()) for m in re.finditer(rb"<(script|style)\b.*?</\1", page, re.S | re.I)) if scripts else 0
    return total / max(1, len(page))


def measure(name, group, parse):
    size = sum(map(len, group))
    best = {"lexbor": 1e9, "maintext-html": 1e9}
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for page in group:
            LexborHTMLParser(page)
        best["lexbor"] = min(best["lexbor"], time.perf_counter() - start)
        start = time.perf_counter()
        for page in group:
            parse(page, len(page))
        best["maintext-html"] = min(best["maintext-html"], time.perf_counter() - start)
    rates = ", ".join(f"{k} {size / v / 1e6:.0f} MB/s" for k, v in best.items())
    print(f"{name}: {len(group)} pages, {size / 1e6:.1f} MB; {rates}; {best['lexbor'] / best['maintext-html']:.2f} times")


def main():
    library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
    library.parse.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    library.parse.restype = ctypes.c_size_t
    everything = list(pages(sys.argv[2] if len(sys.argv) > 2 else "wcxb-dev"))
    measure("all", everything, library.parse)
    measure("scripts over half", [p for p in everything if script_share(p) > 0.5], library.parse)
    measure("scripts under half", [p for p in everything if script_share(p) <= 0.5], library.parse)


if __name__ == "__main__":
    main()
