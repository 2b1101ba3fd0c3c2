"""Tests of extract(), Extractor, extract_many() and inspect()."""

from __future__ import annotations

import concurrent.futures
import copy
import gc
import gzip
import json
import multiprocessing
import pickle
import re
import subprocess
import sys
import threading
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from conftest import article

import maintext


def test_a_page_and_its_parts() -> None:
    page = maintext.extract(article("alders"), "https://example.org/a/b")
    assert "speaks of alders" in page.text and "Imprint" not in page.text and "Home" not in page.text
    assert "**a strong word**" in page.markdown
    assert '<a href="https://example.org/a/c">' in page.html
    assert page.xml is None
    assert page.metadata["title"] == page.title
    assert "About alders" in page.title
    assert (page.author, page.date, page.language) == ("Ada Byron", "2024-05-17", "en")
    assert page.metadata["hostname"] == "example.org"
    assert 0 < page.confidence <= 1
    assert page.error is None and isinstance(page.entries, list) and isinstance(page.images, list)
    kept = page.text_blocks
    assert [b["text"] for b in kept if "Paragraph 1" in b["text"]] and all(b["keep"] for b in kept)
    everything = page.to_dict()
    assert everything["text"] == page.text and json.loads(page.to_json()) == everything
    assert str(page) == page.text and "About alders" in repr(page)


def test_hidden_text_is_an_attribute_and_a_key_even_if_there_is_none() -> None:
    page = maintext.extract(article("alders").replace("<h1>", "<p style='display:none'>Nobody reads this sentence here.</p><h1>"))
    (hidden,) = page.hidden
    assert hidden["reason"] == "display" and hidden["words"] == page.hidden_words == 5
    for empty in (maintext.extract("<p>a"), maintext.extract("")):
        assert empty.hidden == empty.to_dict()["hidden"] == [] and empty.hidden_words == 0


@pytest.mark.parametrize(
    ("stated", "date"),
    [
        ("2024-05-17", datetime(2024, 5, 17)),
        ("2024-05-17T06:45", datetime(2024, 5, 17, 6, 45)),
        ("2024-05-17T06:45:00Z", datetime(2024, 5, 17, 6, 45, tzinfo=timezone.utc)),
        ("2024-05-17T06:45:12+02:00", datetime(2024, 5, 17, 6, 45, 12, tzinfo=timezone(timedelta(hours=2)))),
    ],
)
def test_a_date_with_or_without_time_and_zone_is_a_datetime(stated: str, date: datetime) -> None:
    page = maintext.extract(f"<meta property=article:published_time content={stated}>{article('alders').replace('2024-05-17', '')}")
    assert page.date == stated and page.datetime == date
    assert page.datetime.tzinfo == date.tzinfo


def test_a_page_without_a_date_has_no_datetime() -> None:
    assert maintext.extract("<p>a").datetime is None


def test_a_format_that_was_not_requested_is_none() -> None:
    page = maintext.extract(article("alders"), formats="xml")
    assert (page.text, page.markdown, page.html, page.blocks) == (None, None, None, None)
    assert page.to_dict()["xml"] == json.loads(page.to_json())["xml"] == page.xml
    assert "xml" not in maintext.extract(article("alders")).to_dict()
    assert maintext.extract("", formats="text").text == ""


def test_metadata_are_attributes_and_notebooks_show_the_html() -> None:
    html = article("alders").replace("<head>", "<head><meta name=keywords content='trees, rivers'><meta name=description content='On alders.'>")
    page = maintext.extract(html, "https://example.org/a/b")
    assert page.authors == ["Ada Byron"] and page.description == "On alders."
    assert page.tags == page.metadata["tags"] and page.sitename == page.metadata["sitename"] and page.image == page.metadata["image"]
    assert page._repr_html_() == page.html
    assert maintext.extract(html, formats="text")._repr_html_() is None


def test_extractors_are_pickled_copied_and_compared() -> None:
    extractor = maintext.Extractor(favor="recall", formats=["text"])
    for copied in (pickle.loads(pickle.dumps(extractor)), copy.copy(extractor), copy.deepcopy(extractor)):
        assert copied == extractor and hash(copied) == hash(extractor)
        assert copied.extract(article("alders")).text == extractor.extract(article("alders")).text
        assert copied.extract(article("alders")).html is None
    assert extractor != maintext.Extractor(favor="precision", formats=["text"]) and extractor != 1
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        texts = list(pool.map(text_of, [extractor] * 4, [article(tree) for tree in ("alders", "birches", "cedars", "firs")]))
    assert ["birches" in text for text in texts] == [False, True, False, False]


