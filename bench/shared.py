"""What the scripts share: rows of JSONL files, the HTML of a page, and the labels in bench/labels. Needs zstandard."""
from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import zstandard

LABELS = Path(__file__).with_name("labels")


def text_of(path: Path) -> str:
    """The text of a small file, decompressed if its name ends with `.zst`."""
    raw = path.read_bytes()
    return (zstandard.decompress(raw) if path.suffix == ".zst" else raw).decode()


def rows(path: Path) -> Iterator[dict]:
    """The rows of a data set, one at a time. Python would also split lines at characters such as U+2028, so newlines alone end a row."""
    with path.open("rb") as file:
        # The sets are compressed with `zstd --long=27`.
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(file) if path.suffix == ".zst" else file
        yield from map(json.loads, io.TextIOWrapper(reader, encoding="utf-8", newline="\n"))


def labels(name: str) -> list[dict]:
    """The rows of `bench/labels/NAME.jsonl.zst`; none if there is no such file yet."""
    path = LABELS / f"{name}.jsonl.zst"
    return [json.loads(line) for line in text_of(path).split("\n") if line] if path.exists() else []


def write_labels(name: str, found: Iterable[dict]) -> Path:
    """Writes `bench/labels/NAME.jsonl.zst`. The bytes depend on the rows alone: one thread, no time, keys in their order."""
    path = LABELS / f"{name}.jsonl.zst"
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in found)
    # Another version of zstandard may compress otherwise: a file with the same rows stays as it is.
    if not path.exists() or text_of(path) != text:
        path.write_bytes(zstandard.ZstdCompressor(level=19).compress(text.encode()))
    return path


def bytes_of(page: dict) -> bytes:
    return page["html"].encode("utf-8", "replace") if page.get("html") else base64.b64decode(page.get("html_base64") or "")


def html_of(page: dict) -> str:
    return page["html"] if page.get("html") else bytes_of(page).decode("utf-8", "replace")
