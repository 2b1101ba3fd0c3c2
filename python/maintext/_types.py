"""Types of values that pages give."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import TypedDict, Union


class ChunkLink(TypedDict):
    """A link of a chunk."""

    text: str
    href: str


class Chunk(TypedDict):
    """A passage of a page, as :meth:`maintext.Page.chunks` returns it."""

    #: Its number on the page, from 0.
    index: int
    text: str
    tokens: int
    #: The headings above it, from the outermost, with those that it begins with.
    headings: list[str]
    #: The kinds of its content: heading, text, table, code, formula.
    kinds: list[str]
    links: list[ChunkLink]
    #: Its place in the page's Markdown (or text): ``page.markdown[start:end]``.
    start: int
    end: int
    #: The characters at its beginning that the chunk before it also holds.
    overlap: int
    #: Its place in the decoded source, in bytes of UTF-8.
    source_start: Union[int, None]
    source_end: Union[int, None]
    #: Whether it is above the limit: a table, code or a formula that cannot be cut.
    oversized: bool


class ChunkOptions(TypedDict, total=False):
    """How the field ``chunks`` of tables is made. :meth:`maintext.Page.chunks` describes all but the form."""

    size: Union[int, None]
    tokenizer: Union[str, PathLike[str], Callable[[str], int]]
    overlap: int
    min: int
    split_large: bool
    #: The text that is cut: "markdown" or "text".
    form: str


class Reason(TypedDict):
    """A step that changed a method's decision."""

    step: str
    kept: bool
    saw: str


class Block(TypedDict):
    """A text block of a page, with the method's decision."""

    text: str
    tag: str
    score: float
    probability: Union[float, None]
    keep: bool
    #: The steps that changed the method's decision; empty for the blocks of a page.
    why: list[Reason]
    #: Start and end in bytes of the decoded page.
    span: tuple[int, int]
