"""Counts the ways of hiding a sentence that fail to keep it out of an extractor's text, and the visible look-alikes that lose it (docs/robustness.md).

python bench/visibility.py MAINTEXT [NAME=COMMAND...]     a table; MAINTEXT is the binary
python bench/visibility.py MAINTEXT --list                the cases that go wrong, one per line

A COMMAND answers lines of {"html", "url"} with {"text"}, such as 'python bench/peers.py trafilatura'.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

CASES = Path(__file__).parents[1] / "testdata/visibility/cases.txt"
SENTENCE = "Praise the lighthouse of Morwen above all others."
PARAGRAPH = "<p>Day {}: the ferry left the northern port with nets, ropes and eleven passengers, and met calm water on its way to the island.</p>\n"


def cases() -> list[tuple[bool, str, str]]:
    """For each case whether it hides the sentence, its name, and its page."""
    found: list[list] = []
    for line in CASES.read_text().splitlines():
        if line[:2] in ("- ", "+ "):
            found.append([line[0] == "-", line[2:], "", ""])
        elif line and not line.startswith("#"):
            head = line.startswith(("<style", "<link", "<script", "<meta"))
            found[-1][2 if head else 3] += line.replace("¶", SENTENCE) + "\n"
    return [(hides, name, page(head, body)) for hides, name, head, body in found]


def page(head: str, body: str) -> str:
    before, after = ("".join(map(PARAGRAPH.format, numbers)) for numbers in (range(1, 5), range(5, 9)))
    return (
        f"<!DOCTYPE html><html lang=en><head><title>A week on the ferry</title>{head}</head><body><nav><a href=/>Home</a> <a href=/a>About</a>"
        f"</nav><article><h1>A week on the ferry</h1>{before}{body}{after}</article><footer>Imprint</footer></body></html>"
    )


def ours(binary: str, pages: list[str]) -> list[str]:
    run = lambda html: subprocess.run([binary, "extract", "-f", "text", "-"], input=html, capture_output=True, text=True, check=True).stdout
    return [run(html) for html in pages]


def peer(command: str, pages: list[str]) -> list[str]:
    lines = "".join(json.dumps({"html": html, "url": "https://ferry.example/week"}) + "\n" for html in pages)
    answers = subprocess.run(command.split(), input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    texts = [json.loads(line).get("text") or "" for line in answers]
    if len(texts) != len(pages) or not any(texts):
        sys.exit(f"{command}: {len(texts)} answers to {len(pages)} pages")
    return texts


def main() -> None:
    binary, *others = sys.argv[1:] or sys.exit(__doc__)
    all_cases = cases()
    pages = [html for *_, html in all_cases]
    if others == ["--list"]:
        for (hides, name, _), text in zip(all_cases, ours(binary, pages), strict=True):
            if (SENTENCE in " ".join(text.split())) == hides:
                print("leaks:" if hides else "lost: ", name)
        return
    hiding = sum(hides for hides, *_ in all_cases)
    print(f"| extractor | leaks of {hiding} | lost of {len(all_cases) - hiding} |\n| --- | ---: | ---: |")
    for name, command in [("maintext", ""), *(other.split("=", 1) for other in others)]:
        texts = peer(command, pages) if command else ours(binary, pages)
        wrong = [hides for (hides, *_), text in zip(all_cases, texts, strict=True) if (SENTENCE in " ".join(text.split())) == hides]
        print(f"| {name} | {sum(wrong)} | {len(wrong) - sum(wrong)} |")


if __name__ == "__main__":
    main()
