"""The result of an extraction, as goose3's ``article``."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

from .image import Image
from .video import Video

__all__ = ["Article"]


class Article:
    """A page with its text and metadata. The attributes can only be read.

    - ``title``, ``cleaned_text``, ``authors``, ``publish_date`` (as the page writes it), ``publish_datetime_utc``
    - ``meta_description``, ``meta_lang``, ``meta_favicon``, ``meta_keywords``, ``meta_encoding``: what the page's head states
    - ``canonical_link``, ``domain``, ``final_url``, ``link_hash``: its address
    - ``top_node``: the element that holds the content; ``top_node_raw_html``: the same in HTML
    - ``top_image``: an :class:`Image`, or None without ``enable_image_fetching``; ``movies``: a list of :class:`Video`
    - ``tags``, ``links``, ``tweets``, ``opengraph``, ``schema``: labels, links and embedded posts, Open Graph, JSON-LD
    - ``raw_html``, ``doc``, ``raw_doc``: the page and its tree
    - ``additional_data``: a dict for the caller
    """

    def __init__(self) -> None:
        self._title = ""
        self._cleaned_text = ""
        self._meta_description = ""
        self._meta_lang: str | None = ""
        self._meta_favicon = ""
        self._meta_keywords = ""
        self._meta_encoding: Any = []
        self._canonical_link: str | None = ""
        self._domain: str | None = ""
        self._top_node: Any = None
        self._top_node_raw_html: str | None = None
        self._top_image: Image | None = None
        self._tags: list[str] = []
        self._opengraph: dict[str, Any] = {}
        self._tweets: list[str] = []
        self._movies: list[Video] = []
        self._links: list[str] = []
        self._authors: list[str] = []
        self._final_url: str | None = ""
        self._link_key: str | bytes = ""
        self._link_time = time.time()
        self._raw_html: str = ""
        self._schema: dict[str, Any] | None = None
        self._doc: Any = None
        self._raw_doc: Any = None
        self._publish_date: str | None = None
        self._publish_datetime_utc: datetime | None = None
        self._additional_data: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        # Only names without an attribute of their own come here.
        if not name.startswith("_") and f"_{name}" in self.__dict__:
            return self.__dict__[f"_{name}"]
        raise AttributeError(f"'Article' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if f"_{name}" in self.__dict__:
            raise AttributeError(f"attribute '{name}' of 'Article' object has no setter")
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name[1:] for name in self.__dict__)]

    @property
    def link_hash(self) -> str:
        """The FNV-1a hash of the address, or of the page if that was given, and the time."""
        key = self._link_key
        if not key:
            return ""
        value = 0xCBF29CE484222325
        for byte in key.encode("utf-8", "replace") if isinstance(key, str) else key:
            value = (value ^ byte) * 0x100000001B3 % 2**64
        return f"{value:x}.{self._link_time}"

    @property
    def infos(self) -> dict[str, Any]:
        """The most important attributes as a dict."""
        image = self._top_image
        fields = ("embed_type", "provider", "width", "height", "embed_code", "src")
        return {
            "meta": {
                "description": self._meta_description,
                "lang": self._meta_lang,
                "keywords": self._meta_keywords,
                "favicon": self._meta_favicon,
                "canonical": self._canonical_link,
                "encoding": self._meta_encoding,
            },
            "image": {"url": image.src, "width": image.width, "height": image.height, "type": "image"} if image else None,
            "domain": self._domain,
            "title": self._title,
            "cleaned_text": self._cleaned_text,
            "opengraph": self._opengraph,
            "tags": self._tags,
            "tweets": self._tweets,
            "movies": [{name: getattr(movie, name) for name in fields} for movie in self._movies],
            "links": self._links,
            "authors": self._authors,
            "publish_date": self._publish_date,
        }
