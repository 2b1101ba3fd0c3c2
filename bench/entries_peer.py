"""Measures GerapyAutoExtractor on the sets of list pages: precision, recall and F1 of entry links.

    python3 -m venv venv && venv/bin/pip install gerapy-auto-extractor
    venv/bin/python bench/entries_peer.py DATA_DIR/eval/zhao1-list.jsonl.zst DATA_DIR/eval/zhao3-list.jsonl.zst

Links are compared as the pages write them. The command `zstd` must be on the path.
"""
import base64
import json
import subprocess
import sys

from gerapy_auto_extractor import extract_list
from loguru import logger

MIN_ENTRIES = 4  # pages with fewer entries are skipped, as in maintext's own measurement


def html(page):
    if "html" in page:
        return page["html"]
    raw = base64.b64decode(page["html_base64"])
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def main(paths):
    logger.remove()
    for path in paths:
        lines = subprocess.run(["zstd", "-dc", "--long=27", path], check=True, capture_output=True).stdout.splitlines()
        pages, total, hits, found, named = 0, 0.0, 0, 0, 0
        for line in lines:
            page = json.loads(line)
            gold = {link["url"].strip() for link in page.get("links", [])}
            if len(gold) < MIN_ENTRIES:
                continue
            try:
                got = {entry["url"].strip() for entry in extract_list(html(page)) or []}
            except Exception as error:  # a page on which it fails counts as one without entries
                print(f"{page['id']}: {error}", file=sys.stderr)
                got = set()
            right = len(gold & got)
            pages += 1
            total += 2 * right / (len(gold) + len(got))
            hits, found, named = hits + right, found + len(got), named + len(gold)
        print(f"{path}: {pages} pages, mean F1 {total / pages:.4f}, pooled F1 {2 * hits / (found + named):.4f}")


if __name__ == "__main__":
    main(sys.argv[1:])
