"""Compares detectors of languages on the same sentences of packages; docs/languages.md has the commands.

    python bench/languages.py PACKAGES --predict target/release/examples/predict

PACKAGES holds the unpacked packages: lingua/<language>/testdata (crates lingua-*-language-model), spacy/lang (PyPI spacy),
cld2/internal/unittest_data.h (source archive of PyPI pycld2), mediawiki/i18n (Debian mediawiki). The detectors lingua-language-detector,
py3langid and pycld2 come from PyPI; whatlang and maintext run in the example `predict` of maintext-language.
"""

import argparse
import json
import random
import re
import resource
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Callable, Iterator

# One code per language: those of maintext.
SAME = {
    "nb": "no", "iw": "he", "jw": "jv", "fil": "tl", "cmn": "zh", "tw": "ak", "in": "id", "hmn": "hmn", "bh": "bho", "mo": "ro",
    "afr": "af", "aka": "ak", "amh": "am", "ara": "ar", "aze": "az", "bel": "be", "ben": "bn", "bul": "bg", "cat": "ca",
    "ces": "cs", "cym": "cy", "dan": "da", "deu": "de", "ell": "el", "eng": "en", "epo": "eo", "est": "et", "fin": "fi",
    "fra": "fr", "guj": "gu", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu", "hye": "hy", "ind": "id", "ita": "it",
    "jav": "jv", "jpn": "ja", "kan": "kn", "kat": "ka", "khm": "km", "kor": "ko", "lat": "la", "lav": "lv", "lit": "lt",
    "mal": "ml", "mar": "mr", "mkd": "mk", "mya": "my", "nep": "ne", "nld": "nl", "nob": "no", "ori": "or", "pan": "pa",
    "pes": "fa", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "sin": "si", "slk": "sk", "slv": "sl", "sna": "sn",
    "spa": "es", "srp": "sr", "swe": "sv", "tam": "ta", "tel": "te", "tgl": "tl", "tha": "th", "tuk": "tk", "tur": "tr",
    "ukr": "uk", "urd": "ur", "uzb": "uz", "vie": "vi", "yid": "yi", "zul": "zu",
}  # fmt: skip
LINGUA = {
    "afrikaans": "af", "albanian": "sq", "arabic": "ar", "armenian": "hy", "azerbaijani": "az", "basque": "eu",
    "belarusian": "be", "bengali": "bn", "bokmal": "no", "bosnian": "bs", "bulgarian": "bg", "catalan": "ca", "chinese": "zh",
    "croatian": "hr", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en", "esperanto": "eo", "estonian": "et",
    "finnish": "fi", "french": "fr", "ganda": "lg", "georgian": "ka", "german": "de", "greek": "el", "gujarati": "gu",
    "hebrew": "he", "hindi": "hi", "hungarian": "hu", "icelandic": "is", "indonesian": "id", "irish": "ga", "italian": "it",
    "japanese": "ja", "kazakh": "kk", "korean": "ko", "latin": "la", "latvian": "lv", "lithuanian": "lt", "macedonian": "mk",
    "malay": "ms", "maori": "mi", "marathi": "mr", "mongolian": "mn", "nynorsk": "nn", "persian": "fa", "polish": "pl",
    "portuguese": "pt", "punjabi": "pa", "romanian": "ro", "russian": "ru", "serbian": "sr", "shona": "sn", "slovak": "sk",
    "slovene": "sl", "somali": "so", "sotho": "st", "spanish": "es", "swahili": "sw", "swedish": "sv", "tagalog": "tl",
    "tamil": "ta", "telugu": "te", "thai": "th", "tsonga": "ts", "tswana": "tn", "turkish": "tr", "ukrainian": "uk",
    "urdu": "ur", "vietnamese": "vi", "welsh": "cy", "xhosa": "xh", "yoruba": "yo", "zulu": "zu",
}  # fmt: skip
Row = tuple[str, str, str]


def same(code: str) -> str:
    code = code.lower()
    return SAME.get(code.split("-")[0], code.split("-")[0])


def from_lingua(folder: Path, count: int) -> Iterator[Row]:
    """A word, two words or a sentence of a web page in 75 languages."""
    for name, language in LINGUA.items():
        for file, kind in (("single-words", "word"), ("word-pairs", "two words"), ("sentences", "sentence")):
            lines = (folder / name / "testdata" / f"{file}.txt").read_text("utf-8").splitlines()
            yield from ((kind, language, line) for line in random.sample(lines, min(count, len(lines))))


def from_spacy(folder: Path) -> Iterator[Row]:
    """Sentences that people wrote for spaCy's documentation."""
    for path in sorted(folder.glob("*/examples.py")):
        texts = re.findall(r"""^\s+["'](.*)["'],?$""", path.read_text("utf-8"), re.M)
        yield from (("spaCy", same(path.parent.name), text) for text in texts)


def from_cld2(path: Path) -> Iterator[Row]:
    """Paragraphs of the unit tests of CLD2."""
    seen = set()
    pattern = re.compile(r'const char\* kTeststr_([a-z]{2,3})_([A-Z][a-z]{3}) = "(.*)";')
    for match in map(pattern.match, path.read_text("utf-8", "ignore").splitlines()):
        if match and match[1] not in ("xx", "sit") and not match[1].startswith("zz") and match.group(1, 2) not in seen:
            seen.add(match.group(1, 2))
            yield "paragraph", same(match[1]), match[3]


