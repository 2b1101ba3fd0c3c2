"""Tests of fetch()."""

from __future__ import annotations

import maintext
import pytest


def test_a_fetched_page_states_the_answer_as_the_command_does(site: str) -> None:
    page = maintext.fetch(f"{site}/old")
    assert "speaks of alders" in page.text
    assert (page.final_url, page.status, page.representation) == (f"{site}/alders", 200, "text/html")
    direct = maintext.fetch(f"{site}/alders")
    assert direct == page and maintext.Extractor().fetch(f"{site}/alders") == page
    assert maintext.extract("<p>a").final_url is None and "representation" not in maintext.extract("<p>a").to_dict()


def test_a_fetched_page_is_decoded_by_its_header_unless_the_caller_names_a_charset(site: str) -> None:
    assert "Prés salés" in maintext.fetch(f"{site}/birches").text
    assert "Prés salés" not in maintext.fetch(f"{site}/birches", charset="iso-8859-5").text


def test_markdown_from_a_server_is_whole(site: str) -> None:
    page = maintext.fetch(f"{site}/note", representation="markdown")
    assert "Copyright." in page.text and "Share this." in page.text
    assert page.to_dict()["representation"] == "text/markdown"


def test_a_page_that_cannot_be_fetched_is_an_error(site: str) -> None:
    with pytest.raises(OSError, match="404"):
        maintext.fetch(f"{site}/missing")
    with pytest.raises(OSError, match="is application/pdf, not HTML"):
        maintext.fetch(f"{site}/broken")
    with pytest.raises(maintext.InvalidOptionError, match="representation: "):
        maintext.fetch(f"{site}/alders", representation="pdf")
