"""The fingerprint of a document, as trafilatura's ``deduplication`` computes it.

It is the hash of Charikar, "Similarity estimation techniques from rounding algorithms" (2002), over the words of a text, with the words and
the hash of a word as trafilatura has them, so that stored fingerprints stay comparable.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from hashlib import blake2b

__all__ = ["content_fingerprint"]

_BITS = 64


def _words(text: str) -> list[str]:
    """Returns the words of a text; short words only if there are few long ones."""
    words = [word.strip(string.punctuation) for word in text.split()]
    words = [word for word in words if word.isalnum()]
    if not words:
        # Scripts without spaces, or with other punctuation.
        words = [word for word in re.split(r"[\W_]+", text) if word]
    found: list[str] = []
    for least in (5, 4, 3, 2, 1):
        found = [word for word in words if len(word) >= least]
        if len(found) >= _BITS / 2:
            break
    return found


def content_fingerprint(content: str) -> str:
    """Returns the fingerprint of a text as a hexadecimal number."""
    sums = [0] * _BITS
    for word, count in Counter(_words(content)).items():
        bits = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big")
        for place in range(_BITS):
            sums[place] += count if bits >> place & 1 else -count
    return f"{sum(1 << place for place, value in enumerate(sums) if value >= 0):x}"
