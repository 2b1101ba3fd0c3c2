"""Checks and conversion of dates, as htmldate's ``validators``."""

from __future__ import annotations

import re
from datetime import datetime, time, timezone
from typing import Any

from .settings import MIN_DATE
from .utils import Extractor


#: The format of dates within a search: ISO 8601 with time and zone.
ISO = "iso"


def is_valid_date(date_input: Any, outputformat: str, earliest: datetime, latest: datetime) -> bool:
    """Returns whether a datetime, or a text in the output format, is a date between two bounds."""
    if date_input is None:
        return False
    if not isinstance(date_input, datetime):
        try:
            date_input = _parsed(str(date_input), outputformat)
        except ValueError:
            return False
    found: datetime = date_input.replace(tzinfo=None)
    if outputformat in ("%Y-%m-%d",) or found.time() == time.min:
        return earliest.date() <= found.date() <= latest.date()
    return earliest <= found <= latest


def _parsed(text: str, form: str) -> datetime:
    if form == "%Y-%m-%d":
        parts = re.match(r"(\d{4})\D(\d{1,2})\D(\d{1,2})(?!\d)", text)
        if parts is None:
            raise ValueError(text)
        return datetime(int(parts[1]), int(parts[2]), int(parts[3]))
    return datetime.strptime(text, form)


def is_valid_format(outputformat: Any) -> bool:
    """Returns whether a format is a text with directives of ``strftime``."""
    try:
        datetime(2017, 9, 1).strftime(outputformat)
    except (TypeError, ValueError):
        return False
    return isinstance(outputformat, str) and "%" in outputformat


def convert_date(datestring: Any, inputformat: str, outputformat: str) -> str:
    """Converts a date from one format to another."""
    found = datestring if isinstance(datestring, datetime) else datetime.strptime(datestring, inputformat)
    return found.strftime(outputformat)


def validate_and_convert(date_input: datetime | None, outputformat: str, earliest: datetime, latest: datetime) -> str | None:
    """Returns a date in the output format if it is between the bounds."""
    if date_input is None or not is_valid_date(date_input, outputformat, earliest, latest):
        return None
    return date_input.isoformat() if outputformat == ISO else date_input.strftime(outputformat)


def check_date_input(date_object: Any, default: datetime) -> datetime:
    """Returns a datetime for a datetime or a text in ISO 8601, or else the default."""
    if isinstance(date_object, datetime):
        return date_object
    if isinstance(date_object, str):
        try:
            found = datetime.fromisoformat(date_object)
            return found.astimezone(timezone.utc).replace(tzinfo=None) if found.tzinfo else found
        except ValueError:
            pass
    return default


def get_min_date(min_date: Any) -> datetime:
    """Returns the earliest acceptable date."""
    return check_date_input(min_date, MIN_DATE)


def get_max_date(max_date: Any) -> datetime:
    """Returns the latest acceptable date, by default the end of today."""
    return check_date_input(max_date, datetime.combine(datetime.now().date(), time.max))


def update_reference(reference: datetime | None, candidate: datetime, original: bool) -> datetime:
    """Returns the older of two dates for the original date, or else the newer one."""
    if reference is None:
        return candidate
    # The hours of the day in different zones do not matter here.
    older, newer = sorted((reference, candidate), key=lambda date: date.replace(tzinfo=None))
    return older if original else newer


def compare_values(reference: datetime | None, attempt: str, options: Extractor) -> datetime | None:
    """Returns the better one of a reference and a date in the options' format."""
    try:
        candidate = datetime.strptime(attempt, options.format)
    except ValueError:
        return reference
    return update_reference(reference, candidate, options.original)
