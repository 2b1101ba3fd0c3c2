"""Compares the Markdown of maintext, Defuddle and trafilatura with Markdown truths, element by element.

    python3 -m venv /path/to/venv && /path/to/venv/bin/pip install -r bench/requirements.txt && (cd bench && npm ci)
    cargo xtask train predictions --scores SCORES --folds FOLDS --out PRED
    /path/to/venv/bin/python bench/structure.py --data DATA --ours PRED --peers DIR [SET...]

PRED holds `SET/maintext.jsonl` with held-out Markdown of maintext. The peers' answers are written to DIR/SET.SYSTEM.jsonl and reused. Prints one
table per set, in Markdown.

Markdown is parsed as CommonMark with tables. An element is compared by its letters and digits, in lower case. A figure is the F1 of two bags
of elements, averaged over the pages whose truth has that kind of element: 5-grams of words; headings; items; cells, each with the first
cell of its row; code blocks; lines of code with their indentation; links with their addresses; formulas. Where the truth is a list of
code blocks or formulas, the figure is the share of them that the Markdown holds exactly.
"""
import argparse
import json
import re
import subprocess
import sys
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

from shared import rows

SETS = ["wcxb-markdown", "defuddle-fixtures", "docling-html", "mineru-webkit-code-math"]
# wcxb-markdown has the same pages as wcxb-dev.
PAGES = {"wcxb-markdown": "wcxb-dev"}
KINDS = ["5-grams", "headings", "items", "cells", "code blocks", "code lines", "links", "math", "gold code", "gold formulas"]
FORMULA = re.compile(
    r"\$\$(.+?)\$\$|(?<![\\$\w])\$([^$\n]{1,400}?)\$(?!\d)|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.S
)
IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def words(text):
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text or "").lower()))


def inline_text(token):
    text = {"text", "code_inline", "html_inline"}
    breaks = {"softbreak", "hardbreak"}
    return "".join(c.content if c.type in text else " " if c.type in breaks else "" for c in token.children or [])


def address(href):
    return re.sub(r"^https?://(www\.)?", "", (href or "").split("#")[0]).rstrip("/")


def code_lines(code):
    return [line.rstrip() for line in code.split("\n") if line.strip()]


def squeezed(tex):
    return re.sub(r"\s+", "", tex.replace("\\\\", "\\"))


def formulas(markdown):
    for match in FORMULA.finditer(markdown):
        tex = next(group for group in match.groups() if group is not None)
        if re.search(r"[\\^_={}]|[a-zA-Z]\s*[+\-<>]", tex):
            yield re.sub(r"\s+", "", tex)


def links(token):
    children = token.children or []
    for i, child in enumerate(children):
        if child.type != "link_open":
            continue
        text = ""
        for inner in children[i + 1 :]:
            if inner.type == "link_close":
                break
            text += inner.content or ""
        if words(text):
            yield words(text), address(child.attrGet("href"))


class Reader:
    """Reads the elements of Markdown."""

    def __init__(self):
        from markdown_it import MarkdownIt

        self.parser = MarkdownIt("commonmark").enable("table").enable("strikethrough")

    def elements(self, markdown):
        markdown = markdown or ""
        out = defaultdict(list)
        out["math"] = list(formulas(markdown))
        tokens = self.parser.parse(markdown)
        row = []
        for i, token in enumerate(tokens):
            if token.type == "heading_open":
                out["headings"].append(words(inline_text(tokens[i + 1])))
            elif token.type == "list_item_open":
                first = next((t for t in tokens[i + 1 : i + 4] if t.type == "inline"), None)
                if first:
                    out["items"].append(words(inline_text(first)))
            elif token.type == "tr_open":
                row = []
            elif token.type in ("td_open", "th_open"):
                row.append(words(inline_text(tokens[i + 1])))
            elif token.type == "tr_close":
                out["cells"] += [(row[0], cell) for cell in row if cell]
            elif token.type in ("fence", "code_block"):
                out["code blocks"].append(words(token.content))
                out["code lines"] += code_lines(token.content)
                out["blocks"].append(code_lines(token.content))
            elif token.type == "inline":
                out["links"] += links(token)
        plain = words(LINK.sub(r"\1", markdown)).split()
        out["5-grams"] = [" ".join(plain[i : i + 5]) for i in range(max(len(plain) - 4, 0))] or [" ".join(plain)]
        return out


