"""Invented pages and fixtures shared by the tests."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest


def article(mark: str, paragraphs: int = 3) -> str:
    """Returns a page with one article that contains the word ``mark``."""
    body = "".join(
        f"<p>Paragraph {i} of this page speaks of {mark}, at some length, so that nobody takes it for the menu above it.</p>"
        for i in range(paragraphs)
    )
    return (
        f"<html lang=en><head><title>About {mark} | The Site</title><meta name=author content='Ada Byron'>"
        f"<meta property=article:published_time content=2024-05-17></head><body><nav><a href=/>Home</a> <a href=/b>More</a></nav>"
        f"<article><h1>About {mark}</h1>{body}<p>It ends with <a href=c>a link</a> and <b>a strong word</b>.</p></article>"
        f"<footer><a href=/imprint>Imprint</a></footer></body></html>"
    )


def warc_record(url: str, html: bytes, headers: str = "Content-Type: text/html; charset=utf-8\r\n") -> bytes:
    """Returns a response record as a separate gzip member."""
    block = b"HTTP/1.1 200 OK\r\n" + headers.encode() + b"\r\n" + html
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:{url}>\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A WARC file of 40 pages; one record in the middle is damaged, one page is a PDF."""
    records = []
    for i in range(40):
        html = b"%PDF-1.7" if i == 7 else article(f"tree{i}").encode()
        records.append(warc_record(f"http://example.org/{i}", html, "" if i == 7 else "Content-Type: text/html\r\n"))
    damaged = bytearray(records[20])
    damaged[len(damaged) // 2 : len(damaged) // 2 + 9] = b"\x55" * 9
    records[20] = bytes(damaged)
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(records))
    return path
