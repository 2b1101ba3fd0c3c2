"""How well `maintext extract --since` finds edits of real pages, and what it reports where only boilerplate differs.

    python bench/changes.py MAINTEXT DATA/train [--pairs 60] [--seed 1] [--show]

Takes pages of train/ by chance, and makes of each two others. The first has one edit of a block of the main text: a word or a number is another, a
block is gone, a new one is there, or a block has moved before the one that precedes it. The second differs only in what a visitor does not come for: menus
get and lose entries, an advertisement and a box of other articles are new, a line "Updated 3 minutes ago" and counters of views and comments beside
the text have other numbers, ids and classes of the build have others. An edit is found if the changes name its block with the right kind; a
change of the second page is a false one. Blocks that the extraction did not keep are not edited: the page is read first, to choose among the
paragraphs, items and headings whose text it kept and which the page holds once.
"""

from __future__ import annotations

import argparse
import base64
import collections
import io
import json
import random
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import zstandard

BLOCK = re.compile(r"<(p|li|h2|h3)\b[^<>]*>([^<>]{25,1500})</\1\s*>", re.I)
KINDS = ("word", "number", "gone", "new", "moved")
NEW = "The harbour office now keeps a register of the visiting boats, which anybody may read."
ADVERT = '<div class="ad-slot" id="ad-{n}"><a href="https://ads.example/{n}">Sponsored: new tyres from {n} pounds</a></div>'
OTHERS = (
    '<aside class="related"><h3>More stories</h3><ul>'
    + "".join(f'<li><a href="/s/{{n}}{i}">Story {{n}}{i}: what the town said</a></li>' for i in range(5))
    + "</ul></aside>"
)
PASSING = '<div class="meta"><span class="updated">Updated {n} minutes ago</span> <span class="views">{n}04 views</span> <span>{n} comments</span></div>'


def pages(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("*.jsonl.zst")):
        with path.open("rb") as file:
            reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
            for n, line in enumerate(io.TextIOWrapper(reader, "utf-8", newline="\n")):
                row = json.loads(line)
                html = row.get("html") or base64.b64decode(row.get("html_base64") or "").decode("utf-8", "replace")
                if 2000 < len(html) < 400_000 and n < 300:
                    yield f"{path.name.split('.')[0]}/{row['id']}", html


def squeezed(text: str) -> str:
    return " ".join(text.split())


def edited(html: str, kind: str, kept: set[str], chance: random.Random) -> tuple[str, str, str] | None:
    """Returns the page with an edit, the kind that must be reported, and the text of the block that must be named."""
    whole = squeezed(html)
    blocks = [m for m in BLOCK.finditer(html) if squeezed(m[2]) in kept and "&" not in m[2] and whole.count(squeezed(m[2])) == 1]
    if kind == "number":
        blocks = [m for m in blocks if re.search(r"\b\d+\b", m[2]) and len(m[2].split()) > 12]
    if kind == "moved":
        pairs = [(a, b) for a, b in zip(blocks, blocks[1:]) if a[1].lower() == b[1].lower() and not html[a.end() : b.start()].strip()]
        if not pairs:
            return None
        a, b = chance.choice(pairs)
        return html[: a.start()] + b[0] + html[a.end() : b.start()] + a[0] + html[b.end() :], "moved", squeezed(b[2])
    if not blocks:
        return None
    block = chance.choice(blocks)
    text = block[2]
    if kind == "gone":
        return html[: block.start()] + html[block.end() :], "gone", squeezed(text)
    if kind == "new":
        return html[: block.end()] + f"<{block[1]}>{NEW}</{block[1]}>" + html[block.end() :], "new", NEW
    if kind == "number":
        number = chance.choice(list(re.finditer(r"\b\d+\b", text)))
        other = text[: number.start()] + str(int(number[0]) + 7) + text[number.end() :]
    else:
        words = [m for m in re.finditer(r"\w{4,}", text)] or list(re.finditer(r"\w", text))
        word = chance.choice(words)
        other = text[: word.start()] + "lanterns" + text[word.end() :]
    at = block.start(2)
    return html[:at] + other + html[at + len(text) :], "edited", squeezed(other)


