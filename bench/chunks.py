"""Chunks of maintext beside the splitters of LangChain and semantic-text-splitter, on the Markdown of the same pages in one run.

    pip install langchain-text-splitters semantic-text-splitter zstandard
    python bench/chunks.py DATA/train [--size 2000] [--pages N]
    pip install bpe-openai tiktoken
    python bench/chunks.py DATA/train --tokens [--size 512]

Every splitter gets the same Markdown and the same limit, without overlap: characters, or with --tokens those of cl100k_base. maintext and LangChain
then count with tiktoken, semantic-text-splitter with its own copy in Rust. tiktoken loads the vocabulary from a server; here it reads the
one that the package bpe-openai has, and checks its hash. What is cut is found in the Markdown by rules of this
file: a table is a run of lines that start with "|", code is fenced, a border is inside a sentence if the text before it on its line does not
end with a sign that ends a sentence.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import io
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import zstandard
from langchain_text_splitters import Language, MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter
from semantic_text_splitter import MarkdownSplitter

import maintext

TABLE = re.compile(r"(?:^[> ]*\|.*\n?){2,}", re.M)
CODE = re.compile(r"^[> ]*(`{3,}|~{3,})[^\n]*\n(?:.*\n)*?[> ]*\1[ ]*$", re.M)
HEADING = re.compile(r"#{1,6} .*")
SENTENCE_END = re.compile(r"[.!?…:;。！？।؟۔][\"'”’»›」』)\]*_`]*$")


def pages(folder: Path) -> Iterator[tuple[bytes, str | None]]:
    for path in sorted(folder.glob("*.jsonl.zst")):
        with path.open("rb") as file:
            reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
            for line in io.TextIOWrapper(reader, "utf-8", newline="\n"):
                row = json.loads(line)
                html = row["html"].encode("utf-8", "replace") if row.get("html") else base64.b64decode(row.get("html_base64") or "")
                if html:
                    yield html, row.get("url")


def counter() -> Callable[[str], int]:
    """Returns a function that counts the tokens of cl100k_base."""
    import tiktoken

    # tiktoken looks in its cache for the hash of the address before it loads the file.
    address = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
    vocabulary = gzip.decompress(files("bpe_openai.data").joinpath("cl100k_base.tiktoken.gz").read_bytes())
    with tempfile.TemporaryDirectory() as cache:
        (Path(cache) / hashlib.sha1(address.encode()).hexdigest()).write_bytes(vocabulary)
        os.environ["TIKTOKEN_CACHE_DIR"] = cache
        encoding = tiktoken.get_encoding("cl100k_base")
    return lambda text: len(encoding.encode_ordinary(text))


class Counts:
    def __init__(self) -> None:
        self.seconds = 0.0
        self.chunks = self.above = self.borders = self.sentences = self.headings = 0
        self.tables = self.tables_cut = self.code = self.code_cut = self.lost = 0

    def add(self, markdown: str, chunks: list[str], count: Callable[[str], int], limit: int) -> None:
        """Counts what the borders between chunks cut. Splitters change white space, so places are counted without it."""
        places = [i for i, c in enumerate(markdown) if not c.isspace()]
        dense = "".join(markdown.split())
        at, borders = 0, []
        for chunk in chunks:
            own = "".join(chunk.split())
            found = dense.find(own, at)
            if found < 0:
                self.lost += 1
                continue
            at = found + len(own)
            if at < len(dense):
                borders.append(places[at])
        self.chunks += len(chunks)
        self.above += sum(count(c) > limit for c in chunks)
        self.borders += len(borders)
        code = [m.span() for m in CODE.finditer(markdown)]
        tables = [m.span() for m in TABLE.finditer(markdown) if not any(a <= m.start() < b for a, b in code)]
        cut = lambda spans: sum(any(a < border < b for border in borders) for a, b in spans)  # noqa: E731
        self.tables += len(tables)
        self.tables_cut += cut(tables)
        self.code += len(code)
        self.code_cut += cut(code)
        inside = lambda border: any(a < border < b for a, b in (*tables, *code))  # noqa: E731
        for border in borders:
            before = markdown[markdown.rfind("\n", 0, border) + 1 : border]
            if before.strip() and not inside(border):
                self.sentences += not SENTENCE_END.search(before.rstrip())
        for chunk in chunks[:-1]:
            last = chunk.rstrip().rsplit("\n", 1)[-1]
            self.headings += bool(HEADING.match(last))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--size", type=int, help="2000 characters, or 512 tokens")
    parser.add_argument("--tokens", action="store_true", help="count tokens of cl100k_base")
    parser.add_argument("--pages", type=int)
    args = parser.parse_args()
    size = args.size or (512 if args.tokens else 2000)
    count = counter() if args.tokens else len
    tokenizer = count if args.tokens else "chars"
    settings = {"chunk_size": size, "chunk_overlap": 0, "length_function": count}
    plain = RecursiveCharacterTextSplitter(**settings)
    by_markup = RecursiveCharacterTextSplitter.from_language(Language.MARKDOWN, **settings)
    by_heading = MarkdownHeaderTextSplitter([("#" * n, f"h{n}") for n in range(1, 7)], strip_headers=False)
    semantic = MarkdownSplitter.from_tiktoken_model("gpt-4", size) if args.tokens else MarkdownSplitter(size)
    splitters: dict[str, Callable[[maintext.Page, str], list[str]]] = {
        "maintext": lambda page, _: [c["text"] for c in page.chunks(size, tokenizer=tokenizer)],
        "maintext, split_large": lambda page, _: [c["text"] for c in page.chunks(size, tokenizer=tokenizer, split_large=True)],
        "RecursiveCharacterTextSplitter": lambda _, text: plain.split_text(text),
        "RecursiveCharacterTextSplitter, Markdown": lambda _, text: by_markup.split_text(text),
        "MarkdownHeaderTextSplitter, then the first": lambda _, text: [
            d.page_content for d in plain.split_documents(by_heading.split_text(text))
        ],
        "semantic-text-splitter, Markdown": lambda _, text: semantic.chunks(text),
    }
    found = {name: Counts() for name in splitters}
    read = 0
    for html, url in pages(args.data):
        try:
            page = maintext.extract(html, url, formats="markdown", metadata=False)
        except maintext.MaintextError:
            continue
        if not page.markdown:
            continue
        for name, split in splitters.items():
            start = time.perf_counter()
            chunks = split(page, page.markdown)
            found[name].seconds += time.perf_counter() - start
            found[name].add(page.markdown, chunks, count, size)
        read += 1
        if read == args.pages:
            break
    print(f"{read} pages, limit {size} {'tokens' if args.tokens else 'characters'}\n")
    print("| splitter | chunks | chunks/s | above the limit | tables cut | code cut | borders in a sentence | heading at the end |")
    print("|---|---|---|---|---|---|---|---|")
    for name, c in found.items():
        cells = [
            f"{c.chunks:,}",
            f"{c.chunks / c.seconds:,.0f}",
            f"{c.above:,}",
            f"{c.tables_cut:,} of {c.tables:,}",
            f"{c.code_cut:,} of {c.code:,}",
            f"{100 * c.sentences / max(c.borders, 1):.1f} %",
            f"{c.headings:,}",
        ]
        print(f"| {name} | {' | '.join(cells)} |")
    lost = {name: c.lost for name, c in found.items() if c.lost}
    if lost:
        print(f"\nChunks that are not in the Markdown: {lost}")


if __name__ == "__main__":
    main()
