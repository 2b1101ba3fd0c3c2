"""LlamaIndex: a reader of web pages and a node parser by headings.

    from maintext.integrations.llama_index import MaintextNodeParser, MaintextWebReader

    documents = MaintextWebReader().load_data(["https://example.org/a", "page.html"])
    nodes = MaintextNodeParser(html=False).get_nodes_from_documents(documents)
    nodes[0].metadata   # {'header_path': '/About alders/', 'heading': 'Where they grow', 'title': ..., 'url': ...}

Values of metadata are strings and numbers, as vector stores need them; a field that the page lacks is left out. Pages without main
content are skipped with a warning, since they cannot be embedded.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union, cast

from maintext import ChunkOptions, Extractor, InvalidOptionError, MaintextError

from ._common import (
    FIELDS,
    TIMEOUT,
    Source,
    address_of,
    check_chunks,
    check_fields,
    checked,
    content,
    flat,
    load,
    missing,
    passages,
)

try:
    from llama_index.core.bridge.pydantic import Field
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.node_parser.node_utils import build_nodes_from_splits
    from llama_index.core.readers.base import BasePydanticReader
    from llama_index.core.schema import BaseNode, Document, MetadataMode, TextNode
    from llama_index.core.utils import get_tqdm_iterable
except ImportError as error:
    raise missing("llama_index", "llama-index-core") from error

__all__ = ["MaintextNodeParser", "MaintextWebReader"]

logger = logging.getLogger(__name__)

#: Names that pydantic models write into their serialised form in addition to their own fields.
_SERIALISED = ("is_remote", "class_name", "callback_manager", "id_func")


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Divides the options of an extractor from the names of a serialised model, and opens the nested ``options``."""
    base = {name: options.pop(name) for name in (*_SERIALISED, "include_metadata", "include_prev_next_rel") if name in options}
    base.pop("class_name", None)
    if isinstance(base.get("id_func"), dict):  # a function is serialised as its name only
        del base["id_func"]
    return base, {**options.pop("options", {}), **options}


class MaintextWebReader(BasePydanticReader):
    """Reads web pages from addresses, HTML files, folders, and WARC, JSONL and Parquet files.

    It also reads the HTML files of a directory: ``SimpleDirectoryReader("pages", file_extractor={".html": MaintextWebReader()})``.

    :param format: ``markdown``, ``text``, ``html`` or ``xml``
    :param fields: fields of ``Page.to_dict()`` that become metadata; lists are joined by commas
    :param fail_on_error: whether to raise the error of a page that fails, instead of skipping it with a warning
    :param workers: number of pages that are fetched or extracted at a time
    :param timeout: time limit for a request in seconds
    :param max_size: maximum size of a page in bytes
    :param options: options of :class:`maintext.Extractor`
    :raises InvalidOptionError: if an option or a field is unknown, or an option has an invalid value
    """

    is_remote: bool = True
    format: str
    fields: list[str]
    fail_on_error: bool
    workers: int
    timeout: float
    max_size: int
    options: dict[str, Any]

    def __init__(
        self,
        *,
        format: str = "markdown",
        fields: Iterable[str] = FIELDS,
        fail_on_error: bool = False,
        workers: int = 4,
        timeout: float = 30.0,
        max_size: int = 20 << 20,
        **options: Any,
    ) -> None:
        base, options = _split(options)
        checked(format, options)
        base.update(format=format, fields=list(check_fields(fields)), fail_on_error=fail_on_error, options=options)
        base.update(workers=workers, timeout=timeout, max_size=max_size)
        super().__init__(**base)

    @classmethod
    def class_name(cls) -> str:
        """Returns the name under which the reader is serialised."""
        return "MaintextWebReader"

    def lazy_load_data(
        self,
        urls: Union[Source, Iterable[Source]],
        extra_info: Optional[dict[str, Any]] = None,
        fs: Any = None,
        **load_kwargs: Any,
    ) -> Iterable[Document]:
        """Yields a document for each page, in order, and keeps only a few pages in memory.

        The id of a document is its address or path, so that ``refresh_ref_docs`` finds it again.

        :param urls: an address or path, or several
        :param extra_info: further metadata, which take precedence
        :param fs: a file system of fsspec, from which files are read, as ``SimpleDirectoryReader`` passes it
        """
        if load_kwargs:
            raise TypeError(f"unexpected argument '{next(iter(load_kwargs))}'")
        options = checked(self.format, self.options, self.fields)
        for found in load(urls, options, workers=self.workers, timeout=self.timeout, max_size=self.max_size, fs=fs):
            if found.page is None:
                if self.fail_on_error:
                    raise found.error or OSError("no page")
                logger.warning("Cannot load %s: %s", found.source, found.error)
                continue
            text = content(found.page, self.format)
            if not text:
                logger.warning("No main content in %s: skipped", found.source)
                continue
            place = {"url": found.source} if address_of(found.source) else {}
            if found.path is not None:
                place["file_path"] = found.path
            metadata = {**place, **flat(found.page, self.fields), **(extra_info or {})}
            yield Document(text=text, id_=found.source, metadata=metadata)


