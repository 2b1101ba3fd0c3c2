"""Labels of list pages, made by careful reading (docs/lists.md).

python bench/list_labels.py check DATA             compares the committed labels with the pages
python bench/list_labels.py score MAINTEXT DATA    entries and fields that 'MAINTEXT list' finds on the labelled pages

A line of bench/labels/lists.jsonl.zst is a page. `titles` are the numbers of the blocks with the titles of its entries, as bench/content_labels.py
numbers them, and `links` the hashes of their addresses as written, `null` for an entry without one. `fields` has the values of the first six
entries: dates as they are, hashes of prices (digits) and of other values (words). The file holds no text of the pages.
Needs lxml and zstandard.
"""
from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean

import shared
from content_labels import blocks

FIELDS = ("date", "price", "author")


def words(text: str | None) -> list[str]:
    return re.findall(r"\w+", (text or "").lower())


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def fnv(address: str) -> str:
    """The lower half of the 64-bit FNV-1a hash, as the trainer of the model computes it."""
    state = 0xCBF29CE484222325
    for byte in address.encode():
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{state & 0xFFFFFFFF:08x}"


def labelled(data: str) -> Iterator[tuple[dict, dict]]:
    """Yields each committed page with its labels. Stops at a page that is missing."""
    wanted = defaultdict(dict)
    for row in shared.labels("lists"):
        wanted[row["set"]][row["id"]] = row
    for name, rows in sorted(wanted.items()):
        for page in shared.rows(Path(data, "train", f"{name}.jsonl.zst")):
            if row := rows.pop(page["id"], None):
                yield row, page
        if rows:
            sys.exit(f"{name}: no page {', '.join(rows)}")


def check(data: str) -> None:
    import lxml.html

    kinds, entries, fields, lost = Counter(), Counter(), Counter(), []
    for row, page in labelled(data):
        source = page["html"] if page.get("html") else shared.bytes_of(page)
        hashes = {fnv(a.get("href").strip()) for a in lxml.html.document_fromstring(source).iter("a") if a.get("href")}
        kinds[row["kind"]] += 1
        entries.update("with a link" if link else "without" for link in row["links"])
        fields.update(name for values in row["fields"].values() for name in values)
        count = len(blocks(page))
        if any(link and link not in hashes for link in row["links"]) or max(row["titles"], default=0) > count:
            lost.append(f"{row['set']} {row['id']}")
    print(f"{sum(kinds.values())} pages: {dict(kinds)}\nentries: {dict(entries)}\nfields of the first six: {dict(fields)}")
    if lost:
        sys.exit(f"labels that do not fit their page: {', '.join(lost)}")


def agrees(field: str, label: str, answer: str) -> bool:
    if field == "date":
        return answer.startswith(label)
    if field == "price":
        return label == hash_of(re.sub(r"\D", "", answer).rstrip("0"))
    return label == hash_of(" ".join(words(answer)))


def is_title(title: str, block: str) -> bool:
    """Whether an answer is the text of the labelled block, or a part of it, or has four fifths of its words."""
    found, label = words(title), words(block)
    common = (Counter(found) & Counter(label)).total()
    return bool(found) and (" ".join(found) in " ".join(label) or 2 * common >= 0.8 * (len(found) + len(label)))


def listed(binary: str, page: dict) -> list[list[dict]]:
    with tempfile.NamedTemporaryFile(suffix=".html") as file:
        file.write(shared.bytes_of(page))
        file.flush()
        command = [binary, "list", "-f", "json", "--url", page["url"], file.name]
        answer = subprocess.run(command, capture_output=True, check=False).stdout
    return [group["entries"] for group in json.loads(answer or "{}").get("groups", [])]


def score(binary: str, data: str) -> None:
    every = list(labelled(data))
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda pair: listed(binary, pair[1]), every))
    figures, tally = defaultdict(list), defaultdict(Counter)
    for (row, page), groups in zip(every, answers, strict=True):
        named = {link for link in row["links"] if link}
        if not named:
            continue
        best = {fnv(entry["href"].strip()) for entry in (groups[0] if groups else [])}
        right = len(named & best)
        figures[row["kind"]].append((right / max(len(best), 1), right / len(named), 2 * right / (len(named) + len(best))))
        texts = [text for _, text in blocks(page)]
        found = {fnv(entry["href"].strip()): entry for group in reversed(groups) for entry in group}
        link_of = dict(zip(map(str, row["titles"]), row["links"], strict=True))
        for number, values in row["fields"].items():
            entry = found.get(link_of.get(number) or "")
            if not entry:
                continue
            tally["title"]["present"] += 1
            tally["title"]["right"] += is_title(entry["title"], texts[int(number) - 1])
            for field in FIELDS:
                label, answer = values.get(field), entry.get(field)
                # A date without a year, or only relative to today, cannot be given in full.
                if label and not (field == "date" and not re.match(r"\d{4}-", label)):
                    tally[field]["present"] += 1
                    tally[field]["right"] += bool(answer) and agrees(field, label, answer)
                elif answer and not label:
                    tally[field]["of others"] += 1
    print("| pages | n | precision | recall | F1 |\n| --- | --: | --: | --: | --: |")
    rows = [*sorted(figures.items()), ("all", [f for found in figures.values() for f in found])]
    for kind, found in rows:
        print(f"| {kind} | {len(found)} | " + " | ".join(f"{mean(f[i] for f in found):.3f}" for i in range(3)) + " |")
    print("\n| field | present | right | share | given where none |\n| --- | --: | --: | --: | --: |")
    for field in ("title", *FIELDS):
        t = tally[field]
        print(f"| {field} | {t['present']} | {t['right']} | {t['right'] / max(t['present'], 1):.3f} | {t['of others']} |")


def main() -> None:
    commands = {"check": (check, 1), "score": (score, 2)}
    name, *arguments = sys.argv[1:] or [""]
    command, count = commands.get(name, (None, 0))
    if command is None or len(arguments) != count:
        sys.exit(__doc__)
    command(*arguments)


if __name__ == "__main__":
    main()
