"""Labels of main content, made by careful reading of whole pages (docs/experiments/labels.md).

python bench/content_labels.py sheet SET.jsonl.zst ID OUT.txt       the page's text blocks, numbered, to read and label
python bench/content_labels.py pack SHEETS LABELS                   adds label files to bench/labels/content.jsonl.zst
python bench/content_labels.py second SHEETS LABELS                 adds label files of a second reader to pages that are there
python bench/content_labels.py check DATA                           compares the committed labels with the pages
python bench/content_labels.py score DATA PREDICTIONS...            word F1 by kind of page
python bench/content_labels.py worst DATA PREDICTIONS               the 30 pages with the lowest F1
python bench/content_labels.py faults DATA PREDICTIONS              the F1 that each kind of fault costs
python bench/content_labels.py export DATA OUT.jsonl                the labels with the text of their blocks, for 'cargo xtask train --labels'
python bench/content_labels.py agree DATA                           agreement of the two readers, by kind of page

The committed file holds no text: a page is named by set and id, a block by a hash of its text. Predictions are lines of {"id", "text"}, given
as NAME=FILE.jsonl; as FOLDER with SET/NAME.jsonl for each set and system, which bench/peers-rs writes; or as NAME=FOLDER for one of its systems.
Needs lxml and zstandard.
"""
from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from statistics import mean

import shared

KINDS = ("article", "forum", "listing", "collection", "product", "documentation", "service", "other", "empty")
ROLES = ("title", "byline", "caption", "header", "entry", "article")

# Elements at whose borders a block ends.
BORDERS = frozenset(
    "address article aside audio blockquote body br button caption center dd details dialog div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hgroup hr html iframe label legend li main menu nav noscript object ol option p pre section select summary "
    "table tbody td textarea tfoot th thead tr ul video".split()
)
# Elements whose text is not read.
UNREAD = frozenset("script style template head svg math noscript iframe textarea select".split())
IDEOGRAPH = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]"
WORD = re.compile(IDEOGRAPH + r"|(?:(?!" + IDEOGRAPH + r")\w)+")


def words(text: str | None) -> list[str]:
    """The words without soft hyphens, which some extractors keep and others drop."""
    return WORD.findall((text or "").lower().replace("\u00ad", ""))


def name_of(element) -> str:
    """The element's tag with the beginnings of its id and first class, and whether it is hidden."""
    classes = (element.get("class") or "").split()
    name = element.tag + (f"#{element.get('id')[:18]}" if element.get("id") else "") + (f".{classes[0][:18]}" if classes else "")
    style = (element.get("style") or "").replace(" ", "").lower()
    return name + ("[hidden]" if element.get("hidden") is not None or "display:none" in style else "")


def blocks(page: dict) -> list[tuple[str, str]]:
    """The runs of text without a border inside, in order, each with the last three elements above it."""
    import lxml.html

    parser = lxml.html.HTMLParser(encoding="utf-8" if page.get("html") else None, huge_tree=True)
    root = lxml.html.document_fromstring(shared.bytes_of(page), parser=parser)
    found: list[tuple[str, str]] = []
    text: list[str] = []
    path: list[str] = []
    above = ""

    def end() -> None:
        squeezed = " ".join("".join(text).split())
        text.clear()
        if squeezed:
            found.append((above, squeezed))

    # Entries are texts, elements to enter, and elements to leave.
    stack: list[tuple[str, object]] = [("enter", root)]
    while stack:
        step, item = stack.pop()
        if step == "text":
            if not text:
                above = "/".join(path[-3:])
            text.append(item)
        elif step == "leave":
            if item in BORDERS:
                end()
            path.pop()
        elif isinstance(item.tag, str) and (item.tag not in UNREAD or item.tag == "html"):
            if item.tag in BORDERS:
                end()
            path.append(name_of(item))
            inside: list[tuple[str, object]] = [("text", item.text)] if item.text else []
            for child in item:
                inside.append(("enter", child))
                if child.tail:
                    inside.append(("text", child.tail))
            stack.append(("leave", item.tag))
            stack.extend(reversed(inside))
    end()
    return found


