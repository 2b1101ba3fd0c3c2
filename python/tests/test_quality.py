"""Quality filters and masks of personal data."""

from pathlib import Path

import maintext
import pytest

TEXT = "The road was empty that morning, and we left early to be with our friends. " * 2


def test_a_short_text_fails_with_its_value_and_bound() -> None:
    found = maintext.quality("Too short.", language="en", filters=["gopher-quality"])
    assert not found["passes"]
    assert found["failed"][0] == {"rule": "gopher.words", "value": 2.0, "threshold": 50.0, "reason": "gopher.words 2 < 50"}


def test_c4_returns_the_corrected_text() -> None:
    lines = "".join(f"Number {n} is a whole line of text.\n" for n in range(5))
    found = maintext.quality(lines + "Home | About\n", filters=["c4"])
    assert found["passes"] and found["dropped_lines"] == 1
    assert "Home" not in found["text"] and "Number 4" in found["text"]


def test_bad_words_are_counted_but_do_not_fail() -> None:
    found = maintext.quality("A darn text.", filters=["refinedweb"], bad_words="darn\n")
    assert found["bad_words"] == 1 and found["passes"]


def test_an_unknown_filter_is_named() -> None:
    with pytest.raises(maintext.InvalidOptionError, match="unknown quality filter 'c5'.*fineweb-all"):
        maintext.quality(TEXT, filters=["c5"])


def test_masks_count_by_kind() -> None:
    found = maintext.mask("Mail ann@mail.net from 8.8.8.8, card 4111 1111 1111 1111.", replacements={"email": "<MAIL>"})
    assert found == {"text": "Mail <MAIL> from 192.0.2.1, card <CARD>.", "email": 1, "phone": 0, "card": 1, "ip": 1}
    assert maintext.mask("ann@mail.net", kinds=["ip"])["text"] == "ann@mail.net"
    with pytest.raises(maintext.InvalidOptionError, match="'fax'"):
        maintext.mask("", kinds=["fax"])


def test_batch_drops_and_masks(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    line = "<p>Write to ann@mail.net, who is with us. It is a road of {} trees.</p>"
    whole = "".join(line.format(n) for n in range(9))
    (pages / "a.html").write_text(f"<article>{whole}</article>")
    (pages / "b.html").write_text("<article><p>Short and without an end</p></article>")
    output = tmp_path / "out.jsonl"
    counts = maintext.batch(str(pages), output, quality=["c4"], mask=["email"])
    assert (counts["pages"], counts["dropped"], counts["rows"]) == (2, 1, 1)
    assert "email@example.com" in output.read_text() and '"text":"Write to email@example.com' in output.read_text()


def test_a_batch_of_columns_drops_the_same_pages() -> None:
    pytest.importorskip("pyarrow")
    pages = {"html": ["<article><p>Short</p></article>", f"<article><p>{TEXT * 9}</p></article>", None], "more": [1, 2, 3]}
    found = maintext.extract_batch(pages, keep="more", fields=["quality", "error"], quality=["gopher-quality"])
    assert found == {"more": [2, 3], "quality": [[], []], "error": [None, "the page is null"]}
    found = maintext.extract_batch(pages, fields=["quality"], quality="gopher-quality", keep_dropped=True)
    assert "gopher.words 1 < 50" in found["quality"][0] and len(found["quality"]) == 3
