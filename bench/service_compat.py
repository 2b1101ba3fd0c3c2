"""Tests the routes that are compatible with Firecrawl and Jina Reader with the clients that people use, against a local site.

    pip install firecrawl-py langchain-community langchain-firecrawl llama-index-readers-web httpx
    npm install --prefix DIR @mendable/firecrawl-js          # 4.x needs Node 22 by its own account
    service_compat.py target/release/maintext [--js DIR/node_modules/@mendable/firecrawl-js]...

Prints a table of what ran. Fails if anything that is installed does not work. Also kills the service in the middle of a crawl and a batch,
starts it again, and fails if a page is lost or doubled.
"""

import argparse
import asyncio
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ANIMALS = ["heron", "fox", "swallow", "badger", "otter", "kestrel", "hare", "toad"]
TABLE = []


def story(n, links):
    one, other = ANIMALS[n % 8], ANIMALS[n // 8 % 8]
    word = "".join(chr(ord(d) - ord("0") + ord("a")) for d in str(n))
    return (
        f"<html lang=en><title>Story {word}</title><article><h1>Story {word}</h1><p>The {one} of tale {word} met the {other} by the river in "
        f"the early morning, and nobody of the village noticed it at all.</p><p>By noon both the {one} and the {other} of tale {word} had "
        f"gone home, which was more than anyone had hoped for that day.</p></article><nav>{links}</nav></html>"
    )


class Site(http.server.BaseHTTPRequestHandler):
    """A front page with eight stories, and one below /slow with many slow ones."""

    def do_GET(self):
        path = self.path.split("?")[0]
        number = path.rsplit("/", 1)[-1]
        body, status = None, 200
        if path == "/":
            body = story(0, " ".join(f"<a href=/story/{n}>{n}</a>" for n in range(1, 9)) + "<a href=/gone>x</a>")
        elif path.startswith("/story/") and number.isdigit():
            body = story(int(number), "<a href=/>Home</a>")
        elif path == "/slow":
            body = story(9, " ".join(f"<a href=/slow/{n}>{n}</a>" for n in range(10, 60)))
        elif path.startswith("/slow/") and number.isdigit():
            time.sleep(0.15)
            body = story(int(number), "<a href=/slow>Up</a>")
        elif path == "/gone":
            body, status = story(99, ""), 404
        if body is None:
            self.send_error(404)
            return
        body = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            # The service was killed.
            pass

    def log_message(self, *args):
        pass


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Service:
    def __init__(self, binary, site_port, *more):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.command = [binary, "serve", "--quiet", "--listen", f"127.0.0.1:{self.port}", "--allow-network", "127.0.0.0/8"]
        self.command += ["--allow-port", str(site_port), "--crawl-delay", "0.001", "--jobs-per-client", "50", *more]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                assert self.process.poll() is None, "the service ended"
                time.sleep(0.05)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.terminate()
        assert self.process.wait(60) == 0


def version_of(package):
    import importlib.metadata

    return importlib.metadata.version(package)


def run(package, what, work):
    """Runs one part and notes it. A missing package is noted, too."""
    start = time.time()
    try:
        result = work()
        TABLE.append((f"{package} {version_of(package)}", what, result or "works", time.time() - start))
    except ImportError as error:
        TABLE.append((package, what, f"not installed ({error.name})", 0))
    except Exception as error:  # noqa: BLE001
        import traceback

        traceback.print_exc()
        TABLE.append((package, what, f"FAILED: {type(error).__name__}: {str(error)[:200]}", time.time() - start))


def firecrawl_sync(service, site):
    from firecrawl import Firecrawl
    from firecrawl.v2.types import ScrapeOptions
    from pydantic import BaseModel

    class Story(BaseModel):
        title: str

    app = Firecrawl(api_key="any", api_url=service)
    page = app.scrape(f"{site}/story/1", formats=["markdown", "html", "rawHtml", "links", "images", {"type": "json", "schema": Story}], max_age=0)
    assert "tale b" in page.markdown and "<p>" in page.html and "<nav>" in page.raw_html, page
    assert page.links == [f"{site}/"] and page.json == {"title": "Story b"} and page.metadata.status_code == 200, page
    page = app.scrape(f"{site}/story/1", include_tags=["h1"], exclude_tags=["nav"])
    assert page.markdown.strip() == "# Story b", page.markdown
    assert app.scrape(f"{site}/gone").metadata.status_code == 404
    for options, name in [({"formats": ["summary"]}, "summary"), ({"wait_for": 5}, "waitFor"), ({"actions": [{"type": "wait", "milliseconds": 1}]}, "actions")]:
        try:
            app.scrape(f"{site}/story/1", **options)
            raise AssertionError(name)
        except Exception as error:  # noqa: BLE001
            assert name in str(error) and type(error).__name__ == "BadRequestError", (name, error)
    links = app.map(site, limit=100, search="story/")
    assert sum("/story/" in link.url for link in links.links) == 8, links
    job = app.crawl(site, limit=20, scrape_options=ScrapeOptions(formats=["markdown"]), poll_interval=1)
    assert job.status == "completed" and len(job.data) == 9 and all(d.markdown for d in job.data), job
    job = app.crawl(site, include_paths=["^/story/[1-3]$"], max_discovery_depth=1, sitemap="skip", poll_interval=1)
    assert len(job.data) == 3, job
    started = app.start_crawl(f"{site}/slow", limit=30)
    assert any(c.id == started.id for c in app.get_active_crawls().crawls)
    assert app.cancel_crawl(started.id) and app.get_crawl_status(started.id).status == "cancelled"
    assert not app.cancel_crawl(job.id), "a complete crawl cannot be cancelled"
    assert [e.url for e in app.get_crawl_errors(app.crawl(site, poll_interval=1).id).errors] == [f"{site}/gone"]
    batch = app.batch_scrape([f"{site}/story/{n}" for n in range(1, 6)], formats=["markdown"], poll_interval=1)
    assert batch.status == "completed" and len(batch.data) == 5, batch
    started = app.start_batch_scrape([f"{site}/slow/{n}" for n in range(20, 40)], formats=["markdown"])
    assert app.cancel_batch_scrape(started.id)
    errors = app.get_batch_scrape_errors(started.id)
    assert errors.errors == [], errors


def firecrawl_async(service, site):
    from firecrawl import AsyncFirecrawl

    async def work():
        app = AsyncFirecrawl(api_key="any", api_url=service)
        page = await app.scrape(f"{site}/story/2", formats=["markdown"])
        assert "tale c" in page.markdown
        assert len((await app.map(site)).links) >= 9
        job = await app.crawl(url=site, limit=20, poll_interval=1)
        assert job.status == "completed" and len(job.data) == 9, job
        batch = await app.batch_scrape([f"{site}/story/1", f"{site}/story/2"], formats=["markdown"], poll_interval=1)
        assert len(batch.data) == 2, batch

    asyncio.run(work())


def firecrawl_v1(service, site):
    from firecrawl import V1FirecrawlApp

    app = V1FirecrawlApp(api_key="any", api_url=service)
    assert "tale b" in app.scrape_url(f"{site}/story/1", formats=["markdown"]).markdown
    assert any(link.endswith("/story/3") for link in app.map_url(site).links)
    assert len(app.crawl_url(site, limit=20, poll_interval=1).data) == 9
    assert len(app.batch_scrape_urls([f"{site}/story/1", f"{site}/story/2"], formats=["markdown"], poll_interval=1).data) == 2


def langchain(service, site, module, name):
    import importlib

    loader = getattr(importlib.import_module(module), name)
    make = lambda mode, url, **params: loader(url=url, api_key="any", api_url=service, mode=mode, params=params)
    pages = make("scrape", f"{site}/story/1").load()
    assert len(pages) == 1 and "tale b" in pages[0].page_content, pages
    pages = make("crawl", site, limit=20, poll_interval=1).load()
    assert len(pages) == 9, pages
    assert len(make("map", site).load()) >= 9


def llama(service, site):
    from llama_index.readers.web import FireCrawlWebReader

    make = lambda mode, **params: FireCrawlWebReader(api_key="any", api_url=service, mode=mode, params=params)
    pages = make("scrape").load_data(url=f"{site}/story/1")
    assert len(pages) == 1 and "tale b" in pages[0].text, pages
    assert len(make("crawl", limit=20, poll_interval=1).load_data(url=site)) == 9
    assert len(make("map").load_data(url=site)) >= 9


def llama_simple(service, site):
    """Readers that fetch an address themselves read Jina's by its prefix."""
    from llama_index.readers.web import SimpleWebPageReader

    pages = SimpleWebPageReader().load_data([f"{service}/r/{site}/story/1"])
    assert pages[0].text.startswith("Title: Story b\n") and "Markdown Content:" in pages[0].text, pages


def langchain_web(service, site):
    from langchain_community.document_loaders import WebBaseLoader

    pages = WebBaseLoader(f"{service}/r/{site}/story/1").load()
    assert "tale b" in pages[0].page_content, pages


def jina_events(service, site):
    import httpx

    with httpx.stream("POST", f"{service}/r/", json={"url": f"{site}/story/1"}, headers={"Accept": "text/event-stream"}) as answer:
        lines = [line for line in answer.iter_lines() if line.startswith("data: ")]
    assert "tale b" in json.loads(lines[-1][6:])["content"], lines


def javascript(service, site, folder):
    node = shutil.which("node")
    here = os.path.dirname(os.path.abspath(__file__))
    start = time.time()
    done = subprocess.run([node, os.path.join(here, "firecrawl_js.mjs"), os.path.abspath(folder), service, site], capture_output=True, text=True, timeout=300)
    said = json.loads(done.stdout) if done.returncode == 0 else {"version": "?", "ran": []}
    result = "works" if done.returncode == 0 else f"FAILED: {done.stderr[-600:]}"
    TABLE.append((f"@mendable/firecrawl-js {said['version']}", ", ".join(said["ran"]), result, time.time() - start))


def ask(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def killed(binary, site, site_port):
    """Kills the service with SIGKILL several times in the middle of a crawl and a batch."""
    start = time.time()
    folder = tempfile.mkdtemp(prefix="maintext-compat-")
    try:
        service = Service(binary, site_port, "--store", os.path.join(folder, "store"))
        urls = [f"{site}/slow/{n}" for n in range(10, 60)]
        paths = {
            "/v2/crawl/" + ask(f"{service.url}/v2/crawl", {"url": f"{site}/slow"})["id"]: 51,
            "/v2/batch/scrape/" + ask(f"{service.url}/v2/batch/scrape", {"urls": urls})["id"]: 50,
        }
        kills = 0
        for _ in range(4):
            time.sleep(0.8)
            before = [ask(service.url + path)["completed"] for path in paths]
            service.kill()
            service.start()
            kills += 1
            after = [ask(service.url + path)["completed"] for path in paths]
            # At most the pages that were in progress may be made again.
            assert all(b - a <= 8 for b, a in zip(before, after)), (before, after)
        deadline = time.time() + 120
        for path, count in paths.items():
            while (status := ask(service.url + path))["status"] == "scraping":
                assert time.time() < deadline, status
                time.sleep(0.3)
            found = [page["metadata"]["sourceURL"] for page in status["data"]]
            assert status["status"] == "completed" and len(found) == len(set(found)) == count, (path, len(found), len(set(found)))
        service.stop()
        TABLE.append(("kill -9", f"a crawl and a batch, {kills} times in the middle", "101 pages, none lost, none doubled", time.time() - start))
    except Exception as error:  # noqa: BLE001
        TABLE.append(("kill -9", "a crawl and a batch", f"FAILED: {error}", time.time() - start))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--js", action="append", default=[], help="folder of a version of @mendable/firecrawl-js")
    args = parser.parse_args()
    binary = os.path.abspath(args.binary)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site_port = server.server_address[1]
    site = f"http://127.0.0.1:{site_port}"
    service = Service(binary, site_port)
    url = service.url
    run("firecrawl-py", "Firecrawl: scrape, map, crawl, batch, status, cancel, errors, active", lambda: firecrawl_sync(url, site))
    run("firecrawl-py", "AsyncFirecrawl: scrape, map, crawl, batch", lambda: firecrawl_async(url, site))
    run("firecrawl-py", "V1FirecrawlApp: scrape, map, crawl, batch", lambda: firecrawl_v1(url, site))
    run("langchain-community", "FireCrawlLoader: scrape, crawl, map", lambda: langchain(url, site, "langchain_community.document_loaders", "FireCrawlLoader"))
    run("langchain-firecrawl", "FirecrawlLoader: scrape, crawl, map", lambda: langchain(url, site, "langchain_firecrawl", "FirecrawlLoader"))
    run("llama-index-readers-web", "FireCrawlWebReader: scrape, crawl, map", lambda: llama(url, site))
    run("llama-index-readers-web", "SimpleWebPageReader over /r/", lambda: llama_simple(url, site))
    run("langchain-community", "WebBaseLoader over /r/", lambda: langchain_web(url, site))
    run("httpx", "event stream of POST /r/", lambda: jina_events(url, site))
    for folder in args.js:
        javascript(url, site, folder)
    service.stop()
    killed(binary, site, site_port)
    for client, what, result, seconds in TABLE:
        print(f"| {client} | {what} | {result} | {seconds:.1f} s |")
    if any("FAILED" in row[2] for row in TABLE):
        sys.exit("failed: see above")


if __name__ == "__main__":
    main()
