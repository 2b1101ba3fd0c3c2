"""Words and frequent words, as newspaper4k's ``text``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ._stopwords import words_of
from .languages import get_available_languages, normalize_language_code

__all__ = ["StopWords", "WordStats", "default_tokenizer", "inner_trim"]

#: Characters of scripts without spaces between words.
_UNSPACED = "\u0e00-\u0e7f\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORDS = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[\w’'`´‘\-])+")


def inner_trim(value: object) -> str:
    """Returns a value as text in one line, without white space around it."""
    return "" if value is None else " ".join(str(value).split())


def default_tokenizer(text: str | bytes) -> list[str]:
    """Returns the words of a text in lower case, each with the hyphens and apostrophes inside."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    words = (word.strip("-'’`´‘_") for word in _WORDS.findall(text.lower().replace("’", "'")))
    return [part for word in words for part in (_pairs(word) if re.match(f"[{_UNSPACED}]", word) else [word]) if part]


def _pairs(run: str) -> list[str]:
    """Cuts a run of a script without spaces into overlapping pairs of characters; Korean has spaces and is left as it is."""
    if len(run) < 3 or re.match("[\uac00-\ud7af]", run):
        return [run]
    return [run[i : i + 2] for i in range(len(run) - 1)]


@dataclass
class WordStats:
    """The words of a text, and the frequent ones among them."""

    stop_word_count: int = 0
    word_count: int = 0
    stop_words: list[str] = field(default_factory=list)


class StopWords:
    """The frequent words of a language. Where maintext has no list, no word is taken for one.

    :raises FileNotFoundError: if the language is unknown
    """

    def __init__(self, language: str = "en") -> None:
        language = normalize_language_code(language)
        if language not in get_available_languages():
            raise FileNotFoundError(f"Stopwords for language {language} not found! See `newspaper.languages()`")
        self.stop_words: set[str] = words_of(language)
        self.tokenizer = default_tokenizer

    def get_stopword_count(self, content: str) -> WordStats:
        """Counts the words of a text."""
        words = self.tokenizer(content)
        found = [word for word in words if word in self.stop_words]
        return WordStats(len(found), len(words), found)
