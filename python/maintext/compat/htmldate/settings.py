"""Bounds of dates."""

from datetime import datetime

#: The earliest plausible date of a web page.
MIN_DATE = datetime(1995, 1, 1)
#: The most elements with a date in their text that the search reads.
MAX_POSSIBLE_CANDIDATES = 1000
