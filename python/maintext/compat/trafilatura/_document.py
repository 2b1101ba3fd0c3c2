"""The result of an extraction."""

from __future__ import annotations

from typing import Any

_FIELDS = (
    "title",
    "author",
    "url",
    "hostname",
    "description",
    "sitename",
    "date",
    "categories",
    "tags",
    "fingerprint",
    "id",
    "license",
    "body",
    "comments",
    "commentsbody",
    "raw_text",
    "text",
    "language",
    "image",
    "pagetype",
    "filedate",
)


class Document:
    """A page with the fields of trafilatura's class of the same name."""

    __slots__ = _FIELDS

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

        fields["id"] = fields.pop("idval", fields.get("id"))
        fields["license"] = fields.pop("license_val", fields.get("license"))
        for name in _FIELDS:
            setattr(self, name, fields.get(name))
        if self.body is None:
            self.body = Element("body")
        if self.commentsbody is None:
            self.commentsbody = Element("body")

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Document:
        """Creates a document with these fields."""
        return cls(**{name: data[name] for name in _FIELDS if name in data})

    def set_attributes(self, **fields: Any) -> None:
        """Sets the fields that have a value."""
        for name, value in fields.items():
            if value:
                setattr(self, name, value)

    def clean_and_trim(self) -> None:
        """Bounds the length of the texts of the metadata and removes surplus white space."""
        from .utils import line_processing

        for name in _FIELDS:
            value = getattr(self, name)
            if isinstance(value, str):
                if len(value) > 10000:
                    value = value[:9999] + "…"
                setattr(self, name, line_processing(value) if name not in ("text", "raw_text", "comments") else value)

    def as_dict(self) -> dict[str, Any]:
        """Returns all fields as a dict."""
        return {name: getattr(self, name) for name in _FIELDS}

    def __repr__(self) -> str:
        return f"Document(title={self.title!r}, url={self.url!r})"
