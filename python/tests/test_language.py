"""Languages of plain text."""

import maintext

GERMAN = "Am Morgen war die Straße leer, und wir gingen früh los, um bei unseren Freunden zu sein."
ENGLISH = "The road was empty that morning, and we left early."


def test_language_script_and_score() -> None:
    found = maintext.language(GERMAN)
    assert (found["language"], found["script"]) == ("de", "Latn")
    assert 0.5 < found["score"] <= 1
    assert found["languages"] == [{"language": "de", "script": "Latn", "share": 1.0}]


def test_paragraphs_of_two_languages() -> None:
    found = maintext.language(f"{GERMAN}\n{ENGLISH}")
    assert [row["language"] for row in found["languages"]] == ["de", "en"]
    assert abs(sum(row["share"] for row in found["languages"]) - 1) < 1e-6


def test_text_without_letters_has_no_language() -> None:
    assert maintext.language("12:30 😀") == {"language": None, "script": None, "score": None, "languages": []}
