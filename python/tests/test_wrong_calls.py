"""Mistakes of new users: each raises an error of one line with the remedy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import article

import maintext

PDF = "%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj"


@pytest.mark.parametrize(("text", "what"), [(PDF, "a PDF"), ("PK\x03\x04 mimetype", "a ZIP archive"), ('{"title": "A walk"}', "JSON")])
def test_another_file_as_str_says_to_pass_its_bytes(text: str, what: str) -> None:
    message = f"the input is {what} as str, not HTML; pass other formats"
    for call in (maintext.extract, maintext.inspect, maintext.Extractor().extract):
        with pytest.raises(maintext.InvalidInputError, match=message):
            call(text)
    for timeout in (None, 5.0):
        failed, good = maintext.extract_many([text, article("alders")], timeout=timeout)
        assert message in (failed.error or "") and good.error is None


def test_an_address_in_place_of_html_is_an_error_everywhere() -> None:
    with pytest.raises(maintext.InvalidInputError, match=r"maintext\.fetch\("):
        maintext.inspect("https://example.org/a")
    (failed,) = maintext.extract_many(["https://example.org/a"], timeout=5.0)
    assert "maintext.fetch(" in (failed.error or "")


@pytest.mark.parametrize("name", ["page.html", "C:\\saved pages\\News.HTM", b"/tmp/a/b.xhtml\n"])
def test_the_name_of_a_file_in_place_of_html_says_to_read_it(name: Any) -> None:
    for call in (maintext.extract, maintext.inspect):
        with pytest.raises(maintext.InvalidInputError, match=r"the name of a file, not HTML; pass its bytes: pathlib\.Path\("):
            call(name)
    assert "the name of a file" in (next(maintext.extract_many([name])).error or "")
    assert maintext.extract("<p>page.html").text == "page.html\n"
    assert maintext.extract("See page.html.").text == "See page.html.\n"


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("rules", "rules.toml", "rules: expected a dict or JSON, not 'rules.toml'; tomllib.load() and json.load()"),
        ("model", "site.mtx", "model: expected the bytes of an .mtx file or the JSON of maintext.train(), not 'site.mtx'; open(path, 'rb')"),
        ("schema", "s.json", "schema: expected a dict, JSON or a Pydantic class, not 's.json'; json.load()"),
        ("schema", int, "schema: expected a dict, JSON or a Pydantic class, not <class 'int'>"),
    ],
)
def test_the_name_of_a_file_in_place_of_its_content_names_both(option: str, value: Any, message: str) -> None:
    with pytest.raises(maintext.InvalidOptionError, match=re.escape(message)):
        maintext.extract("<p>a", **{option: value})


def test_a_pydantic_class_is_a_schema() -> None:
    class Product:
        @classmethod
        def model_json_schema(cls) -> dict[str, Any]:
            return {"properties": {"title": {"type": "string"}}}

    assert maintext.extract(article("alders"), schema=Product).data == {"title": "About alders"}


def test_the_settings_of_chunks_in_a_message_are_those_that_it_takes() -> None:
    with pytest.raises(maintext.InvalidOptionError, match="the settings are size, tokenizer, overlap, min, split_large and, in tables, form"):
        maintext.extract("<p>a").chunks(foo=1)


def test_an_existing_output_names_the_arguments_of_python(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(article("alders"))
    for _ in range(2):
        maintext.batch(str(tmp_path / "a.html"), tmp_path / "one.jsonl", restart=True)
    with pytest.raises(maintext.InvalidOptionError, match="replace it with restart=True"):
        maintext.batch(str(tmp_path / "a.html"), tmp_path / "one.jsonl")


@pytest.mark.parametrize("pages", [article("alders"), b"<p>a", {"html": "<p>a"}])
def test_one_page_in_place_of_an_iterable_is_an_error(pages: Any) -> None:
    with pytest.raises(TypeError, match=rf"pages is a {type(pages).__name__}; expected an iterable of pages.*extract\(\)"):
        maintext.extract_many(pages)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("lang==en", "the only operator is ="),
        ("lang=english", "'english' is not the code of a language"),
        ("page_type=artikle", "no page type 'artikle'; did you mean article?"),
        ("min_wrods=5", "did you mean min-words=5?"),
        ("colour=red", "the conditions are: lang=CODE"),
    ],
)
def test_a_condition_that_no_page_can_meet_is_an_error(where: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(article("alders"))
    with pytest.raises(maintext.InvalidOptionError, match=re.escape(message)):
        maintext.batch(str(tmp_path / "a.html"), tmp_path / "out.jsonl", where=where)
    assert not (tmp_path / "out.jsonl").exists()


def test_missing_files_raise_os_error(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.jsonl")
    for call in (
        lambda: maintext.train("line-density", [missing]),
        lambda: maintext.batch(missing, tmp_path / "out.jsonl"),
        lambda: list(maintext.read(missing)),
        lambda: maintext.extract("<p>a").chunks(tokenizer=tmp_path / "missing.json"),
    ):
        with pytest.raises(OSError, match="missing"):
            call()


def test_a_number_is_not_a_flag_after_the_same_call_with_a_flag() -> None:
    maintext.extract("<p>a", tables=True)
    with pytest.raises(maintext.InvalidOptionError, match="tables: expected true or false, not 1"):
        maintext.extract("<p>a", tables=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("pageType", "page_type"),
        ("favour", "favor"),
        ("favor_recall", "favor"),
        ("output_format", "formats"),
        ("include_links", "links"),
        ("Tables", "tables"),
    ],
)
def test_an_option_of_another_spelling_names_the_one_that_is_meant(given: str, meant: str) -> None:
    for call in (maintext.extract, maintext.Extractor):
        arguments = () if call is maintext.Extractor else ("<p>a",)
        with pytest.raises(maintext.InvalidOptionError, match=rf"unknown option '{given}'; did you mean '{meant}'\?"):
            call(*arguments, **{given: True})


@pytest.mark.parametrize(("option", "message"), [("threads", "threads=-1"), ("max_size", "max_size=-1"), ("formats", "formats has no effect")])
def test_numbers_below_zero_and_formats_of_a_table_are_errors(option: str, message: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {option: "text" if option == "formats" else -1}
    with pytest.raises(maintext.InvalidOptionError, match=message):
        maintext.batch(tmp_path, tmp_path / "out.jsonl", **given)
    pytest.importorskip("pyarrow")
    with pytest.raises(maintext.InvalidOptionError, match=message):
        maintext.extract_batch({"html": [article("alders")]}, **given)
    if option == "threads":
        with pytest.raises(maintext.InvalidOptionError, match=message):
            maintext.extract_many([], threads=-1)


def test_python_s_names_of_encodings_are_known() -> None:
    page = "<p>Große Äpfel, und niemand ißt sie."
    for name in ("latin-1", "latin_1", "iso8859_1", "utf_8", "utf-8-sig", "utf_16_le"):
        assert "Große Äpfel" in maintext.extract(page.encode(name), charset=name).text, name
    with pytest.raises(maintext.InvalidOptionError, match="klingon"):
        maintext.extract(page, charset="klingon")


def test_a_table_in_place_of_pages_names_the_function_for_it() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"extract_batch\(\) takes tables"):
        maintext.extract_many(pandas.DataFrame({"html": ["<p>a"]}))


def test_the_module_lists_its_names() -> None:
    assert set(maintext.__all__) <= set(dir(maintext))
    assert not {"Any", "Iterable", "annotations"} & set(dir(maintext))
