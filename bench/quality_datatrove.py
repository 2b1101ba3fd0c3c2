#!/usr/bin/env python3
"""Compares the decisions of maintext's quality filters with datatrove's on the same texts.

    maintext batch DATA/*.jsonl.zst --fields id,text --on-exists overwrite -o texts.jsonl
    python bench/quality_datatrove.py texts.jsonl

Needs datatrove 0.10.1 and spacy 3.8. Both sides treat all texts as English, datatrove's default. For each filter: texts with the same
decision, with the same first reason, and each pair of reasons that differ. `--show RULE` prints the start of texts of one kind.
"""

import argparse
import collections
import json
import sys

import maintext
from datatrove.data import Document
from datatrove.pipeline.filters import C4QualityFilter, FineWebQualityFilter, GopherQualityFilter, GopherRepetitionFilter

# datatrove's reason for each rule of maintext.
REASONS = {
    "gopher_short_doc": "gopher.words",
    "gopher_long_doc": "gopher.words",
    "gopher_below_avg_threshold": "gopher.mean_word_length",
    "gopher_above_avg_threshold": "gopher.mean_word_length",
    "gopher_too_many_hashes": "gopher.hashes",
    "gopher_too_many_ellipsis": "gopher.ellipses",
    "gopher_too_many_bullets": "gopher.bullet_lines",
    "gopher_too_many_end_ellipsis": "gopher.ellipsis_lines",
    "gopher_below_alpha_threshold": "gopher.alphabetic_words",
    "gopher_enough_stop_words": "gopher.stop_words",
    "dup_para_frac": "gopher.duplicate_paragraphs",
    "dup_para_char_frac": "gopher.duplicate_paragraph_characters",
    "dup_line_frac": "gopher.duplicate_lines",
    "dup_line_char_frac": "gopher.duplicate_line_characters",
    "lorem_ipsum": "c4.lorem_ipsum",
    "curly_bracket": "c4.curly_bracket",
    "too_few_sentences": "c4.sentences",
    "line_punct_ratio": "fineweb.ended_lines",
    "short_line_ratio": "fineweb.short_lines",
    "char_dup_ratio": "fineweb.duplicate_characters",
    "list_ratio": "fineweb.newlines_per_word",
    **{f"top_{n}_gram": f"gopher.top_{n}_gram" for n in (2, 3, 4)},
    **{f"duplicated_{n}_n_grams": f"gopher.duplicate_{n}_grams" for n in range(5, 11)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", help="JSONL with the keys id and text")
    parser.add_argument("--pages", type=int, default=5000, help="at most so many texts (5000)")
    parser.add_argument("--show", help="print texts where only one side has this reason")
    parser.add_argument("--filter", action="append", help="compare only this filter; may be repeated")
    given = parser.parse_args()
    texts = []
    with open(given.texts, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if row.get("text"):
                texts.append(row["text"])
            if len(texts) == given.pages:
                break
    peers = {
        "c4": C4QualityFilter(),
        "gopher-quality": GopherQualityFilter(),
        "gopher-repetition": GopherRepetitionFilter(),
        "fineweb": FineWebQualityFilter(),
    }
    peers = {name: peer for name, peer in peers.items() if not given.filter or name in given.filter}
    print(f"{len(texts)} texts")
    print("| filter | datatrove drops | same decision | same first reason | same kept text |")
    print("|---|---|---|---|---|")
    differ: dict[str, collections.Counter] = {}
    for name, peer in peers.items():
        drops = decisions = reasons = same_text = kept = 0
        differ[name] = collections.Counter()
        for text in texts:
            document = Document(text=text, id="0")
            result = peer.filter(document)
            theirs = None if result is True else REASONS.get(result[1], result[1])
            found = maintext.quality(text, language="en", filters=[name])
            ours = found["failed"][0]["rule"] if found["failed"] else None
            drops += theirs is not None
            decisions += (theirs is None) == (ours is None)
            reasons += theirs == ours
            if theirs is None and ours is None:
                kept += 1
                same_text += document.text == found["text"]
            if theirs != ours:
                value = f" {found['failed'][0]['value']:.4f}" if ours else ""
                differ[name][f"{theirs} / {ours}"] += 1
                if given.show and given.show in (theirs, ours):
                    print(theirs, ours, value, repr(text[:300]), file=sys.stderr)
        share = f"{decisions} ({100 * decisions / len(texts):.2f} %)"
        print(f"| {name} | {drops} | {share} | {reasons} ({100 * reasons / len(texts):.2f} %) | {same_text} of {kept} |", flush=True)
    print("\nDifferences, datatrove / maintext:")
    for name, pairs in differ.items():
        for pair, count in pairs.most_common():
            print(f"- {name}: {pair}: {count}")


if __name__ == "__main__":
    main()
