"""Selectors of the caller, the vocabulary of options, and their errors."""

from __future__ import annotations

import copy
import inspect
import pickle
from datetime import date, datetime, timezone
from typing import Any

import maintext
import pytest

PAGE = (
    "<title>A walk</title><p class=by>Jane Doe<p class=when data-day=2024-05-17>Friday"
    "<div id=story><p>Two herons stood in the reeds. <i class=ad>Buy!</i></div><p>Another text, which is long enough to be kept."
)


def test_selectors_choose_content_and_fields() -> None:
    fields = {"author": ".by", "date": ".when@data-day"}
    page = maintext.extract(PAGE, content_selector="#story", drop_selector=".ad", field=fields)
    assert (page.text, page.author, page.date) == ("Two herons stood in the reeds.\n", "Jane Doe", "2024-05-17")
    assert maintext.extract(PAGE, content_selector="#story", drop_selector=[".ad", "b"], field=list(fields.items())).date == "2024-05-17"
    assert "Buy!" in maintext.extract(PAGE, content_selector="#story", drop_selector=None, field=None).text


def test_rules_hold_for_their_hosts() -> None:
    rules: Any = {"example.org": {"content": "#story", "drop": [".ad"], "fields": {"date": ".when@data-day"}}}
    extractor = maintext.Extractor(rules=rules)
    assert extractor.extract(PAGE, "https://www.example.org/a").text == "Two herons stood in the reeds.\n"
    assert "Another text" in extractor.extract(PAGE, "https://example.net/a").text
    assert copy.copy(extractor) == extractor == pickle.loads(pickle.dumps(extractor))


def test_now_is_a_time() -> None:
    page = "<h1>A walk</h1><p class=meta>3 days ago</p><p>We left early, and the road was empty until the hills.</p>"
    for now in ["2024-05-20", date(2024, 5, 20), datetime(2024, 5, 20, 12, tzinfo=timezone.utc)]:
        found = maintext.extract(page, now=now, field={"date": ".meta"}).date
        assert found is not None and found.startswith("2024-05-17"), (now, found)


def test_balance_is_the_name_of_the_default() -> None:
    assert maintext.extract(PAGE, favor="balance") == maintext.extract(PAGE, favor=None) == maintext.extract(PAGE)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"favor": "recal"}, 'favor: expected "balance", "precision" or "recall", not "recal"'),
        ({"content_selector": "p["}, "content_selector: selector 'p\\['"),
        ({"drop_selector": ["b", "p["]}, "drop_selector: selector"),
        ({"drop_selector": 3}, "drop_selector: expected a selector or an array of selectors, not 3"),
        ({"field": {"dates": "time"}}, "no field 'dates'"),
        ({"field": "date"}, "field: expected an object of names and selectors"),
        ({"rules": {"example.org": {"contents": "p"}}}, "rules: unknown field `contents`"),
        ({"now": "soon"}, "now: expected a date"),
        ({"nothing": 1}, "unknown option 'nothing'"),
    ],
)
def test_wrong_options_are_value_errors_that_name_them(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named) as raised:
        maintext.extract(PAGE, **options)
    assert isinstance(raised.value, maintext.InvalidOptionError)
    assert isinstance(raised.value, maintext.MaintextError)
    assert isinstance(pickle.loads(pickle.dumps(raised.value)), maintext.InvalidOptionError)


@pytest.mark.parametrize("address", ["https://example.org/a", b" HTTP://example.org/a?b=c\n"])
def test_an_address_in_place_of_html_names_fetch(address: Any) -> None:
    with pytest.raises(maintext.InvalidInputError, match=r"an address, not HTML; maintext\.fetch\(.*example\.org/a"):
        maintext.extract(address)
    assert "maintext.fetch" in (next(maintext.extract_many([address])).error or "")
    assert maintext.extract("https://example.org/a is an address in a sentence.").text.startswith("https")


def test_the_package_works_where_compiled_classes_have_no_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    from maintext import _options

    signature = inspect.signature

    def without_classes(called: Any) -> inspect.Signature:
        if isinstance(called, type):
            raise ValueError(f"no signature found for builtin type {called}")
        return signature(called)

    def function(html: str, **options: Any) -> None: ...

    monkeypatch.setattr(inspect, "signature", without_classes)
    assert list(inspect.signature(_options.named(function)).parameters) == ["html", "options"]
