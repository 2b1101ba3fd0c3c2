#!/usr/bin/env python3
"""Compares ingredients and instructions of recipes: maintext and the recipe-scrapers package in its generic mode.

    python3 -m venv VENV && VENV/bin/pip install -r bench/requirements-things.txt
    cargo build --release -p maintext-core --example things
    VENV/bin/python bench/things_recipes.py --data DATA --things target/release/examples/things

Reads DATA/train/recipe-scrapers.jsonl.zst (with the `zstd` command). Both systems get the same HTML. recipe-scrapers runs as
`scrape_html(html, url, supported_only=False)` with an address that it does not know, so that no scraper of a single site runs: it reads
schema.org alone. `ingredients` is its list of ingredients, `instructions` its `instructions_list()`; an exception counts as an empty list.

Score: the F1 of one page is that of two multisets of lines, printed and true, after white space is collapsed; lines count as equal only if
they are equal character by character. Two empty lists score 1. The table gives the mean over all pages, the pages that are right to the
last character, and those without a single right line. `--show` writes the lines that differ.
"""
import argparse
import collections
import json
import subprocess
from pathlib import Path

FIELDS = ("ingredients", "instructions")


def lines(texts):
    return collections.Counter(line for line in (" ".join(text.split()) for text in texts) if line)


def f1(found, true):
    if not found and not true:
        return 1.0
    return 2 * sum((found & true).values()) / (sum(found.values()) + sum(true.values()))


def peer(page):
    from recipe_scrapers import scrape_html

    out = {}
    for field, read in (("ingredients", lambda s: s.ingredients()), ("instructions", lambda s: s.instructions_list())):
        try:
            out[field] = list(read(scrape_html(page["html"], org_url="https://unknown.example/", supported_only=False)))
        except Exception:  # The package raises many kinds; none of them gives a list.
            out[field] = []
    return out


def maintext(pages, binary):
    def address(page):
        url = page.get("url") or "unknown.example"
        return url if url.startswith("http") else "https://" + url.lstrip("/")

    records = [{"id": p["id"], "url": address(p), "html": p["html"]} for p in pages]
    run = subprocess.run([binary], input="\n".join(map(json.dumps, records)), capture_output=True, text=True, check=True)
    out = {}
    for line in run.stdout.split("\n"):
        if line:
            page = json.loads(line)
            recipe = next((t for t in page["things"] if t["type"] == "Recipe"), {})
            out[page["id"]] = {field: recipe.get(field, []) for field in FIELDS}
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with train/")
    parser.add_argument("--things", required=True, help="the built example `things`")
    parser.add_argument("--show", choices=FIELDS, help="write the lines of this field that differ")
    args = parser.parse_args()
    path = args.data / "train" / "recipe-scrapers.jsonl.zst"
    raw = subprocess.run(["zstd", "-dc", "--long=27", str(path)], capture_output=True, check=True).stdout.decode()
    pages = [json.loads(line) for line in raw.split("\n") if line]
    ours = maintext(pages, args.things)
    systems = {"maintext": [ours[p["id"]] for p in pages], "recipe-scrapers": [peer(p) for p in pages]}
    print("| system | field | F1 | pages right | pages without a right line |\n| --- | --- | --- | --- | --- |")
    for name, found in systems.items():
        for field in FIELDS:
            scores = [f1(lines(f[field]), lines(p["extra"].get(field) or [])) for f, p in zip(found, pages)]
            right, none = sum(s == 1 for s in scores), sum(s == 0 for s in scores)
            print(f"| {name} | {field} | {sum(scores) / len(scores):.3f} | {right} of {len(pages)} | {none} |")
    if args.show:
        for page, found in zip(pages, systems["maintext"]):
            true, own = lines(page["extra"].get(args.show) or []), lines(found[args.show])
            if true != own:
                print("##", page["id"])
                for mark, rest in (("-", true - own), ("+", own - true)):
                    for line in list(rest.elements())[:8]:
                        print("  ", mark, line[:200])


if __name__ == "__main__":
    main()
