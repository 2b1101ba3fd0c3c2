"""Dates in texts and addresses, as htmldate's ``extractors``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from .utils import Extractor
from .validators import validate_and_convert

#: The names of the months in the languages that public pages use most; abbreviations of three letters and more match too.
_NAMES = (
    "january januar janvier enero gennaio janeiro januari ocak stycznia styczeń января январь ianuarie leden ledna januára",
    "february februar février fevrier febrero febbraio fevereiro februari şubat lutego luty февраля февраль februarie února únor",
    "march märz maerz mars marzo março marco maart mart marca marzec марта март martie března březen maret",
    "april avril abril aprile nisan kwietnia kwiecień апреля апрель aprilie dubna duben",
    "may mai mayo maggio maio mei mayıs maja maj мая май května květen",
    "june juni juin junio giugno junho haziran czerwca czerwiec июня июнь iunie června červen",
    "july juli juillet julio luglio julho temmuz lipca lipiec июля июль iulie července červenec",
    "august août aout agosto augustus ağustos sierpnia sierpień августа август srpna srpen agustus",
    "september septembre septiembre settembre setembro eylül września wrzesień сентября сентябрь septembrie září",
    "october oktober octobre octubre ottobre outubro ekim października październik октября октябрь octombrie října říjen",
    "november novembre noviembre novembro kasım listopada listopad ноября ноябрь noiembrie",
    "december dezember décembre decembre diciembre dicembre dezembro aralık grudnia grudzień декабря декабрь decembrie prosince prosinec",
)
MONTHS: dict[str, int] = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
for _name, _number in list(MONTHS.items()):
    MONTHS.setdefault(_name[:3], _number)
    MONTHS.setdefault(_name[:4], _number)
MONTHS.update({"sept": 9, "mai": 5, "mar": 3, "mär": 3, "jun": 6, "jul": 7, "juil": 7, "juin": 6, "dic": 12})
MONTHS.update({"ene": 1, "okt": 10, "dez": 12})
_WORD = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?(?: (?:of|de|d'))?[ -]?({_WORD})\b\.?,?(?: (?:de|del))?[ -]?(\d{{4}})", re.IGNORECASE
)
_MONTH_FIRST = re.compile(rf"\b({_WORD})\b\.? (\d{{1,2}})(?:st|nd|rd|th)?(?:,| \|)? ?,?(\d{{4}})", re.IGNORECASE)
_ISO = re.compile(r"(?<!\d)(\d{4})([-/._年])[ ]?(\d{1,2})[-/._月][ ]?(\d{1,2})(?!\d)")
_SHORT = re.compile(r"(?<![\d.])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?![\d.]\d|\d)")
_PLAIN = re.compile(r"(?<!\d)((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:\d{6})?(?!\d)")
_MONTH_YEAR = re.compile(rf"\b({_WORD})\b\.?,? ((?:19|20)\d{{2}})\b", re.IGNORECASE)
_TIME = re.compile(r"[T ](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)? ?(Z|[+-]\d{2}:?\d{2})?")
_URL = re.compile(r"(?<![\w])((?:19|20)\d{2})[/_-](\d{1,2})[/_-](\d{1,2})(?!\d)|/((?:19|20)\d{2})(0\d|1[0-2])([0-2]\d|3[01])(?!\d)")
_URL_MONTH = re.compile(r"/((?:19|20)\d{2})/(0?[1-9]|1[0-2])(?:/(?!\d{1,2}(?!\d))|$)")
_MARKED = re.compile(
    r"(?:date[^0-9\"<>]{0,20}|updated|updated on|last-modified|modified on|published|posted on|ver(?:ö|&ouml;)ffentlicht am|stand"
    r"|güncellen?me|yayı(?:m|n)lan?ma tarihi)\W{0,4}(?:in|am|on|at|le)?\W{0,3}(\d{1,4}[./-]\d{1,2}[./-]\d{1,4})",
    re.IGNORECASE,
)


def _date(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day)
    except ValueError:
        return None


def _zone(text: str | None) -> timezone | None:
    if not text:
        return None
    if text == "Z":
        return timezone.utc
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=minutes if text[0] == "+" else -minutes)) if minutes < 24 * 60 else None


def _full_year(text: str) -> int:
    year = int(text)
    return year if len(text) == 4 else year + (1900 if year >= 90 else 2000)


def dates_in(text: str, words: bool = True) -> Iterator[datetime]:
    """Yields the complete dates of a text, the clearest notations first; with ``words``, also those with names of months."""
    for found in _ISO.finditer(text):
        date = _date(int(found[1]), int(found[3]), int(found[4]))
        if date:
            time = _TIME.match(text, found.end())
            if time:
                date = date.replace(hour=int(time[1]) % 24, minute=int(time[2]) % 60, second=int(time[3] or 0) % 60)
                date = date.replace(tzinfo=_zone(time[4]))
            yield date
    for found in _PLAIN.finditer(text):
        date = _date(int(found[1]), int(found[2]), int(found[3]))
        if date:
            yield date
    for pattern, day, month in ((_DAY_FIRST, 1, 2), (_MONTH_FIRST, 2, 1)) if words else ():
        for found in pattern.finditer(text):
            date = _date(int(found[3]), MONTHS[found[month].lower()], int(found[day]))
            if date:
                yield date
    for found in _SHORT.finditer(text):
        first, second = int(found[1]), int(found[3])
        # Day before month, as most of the world writes, unless it is impossible.
        date = _date(_full_year(found[4]), second, first) or _date(_full_year(found[4]), first, second)
        if date:
            yield date


def months_in(text: str) -> Iterator[datetime]:
    """Yields the first days of the months that a text names."""
    for found in _MONTH_YEAR.finditer(text):
        yield datetime(int(found[2]), MONTHS[found[1].lower()], 1)


@lru_cache(maxsize=8192)
def try_date_expr(string: str | None, outputformat: str, extensive_search: bool, min_date: datetime, max_date: datetime) -> str | None:
    """Returns the date of a short text in the output format, or None.

    :param extensive_search: also take names of months, and a month and a year for the first day of the month
    """
    text = " ".join((string or "").split())[:120]
    if not text or not 4 <= sum(char.isdigit() for char in text) <= 30:
        return None
    found = list(dates_in(text.replace(" | ", " "), extensive_search))
    if extensive_search and not found:
        found = list(months_in(text))
    for date in found:
        made = validate_and_convert(date, outputformat, min_date, max_date)
        if made:
            return made
    return None


def regex_parse(string: str) -> datetime | None:
    """Returns the first date of a text in which the month is a word."""
    return next((d for d in dates_in(string) if any(c.isalpha() for c in string)), None)


def custom_parse(string: str, outputformat: str, min_date: datetime, max_date: datetime) -> str | None:
    """Returns the first date of a text in the output format."""
    found = (validate_and_convert(date, outputformat, min_date, max_date) for date in dates_in(string))
    return next((made for made in found if made), None)


def extract_url_date(testurl: str | None, options: Extractor) -> str | None:
    """Returns the date in an address, or None."""
    found = _URL.search(testurl or "")
    if found is None:
        return None
    year, month, day = (int(part) for part in (found.groups()[:3] if found[1] else found.groups()[3:]))
    return validate_and_convert(_date(year, month, day), options.format, options.min, options.max)


def month_of_url(url: str | None, options: Extractor) -> str | None:
    """Returns the first day of the month in an address, or None."""
    found = _URL_MONTH.search(url or "")
    return validate_and_convert(_date(int(found[1]), int(found[2]), 1), options.format, options.min, options.max) if found else None


def idiosyncrasies_search(htmlstring: str, options: Extractor) -> str | None:
    """Returns a date after words such as "updated" or "veröffentlicht am"."""
    for found in _MARKED.finditer(htmlstring):
        made = custom_parse(found[1], options.format, options.min, options.max)
        if made:
            return made
    return None
