"""Options, as goose3's ``configuration``."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from .text import StopWords
from .version import __version__

__all__ = ["ArticleContextPattern", "AuthorPattern", "Configuration", "PublishDatePattern"]


class _Pattern:
    """Names elements: by their tag, by an attribute and its value, or by both."""

    tag: str | None
    attr: str | None
    value: str | None
    domain: str | None = None

    def _set(self, attr: str | None, value: str | None, tag: str | None) -> None:
        if not attr and not value and not tag:
            raise Exception("`attr` and `value` must be set or `tag` must be set")
        self.attr, self.value, self.tag = attr, value, tag

    def elements(self, tree: Any, domain: str | None = None) -> list[Any]:
        """Returns the elements of a tree that fit; none if the pattern is for another domain."""
        if self.domain and self.domain != domain:
            return []
        return [element for element in tree.iter(self.tag or "*") if isinstance(element.tag, str) and self._fits(element)]

    def _fits(self, element: Any) -> bool:
        if not self.attr:
            return True
        stated = element.get(self.attr) or ""
        return stated == self.value or (self.value or "") in stated.split()

    @classmethod
    def of(cls, value: Any) -> Any:
        """Returns a pattern as it is, and makes one of a dict.

        :raises Exception: if the value is something else
        """
        if isinstance(value, cls):
            return value
        if not isinstance(value, dict):
            raise Exception(f"Unknown type: {type(value)}. Use a {cls.__name__}.")
        fields = dict(value)
        if "attribute" in fields:
            fields["attr"] = fields.pop("attribute")
        if "subpattern" in fields:
            fields["subpattern"] = cls.of(fields["subpattern"])
        return cls(**fields)

    def __repr__(self) -> str:
        fields = " ".join(f"{name}={value}" for name, value in self.__dict__.items() if value is not None)
        return f"{type(self).__name__}({fields})"


class ArticleContextPattern(_Pattern):
    """Names elements that hold the article."""

    def __init__(self, *, attr: str | None = None, value: str | None = None, tag: str | None = None, domain: str | None = None) -> None:
        self._set(attr, value, tag)
        self.domain = domain


class PublishDatePattern(_Pattern):
    """Names elements with the date of publication.

    :param content: the attribute with the date; without it, and with ``tag``, the text is the date
    :param subcontent: the name of the date in the attribute's JSON object
    """

    def __init__(
        self,
        *,
        attr: str | None = None,
        value: str | None = None,
        content: str | None = None,
        subcontent: str | None = None,
        tag: str | None = None,
        domain: str | None = None,
    ) -> None:
        self._set(attr, value, tag)
        self.content = content
        self.subcontent = subcontent
        self.domain = domain


class AuthorPattern(_Pattern):
    """Names elements with authors.

    :param content: the attribute with the name; without it, the text is the name
    :param subpattern: a pattern for the element with the name, within the element
    """

    def __init__(
        self,
        *,
        attr: str | None = None,
        value: str | None = None,
        content: str | None = None,
        tag: str | None = None,
        subpattern: AuthorPattern | None = None,
    ) -> None:
        self._set(attr, value, tag)
        self.content = content
        self.subpattern = subpattern


class _Converted:
    """An option that is converted when it is set."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = "_" + name

    def __get__(self, instance: Any, owner: type) -> Any:
        return getattr(instance, self.name) if instance is not None else self

    def __set__(self, instance: Any, value: Any) -> None:
        setattr(instance, self.name, self.kind(value))


class _Patterns:
    """A list of patterns to which patterns are added when it is set. Those that were added come first."""

    def __init__(self, kind: type[_Pattern]) -> None:
        self.kind = kind

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = "_" + name

    def __get__(self, instance: Any, owner: type) -> Any:
        return instance.__dict__.setdefault(self.name, []) if instance is not None else self

    def __set__(self, instance: Any, value: Any) -> None:
        added = [self.kind.of(item) for item in (value if isinstance(value, list) else [value])]
        instance.__dict__[self.name] = added + instance.__dict__.get(self.name, [])


def _stopwords(value: Any) -> Any:
    if isinstance(value, type) and issubclass(value, StopWords):
        return value
    raise ValueError(f"{value} must be an instance of StopWords")


class Configuration:
    """Options of :class:`Goose`.

    - ``browser_user_agent``, ``http_timeout`` (seconds), ``http_auth``, ``http_proxies``, ``http_headers``: requests
    - ``strict``: raise :class:`NetworkError` if the server answers with an error
    - ``ssrf_protection`` (not in goose3): refuse addresses that are not public
    - ``enable_image_fetching``: find the top image, and fetch it to see its size; ``images_min_bytes``: the smallest size of it
    - ``known_context_patterns``: where the article is; ``known_publish_date_tags``, ``known_author_patterns``: where date and authors are
    - ``parse_lists``, ``pretty_lists``: list items as lines, with a bullet before each; ``parse_headers``: keep headings;
      ``keep_footnotes``: keep text in superscript
    - ``target_language``, ``use_meta_language``, ``stopwords_class``, ``parser_class``, ``local_storage_path``, ``log_level``,
      ``imagemagick_convert_path``, ``imagemagick_identify_path``: accepted, without effect
    """

    known_context_patterns = _Patterns(ArticleContextPattern)
    known_publish_date_tags = _Patterns(PublishDatePattern)
    known_author_patterns = _Patterns(AuthorPattern)
    strict = _Converted(bool)
    http_timeout = _Converted(float)
    use_meta_language = _Converted(bool)
    enable_image_fetching = _Converted(bool)
    images_min_bytes = _Converted(int)
    pretty_lists = _Converted(bool)
    parse_lists = _Converted(bool)
    parse_headers = _Converted(bool)
    keep_footnotes = _Converted(bool)
    stopwords_class = _Converted(_stopwords)

    def __init__(self) -> None:
        self.parser_class = "lxml"
        self.available_parsers = ["lxml", "soup"]
        self.browser_user_agent = f"maintext/{__version__}"
        self.http_timeout = 30.0
        self.http_auth: tuple[str, str] | None = None
        self.http_proxies: dict[str, str] | None = None
        self.http_headers: dict[str, str] | None = None
        self.ssrf_protection = True
        self.local_storage_path = os.path.join(tempfile.gettempdir(), "goose")
        self.target_language = "en"
        self.use_meta_language = True
        self.strict = True
        self.log_level = "ERROR"
        self.stopwords_class = StopWords
        self.imagemagick_convert_path = "/opt/local/bin/convert"
        self.imagemagick_identify_path = "/opt/local/bin/identify"
        self.enable_image_fetching = False
        self.images_min_bytes = 4000
        self.parse_lists = True
        self.pretty_lists = True
        self.parse_headers = True
        self.keep_footnotes = True
