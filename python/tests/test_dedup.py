"""Tests of signatures and normal forms of addresses."""

from __future__ import annotations

import pytest

import maintext


def test_signatures_of_equal_texts_are_equal() -> None:
    assert maintext.signature("a b\nc", "exact") == maintext.signature(" a  b c ", "exact")
    assert maintext.signature("a b c", "exact") != maintext.signature("a bc", "exact")
    assert len(maintext.signature("a b c", "exact") or b"") == 16
    assert len(maintext.signature("a b c") or b"") == 14 * 8


def test_texts_without_words_have_no_signature() -> None:
    assert maintext.signature("") is None and maintext.signature(" \n", "exact") is None
    assert maintext.signature("\0") is not None
    with pytest.raises(maintext.InvalidOptionError, match="expected 'exact' or 'minhash'"):
        maintext.signature("a", "magic")
    with pytest.raises(UnicodeEncodeError):
        maintext.signature("\ud800")


def test_normal_forms_of_addresses() -> None:
    assert maintext.normalize_url("HTTP://E.org:80/a/?b=1&a=2&gclid=3#x") == "http://e.org/a/?a=2&b=1"
    assert maintext.normalize_url("mailto:a@e.org") is None
