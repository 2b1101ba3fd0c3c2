"""LangChain: a document loader, a blob parser and a document transformer.

    from maintext.integrations.langchain import MaintextLoader

    documents = MaintextLoader(["https://example.org/a", "pages/", "crawl.warc.gz"]).load()
    passages = MaintextLoader("https://example.org/a", chunks={"size": 300, "overlap": 30}).load()
    documents[0].page_content   # Markdown
    documents[0].metadata       # {'source': 'https://example.org/a', 'title': ..., 'author': ..., 'date': ..., 'language': ...}

Values of metadata are strings and numbers, as vector stores need them; a field that the page lacks is left out. Pages without main
content are skipped with a warning, since they cannot be embedded.

With ``chunks``, the settings of :meth:`maintext.Page.chunks`, a page becomes a document for each passage. Its metadata also have
``headings`` (joined by " > "), ``chunk`` (its number on the page) and ``start_index`` (its place in the content).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Optional, Union

from maintext import ChunkOptions, Extractor, MaintextError, Page

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
    from langchain_core.document_loaders import BaseBlobParser, BaseLoader
    from langchain_core.documents import BaseDocumentTransformer, Document
    from langchain_core.documents.base import Blob
except ImportError as error:
    raise missing("langchain", "langchain-core") from error

__all__ = ["MaintextLoader", "MaintextParser", "MaintextTransformer"]

logger = logging.getLogger(__name__)


class _Maker:
    """Makes documents from pages."""

    def __init__(
        self, format: str, fields: Iterable[str], continue_on_failure: bool, chunks: Optional[ChunkOptions], options: dict[str, Any]
    ) -> None:
        self.format = format
        check_chunks(chunks, format)
        self.chunks = chunks
        self.fields = check_fields(fields)
        self.continue_on_failure = continue_on_failure
        self.options = checked(format, options, self.fields)

    def documents(self, page: Page, source: Optional[str], known: Optional[dict[str, Any]] = None) -> list[Document]:
        """Returns the document of a page, or one for each chunk; nothing if the page has no main content."""
        text = content(page, self.format)
        if not text:
            logger.warning("No main content in %s: skipped", source or "a document")
            return []
        named = {"source": source} if source else {}
        metadata = {**flat(page, self.fields), **named, **(known or {})}
        if self.chunks is None:
            return [Document(page_content=text, metadata=metadata)]
        made = []
        for chunk in passages(page, self.chunks):
            place = {"headings": " > ".join(chunk["headings"]), "chunk": chunk["index"], "start_index": chunk["start"]}
            made.append(Document(page_content=chunk["text"], metadata={**metadata, **place}))
        return made

    def failed(self, source: Optional[str], error: Exception) -> None:
        """Logs an error, or raises it."""
        if not self.continue_on_failure:
            raise error
        logger.warning("Cannot load %s: %s", source or "a document", error)


class MaintextLoader(_Maker, BaseLoader):
    """Loads web pages from addresses, HTML files, folders, and WARC, JSONL and Parquet files.

    :param sources: an address or path, or several
    :param format: ``markdown``, ``text``, ``html`` or ``xml``
    :param fields: fields of ``Page.to_dict()`` that become metadata; lists are joined by commas
    :param continue_on_failure: whether to skip a page that fails, with a warning, instead of raising the error
    :param workers: number of pages that are fetched or extracted at a time
    :param timeout: time limit for a request in seconds
    :param max_size: maximum size of a page in bytes
    :param chunks: settings of chunks, as of :meth:`maintext.Page.chunks`; a page becomes a document for each chunk
    :param options: options of :class:`maintext.Extractor`
    :raises InvalidOptionError: if an option or a field is unknown, or an option has an invalid value

    ``source`` is the address as given, or the path. Pages of archives have the address under which they were fetched, or else the
    file's path, ``#`` and the page's id.
    """

    def __init__(
        self,
        sources: Union[Source, Iterable[Source]],
        *,
        format: str = "markdown",
        fields: Iterable[str] = FIELDS,
        continue_on_failure: bool = True,
        workers: int = 4,
        timeout: float = 30.0,
        max_size: int = 20 << 20,
        chunks: Optional[ChunkOptions] = None,
        **options: Any,
    ) -> None:
        super().__init__(format, fields, continue_on_failure, chunks, options)
        self.sources = sources if isinstance(sources, str) or not isinstance(sources, Iterable) else list(sources)
        self.workers = workers
        self.timeout = timeout
        self.max_size = max_size

    def lazy_load(self) -> Iterator[Document]:
        """Yields the documents in order, and keeps only a few pages in memory."""
        pages = load(self.sources, self.options, workers=self.workers, timeout=self.timeout, max_size=self.max_size)
        for found in pages:
            if found.page is None:
                self.failed(found.source, found.error or OSError("no page"))
            else:
                yield from self.documents(found.page, found.source)


class MaintextParser(_Maker, BaseBlobParser):
    """Parses blobs of HTML, for example of a ``FileSystemBlobLoader`` in a ``GenericLoader``.

    :param format: ``markdown``, ``text``, ``html`` or ``xml``
    :param fields: fields of ``Page.to_dict()`` that become metadata
    :param continue_on_failure: whether to skip a blob that fails, with a warning, instead of raising the error
    :param chunks: settings of chunks, as of :meth:`maintext.Page.chunks`; a page becomes a document for each chunk
    :param options: options of :class:`maintext.Extractor`
    """

    def __init__(
        self,
        *,
        format: str = "markdown",
        fields: Iterable[str] = FIELDS,
        continue_on_failure: bool = True,
        chunks: Optional[ChunkOptions] = None,
        **options: Any,
    ) -> None:
        super().__init__(format, fields, continue_on_failure, chunks, options)
        self.extractor = Extractor(**self.options)

    def lazy_parse(self, blob: Blob) -> Iterator[Document]:
        """Yields one document, or one for each chunk, with the blob's metadata; none if the page failed or has no main content."""
        try:
            html = blob.data if isinstance(blob.data, str) else blob.as_bytes()
            page = self.extractor.extract(html, address_of(blob.metadata.get("url"), blob.source))
        except (MaintextError, OSError, ValueError) as error:
            self.failed(blob.source, error)
            return
        yield from self.documents(page, blob.source, blob.metadata)