def text_of(extractor: maintext.Extractor, html: str) -> str:
    return extractor.extract(html).text


def test_bytes_in_any_encoding_and_bytes_like_types() -> None:
    text = article("Möwen").replace("<head>", "<head><meta charset=iso-8859-1>")
    latin = text.encode("latin-1")
    for html in (latin, bytearray(latin), memoryview(latin)):
        assert "speaks of Möwen" in maintext.extract(html).text
    assert "speaks of Möwen" in maintext.extract(article("Möwen").encode("utf-16")).text
    with pytest.raises(maintext.InvalidOptionError, match="charset: expected the name of an encoding"):
        maintext.extract(latin, charset="nonsense")
    koi = article("чайки").encode("koi8-r")
    assert "speaks of чайки" in maintext.extract(koi, charset="koi8-r").text


def test_typed_blocks() -> None:
    html = article("alders")
    page = maintext.extract(html, formats="blocks")
    assert page.blocks and {b["type"] for b in page.blocks} >= {"paragraph"}
    first = page.blocks[0]
    assert first["text"] in html.encode()[first["start"] : first["end"]].decode()
    assert page.to_dict()["blocks"] == page.blocks
    assert maintext.extract(html).blocks is None


def test_a_lone_surrogate_is_replaced() -> None:
    assert "speaks of gulls" in maintext.extract(article("gulls \ud83d")).text


def test_options() -> None:
    page = maintext.extract(article("alders"), formats=["text", "xml"], metadata=False, method="line-density")
    assert page.markdown is None and page.xml.startswith("<?xml") and page.title is None
    extractor = maintext.Extractor(favor="recall", formats="text")
    assert "alders" in extractor.extract(article("alders")).text
    for wrong, message in [
        ({"methd": "x"}, "unknown option 'methd'; did you mean 'method'?"),
        ({"method": "magic"}, "unknown method 'magic'"),
        ({"favor": "speed"}, 'favor: expected "balance", "precision" or "recall", not "speed"'),
        ({"tables": "no"}, 'tables: expected true or false, not "no"'),
        ({"formats": ["pdf"]}, "unknown format 'pdf'"),
        ({"k": 3}, "has no parameter 'k'"),
    ]:
        with pytest.raises(maintext.InvalidOptionError, match=re.escape(message)):
            maintext.extract("<p>a", **wrong)


def test_invalid_input_raises() -> None:
    with pytest.raises(maintext.InvalidInputError, match="a PDF"):
        maintext.extract(b"%PDF-1.7")
    with pytest.raises(TypeError, match="html is int"):
        maintext.extract(5)
    assert issubclass(maintext.InvalidInputError, maintext.MaintextError)
    assert maintext.extract("").text == ""


@pytest.mark.parametrize(
    "part", ["<table><tr><td>Height</td><td>20 m</td></tr><tr><td>Age</td><td>60</td></tr></table>", "<pre>x = 1\ny = 2</pre>"]
)
def test_a_short_article_keeps_its_table_and_its_code(part: str) -> None:
    around = "<h1>Alders</h1><p>The alder stands on the bank of the river.</p>{}<p>Its wood is light.</p>"
    text = maintext.extract(f"<html><body><nav><a href=/>Home</a></nav><article>{around.format(part)}</article></body></html>").text
    assert ("Height | 20 m\nAge | 60" if "table" in part else "x = 1\ny = 2") in text and "Home" not in text


def test_many_pages_keep_their_order_and_failures_do_not_end_the_run() -> None:
    def pages():
        for i in range(200):
            html = article(f"tree{i}", 200 if i == 0 else 2)
            yield [html, (html, f"http://e.org/{i}"), {"html": html.encode(), "url": None}, b"%PDF-1.4"][i % 4]

    found = list(maintext.extract_many(pages(), threads=3))
    assert len(found) == 200
    for i, page in enumerate(found):
        if i % 4 == 3:
            assert "a PDF" in page.error and page.text == ""
            assert page.to_dict()["error"] == page.error == json.loads(page.to_json())["error"]
        else:
            assert page.error is None and f"tree{i}," in page.text
    assert found[1].url == "http://e.org/1"


