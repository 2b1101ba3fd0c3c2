"""Fingerprints of texts and caches of duplicates, as trafilatura's ``deduplication``.

A fingerprint is the hash of Charikar, "Similarity estimation techniques from rounding algorithms" (2002), over the words of a text, with
the words and the hash of a word as trafilatura has them, so that stored fingerprints stay comparable.
"""

from __future__ import annotations

import re
import string
from collections import Counter, OrderedDict
from difflib import SequenceMatcher
from functools import lru_cache
from hashlib import blake2b
from threading import Lock
from typing import Any

from .settings import LRU_SIZE

__all__ = ["LRUCache", "Simhash", "content_fingerprint", "duplicate_test", "is_similar_domain"]

_ENDING = re.compile(r"\.[^/?#]{2,63}$")


def is_similar_domain(reference: str, new_string: str, threshold: float = 0.5) -> bool:
    """Returns whether two domains have similar names."""
    if reference == new_string:
        return True
    one, other = _ENDING.sub("", reference), _ENDING.sub("", new_string)
    return one == other or SequenceMatcher(None, one, other).ratio() >= threshold


def sample_tokens(inputstring: str, length: int = 64) -> list[str]:
    """Returns the words of a text; short words only if there are few long ones."""
    words = [word.strip(string.punctuation) for word in inputstring.split()]
    words = [word for word in words if word.isalnum()]
    if not words:
        # Scripts without spaces, or with other punctuation.
        words = [word for word in re.split(r"[\W_]+", inputstring) if word]
    found: list[str] = []
    for least in (5, 4, 3, 2, 1):
        found = [word for word in words if len(word) >= least]
        if len(found) >= length / 2:
            break
    return found


def generate_bow_hash(inputstring: str, length: int = 24) -> bytes:
    """Returns a hash of the words of a text, of ``length`` bytes."""
    return blake2b(" ".join(sample_tokens(inputstring)).encode(), digest_size=length).digest()


@lru_cache(maxsize=1 << 14)
def _bits(word: str) -> int:
    """Returns the hash of a word."""
    return int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big")


class Simhash:
    """A hash whose distance to other hashes measures how similar the texts are."""

    __slots__ = ("hash", "length")

    def __init__(self, inputstring: str = "", length: int = 64, existing_hash: int | str | None = None) -> None:
        self.length = length
        given = self._valid(existing_hash)
        self.hash = given if given is not None else self._made(inputstring)

    def _valid(self, given: int | str | None) -> int | None:
        if isinstance(given, bool):
            return None
        value = given if isinstance(given, int) else None
        if isinstance(given, str):
            if given.isdecimal() and given.isascii() and 18 <= len(given) <= 22:
                value = int(given)
            else:
                try:
                    value = int(given, 16)
                except ValueError:
                    return None
                if value == 0:
                    return None
        return value if value is not None and 0 <= value < 1 << 64 else None

    def _made(self, text: str) -> int:
        sums = [0] * self.length
        for word, count in Counter(sample_tokens(text, self.length)).items():
            bits = _bits(word)
            for place in range(self.length):
                sums[place] += count if bits >> place & 1 else -count
        return sum(1 << place for place, value in enumerate(sums) if value >= 0)

    def to_hex(self) -> str:
        """Returns the hash as a hexadecimal number."""
        return f"{self.hash:x}"

    def similarity(self, other_hash: Simhash) -> float:
        """Returns the share of equal bits, between 0 and 1."""
        return 1 - bin(self.hash ^ other_hash.hash).count("1") / self.length


def content_fingerprint(content: str) -> str:
    """Returns the fingerprint of a text as a hexadecimal number."""
    return Simhash(content).to_hex()


class LRUCache:
    """A mapping of bounded size that forgets the entries that were not used for longest. Threads may share it."""

    def __init__(self, maxsize: int = 128) -> None:
        if maxsize < 1:
            raise ValueError("maxsize must be at least 1")
        self.maxsize = maxsize
        self.cache: OrderedDict[str, Any] = OrderedDict()
        self.lock = Lock()

    def __bool__(self) -> bool:
        return True

    def __getstate__(self) -> dict[str, Any]:
        with self.lock:
            return {"maxsize": self.maxsize, "cache": OrderedDict(self.cache)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.maxsize = state["maxsize"]
        self.cache = state["cache"]
        self.lock = Lock()

    def get(self, key: str) -> Any:
        """Returns the value of a key, or -1."""
        with self.lock:
            return self._get(key)

    def put(self, key: str, value: Any) -> None:
        """Stores a value."""
        with self.lock:
            self._put(key, value)

    def increment(self, key: str) -> int:
        """Counts a key: 1 the first time. Returns the count before, or -1."""
        with self.lock:
            before = int(self._get(key))
            self._put(key, before + 1 if before != -1 else 1)
            return before

    def clear(self) -> None:
        """Forgets everything."""
        with self.lock:
            self.cache.clear()

    def _get(self, key: str) -> Any:
        if key not in self.cache:
            return -1
        self.cache.move_to_end(key)
        return self.cache[key]

    def _put(self, key: str, value: Any) -> None:
        self.cache[key] = value
        self.cache.move_to_end(key)
        while len(self.cache) > self.maxsize:
            self.cache.popitem(last=False)


#: The cache of ``deduplicate=True``.
LRU_TEST = LRUCache(maxsize=LRU_SIZE)


def duplicate_test(element: Any, options: Any) -> bool:
    """Returns whether the text of an element has occurred more often than the options allow, and counts it."""
    text = " ".join("".join(element.itertext()).split())
    if len(text) <= options.min_duplcheck_size:
        return False
    cache = options.dedup if isinstance(options.dedup, LRUCache) else LRU_TEST
    return bool(cache.increment(text) > options.max_repetitions)
