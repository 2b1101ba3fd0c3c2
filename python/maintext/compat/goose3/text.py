"""Words and encodings, as goose3's ``text``."""

from __future__ import annotations

import re
import string
from typing import Any

from ..newspaper._stopwords import words_of

__all__ = [
    "StopWords",
    "StopWordsArabic",
    "StopWordsChinese",
    "StopWordsJapanese",
    "StopWordsKorean",
    "WordStats",
    "encode_value",
    "get_encodings_from_content",
    "inner_trim",
]


def get_encodings_from_content(content: str | bytes) -> list[str]:
    """Returns the encodings that a page names.

    >>> get_encodings_from_content('<meta http-equiv="content-type" content="text/html; charset=utf-8">')
    ['utf-8']
    """
    text = content.decode("utf-8", "ignore") if isinstance(content, bytes) else content
    found = re.findall(r"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w-]+)", text, re.IGNORECASE)
    return found + re.findall(r"^<\?xml[^>]*?\bencoding\s*=\s*[\"']\s*([\w-]+)", text)


def inner_trim(value: Any) -> str:
    """Returns a text in one line, without white space around it; an empty text for other values."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def encode_value(value: Any) -> Any:
    """Decodes bytes, and returns other values as text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class WordStats:
    """The number of words of a text, and the frequent ones among them."""

    def __init__(self) -> None:
        self.stop_word_count = 0
        self.word_count = 0
        self.stop_words: list[str] = []

    def get_stop_words(self) -> list[str]:
        """Returns the frequent words."""
        return self.stop_words

    def get_stopword_count(self) -> int:
        """Returns the number of frequent words."""
        return self.stop_word_count

    def get_word_count(self) -> int:
        """Returns the number of words."""
        return self.word_count


class StopWords:
    """The frequent words of a language. maintext chooses content without them; the class serves configurations that name it."""

    _language: str | None = None

    def __init__(self, language: str = "en") -> None:
        self._stop_words = words_of(self._language or language)

    def get_stopword_count(self, content: str | bytes) -> WordStats:
        """Counts the words of a text."""
        stats = WordStats()
        if content:
            text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
            words = re.split(r"\s", text.translate(dict.fromkeys(map(ord, string.punctuation))))
            stats.word_count = len(words)
            stats.stop_words = [word.lower() for word in words if word.lower() in self._stop_words]
            stats.stop_word_count = len(stats.stop_words)
        return stats


class StopWordsChinese(StopWords):
    """The frequent words of Chinese."""

    _language = "zh"


class StopWordsArabic(StopWords):
    """The frequent words of Arabic."""

    _language = "ar"


class StopWordsKorean(StopWords):
    """The frequent words of Korean."""

    _language = "ko"


class StopWordsJapanese(StopWords):
    """The frequent words of Japanese."""

    _language = "ja"
