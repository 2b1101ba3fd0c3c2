"""Videos, as goose3's ``video``."""

from __future__ import annotations

__all__ = ["Video"]


class Video:
    """A video of an article."""

    def __init__(
        self,
        embed_type: str | None = None,
        provider: str | None = None,
        width: str | None = None,
        height: str | None = None,
        embed_code: str | None = None,
        src: str | None = None,
    ) -> None:
        self._embed_type = embed_type
        self._provider = provider
        self._width = width
        self._height = height
        self._embed_code = embed_code
        self._src = src

    @property
    def embed_type(self) -> str | None:
        """The element that shows the video: iframe, embed, object or video."""
        return self._embed_type

    @property
    def provider(self) -> str | None:
        """The site of the video."""
        return self._provider

    @property
    def width(self) -> str | None:
        """The width as the page writes it."""
        return self._width

    @property
    def height(self) -> str | None:
        """The height as the page writes it."""
        return self._height

    @property
    def embed_code(self) -> str | None:
        """The element in HTML."""
        return self._embed_code

    @property
    def src(self) -> str | None:
        """The video's address."""
        return self._src
