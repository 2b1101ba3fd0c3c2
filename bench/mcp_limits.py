"""Checks that no answer of `maintext mcp` exceeds its limit, on real pages, through the MCP library of PyPI.

    pip install 'mcp>=2' zstandard
    MAINTEXT_DATA=DIR mcp_limits.py target/release/maintext [--pages 1000] [--sets wcxb-dev,...]

Serves the pages of the data sets on a loopback port, calls each tool for each page with several limits and formats, follows some
answers to their last part, and compares the length of each result, written as JSON, with its limit.
"""

import argparse
import asyncio
import collections
import io
import itertools
import json
import os
import random
import re
import statistics
import sys
import time

import local_site
import zstandard
from mcp import Client, StdioServerParameters

# Tool, its arguments, the key of its offset in JSON.
CALLS = [
    ("extract", {}),
    ("extract", {"format": "json"}),
    ("extract", {"format": "html", "links": True, "images": True}),
    ("list", {}),
    ("list", {"format": "json", "summaries": True}),
    ("links", {"scope": "page"}),
    ("links", {"format": "json"}),
    ("classify", {}),
    ("inspect", {}),
    ("inspect", {"format": "json"}),
]
LIMITS = [400, 1000, 3000, 12000, 40000]


def pages(folder, sets, count):
    """Reads pages from the sets, in turn."""
    found = []
    for name in sets:
        with open(os.path.join(folder, "train", f"{name}.jsonl.zst"), "rb") as file:
            lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8")
            records = (json.loads(line).get("html") for line, _ in zip(lines, range(count)))
            found.append([html for html in records if html])
    turns = itertools.chain.from_iterable(itertools.zip_longest(*found))
    return [html for html in turns if html][:count]


def serve(found):
    """Serves each page under its number."""

    def page(path):
        number = path.strip("/")
        body = found[int(number)].encode("utf-8", "replace") if number.isdigit() else b""
        return body, 200 if body else 404

    return local_site.serve(page)


def length(result):
    """The length of the result as JSON, in UTF-16 units as JavaScript counts them."""
    wire = result.model_dump_json(by_alias=True, exclude_none=True)
    return len(wire.encode("utf-16-le")) // 2


def next_offset(result, form):
    text = result.content[0].text
    if form == "json":
        return json.loads(text).get("next_offset")
    found = re.search(r"\[next_offset: (\d+) of \d+ \w+\]$", text)
    return int(found.group(1)) if found else None


async def check(binary, found, seed):
    choose = random.Random(seed)
    port = serve(found)
    flags = ["mcp", "--allow-network", "127.0.0.0/8", "--allow-port", str(port)]
    counts, errors, over, lengths = collections.Counter(), collections.Counter(), [], collections.defaultdict(list)
    async with Client(StdioServerParameters(command=binary, args=flags)) as session:
        for number in range(len(found)):
            for tool, more in CALLS:
                limit = choose.choice(LIMITS)
                ask = {"url": f"http://127.0.0.1:{port}/{number}", "max_chars": limit, **more}
                # One page in twenty is read to its end.
                most = 500 if number % 20 == 0 else 1
                offset = 0
                for _ in range(most):
                    result = await session.call_tool(tool, {**ask, "offset": offset})
                    counts[tool] += 1
                    wire = result.model_dump(by_alias=True)
                    size = length(result)
                    if size > limit:
                        over.append((tool, number, limit, offset, size))
                    if wire["isError"]:
                        errors[result.content[0].text.split("\n")[0][:100]] += 1
                        break
                    if limit == 12000 and offset == 0:
                        lengths[tool].append(size)
                    following = None if tool == "classify" else next_offset(result, more.get("format"))
                    if following is None:
                        break
                    assert following > offset, (tool, number, offset, following)
                    offset = following
    print(f"{len(found)} pages, {sum(counts.values())} answers: {dict(counts)}")
    for tool, sizes in lengths.items():
        print(f"{tool}: with max_chars=12000, median {statistics.median(sizes):.0f}, largest {max(sizes)} characters")
    print(f"errors: {dict(errors)}")
    print(f"above their limit: {len(over)} {over[:5]}")
    return not over


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--sets", default="wcxb-dev,fundus,web-forum-52,magic-html-forum,zyte-product,autopager-pagination")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    found = pages(os.environ["MAINTEXT_DATA"], args.sets.split(","), args.pages)
    start = time.time()
    good = asyncio.run(check(os.path.abspath(args.binary), found, args.seed))
    print(f"{time.time() - start:.0f} s")
    sys.exit(0 if good else "failed")


if __name__ == "__main__":
    main()