def test_the_input_is_read_only_as_fast_as_results_are_consumed() -> None:
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield article(f"tree{taken}", 1)

    results = maintext.extract_many(endless(), threads=2)
    for i in range(100):
        assert f"tree{i + 1}," in next(results).text
    assert taken <= 100 + 2 * 16
    del results
    gc.collect()


def test_an_error_of_the_input_is_raised_after_the_results_before_it() -> None:
    def broken():
        yield article("alders")
        raise RuntimeError("the disk is gone")

    results = maintext.extract_many(broken())
    assert "alders" in next(results).text
    with pytest.raises(RuntimeError, match="the disk is gone"):
        next(results)
    with pytest.raises(StopIteration):
        next(results)


def test_an_item_that_is_no_page_is_one_error() -> None:
    page = article("alders")
    found = list(maintext.extract_many([page, page, None, 7, (page,), {"url": "https://example.org"}, page]))
    assert [p.error is None for p in found] == [True, True, False, False, False, False, True]
    assert "NoneType" in found[2].error and "alders" in found[6].text


@pytest.mark.parametrize("address", ["example.org/a", "/a/b", "about:blank", "", "nonsense"])
def test_an_address_is_a_hint(address: str) -> None:
    page = maintext.extract(article("alders"), address)
    assert "alders" in page.text and page.url is None
    assert page.warnings[0] == {"code": "bad_url", "message": f"'{address}' is not an absolute address: ignored"}
    assert next(maintext.extract_many([(article("alders"), address)])).warnings == page.warnings


def test_a_page_over_the_time_limit_fails() -> None:
    slow = "<p>a word and <b>another</b>" * 600_000
    pages = list(maintext.extract_many([slow, article("alders")], timeout=0.1))
    assert "took longer than 0.1 s" in pages[0].error and "alders" in pages[1].text


def test_other_threads_run_while_a_page_is_extracted() -> None:
    large = article("alders", 6000)
    ticks, done = [], threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    maintext.extract(large)
    end = time.perf_counter()
    done.set()
    thread.join()
    during = [t for t in ticks if start < t < end]
    # If the lock were held, ticks could occur only at the start and the end.
    assert len(during) >= 5, (len(during), end - start)


def test_inspect_reads_what_extract_reads() -> None:
    assert len(maintext.inspect(gzip.compress(article("alders").encode())).kept) == len(maintext.inspect(article("alders")).kept)


def test_inspection_has_a_table_and_a_plot() -> None:
    found = maintext.inspect(article("<alders>"))
    assert any("Home" in b["text"] and not b["keep"] for b in found.blocks)
    assert any("Paragraph 1" in b["text"] for b in found.kept)
    html = found._repr_html_()
    assert html.count("<tr>") == len(found.blocks) + 1 and "<alders>" not in html
    svg = found.plot()._repr_svg_()
    assert svg.count("<rect") == len(found.blocks) + 1
    assert maintext.inspect("").plot().svg.startswith("<svg")


def test_training(tmp_path) -> None:
    sets = tmp_path / "set.jsonl"
    with sets.open("w") as out:
        for i in range(40):
            truth = maintext.extract(article(f"tree{i}")).text
            page = {"id": str(i), "site": f"s{i}.org", "html": article(f"tree{i}"), "text": truth}
            out.write(json.dumps(page) + "\n")
    trained = maintext.train("line-density", sets, hidden=[3])
    trained.save(tmp_path / "model.json")
    page = maintext.extract(article("alders"), method="line-density", classifier="perceptron", model=trained.model)
    assert isinstance(page.text, str) and trained.report
    # A classifier names its method.
    assert maintext.extract(article("alders"), model=trained.model) == page
    assert maintext.extract(article("alders"), model=trained) == page
    assert maintext.inspect(article("oaks"), model=trained.model).method == "line-density"
    assert "\n" not in repr(trained) and len(repr(trained)) < 200
    for wrong in ("{}", "no JSON"):
        with pytest.raises(maintext.InvalidOptionError, match="^model: "):
            maintext.extract("<p>a", model=wrong)


def test_memory_stays_flat() -> None:
    """Makes a thousand calls in a separate process."""
    script = """
import gc, resource, sys
import maintext
html = sys.stdin.read()
extractor = maintext.Extractor()
def calls(count):
    for _ in range(count):
        extractor.extract(html).to_dict()
    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = calls(200)
print(calls(1000) - before)
"""
    run = subprocess.run([sys.executable, "-c", script], input=article("alders", 8), capture_output=True, text=True, check=True)
    assert int(run.stdout) < 4 * 1024, f"{run.stdout} KiB more"