def hashed(texts: list[str]) -> str:
    """Four characters for each block."""
    return "".join(base64.b64encode(hashlib.sha256(text.encode()).digest()[:3]).decode() for text in texts)


def read_labels(path: Path, count: int) -> tuple[str, list[str], list[str]]:
    """Returns the kind, and the label and role of each block. A later line overrides an earlier one."""
    kind, labels, roles = "", ["X"] * count, [""] * count
    for line in path.read_text().splitlines():
        if line.startswith("kind:"):
            kind = line[5:].split("#")[0].strip()
        elif match := re.match(r"(\d+)(?:-(\d+))?\s+([MOCX])\s*(?:#\s*(\w*))?", line):
            first, last = int(match[1]), int(match[2] or match[1])
            if not 1 <= first <= last <= count:
                sys.exit(f"{path}: '{line}' is not within 1-{count}")
            for i in range(first - 1, last):
                labels[i], roles[i] = match[3], match[4] if match[4] in ROLES else ""
    if kind not in KINDS:
        sys.exit(f"{path}: no kind")
    return kind, labels, roles


def packed(labels: list[str]) -> str:
    """Runs of equal labels with their lengths: `X12M3`."""
    return "".join(f"{label}{len(list(run))}" for label, run in groupby(labels))


def unpacked(labels: str) -> list[str]:
    return [label for label, count in re.findall(r"([MOCX])(\d+)", labels) for _ in range(int(count))]


def sheet(path: str, id: str, out: str) -> None:
    page = next((page for page in shared.rows(Path(path)) if page["id"] == id), None) or sys.exit(f"{path}: no page {id}")
    found = blocks(page)
    facts = {"set": Path(path).name.split(".")[0], "id": id, "blocks": [text for _, text in found]}
    Path(f"{out}.json").write_text(json.dumps(facts, ensure_ascii=False))
    lines, last = [f"# {facts['set']} {id} {page.get('url')}"], None
    for number, (above, text) in enumerate(found, 1):
        short = text if len(text) <= 170 else f"{text[:120]} […{len(text) - 160}…] {text[-40:]}"
        lines.append(f"{number} {'=' if above == last else f'<{above}>'} {short}")
        last = above
    Path(out).write_text("\n".join(lines) + "\n")


def label_files(sheets: str, labels: str) -> Iterator[tuple[dict, str, list[str], list[str]]]:
    """The facts of each labelled sheet, its kind, and the label and role of each block."""
    for path in sorted(Path(labels).glob("*.txt")):
        facts = json.loads(Path(sheets, f"{path.name}.json").read_text())
        yield facts, *read_labels(path, len(facts["blocks"]))


def write(rows: dict[tuple[str, str], dict]) -> None:
    path = shared.write_labels("content", (rows[key] for key in sorted(rows)))
    print(f"{len(rows)} pages in {path}")


def pack(sheets: str, labels: str) -> None:
    rows = {(row["set"], row["id"]): row for row in shared.labels("content")}
    for facts, kind, marks, roles in label_files(sheets, labels):
        # Numbers of blocks, from 1.
        of = {role: numbers for role in ROLES if (numbers := [i for i, r in enumerate(roles, 1) if r == role])}
        row = {"set": facts["set"], "id": facts["id"], "kind": kind, "labels": packed(marks), "roles": of}
        rows[row["set"], row["id"]] = row | {"blocks": hashed(facts["blocks"])}
    write(rows)


def second(sheets: str, labels: str) -> None:
    rows = {(row["set"], row["id"]): row for row in shared.labels("content")}
    for facts, _, marks, _ in label_files(sheets, labels):
        row = rows[facts["set"], facts["id"]]
        if row["blocks"] != hashed(facts["blocks"]):
            sys.exit(f"{facts['set']} {facts['id']}: the first reader had other text")
        row["second"] = packed(marks)
    write(rows)


