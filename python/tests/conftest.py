"""Invented pages and fixtures shared by the tests."""

from __future__ import annotations

import gzip
import http.server
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:{url}>\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A local Spark."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.driver.memory", "1g")
    # With few rows, compiling and adapting plans takes longer than running them.
    builder = builder.config("spark.sql.adaptive.enabled", "false").config("spark.sql.codegen.wholeStage", "false")
    session = builder.getOrCreate()
    yield session
    session.stop()


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


@pytest.fixture
def site() -> Iterator[str]:
    """A web server with pages at /alders, /birches (windows-1252), /empty, /broken (a PDF), /note (Markdown), /old (leads to /alders) and nothing
    elsewhere; its address."""
    latin = article("Prés salés").replace("<head>", "<head><base href=/elsewhere/>").encode("windows-1252")
    pages = {
        "/alders": ("text/html; charset=utf-8", article("alders").encode()),
        "/birches": ("text/html; charset=windows-1252", latin),
        "/empty": ("text/html", b"<html><body></body></html>"),
        "/broken": ("application/pdf", b"%PDF-1.7\n\x01\xe2\xe3\xcf\xd3"),
        "/note": ("text/markdown; charset=utf-8", b"# A note\n\nCopyright.\n\n- Share *this*.\n"),
    }

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/old":
                self.send_response(301)
                self.send_header("Location", "/alders")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            kind, body = pages.get(self.path, ("text/html", b""))
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
