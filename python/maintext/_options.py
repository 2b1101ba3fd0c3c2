"""The options of an extractor as keyword arguments of functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any, Iterable, Literal, Mapping, TypedDict, TypeVar, Union

from ._maintext import Extractor

if TYPE_CHECKING:
    from ._study import Trained

_F = TypeVar("_F", bound="Callable[..., Any]")


#: The names of the content methods.
Method = Literal["learned", "line-density", "line-blocks", "text-density", "markup-ratio", "density-statistics"]
#: The kinds of error to avoid.
Favor = Literal["balance", "precision", "recall"]
#: The formats of the content.
Format = Literal["text", "markdown", "html", "xml", "blocks"]
#: When Markdown and HTML begin with the title.
Title = Literal["once", "never", "as-is"]
#: Where alternative texts of images are written.
AltText = Literal["never", "images", "all"]
#: The classifiers of the methods ``line-density`` and ``markup-ratio``.
Classifier = Literal["perceptron", "mlp"]


class Host(TypedDict, total=False):
    """The selectors for the pages of a host."""

    content: str
    drop: Union[str, list[str]]
    fields: dict[str, str]


class PageOptions(TypedDict, total=False):
    """The options of :class:`maintext.Extractor` other than the charset. The class describes them."""

    method: Union[Method, None]
    favor: Union[Favor, None]
    formats: Union[Format, Iterable[Format]]
    metadata: bool
    comments: bool
    tables: bool
    images: bool
    links: bool
    external_links: bool
    reference_links: bool
    html_tables: bool
    repeat_spans: bool
    list_numbers: bool
    post_headers: bool
    title: Union[Title, None]
    footnotes: bool
    level_headings: bool
    alt_text: Union[AltText, None]
    keep_hidden: bool
    threshold: Union[float, None]
    k: Union[int, None]
    smoothing: bool
    classifier: Union[Classifier, None]
    model: Union[str, bytes, Trained, None]
    fdr: Union[float, None]
    page_type: bool
    things: bool
    schema: Union[dict[str, Any], str, type, None]
    content_selector: Union[str, None]
    drop_selector: Union[str, Iterable[str], None]
    field: Union[Mapping[str, str], Iterable[tuple[str, str]], None]
    rules: Union[Mapping[str, Host], str, None]
    now: Union[date, str, None]
    max_bytes: Union[int, None]
    max_nodes: Union[int, None]
    max_depth: Union[int, None]
    max_work: Union[int, None]


class Options(PageOptions, total=False):
    """The options of :class:`maintext.Extractor`, which describes them."""

    charset: Union[str, None]


def named(function: _F) -> _F:
    """Names the options of an extractor in the signature and the help of a function that takes them as ``**options``."""
    own = inspect.signature(function)
    try:
        options = inspect.signature(Extractor).parameters.values()
    except ValueError:  # Python 3.9 knows no signatures of compiled classes
        return function
    taken = [parameter for parameter in own.parameters.values() if parameter.kind is not inspect.Parameter.VAR_KEYWORD]
    known = {parameter.name for parameter in taken}
    parameters = [*taken, *(option for option in options if option.name not in known)]
    setattr(function, "__signature__", own.replace(parameters=parameters))  # noqa: B010 (a function has no such attribute for a type checker)
    described = (Extractor.__doc__ or "").partition(":param ")[2].partition(":raises ")[0]
    lines = [f":param {part.strip()}" for part in described.split(":param ") if part.partition(":")[0] not in known]
    function.__doc__ = inspect.cleandoc(function.__doc__ or "") + "\n\nIt takes the options of an Extractor:\n\n" + "\n".join(lines) + "\n"
    return function