def labelled(data: str) -> Iterator[tuple[dict, list[tuple[str, str]]]]:
    """The committed pages with the label and text of each block. Stops at a page that has changed."""
    wanted = defaultdict(dict)
    for row in shared.labels("content"):
        wanted[row["set"]][row["id"]] = row
    for name, rows in sorted(wanted.items()):
        for page in shared.rows(Path(data, "train", f"{name}.jsonl.zst")):
            if row := rows.pop(page["id"], None):
                texts = [text for _, text in blocks(page)]
                if hashed(texts) != row["blocks"]:
                    sys.exit(f"{name} {page['id']}: the labels belong to other text")
                yield row, list(zip(unpacked(row["labels"]), texts, strict=True))
        if rows:
            sys.exit(f"{name}: no page {', '.join(rows)}")


def check(data: str) -> None:
    kinds, marks, roles = Counter(), Counter(), Counter()
    for row, found in labelled(data):
        kinds[row["kind"]] += 1
        marks.update(label for label, text in found for _ in words(text))
        for role, numbers in row["roles"].items():
            roles[role] += len(numbers)
    print(f"{sum(kinds.values())} pages: {', '.join(f'{kind} {n}' for kind, n in kinds.most_common())}")
    print("words: " + ", ".join(f"{label} {marks[label]}" for label in "MOCX"))
    print("blocks with a role: " + ", ".join(f"{role} {roles[role]}" for role in ROLES))


def export(data: str, out: str) -> None:
    with Path(out).open("w") as file:
        for row, found in labelled(data):
            if row["kind"] != "empty":
                blocks = [{"label": label, "text": text} for label, text in found]
                for role, numbers in row["roles"].items():
                    for number in numbers:
                        blocks[number - 1]["role"] = role
                file.write(json.dumps({"set": row["set"], "id": row["id"], "kind": row["kind"], "blocks": blocks}) + "\n")


def counts(text: str | None, found: list[tuple[str, str]]) -> tuple[int, int, dict[str, int]]:
    """Counts the main words of the page, the main words in the text, and the wrong words in the text by kind. Optional words are ignored."""
    of: dict[str, Counter] = defaultdict(Counter)
    content = {block for label, block in found if label in "MO"}
    for label, block in found:
        of["copies" if label == "X" and block in content else label].update(words(block))
    predicted = Counter(words(text))
    right = (predicted & of["M"]).total()
    rest = predicted - of["M"]
    rest -= rest & of["O"]
    wrong = {}
    for label, kind in (("C", "comments"), ("copies", "copies"), ("X", "boilerplate")):
        wrong[kind] = (rest & of[label]).total()
        rest -= rest & of[label]
    return of["M"].total(), right, wrong | {"of no block": rest.total()}


def rates(main: int, right: int, wrong: int) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    if not main:
        return (1.0, 1.0, 1.0) if wrong == 0 else (0.0, 0.0, 0.0)
    precision, recall = right / max(right + wrong, 1), right / main
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


def rates_of(text: str | None, found: list[tuple[str, str]]) -> tuple[float, float, float]:
    main, right, wrong = counts(text, found)
    return rates(main, right, sum(wrong.values()))


def f1(text: str | None, found: list[tuple[str, str]]) -> float:
    return rates_of(text, found)[2]


def answers(prediction: str) -> Iterator[tuple[str, dict[str, str | None]]]:
    """The name of each system with its texts by id."""
    name, _, path = prediction.rpartition("=")
    files: dict[str, list[Path]] = defaultdict(list)
    for file in Path(path).glob(f"*/{name or '*'}.jsonl") if Path(path).is_dir() else [Path(path)]:
        files[name or file.stem].append(file)
    for name, paths in sorted(files.items()):
        rows = (json.loads(line) for path in paths for line in path.open(encoding="utf-8"))
        yield name, {row["id"]: row.get("text") for row in rows}


def score(data: str, *predictions: str) -> None:
    truth = [(row, found) for row, found in labelled(data) if row["kind"] != "empty"]
    kinds = sorted({row["kind"] for row, _ in truth})
    print("| system | all | " + " | ".join(kinds) + " |\n" + "| --- " * (len(kinds) + 2) + "|")
    for name, texts in (system for prediction in predictions for system in answers(prediction)):
        scores = [(row["kind"], f1(texts.get(row["id"]), found)) for row, found in truth]
        cells = [mean(f for _, f in scores)] + [mean(f for kind, f in scores if kind == k) for k in kinds]
        print(f"| {name} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")