class MaintextTransformer(_Maker, BaseDocumentTransformer):
    """Converts documents of HTML, for example of an ``AsyncHtmlLoader``, to documents of main content, on all cores.

    :param format: ``markdown``, ``text``, ``html`` or ``xml``
    :param fields: fields of ``Page.to_dict()`` that become metadata; metadata that a document has already are kept
    :param continue_on_failure: whether to skip a document that fails, with a warning, instead of raising the error
    :param threads: number of threads, by default one for each core
    :param timeout: time limit for a document in seconds, or None
    :param chunks: settings of chunks, as of :meth:`maintext.Page.chunks`; a page becomes a document for each chunk
    :param options: options of :class:`maintext.Extractor`
    """

    def __init__(
        self,
        *,
        format: str = "markdown",
        fields: Iterable[str] = FIELDS,
        continue_on_failure: bool = True,
        threads: Optional[int] = None,
        timeout: Optional[float] = TIMEOUT,
        chunks: Optional[ChunkOptions] = None,
        **options: Any,
    ) -> None:
        super().__init__(format, fields, continue_on_failure, chunks, options)
        self.extractor = Extractor(**self.options)
        self.threads = threads
        self.timeout = timeout

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """Returns new documents with the ids and metadata of the given ones. ``url`` or ``source`` is the page's address.

        The id of a chunk is its document's id, ``#`` and the chunk's number.
        """
        pages = ((d.page_content, address_of(d.metadata.get("url"), d.metadata.get("source"))) for d in documents)
        made = []
        for old, page in zip(documents, self.extractor.extract_many(pages, self.threads, self.timeout)):
            source = old.metadata.get("source")
            if page.error is not None:
                self.failed(source, MaintextError(page.error))
            else:
                for number, document in enumerate(self.documents(page, source, old.metadata)):
                    document.id = old.id if self.chunks is None or old.id is None else f"{old.id}#{number}"
                    made.append(document)
        return made
