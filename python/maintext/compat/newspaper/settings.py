"""Constants, as newspaper4k's ``settings``."""

from __future__ import annotations

import tempfile
from pathlib import Path

#: The number of threads for one site from which on a warning is logged.
NUM_THREADS_PER_SOURCE_WARN_LIMIT = 5
#: The number of words of a good sentence of a summary.
MEAN_SENTENCE_LEN = 20.0
#: The number of keywords that sentences of a summary are compared with.
SUMMARIZE_KEYWORD_COUNT = 10

DATA_DIRECTORY = ".newspaper_scraper"
#: The folder of the lists of known articles and categories; it is created when something is written.
TOP_DIRECTORY = Path(tempfile.gettempdir()).resolve() / DATA_DIRECTORY
MEMO_FILE = "memoized"
MEMO_DIR = TOP_DIRECTORY / MEMO_FILE
CACHE_DIRECTORY = TOP_DIRECTORY / "category_cache"

#: The feed of :func:`maintext.compat.newspaper.hot`.
TRENDING_URL = "https://trends.google.com/trending/rss"

#: The fields of :meth:`Article.to_json`.
article_json_fields = [
    "url",
    "read_more_link",
    "language",
    "title",
    "top_image",
    "meta_img",
    "images",
    "movies",
    "keywords",
    "meta_keywords",
    "tags",
    "authors",
    "publish_date",
    "summary",
    "meta_description",
    "meta_lang",
    "meta_favicon",
    "meta_site_name",
    "canonical_link",
    "text",
]