def boilerplate(html: str, chance: random.Random, n: int) -> str:
    """Returns the page with other boilerplate."""
    body = re.search(r"<body\b[^>]*>", html, re.I)
    if body:
        html = html[: body.end()] + ADVERT.format(n=n) + html[body.end() :]
    end = html.lower().rfind("</body")
    if end > 0:
        html = html[:end] + OTHERS.format(n=n) + f"<p class='copyright'>© 20{n} The site. All rights reserved.</p>" + html[end:]
    nav = re.search(r"<(nav|header)\b[^>]*>", html, re.I)
    if nav:
        html = html[: nav.end()] + f'<a href="/new-{n}">New section {n}</a>' + html[nav.end() :]
    title = re.search(r"</h1\s*>", html, re.I)
    if title:
        html = html[: title.end()] + PASSING.format(n=n) + html[title.end() :]
    # Names of classes and ids that a build makes anew.
    return re.sub(r'\b(data-[a-z-]+)="([0-9a-f]{6,})"', lambda m: f'{m[1]}="{chance.randrange(16**8):08x}"', html)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("maintext")
    parser.add_argument("data", type=Path)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="show what is wrong")
    args = parser.parse_args()
    chance = random.Random(args.seed)
    all_pages = list(pages(args.data))
    chance.shuffle(all_pages)

    def run(*arguments: str) -> str:
        return subprocess.run([args.maintext, "extract", *arguments], capture_output=True, text=True, check=True).stdout

    edits = collections.Counter()
    found = collections.Counter()
    extra = false = lines = 0
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.html", Path(folder) / "after.html"
        earlier = Path(folder) / "before.json"

        def changes(since: Path) -> list[dict]:
            return json.loads(run("--since", str(since), "-f", "json", str(after)))["changes"]

        for name, html in all_pages:
            if sum(edits.values()) == args.pairs:
                break
            before.write_text(html, "utf-8", "surrogatepass")
            try:
                result = run("-f", "json", str(before))
            except subprocess.CalledProcessError:
                continue
            kept = {squeezed(re.sub(r"^(- |\d+\. )", "", line)) for line in (json.loads(result)["text"] or "").splitlines()}
            kind = KINDS[sum(edits.values()) % len(KINDS)]
            edit = edited(html, kind, kept, chance)
            if edit is None:
                continue
            edits[kind] += 1
            earlier.write_text(result)
            # Every other pair has the earlier result instead of the earlier page.
            since = before if sum(edits.values()) % 2 else earlier
            after.write_text(edit[0], "utf-8", "surrogatepass")
            said = changes(since)
            right = [c for c in said if c["kind"] == edit[1] and edit[2] in (squeezed(c["text"] or ""), squeezed(c["before"] or ""))
                     or edit[1] == "moved" and c["kind"] == "moved" or edit[1] == c["kind"] and edit[2] in squeezed(c["text"] or c["before"] or "")]
            found[kind] += bool(right)
            extra += len(said) - bool(right)
            if args.show and (not right or len(said) > 1):
                print(f"{name} {kind} since {since.name}: {edit[1:]}")
                print("".join(f"    {c['kind']}: {c['before']!r:.150} -> {c['text']!r:.150}\n" for c in said[:6]), end="")
            # The earlier page has boilerplate of the same kind.
            before.write_text(boilerplate(html, chance, chance.randrange(10, 50)), "utf-8", "surrogatepass")
            after.write_text(boilerplate(html, chance, chance.randrange(50, 99)), "utf-8", "surrogatepass")
            if since == earlier:
                earlier.write_text(run("-f", "json", str(before)))
            said = changes(since)
            false += bool(said)
            lines += len(said)
            if args.show and said:
                print(f"{name} boilerplate since {since.name}:")
                print("".join(f"    {c['kind']}: {c['before']!r:.150} -> {c['text']!r:.150}\n" for c in said[:6]), end="")
    print("| edit | pairs | found |\n| --- | --: | --: |")
    for kind in KINDS:
        print(f"| {kind} | {edits[kind]} | {found[kind]} |")
    print(f"| all | {sum(edits.values())} | {sum(found.values())} |")
    print(f"{extra} further changes reported in these pairs")
    print(f"boilerplate only: {sum(edits.values())} pairs, {false} with a change, {lines} changes")


if __name__ == "__main__":
    main()
