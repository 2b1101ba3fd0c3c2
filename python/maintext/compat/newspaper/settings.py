"""Constants, as newspaper4k's ``settings``."""

from __future__ import annotations

#: The number of words of a good sentence of a summary.
MEAN_SENTENCE_LEN = 20.0
#: The number of keywords that sentences of a summary are compared with.
SUMMARIZE_KEYWORD_COUNT = 10

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
