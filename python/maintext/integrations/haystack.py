"""Haystack: a converter from HTML to documents that replaces ``HTMLToDocument``.

    from maintext.integrations.haystack import MaintextConverter

    pipeline.add_component("converter", MaintextConverter())
    pipeline.connect("fetcher.streams", "converter.sources")
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Optional, Union

import maintext
from maintext import ChunkOptions, MaintextError

from ._common import FIELDS, address_of, check_chunks, check_fields, checked, content, fields_of, missing, passages

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.components.converters.utils import get_bytestream_from_source, normalize_metadata
    from haystack.dataclasses import ByteStream
except ImportError as error:
    raise missing("haystack", "haystack-ai") from error

__all__ = ["MaintextConverter"]

logger = logging.getLogger(__name__)


@component
class MaintextConverter:
    """Converts HTML to documents of main content, with title, author, date and language in ``meta``.

    :param format: ``markdown``, ``text``, ``html`` or ``xml``
    :param fields: fields of ``Page.to_dict()`` that become ``meta``, where the page has them
    :param store_full_path: whether ``file_path`` is the whole path, instead of the file's name
    :param encoding: the encoding of all pages, by default detected; ``encoding`` in a source's ``meta`` takes precedence
    :param chunks: settings of chunks, as of :meth:`maintext.Page.chunks`; a page becomes a document for each chunk, with ``headings``,
        ``split_id`` (its number on the page) and ``split_idx_start`` (its place in the content) in ``meta``
    :param options: options of :class:`maintext.Extractor`
    :raises InvalidOptionError: if an option or a field is unknown, or an option has an invalid value
    """

    def __init__(
        self,
        format: str = "markdown",
        fields: Iterable[str] = FIELDS,
        store_full_path: bool = False,
        encoding: Optional[str] = None,
        chunks: Optional[ChunkOptions] = None,
        **options: Any,
    ) -> None:
        check_chunks(chunks, format)
        self.format = format
        self.chunks = chunks
        self.fields = check_fields(fields)
        self.store_full_path = store_full_path
        self.encoding = encoding
        self.options = options
        self._made = checked(format, {**options, "charset": encoding} if encoding else options, self.fields)

    def to_dict(self) -> dict[str, Any]:
        """Serialises the component."""
        own = {"format": self.format, "fields": list(self.fields), "store_full_path": self.store_full_path, "encoding": self.encoding}
        if self.chunks is not None:
            own["chunks"] = {**self.chunks}
        return default_to_dict(self, **own, **self.options)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MaintextConverter:
        """Makes a component from the result of :meth:`to_dict`."""
        made: MaintextConverter = default_from_dict(cls, data)
        return made

    @component.output_types(documents=list[Document])
    def run(
        self,
        sources: list[Union[str, Path, ByteStream]],
        meta: Optional[Union[dict[str, Any], list[dict[str, Any]]]] = None,
    ) -> dict[str, Any]:
        """Converts the sources. A source that fails or has no main content is skipped with a warning.

        :param sources: paths, or byte streams; ``url`` in the ``meta`` of a stream is the page's address
        :param meta: further ``meta`` for all documents, or a list with one for each source
        :returns: ``documents``. Given ``meta`` and the ``meta`` of streams take precedence over the page's.
        """
        documents = []
        for source, given in zip(sources, normalize_metadata(meta, len(sources))):
            try:
                stream = get_bytestream_from_source(source)
                named = stream.meta.get("file_path")
                name = {"file_path": os.path.basename(named)} if named and not self.store_full_path else {}
                known = {**stream.meta, **name, **given}
                charset = {"charset": stream.meta["encoding"]} if stream.meta.get("encoding") else {}
                page = maintext.extract(stream.data, address_of(known.get("url")), **{**self._made, **charset})
            except (MaintextError, OSError, TypeError, ValueError) as error:
                logger.warning("Cannot convert %s: %s", source, error)
                continue
            text = content(page, self.format)
            if not text:
                logger.warning("No main content in %s: skipped", source)
                continue
            found = {name: value for name, value in fields_of(page, self.fields).items() if value not in (None, "", [])}
            if self.chunks is None:
                documents.append(Document(content=text, meta={**found, **known}))
                continue
            for chunk in passages(page, self.chunks):
                place = {"headings": chunk["headings"], "split_id": chunk["index"], "split_idx_start": chunk["start"]}
                documents.append(Document(content=chunk["text"], meta={**found, **known, **place}))
        return {"documents": documents}
