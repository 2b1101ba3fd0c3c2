"""Exceptions, as newspaper4k's ``exceptions``."""

__all__ = ["ArticleBinaryDataException", "ArticleException"]


class ArticleException(Exception):
    """An article cannot be downloaded or parsed."""


class ArticleBinaryDataException(Exception):
    """The address leads to binary data, and the configuration does not allow that."""