def worst(data: str, prediction: str) -> None:
    ((_, texts),) = answers(prediction)
    pages = [(*rates_of(texts.get(row["id"]), found), row) for row, found in labelled(data) if row["kind"] != "empty"]
    print("| set | page | kind | precision | recall | F1 |\n| --- | --- | --- | ---: | ---: | ---: |")
    for precision, recall, f, row in sorted(pages, key=lambda page: page[2])[:30]:
        print(f"| {row['set']} | {row['id']} | {row['kind']} | {precision:.2f} | {recall:.2f} | {f:.3f} |")


def faults(data: str, prediction: str) -> None:
    """The mean F1 by kind of page that would be gained without each kind of fault, and the share of comments in the text."""
    ((_, texts),) = answers(prediction)
    # By kind, for each page with comments: words of comments in the text, and all words of the text.
    commented: dict[str, list[tuple[int, int]]] = defaultdict(list)
    gains: dict[str, list[dict[str, float]]] = defaultdict(list)
    for row, found in labelled(data):
        main, right, wrong = counts(texts.get(row["id"]), found)
        if row["kind"] == "empty" or not main:
            continue
        if any(label == "C" for label, _ in found):
            commented[row["kind"]].append((wrong["comments"], len(words(texts.get(row["id"])))))
        own = rates(main, right, all_wrong := sum(wrong.values()))[2]
        gain = {"F1": own, "lost": rates(main, main, all_wrong)[2] - own}
        gain |= {kind: rates(main, right, all_wrong - n)[2] - own for kind, n in wrong.items()}
        gains[row["kind"]].append(gain)
    gains = dict(sorted(gains.items())) | {"all": [gain for found in gains.values() for gain in found]}
    columns = list(gains["all"][0])
    print("| kind | pages | " + " | ".join(columns) + " |\n| --- " + "| ---: " * (len(columns) + 1) + "|")
    for kind, found in gains.items():
        print(f"| {kind} | {len(found)} | " + " | ".join(f"{mean(g[c] for g in found):.3f}" for c in columns) + " |")
    print("\n| kind | pages with comments | share of comments in the text |\n| --- | ---: | ---: |")
    commented = dict(sorted(commented.items())) | {"all": [page for pages in commented.values() for page in pages]}
    for kind, pages in commented.items():
        share = sum(wrong for wrong, _ in pages) / max(1, sum(total for _, total in pages))
        print(f"| {kind} | {len(pages)} | {100 * share:.1f} % |")


def agree(data: str) -> None:
    """F1 of each reader's main words against the labels of the other, on average."""
    scores = defaultdict(list)
    for row, found in labelled(data):
        if row["kind"] == "empty" or "second" not in row:
            continue
        texts = [text for _, text in found]
        readings = [[label for label, _ in found], unpacked(row["second"])]
        both = []
        for own, other in (readings, reversed(readings)):
            main = " ".join(text for label, text in zip(own, texts, strict=True) if label == "M")
            both.append(f1(main, list(zip(other, texts, strict=True))))
        scores[row["kind"]].append((mean(both), f"{row['set']} {row['id']}"))
    print("| kind | pages | F1 | lowest |\n| --- | ---: | ---: | ---: |")
    every = [pair for found in scores.values() for pair in found]
    for kind, found in [*sorted(scores.items()), ("all", every)]:
        print(f"| {kind} | {len(found)} | {mean(f for f, _ in found):.3f} | {min(found)[0]:.3f} |")
    print("\nThe ten lowest: " + ", ".join(f"{name} {f:.2f}" for f, name in sorted(every)[:10]))


def main() -> None:
    commands = {
        "sheet": (sheet, 3), "pack": (pack, 2), "second": (second, 2), "check": (check, 1), "score": (score, None), "agree": (agree, 1),
        "export": (export, 2), "worst": (worst, 2), "faults": (faults, 2),
    }  # fmt: skip
    name, *arguments = sys.argv[1:] or [""]
    command, count = commands.get(name, (None, 0))
    if command is None or (len(arguments) != count if count is not None else len(arguments) < 2):
        sys.exit(__doc__)
    command(*arguments)


if __name__ == "__main__":
    main()