def f1(truth, found):
    truth, found = Counter(truth), Counter(found)
    total = sum(truth.values()) + sum(found.values())
    return 2 * sum((truth & found).values()) / total if total else 1.0


def truths(path, reader):
    out = {}
    for row in rows(path):
        extra = row.get("extra") or {}
        elements = reader.elements(row["markdown"]) if row.get("markdown") else {}
        gold = [code_lines(c["code"]) for c in extra.get("code_blocks") or []]
        tex = [squeezed(f) for f in (extra.get("formulas_display") or []) + (extra.get("formulas_inline") or [])]
        out[row["id"]] = elements, gold, [f for f in tex if len(f) > 2]
    return out


def score(truth, answers, reader):
    """Returns the mean and the number of pages for each kind."""
    figures = defaultdict(list)
    for page, (elements, gold, tex) in truth.items():
        markdown = answers.get(page) or ""
        found = reader.elements(markdown)
        for kind in KINDS[:8]:
            if elements.get(kind):
                figures[kind].append(f1(elements[kind], found[kind]))
        if gold:
            figures["gold code"].append(sum(block in found["blocks"] for block in gold) / len(gold))
        if tex:
            text = squeezed(markdown)
            figures["gold formulas"].append(sum(f in text for f in tex) / len(tex))
    return {kind: (sum(values) / len(values), len(values)) for kind, values in figures.items()}


def read_answers(path):
    return {row["id"]: row.get("markdown") for row in rows(path)}


PEERS = {"defuddle": ["node", "peers.mjs"], "trafilatura": [sys.executable, "peers.py"]}


def peer_answers(name, set_name, data, truth, folder):
    path = folder / f"{set_name}.{name}.jsonl"
    if not path.exists():
        source = data / "train" / f"{PAGES.get(set_name, set_name)}.jsonl.zst"
        program, script = PEERS[name]
        command = [program, str(Path(__file__).with_name(script)), f"{name}-markdown"]
        peer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        partial = path.with_suffix(".partial")
        with open(partial, "w", encoding="utf-8") as out:
            for page in rows(source):
                if page["id"] in truth and page.get("html"):
                    peer.stdin.write(json.dumps({"html": page["html"], "url": page.get("url")}) + "\n")
                    peer.stdin.flush()
                    # A page on which a peer fails has no "markdown" and counts as empty.
                    out.write(json.dumps({"id": page["id"], **json.loads(peer.stdout.readline())}) + "\n")
        peer.stdin.close()
        peer.wait()
        partial.rename(path)
    return read_answers(path)


def table(systems):
    kinds = [k for k in KINDS if any(k in figures for figures in systems.values())]
    print("| system | " + " | ".join(kinds) + " |\n| --- |" + " --: |" * len(kinds))
    counts = {k: max(figures.get(k, (0, 0))[1] for figures in systems.values()) for k in kinds}
    print("| pages | " + " | ".join(str(counts[k]) for k in kinds) + " |")
    for name, figures in systems.items():
        print(f"| {name} | " + " | ".join(f"{figures[k][0]:.3f}" if k in figures else "" for k in kinds) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--ours", type=Path, required=True, help="folder of the predictions of maintext")
    parser.add_argument("--peers", type=Path, required=True, help="folder for the answers of the peers")
    parser.add_argument("sets", nargs="*", metavar="SET", default=SETS)
    arguments = parser.parse_args()
    arguments.peers.mkdir(parents=True, exist_ok=True)
    reader = Reader()
    for set_name in arguments.sets:
        truth = truths(arguments.data / "train" / f"{set_name}.jsonl.zst", reader)
        ours = read_answers(arguments.ours / PAGES.get(set_name, set_name) / "maintext.jsonl")
        answers = {"maintext": ours, "maintext, no images": {i: IMAGE.sub("", m or "") for i, m in ours.items()}}
        for name in PEERS:
            answers[name] = peer_answers(name, set_name, arguments.data, truth, arguments.peers)
        print(f"\n{set_name}, {len(truth)} pages\n")
        table({name: score(truth, found, reader) for name, found in answers.items()})


if __name__ == "__main__":
    main()
