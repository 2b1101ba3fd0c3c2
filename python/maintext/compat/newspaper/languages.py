"""Languages, as newspaper4k's ``languages``."""

from __future__ import annotations

__all__ = [
    "get_available_languages",
    "get_language_from_iso639_1",
    "normalize_language_code",
    "print_available_languages",
    "valid_languages",
]

_NAMES = """af Afrikaans, ar Arabic, as Assamese, be Belarusian, bg Bulgarian, bn Bengali, br Breton, ca Catalan, cs Czech, cy Welsh,
da Danish, de German, el Greek, en English, eo Esperanto, es Spanish, et Estonian, eu Basque, fa Persian, fi Finnish, fr French, ga Irish,
gl Galician, gu Gujarati, ha Hausa, he Hebrew, hi Hindi, hr Croatian, hu Hungarian, hy Armenian, id Indonesian, is Icelandic, it Italian,
ja Japanese, ka Georgian, kn Kannada, ko Korean, ku Kurdish, lb Luxembourgish, lt Lithuanian, lv Latvian, mk Macedonian, mn Mongolian,
mr Marathi, ms Malay, my Burmese, nb Norwegian Bokmål, ne Nepali, nl Dutch, no Norwegian, pa Punjabi, pl Polish, ps Pashto, pt Portuguese,
rn Rundi, ro Romanian, ru Russian, rw Kinyarwanda, si Sinhala, sk Slovak, sl Slovenian, so Somali, sr Serbian, st Sotho, sv Swedish,
sw Swahili, ta Tamil, te Telugu, th Thai, tl Tagalog, tr Turkish, tt Tatar, uk Ukrainian, ur Urdu, uz Uzbek, vi Vietnamese, yo Yoruba,
zh Chinese, zu Zulu"""
#: The languages that newspaper4k supports, with their names.
languages_dict = dict(pair.strip().split(" ", 1) for pair in _NAMES.replace("\n", " ").split(","))
languages_tuples = list(languages_dict.items())
#: Codes of three letters for languages of the list.
ISO639_3_TO_1 = {"ckb": "ku", "kmr": "ku"}


def normalize_language_code(code: str) -> str:
    """Returns the code of two letters for a known code of three letters, and other codes unchanged."""
    return ISO639_3_TO_1.get(code, code)


def get_language_from_iso639_1(iso639_1: str) -> str | None:
    """Returns the name of a language in English, or None."""
    return languages_dict.get(iso639_1)


def get_available_languages() -> list[str]:
    """Returns the codes of the languages."""
    return list(languages_dict)


def valid_languages() -> list[tuple[str, str]]:
    """Returns the languages as pairs of a code and a name."""
    return languages_tuples


def print_available_languages() -> None:
    """Prints the languages."""
    print("\nYour available languages are:\n\ninput code\t\tfull name\n" + "-" * 40)
    for code, name in languages_tuples:
        print(f"{code}\t\t\t{name}")
    print("=" * 40 + "\n")
