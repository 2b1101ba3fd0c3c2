"""Exceptions, as newspaper4k's ``exceptions``."""

__all__ = ["ArticleBinaryDataException", "ArticleException", "RobotsException"]


class ArticleException(Exception):
    """An article cannot be downloaded or parsed."""


class ArticleBinaryDataException(Exception):
    """The address leads to binary data, and the configuration does not allow that."""


class RobotsException(Exception):
    """The site's robots.txt disallows the request."""