def from_mediawiki(folder: Path, count: int) -> Iterator[Row]:
    """Messages of MediaWiki of at least 30 characters, without markup and not left in English."""
    english = set(map(str, json.loads((folder / "en.json").read_text("utf-8")).values()))
    scripts = {"sr-ec", "sr-el", "zh-hans", "zh-hant", "tt-cyrl", "kk-cyrl", "tg-cyrl", "ku-latn", "ug-arab", "skr-arab"}
    for path in sorted(folder.glob("*.json")):
        if "-" in path.stem and path.stem not in scripts or path.stem == "qqq":
            continue
        texts = [t for t in json.loads(path.read_text("utf-8")).values() if isinstance(t, str) and t not in english]
        texts = [t for t in texts if 30 <= len(t) <= 300 and not re.search(r"[{}<>$\[\]|&]|://", t)]
        if len(texts) >= 20:
            yield from (("message", same(path.stem), t) for t in random.sample(texts, min(count, len(texts))))


def rows(folder: Path, count: int) -> list[Row]:
    random.seed(1)
    found = [*from_lingua(folder / "lingua", count), *from_spacy(folder / "spacy/lang")]
    found += from_cld2(folder / "cld2/internal/unittest_data.h")
    found += from_mediawiki(folder / "mediawiki/i18n", count)
    return [(kind, language, " ".join(text.split())) for kind, language, text in found if text.strip()]


def in_rust(binary: str, name: str) -> Callable[[list[str]], tuple[list[str], float]]:
    def run(texts: list[str]) -> tuple[list[str], float]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([binary, name], input="\n".join(texts), capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return [line.split("\t")[0] for line in done.stdout.splitlines()], seconds

    return run


def each(detect: Callable[[str], str]) -> Callable[[list[str]], tuple[list[str], float]]:
    def run(texts: list[str]) -> tuple[list[str], float]:
        detect("The models are loaded with the first text.")
        start = time.process_time()
        found = [detect(text) for text in texts]
        return found, time.process_time() - start

    return run


def detectors(binary: str) -> Iterator[tuple[str, Callable[[list[str]], tuple[list[str], float]], set[str]]]:
    """Yields the name of each detector, its call, and the languages that it knows."""
    listed = subprocess.run([binary, "languages"], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    yield "maintext", in_rust(binary, "maintext"), set(listed.stdout.split())
    yield "whatlang", in_rust(binary, "whatlang"), set(SAME.values()) - {"bho", "hmn"}
    from lingua import LanguageDetectorBuilder

    lingua = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()

    def by_lingua(text: str) -> str:
        found = lingua.detect_language_of(text)
        return found.iso_code_639_1.name.lower() if found else ""

    yield "lingua", each(by_lingua), set(LINGUA.values())
    import py3langid

    py3langid.classify("The model is loaded with the first text.")
    known = {same(code) for code in py3langid.langid.IDENTIFIER.labels}
    yield "py3langid", each(lambda text: py3langid.classify(text)[0]), known
    import pycld2

    def by_cld2(text: str) -> str:
        try:
            return pycld2.detect(text.encode())[2][0][1]
        except pycld2.error:
            return ""

    known = {same(code) for name, code in pycld2.LANGUAGES if name in pycld2.DETECTED_LANGUAGES}
    yield "CLD2", each(by_cld2), known


def accuracy(truth: list[Row], found: list[str], kind: str, languages: set[str]) -> tuple[float, int]:
    """Returns the mean of the languages' accuracies, and the number of languages."""
    hits = defaultdict(list)
    for (k, language, _), code in zip(truth, found):
        if k == kind and language in languages:
            hits[language].append(same(code) == language)
    return sum(sum(h) / len(h) for h in hits.values()) / max(len(hits), 1), len(hits)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path)
    parser.add_argument("--predict", default="target/release/examples/predict")
    parser.add_argument("--count", type=int, default=60, help="texts per language and kind")
    args = parser.parse_args()
    truth = rows(args.packages, args.count)
    texts = [text for _, _, text in truth]
    size = sum(len(text.encode()) for text in texts) / 1e6
    kinds = list(dict.fromkeys(kind for kind, _, _ in truth))
    results = []
    for name, run, known in detectors(args.predict):
        found, seconds = run(texts)
        assert len(found) == len(texts), f"{name}: {len(found)} answers for {len(texts)} texts"
        results.append((name, found, known, size / seconds))
        print(f"{name}: {seconds:.1f} s", file=sys.stderr)
    common = set.intersection(*(known for _, _, known, _ in results))
    for title, chosen in (("languages of all detectors", lambda _: common), ("all languages of maintext", lambda _: results[0][2])):
        print(f"\n{title}\n| detector | MB/s | " + " | ".join(kinds) + " |")
        for name, found, known, speed in results:
            cells = [accuracy(truth, found, kind, chosen(known)) for kind in kinds]
            print(f"| {name} | {speed:.2f} | " + " | ".join(f"{100 * a:.1f} ({n})" for a, n in cells) + " |")


if __name__ == "__main__":
    main()
