"""How often `maintext extract --find` puts the right passage first, compared with plain tf-idf on the same passages.

    python bench/find.py MAINTEXT DATA/train [--together]

Each row of bench/labels/find.jsonl.zst names a page by its set and id, and has a question and the hash of a key phrase of the passage that answers it: the
first 16 characters of the sha256 of the phrase in NFKC and lower case, its words (\\w+) between single spaces. A passage is right if any run of
`words` words in it has the hash; with unit "chars", any run of characters of its words. With --together all pages are searched for each question, instead of its own page. tf-idf works as in scikit-learn by default: words of \\w+ in lower case, (1 + df) smoothed, cosine;
characters of scripts without spaces are words.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import math
import re
import subprocess
import tempfile
import unicodedata
from pathlib import Path

import shared

WORD = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]|\w+")


def is_right(text: str, question: dict) -> bool:
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower())
    units, glue = ("".join(words), "") if question.get("unit") == "chars" else (words, " ")
    size = question["words"]
    runs = (glue.join(units[i : i + size]) for i in range(len(units) - size + 1))
    return any(hashlib.sha256(run.encode()).hexdigest()[:16] == question["hash"] for run in runs)


def tf_idf(question: str, texts: list[str]) -> list[int]:
    """Returns the numbers of the texts, best first."""
    counts = [collections.Counter(WORD.findall(text.lower())) for text in texts]
    holders = collections.Counter(word for count in counts for word in count)
    idf = {word: math.log((1 + len(texts)) / (1 + n)) + 1 for word, n in holders.items()}

    def vector(count: collections.Counter[str]) -> dict[str, float]:
        weighted = {word: n * idf[word] for word, n in count.items() if word in idf}
        length = math.sqrt(sum(x * x for x in weighted.values())) or 1
        return {word: x / length for word, x in weighted.items()}

    asked = vector(collections.Counter(WORD.findall(question.lower())))
    scores = [sum(x * v.get(word, 0) for word, x in asked.items()) for v in map(vector, counts)]
    return sorted(range(len(texts)), key=lambda i: (-scores[i], i))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("maintext")
    parser.add_argument("data", type=Path)
    parser.add_argument("--together", action="store_true", help="search all pages for each question")
    parser.add_argument("--size", help="tokens of a passage, instead of the default")
    args = parser.parse_args()
    questions = shared.labels("find")
    size = ["--size", args.size] if args.size else []

    def run(*arguments: str) -> str:
        return subprocess.run([args.maintext, *arguments], capture_output=True, text=True, check=True).stdout

    with tempfile.TemporaryDirectory() as folder:
        wanted = {(q["set"], str(q["id"])) for q in questions}
        files: dict[tuple[str, str], Path] = {}
        for name in sorted({q["set"] for q in questions}):
            for row in shared.rows(args.data / f"{name}.jsonl.zst"):
                key = (name, str(row["id"]))
                if key in wanted:
                    files[key] = Path(folder) / f"{len(files)}.html"
                    files[key].write_bytes(shared.bytes_of(row))
        chunks: dict[Path, list[dict]] = {}
        for path in files.values():
            lines = run("chunk", "--form", "text", "-f", "json", *size, str(path)).splitlines()
            chunks[path] = [json.loads(line) for line in lines]
        table = collections.defaultdict(collections.Counter)
        answerable = 0
        for question in questions:
            path = files[question["set"], str(question["id"])]
            searched = list(files.values()) if args.together else [path]
            passages = [chunk for file in searched for chunk in chunks[file]]
            holders = {(c["id"], c["index"]) for c in chunks[path] if is_right(c["text"], question)}
            answerable += bool(holders)
            arguments = ["--find", question["question"], "--find-limit", "10", "--form", "text", "-f", "json", *size]
            found = json.loads(run("extract", *arguments, *map(str, searched)))["passages"]
            ours = [(p["id"], p["index"]) in holders for p in found]
            plain = [passages[i] for i in tf_idf(question["question"], [c["text"] for c in passages])]
            theirs = [(c["id"], c["index"]) in holders for c in plain]
            for name, right in (("BM25", ours), ("tf-idf", theirs)):
                for group in ("all", question["language"]):
                    table[group].update({"questions": name == "BM25", f"{name} 1": any(right[:1]), f"{name} 3": any(right[:3])})
        passages = sum(len(c) for c in chunks.values())
        print(f"{len(questions)} questions, {len(files)} pages, {passages} passages; {answerable} answers are in a passage")
        print("| language | questions | BM25, first | BM25, first three | tf-idf, first | tf-idf, first three |")
        print("| --- | --: | --: | --: | --: | --: |")
        for group, row in sorted(table.items(), key=lambda item: -item[1]["questions"]):
            n = row["questions"]
            cells = [f"{100 * row[key] / n:.1f} %" for key in ("BM25 1", "BM25 3", "tf-idf 1", "tf-idf 3")]
            print(f"| {group} | {n} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