class MaintextNodeParser(NodeParser):
    """Divides the main content of pages by headings, into nodes of Markdown.

    A node has ``header_path`` (the headings above its own, as ``MarkdownNodeParser`` writes them), ``heading`` (its own) and
    ``level`` in its metadata, and the metadata of the page (title, author and so on) and of the document. It is related to
    its document and to the nodes before and after it.

    :param html: whether the documents are HTML pages; False for documents of Markdown, such as :class:`MaintextWebReader` returns
    :param fields: fields of ``Page.to_dict()`` that become metadata, for HTML pages
    :param max_level: the deepest level of headings that begin a node
    :param chunks: settings of chunks, as of :meth:`maintext.Page.chunks`, for HTML pages: nodes are passages of limited size then, and
        ``header_path`` and ``heading`` come from the passage, and ``level`` is missing
    :param fail_on_error: whether to raise the error of a page that fails, instead of skipping it with a warning
    :param threads: number of threads, by default one for each core, for HTML pages
    :param timeout: time limit for a page in seconds, or None, for HTML pages
    :param include_metadata: whether nodes have metadata
    :param include_prev_next_rel: whether nodes are related to their neighbours
    :param options: options of :class:`maintext.Extractor`, for HTML pages
    """

    html: bool = Field(default=True, description="Whether the documents are HTML pages.")
    fields: list[str] = Field(description="Fields of a page that become metadata.")
    max_level: int = Field(default=6, description="The deepest level of headings that begin a node.")
    chunks: Optional[dict[str, Any]] = Field(default=None, description="Settings of chunks.")
    fail_on_error: bool = Field(default=False, description="Whether to raise the error of a page that fails.")
    threads: Optional[int] = Field(default=None, description="Number of threads.")
    timeout: Optional[float] = Field(default=TIMEOUT, description="Time limit for a page in seconds.")
    options: dict[str, Any] = Field(description="Options of maintext.Extractor.")

    def __init__(
        self,
        *,
        html: bool = True,
        fields: Iterable[str] = FIELDS,
        max_level: int = 6,
        chunks: Optional[ChunkOptions] = None,
        fail_on_error: bool = False,
        threads: Optional[int] = None,
        timeout: Optional[float] = TIMEOUT,
        **options: Any,
    ) -> None:
        base, options = _split(options)
        checked("markdown", options)
        base.update(html=html, fields=list(check_fields(fields)), max_level=max_level, fail_on_error=fail_on_error)
        if chunks is not None:
            check_chunks(chunks, "markdown")
            if not html:
                raise InvalidOptionError("chunks: documents of Markdown have no chunks; parse the HTML pages")
            base["chunks"] = {**chunks}
        base.update(threads=threads, timeout=timeout, options=options)
        super().__init__(**base)

    @classmethod
    def class_name(cls) -> str:
        """Returns the name under which the parser is serialised."""
        return "MaintextNodeParser"

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        made: list[BaseNode] = []
        shown = get_tqdm_iterable(nodes, show_progress, "Parsing nodes")
        if not self.html:
            for node in shown:
                made.extend(self._nodes(node, node.get_content(MetadataMode.NONE), {}))
            return made
        pages = ((n.get_content(MetadataMode.NONE), address_of(n.metadata.get("url"), n.metadata.get("source"), n.node_id)) for n in nodes)
        extractor = Extractor(**checked("markdown", self.options, self.fields))
        for node, page in zip(shown, extractor.extract_many(pages, self.threads, self.timeout)):
            if page.error is None:
                sections = None
                if self.chunks is not None:
                    found = passages(page, cast("ChunkOptions", self.chunks))
                    sections = [(c["text"], _place([(None, heading) for heading in c["headings"]])) for c in found]
                made.extend(self._nodes(node, content(page, "markdown"), flat(page, self.fields), sections))
            elif self.fail_on_error:
                raise MaintextError(page.error)
            else:
                logger.warning("Cannot parse %s: %s", node.node_id, page.error)
        return made

    def _nodes(
        self, node: BaseNode, markdown: str, metadata: dict[str, Any], sections: Optional[list[tuple[str, dict[str, Any]]]] = None
    ) -> list[TextNode]:
        """Returns the nodes of one document, by default by its headings."""
        if sections is None:
            sections = [(text, _place(headings)) for text, headings in _sections(markdown, self.max_level)]
        made: list[TextNode] = build_nodes_from_splits([text for text, _ in sections], node, id_func=self.id_func)
        if self.include_metadata:
            for part, (_, place) in zip(made, sections):
                part.metadata = {**metadata, **node.metadata, **place}
        return made


def _place(headings: Sequence[tuple[Optional[int], str]]) -> dict[str, Any]:
    above = "/".join(text for _, text in headings[:-1])
    place: dict[str, Any] = {"header_path": f"/{above}/" if above else "/"}
    if headings:
        level, place["heading"] = headings[-1]
        if level is not None:
            place["level"] = level
    return place


_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s*(?:>\s*)*(`{3,}|~{3,})")
# Escapes, code, links and images with their text, emphasis.
_MARKS = re.compile(r"\\([^\w\s])|`([^`]+)`|!?\[((?:\\.|[^\]\\])*)\]\([^)]*\)|(?<!\s)\*+|\*+(?!\s)|~~")


def _plain(heading: str) -> str:
    """Returns the text of a heading of Markdown."""
    if len(heading) > 1000:
        return heading
    return _MARKS.sub(lambda m: m[1] or m[2] or (_plain(m[3]) if m[3] else ""), heading).strip()


def _sections(markdown: str, max_level: int) -> list[tuple[str, list[tuple[int, str]]]]:
    """Divides Markdown at its headings. Returns each section that has text, with the headings that lead to it."""
    sections = []
    lines: list[str] = []
    headings: list[tuple[int, str]] = []
    fence = ""

    def close() -> None:
        text = "\n".join(lines).strip()
        if text:
            sections.append((text, list(headings)))
        lines.clear()

    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and not line[mark.end() :].strip("`~ "))):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.match(line)
        if heading and len(heading[1]) <= max_level:
            close()
            while headings and headings[-1][0] >= len(heading[1]):
                headings.pop()
            headings.append((len(heading[1]), _plain(heading[2])))
        lines.append(line)
    close()
    return sections
