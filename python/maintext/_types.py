"""Types of values that pages give."""

from __future__ import annotations

from typing import TypedDict, Union


class Block(TypedDict):
    """A text block of a page, with the method's decision."""

    text: str
    tag: str
    score: float
    probability: Union[float, None]
    keep: bool
    #: Start and end in bytes of the decoded page.
    span: tuple[int, int]
