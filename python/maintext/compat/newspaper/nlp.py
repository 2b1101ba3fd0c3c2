"""Keywords and summaries, as newspaper4k's ``nlp``. Sentences are found without NLTK."""

from __future__ import annotations

import re
from collections import Counter

from .settings import MEAN_SENTENCE_LEN, SUMMARIZE_KEYWORD_COUNT
from .text import StopWords

__all__ = ["keywords", "split_sentences", "summarize"]

#: The share of good sentences by tenths of the article.
_PLACES = (0.17, 0.23, 0.14, 0.08, 0.05, 0.04, 0.06, 0.04, 0.04, 0.15)
_ABBREVIATIONS = set(
    "mr mrs ms dr prof st jr sr gen gov sen rep lt col sgt capt no vs etc inc ltd co corp u.s u.k e.g i.e p.m a.m jan feb mar apr jun jul "
    "aug sep sept oct nov dec bzw ca z.b d.h usw nr abs m mme sra vol fig al".split()
)
_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？]+[」』”]*|\n+")


def keywords(text: str, stopwords: StopWords, max_keywords: int | None = None) -> dict[str, float]:
    """Returns the most frequent words of a text that are no stop words, with scores from 1 on: their share of all words, times 1.5.

    >>> keywords("The alder stands by the river. An alder likes a river bank, and the alder stays.", StopWords("en"), 2)
    {'alder': 1.28125, 'river': 1.1875}
    """
    words = stopwords.tokenizer(text)
    counts = Counter(word for word in words if word not in stopwords.stop_words)
    return {word: 1 + 1.5 * count / len(words) for word, count in counts.most_common(max_keywords)}


def split_sentences(text: str) -> list[str]:
    """Returns the sentences of a text that have more than ten characters."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        before = text[start : end.start()].rsplit(None, 1)
        word = before[-1].lower().lstrip("(\"'“") if before else ""
        following = text[end.end() :].lstrip()[:1]
        short = end.group(0) == "." and (word in _ABBREVIATIONS or re.fullmatch(r"[^\W\d_]", word) is not None)
        if "\n" not in end.group(0) and (short or following.islower()):
            continue
        found.append(text[start : end.end()])
        start = end.end()
    found.append(text[start:])
    return [sentence for sentence in (" ".join(s.split()) for s in found) if len(sentence) > 10]


def summarize(title: str, text: str, stopwords: StopWords, max_sents: int = 5) -> list[str]:
    """Returns the most important sentences of a text in their order, by keywords, words of the title, length and place."""
    if not text or not title or max_sents <= 0:
        return []
    sentences = split_sentences(text)
    known = keywords(text, stopwords, SUMMARIZE_KEYWORD_COUNT)
    titled = {word for word in stopwords.tokenizer(title) if word not in stopwords.stop_words}
    ranked = sorted(
        range(len(sentences)),
        key=lambda place: -_score(sentences[place], (place + 1) / len(sentences), titled, known, stopwords),
    )
    return [sentences[place] for place in sorted(ranked[:max_sents])]


def _score(sentence: str, place: float, titled: set[str], known: dict[str, float], stopwords: StopWords) -> float:
    """Returns the importance of a sentence.

    :param place: its place, up to 1 for the last sentence
    """
    words = stopwords.tokenizer(sentence)
    if not words:
        return 0.0
    title = sum(word in titled for word in words) / len(titled) if titled else 0.0
    places = [(i, known[word]) for i, word in enumerate(words) if word in known]
    density = sum(score for _, score in places) / len(words) / 10
    # Keywords that stand close to one another count more.
    near = sum(a * b / (j - i) ** 2 for (i, a), (j, b) in zip(places, places[1:]))
    kinds = len({words[i] for i, _ in places}) + 1
    near = near / (kinds * (kinds + 1)) if places else 0.0
    length = 1 - abs(MEAN_SENTENCE_LEN - len(words)) / MEAN_SENTENCE_LEN
    position = _PLACES[min(int(place * 10 - 1e-9), 9)]
    return (title * 1.5 + (density + near) * 10 + length + position) / 4
