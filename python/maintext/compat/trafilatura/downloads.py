"""Downloads of single pages, like trafilatura's ``downloads``, with maintext's own client."""

from __future__ import annotations

import logging
from configparser import ConfigParser

from ... import _maintext
from .settings import DEFAULT_CONFIG, Extractor, number
from .utils import decode_file

__all__ = ["fetch_url"]

LOGGER = logging.getLogger(__name__)


def fetch_url(
    url: str,
    no_ssl: bool = False,
    config: ConfigParser = DEFAULT_CONFIG,
    options: Extractor | None = None,
) -> str | None:
    """Fetches a page as text, in its own charset. Returns None on failure, and if the status is not a success.

    :param config: obeyed are ``DOWNLOAD_TIMEOUT`` and ``MAX_FILE_SIZE``
    :raises ValueError: if ``no_ssl`` is true: certificates are always checked
    """
    if no_ssl:
        raise ValueError("no_ssl=True: maintext always checks certificates; fetch the page with another client")
    config = options.config if options is not None else config
    try:
        body, charset = _maintext.fetch(url, number(config, "DOWNLOAD_TIMEOUT"), number(config, "MAX_FILE_SIZE"))
    except OSError as error:
        LOGGER.error("download error: %s", error)
        return None
    try:
        return body.decode(charset) if charset else decode_file(body)
    except (LookupError, UnicodeDecodeError):
        return decode_file(body)
