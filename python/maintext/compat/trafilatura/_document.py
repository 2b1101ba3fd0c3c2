"""The result of an extraction."""

from __future__ import annotations

from typing import Any

_FIELDS = (
    "title author url hostname description sitename date categories tags fingerprint id license body comments commentsbody raw_text text "
    "language image pagetype filedate"
).split()


class Document:
    """A page with the fields of trafilatura's class of the same name."""

    __slots__ = tuple(_FIELDS)

    title: str | None
    author: str | None
    url: str | None
    hostname: str | None
    description: str | None
    sitename: str | None
    date: str | None
    categories: list[str] | None
    tags: list[str] | None
    fingerprint: str | None
    id: str | None
    license: str | None
    body: Any
    comments: str | None
    commentsbody: Any
    raw_text: str | None
    text: str | None
    language: str | None
    image: str | None
    pagetype: str | None
    filedate: str | None

    def __init__(self, **fields: Any) -> None:
        from lxml.etree import Element

        for name in _FIELDS:
            setattr(self, name, fields.get(name))
        self.body = Element("body") if self.body is None else self.body
        self.commentsbody = Element("body") if self.commentsbody is None else self.commentsbody

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Document:
        """Creates a document with these fields."""
        return cls(**{name: data[name] for name in _FIELDS if name in data})

    def as_dict(self) -> dict[str, Any]:
        """Returns all fields as a dict."""
        return {name: getattr(self, name) for name in _FIELDS}

    def __repr__(self) -> str:
        return f"Document(title={self.title!r}, url={self.url!r})"
