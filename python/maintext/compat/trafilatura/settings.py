"""Configuration files and bundles of options, as trafilatura's ``settings``."""

from __future__ import annotations

import logging
from configparser import ConfigParser
from datetime import date
from typing import Any

from ._document import Document
from .utils import MAX_FILE_SIZE

__all__ = ["DEFAULT_CONFIG", "Document", "Extractor", "use_config"]

LOGGER = logging.getLogger(__name__)

SUPPORTED_FORMATS = {"csv", "json", "html", "markdown", "python", "txt", "xml", "xmltei"}

_DEFAULTS = {
    "DOWNLOAD_TIMEOUT": "30",
    "MAX_FILE_SIZE": str(MAX_FILE_SIZE),
    "MIN_EXTRACTED_SIZE": "250",
    "MIN_EXTRACTED_COMM_SIZE": "1",
    "MIN_OUTPUT_SIZE": "1",
    "MIN_OUTPUT_COMM_SIZE": "1",
    "MAX_TREE_SIZE": "",
    "EXTRACTION_TIMEOUT": "30",
    "EXTENSIVE_DATE_SEARCH": "on",
}


def use_config(filename: str | None = None, config: ConfigParser | None = None) -> ConfigParser:
    """Returns a new configuration: the defaults, with the values of a file if one is given.

    :param filename: a file in the format of trafilatura's ``settings.cfg``
    :param config: returned unchanged if it is given
    :raises FileNotFoundError: if there is no such file
    """
    if config is not None:
        return config
    made = ConfigParser(interpolation=None)
    made.read_dict({"DEFAULT": _DEFAULTS})
    if filename:
        with open(filename, encoding="utf-8") as file:
            made.read_file(file)
    return made


DEFAULT_CONFIG = use_config()


def number(config: ConfigParser, name: str) -> int:
    """Returns a whole number of the configuration, or its default if the configuration lacks it."""
    value = config.get("DEFAULT", name, fallback="") or _DEFAULTS[name] or "0"
    return int(float(value))


def set_date_params(extensive: bool = True) -> dict[str, Any]:
    """Returns the default parameters of the search for dates."""
    return {"original_date": True, "extensive_search": extensive, "max_date": date.today().isoformat()}


class Extractor:
    """A bundle of options, for the argument ``options``."""

    def __init__(
        self,
        *,
        config: ConfigParser | None = None,
        output_format: str = "txt",
        fast: bool = False,
        precision: bool = False,
        recall: bool = False,
        comments: bool = True,
        formatting: bool | None = None,
        links: bool = False,
        images: bool = False,
        tables: bool = True,
        dedup: Any = False,
        lang: str | None = None,
        url: str | None = None,
        source: str | None = None,
        with_metadata: bool = False,
        only_with_metadata: bool = False,
        tei_validation: bool = False,
        author_blacklist: set[str] | None = None,
        url_blacklist: set[str] | None = None,
        date_params: dict[str, Any] | None = None,
    ) -> None:
        if output_format not in SUPPORTED_FORMATS:
            raise AttributeError(f"Cannot set format, must be one of: {', '.join(sorted(SUPPORTED_FORMATS))}")
        if dedup:
            raise ValueError("maintext.compat does not search for duplicates; use trafilatura.deduplication")
        if precision and recall:
            LOGGER.warning("precision and recall are mutually exclusive, using recall")
        self.config = config if config is not None else DEFAULT_CONFIG
        self.format = output_format
        self.fast = fast
        self.focus = "recall" if recall else "precision" if precision else "balanced"
        self.comments = comments
        self.formatting = output_format == "markdown" if formatting is None else formatting
        self.links = links
        self.images = images
        self.tables = tables
        self.lang = lang
        self.url = url
        # Lone surrogates would break the logging.
        self.source = (url or source or "").encode("utf-8", "replace").decode("utf-8") or None
        self.only_with_metadata = only_with_metadata
        self.tei_validation = tei_validation
        self.author_blacklist: set[str] = author_blacklist or set()
        self.url_blacklist: set[str] = url_blacklist or set()
        needed = only_with_metadata or url_blacklist or author_blacklist
        self.with_metadata = bool(with_metadata or needed or output_format == "xmltei")
        self.min_output_size = number(self.config, "MIN_OUTPUT_SIZE")
        self.min_output_comm_size = number(self.config, "MIN_OUTPUT_COMM_SIZE")
        self.max_file_size = number(self.config, "MAX_FILE_SIZE")
        self.max_tree_size: int | None = number(self.config, "MAX_TREE_SIZE") or None
        extensive = self.config.getboolean("DEFAULT", "EXTENSIVE_DATE_SEARCH", fallback=True)
        self.date_params: dict[str, Any] = date_params or set_date_params(extensive)
