"""datatrove: an extractor block that replaces ``datatrove.pipeline.extractors.Trafilatura``.

    from maintext.integrations.datatrove import Maintext

    pipeline = [WarcReader("crawl/"), Maintext(timeout=10), LanguageFilter(), JsonlWriter("texts/")]

Documents are extracted in batches within the task's own process, with a time limit or without one. Statistics have the names of the
other extractors: ``total``, ``extracted``, ``forwarded``, ``dropped`` (no main content), ``timeout`` and ``clean_error``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional, Union

from maintext import Extractor, Page

from ._common import TIMEOUT, address_of, check_fields, checked, content, fields_of, missing

try:
    from datatrove.data import Document, DocumentsPipeline
    from datatrove.pipeline.extractors.base import BaseExtractor
    from datatrove.utils.logging import logger
    from datatrove.utils.typeshelper import StatHints
except ImportError as error:
    raise missing("datatrove", "datatrove") from error

__all__ = ["FIELDS", "Maintext"]

#: The fields of a page that are written into the metadata by default, and their keys. ``date`` is not a key: there, readers of web
#: archives keep the time of the crawl.
FIELDS: Mapping[str, str] = {
    "title": "title",
    "author": "author",
    "date": "date_published",
    "language": "language",
    "sitename": "sitename",
    "confidence": "confidence",
}

#: Limits of a batch.
_DOCUMENTS, _CHARACTERS = 64, 8 << 20


class Maintext(BaseExtractor):  # type: ignore[misc]
    """Replaces the HTML of a document by its main content, and adds metadata.

    :param favour_precision: prefer less text that is certain, as ``favor="precision"`` does
    :param include_images: keep images in Markdown, HTML and XML
    :param timeout: time limit for a page in seconds, or None
    :param deduplicate: accepted for compatibility with the other extractors, without effect
    :param format: ``text``, ``markdown``, ``html`` or ``xml``
    :param fields: fields of ``Page.to_dict()`` to write into the metadata, as names or as a mapping from names to keys. A key that the
        document has already is replaced only if the page has the field; other keys are always written, so that all documents have the
        same schema.
    :param url_key: the key of the page's address in the metadata; links are resolved against it
    :param threads: threads per task; datatrove already runs a process for each task
    :param options: options of :class:`maintext.Extractor`
    :raises InvalidOptionError: if an option or a field is unknown, or an option has an invalid value
    """

    name = "⛏ Maintext"

    def __init__(
        self,
        favour_precision: bool = False,
        include_images: bool = False,
        timeout: Optional[float] = TIMEOUT,
        deduplicate: bool = True,
        *,
        format: str = "text",
        fields: Union[Iterable[str], Mapping[str, str]] = FIELDS,
        url_key: str = "url",
        threads: int = 1,
        **options: Any,
    ) -> None:
        super().__init__(timeout)
        self._warned_error = False
        if favour_precision:
            options.setdefault("favor", "precision")
        options.setdefault("images", include_images)
        self.format = format
        self.fields = dict(fields) if isinstance(fields, Mapping) else {name: name for name in fields}
        self.url_key = url_key
        self.threads = threads
        check_fields(self.fields)
        self.extractor = Extractor(**checked(format, options, self.fields))
        # Reports an invalid time limit or number of threads here instead of in every task.
        list(self.extractor.extract_many([], threads, timeout))

    def extract(self, text: str) -> str:
        """Returns the main content of one page, without time limit and metadata."""
        return content(self.extractor.extract(text), self.format)

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Extracts the documents and yields the ones with main content, in order."""
        for batch in _batches(data or ()):
            with self.track_time("batch"):
                pages = ((doc.text, address_of(doc.metadata.get(self.url_key))) for doc in batch)
                found = list(self.extractor.extract_many(pages, self.threads, self.timeout))
            for doc, page in zip(batch, found):
                self.stat_update(StatHints.total)
                if self._filled(doc, page):
                    self.stat_update(StatHints.forwarded)
                    self.update_doc_stats(doc)
                    yield doc

    def _filled(self, doc: Document, page: Page) -> bool:
        """Puts a page into its document. Returns whether there is any content."""
        if page.error is not None:
            if self.timeout is not None and "took longer than" in page.error:
                self.stat_update("timeout")
                logger.warning("⏰ Timeout while cleaning record text. Skipping record.")
                return False
            self.stat_update("clean_error")
            if not self._warned_error:
                self._warned_error = True
                logger.warning(
                    f'❌ Error "{page.error}" while cleaning record text. Skipping record. This message will only appear once.'
                )
            return False
        self.stat_update("extracted")
        doc.text = content(page, self.format)
        if not doc.text:
            self.stat_update(StatHints.dropped)
            return False
        for name, value in fields_of(page, self.fields).items():
            if value is not None or self.fields[name] not in doc.metadata:
                doc.metadata[self.fields[name]] = value
        return True


def _batches(data: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for doc in data:
        batch.append(doc)
        size += len(doc.text or "")
        if len(batch) >= _DOCUMENTS or size >= _CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