def test_a_model_file_replaces_the_shipped_model() -> None:
    shipped = Path(__file__).parents[2] / "crates" / "maintext-reading" / "models" / "main.mtx"
    model = shipped.read_bytes()
    own, plain = maintext.extract(article("alders"), model=model), maintext.extract(article("alders"))
    assert (own.text, own.confidence) == (plain.text, plain.confidence)
    for wrong in (model[:1000], b"{}"):
        with pytest.raises(maintext.InvalidOptionError, match="model: "):
            maintext.extract(article("alders"), model=wrong)
    with pytest.raises(maintext.InvalidOptionError, match="no parameter 'model'"):
        maintext.extract(article("alders"), method="line-blocks", model=model)


def test_the_page_type_is_classified_on_request() -> None:
    assert maintext.extract(article("alders")).page_type is None
    assert maintext.extract(article("alders"), page_type=True).page_type is not None


def test_entries_and_the_kind_of_a_page_need_no_text() -> None:
    items = "".join(f"<article><h2><a href=/n/{i}>Story number {i}</a></h2><p>It rained in the valley.</p></article>" for i in range(1, 6))
    html = f"<title>News</title><main><h1>News</h1>{items}</main>"
    found = maintext.entries(html, "https://e.org/news")
    assert [entry["url"] for entry in found["groups"][0]["entries"]] == [f"https://e.org/n/{i}" for i in range(1, 6)]
    assert maintext.entries(gzip.compress(html.encode()), "https://e.org/news") == found
    kind = maintext.classify(html, "https://e.org/news")
    assert kind["page_type"] == "listing" and 0 <= kind["probabilities"]["listing"] <= 1
    with pytest.raises(maintext.InvalidInputError, match=r"maintext\.fetch\("):
        maintext.classify("https://e.org/news")


def test_things_are_read_on_request() -> None:
    html = """<script type="application/ld+json">{"@type": "Recipe", "name": "Soup", "totalTime": "PT1H",
        "recipeIngredient": ["1 l water", "salt"]}</script><h1>Soup</h1>"""
    assert maintext.extract(html).things == []
    page = maintext.extract(html, things=True)
    soup = page.things[0]
    assert (soup["type"], soup["name"], soup["ingredients"]) == ("Recipe", "Soup", ["1 l water", "salt"])
    assert soup["sources"]["name"]["from"] == "json-ld" and 0 < soup["sources"]["name"]["probability"] <= 1
    assert page.to_dict()["things"] == page.things
    assert maintext.Extractor(things=True).extract(html).things == page.things


def test_a_schema_gives_data_a_form() -> None:
    html = """<script type="application/ld+json">{"@type": "Product", "name": "Kettle", "offers": {"price": "19.90"}}</script>
        <h1>Kettle</h1><b class=size>1,5 l</b>"""
    schema = {
        "type": "object",
        "required": ["price"],
        "properties": {"price": {"type": "number"}, "litres": {"type": "number", "x-selector": ".size"}},
    }
    page = maintext.extract(html, schema=schema)
    assert page.data == {"price": 19.9, "litres": 1.5} and list(page.data) == ["price", "litres"]
    assert maintext.extract(html).data is None
    lacking = maintext.extract("<p>Nothing here", schema=json.dumps(schema))
    assert lacking.data is None
    assert [w["code"] for w in lacking.warnings if "'price'" in w["message"]] == ["missing_property"]
    with pytest.raises(maintext.InvalidOptionError, match="schema: properties.a: unknown type 'money'"):
        maintext.extract(html, schema={"properties": {"a": {"type": "money"}}})


def test_the_budget_limits_the_cost_of_a_page() -> None:
    page = "<p>A sentence of some words, again and again.</p>" * 1000
    whole = maintext.extract(page, max_nodes=None)
    cut = maintext.extract(page, max_nodes=100)
    assert not whole.warnings and cut.warnings[0]["code"] == "limit_reached"
    assert len(cut.text) < len(whole.text)
    with pytest.raises(maintext.InvalidOptionError, match="max_work: expected a whole number, not -1"):
        maintext.extract(page, max_work=-1)
