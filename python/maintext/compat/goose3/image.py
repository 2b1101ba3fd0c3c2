"""Images, as goose3's ``image``."""

from __future__ import annotations

from typing import Any

__all__ = ["Image"]


class Image:
    """The image of an article."""

    def __init__(self) -> None:
        self._top_image_node: Any = None
        self._src = ""
        self._confidence_score = 0.0
        self._height = 0
        self._width = 0
        self._extraction_type = "NA"
        self._bytes = 0

    @property
    def top_image_node(self) -> Any:
        """The image's element in the page, or None."""
        return self._top_image_node

    @property
    def src(self) -> str:
        """The image's address."""
        return self._src

    @property
    def confidence_score(self) -> float:
        """100 for an image that the page states, 90 for one in the content."""
        return self._confidence_score

    @property
    def height(self) -> int:
        """The height in pixels."""
        return self._height

    @property
    def width(self) -> int:
        """The width in pixels."""
        return self._width

    @property
    def extraction_type(self) -> str:
        """Where the image was found: "opengraph" for one that the page states, "content" for one in the content."""
        return self._extraction_type

    @property
    def bytes(self) -> int:
        """The size in bytes."""
        return self._bytes

    def get_src(self) -> str:
        """Returns the image's address."""
        return self._src
