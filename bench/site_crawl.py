"""Crawls a site of 300 pages in three languages that MkDocs made, with the usual traps, and checks that every page is written once.

    python3 -m venv venv && venv/bin/pip install mkdocs==1.6.1 pyarrow
    venv/bin/python bench/site_crawl.py --maintext target/release/maintext

The words are made up. The server adds what sites have besides pages: redirects, a circle of redirects, query variants, an endless
calendar, pages that robots.txt forbids, a missing page, a slow one, files that are not pages, and links to other hosts.
"""

import argparse
import collections
import functools
import http.server
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

PAGES = 100
LANGUAGES = {
    "en": ("river stone window harvest ladder candle meadow harbour winter copper thread garden bridge quiet early slow "
           "carries opens follows mends under behind before without and the of a").split(),
    "de": ("Fluss Stein Fenster Ernte Leiter Kerze Wiese Hafen Winter Kupfer Faden Garten Brücke still früh langsam "
           "trägt öffnet folgt flickt unter hinter vor ohne und der die das").split(),
    "zh": list("河石窗梯烛田港冬铜线园桥静早慢带开跟补下后前无和的一山云雨风灯船"),
}
SLOW = "/en/page-007/"
MONTHS = "January February March April May June July August September October November December".split()


def sentences(rng, words, language, count):
    glue = "" if language == "zh" else " "
    stop = "。" if language == "zh" else ". "
    made = [glue.join(rng.choice(words) for _ in range(rng.randint(8, 16))) for _ in range(count)]
    return "".join(m[0].upper() + m[1:] + stop for m in made).strip()


def generate(folder, url):
    """Writes the sources and has MkDocs build them."""
    docs = folder / "docs"
    rng = random.Random(28)
    links = ["/calendar/2024/5/", "/old/3", "/old/4?utm_source=home", "/loop/a", "/missing/", "/private/secret/", "/paper.pdf", "/data",
             "/en/page-001/?print=1", "/en/page-002/?utm_campaign=x#top", "/en/page-003/index.html", "http://other.example/en/page-001/",
             "/de/page-001/?PHPSESSID=9f", "/zh/page-001/#part"]
    (docs).mkdir(parents=True)
    home = "# The ferry archive\n\nNotes in three languages.\n\n"
    (docs / "index.md").write_text(home + "".join(f"- [Link {i}]({l})\n" for i, l in enumerate(links)), "utf-8")
    for language, words in LANGUAGES.items():
        (docs / language).mkdir()
        for n in range(1, PAGES + 1):
            if language == "en" and n == PAGES:
                continue  # The front page is the 300th page.
            other = rng.randint(1, PAGES - 1)
            text = f"# {sentences(rng, words, language, 1)[:40].rstrip('. 。')} {n}\n\n"
            text += "".join(f"{sentences(rng, words, language, 5)}\n\n" for _ in range(5))
            text += f"[{rng.choice(words)}](page-{other:03}.md#part), [{rng.choice(words)}](/{language}/page-{other:03}/?ref={n})\n"
            (docs / language / f"page-{n:03}.md").write_text(text, "utf-8")
    (folder / "mkdocs.yml").write_text(f"site_name: The ferry archive\nsite_url: {url}/\ntheme: mkdocs\n")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(folder / "mkdocs.yml")], check=True)
    pages = {"/" + str(p.parent.relative_to(folder / "site")) + "/" for p in (folder / "site").rglob("index.html")}
    return {p.replace("/./", "/") for p in pages}


class Handler(http.server.SimpleHTTPRequestHandler):
    requests = collections.Counter()
    has_sitemap = True
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", kind="text/html; charset=utf-8", **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, _ = self.path.partition("?")
        Handler.requests[self.path] += 1
        parts = path.strip("/").split("/")
        if path == "/robots.txt":
            sitemap = f"Sitemap: http://{self.headers['Host']}/sitemap.xml.gz\n" if self.has_sitemap else ""
            return self.answer(200, f"User-agent: *\nDisallow: /private/\n{sitemap}".encode(), "text/plain")
        if "sitemap" in path and not self.has_sitemap:
            return self.answer(404)
        if parts[0] == "old":
            return self.answer(301, Location=f"/en/page-{int(parts[1]):03}/")
        if parts[0] == "loop":
            return self.answer(302, Location="/loop/b" if parts[1] == "a" else "/loop/a")
        if parts[0] == "calendar":
            year, month = int(parts[1]), int(parts[2])
            later = (year + 1, 1) if month == 12 else (year, month + 1)
            earlier = (year - 1, 12) if month == 1 else (year, month - 1)
            days = "".join(f"<td><a href='/calendar/{year}/{month}/{d}/'>{d}</a>" for d in range(1, 29))
            name = f"{MONTHS[month - 1]} {year}"
            step = "<a href='/calendar/{}/{}/'>{}</a> "
            body = f"<html><title>{name}</title><h1>{name}</h1><table><tr>{days}</table><p>No events.</p>"
            body += step.format(*later, "later") + step.format(*earlier, "earlier")
            return self.answer(200, body.encode())
        if path == "/data":
            return self.answer(200, b"\x89PNG\r\n\x1a\n\0\0", "image/png")
        if path == SLOW:
            time.sleep(3)
        return super().do_GET()

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """Killed crawls close their connections: nothing to report."""


def crawl(args, url, out, *more, kill_at=None, rows=None):
    command = [args.maintext, "crawl", url, "--all", "-o", out, "--delay", "0.005", "--concurrency", "4", "--per-host", "4", *more]
    start = time.time()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "NO_PROXY": "127.0.0.1"})
    if kill_at:
        while (rows.read_bytes().count(b"\n") if rows.exists() else 0) < kill_at:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        process.kill()
        process.wait()
        return None
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    return time.time() - start, errors


def check(rows, url, expected):
    ids = [r["id"] for r in rows]
    assert len(ids) == len(set(ids)), "an address twice"
    assert all(i.startswith(url + "/") for i in ids), "another host"
    good = [r for r in rows if not r.get("error")]
    pages = [r["id"][len(url):].split("?")[0].replace("index.html", "") for r in good]
    found = collections.Counter(p for p in pages if not p.startswith("/calendar/"))
    calendar = len(pages) - sum(found.values())
    assert set(found) == expected, (sorted(expected - set(found))[:5], sorted(set(found) - expected)[:5])
    assert max(found.values()) == 1, [p for p, n in found.items() if n > 1][:5]
    failed = sorted(r["id"][len(url):] for r in rows if r.get("error"))
    assert failed == ["/loop/b", "/missing/"], failed
    return len(found), calendar, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--maintext", default="target/release/maintext")
    args = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="maintext-site-"))
    server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder / "site")))
    url = f"http://127.0.0.1:{server.server_port}"
    expected = generate(folder, url)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"{len(expected)} pages of {url}")
    lines = lambda path: [json.loads(l) for l in path.read_text("utf-8").splitlines()]
    for name, has_sitemap in [("sitemap", True), ("links", False)]:
        Handler.has_sitemap = has_sitemap
        Handler.requests.clear()
        whole, killed = folder / f"{name}.jsonl", folder / f"{name}-killed.jsonl"
        seconds, summary = crawl(args, url, str(whole))
        print(name, check(lines(whole), url, expected), f"{sum(Handler.requests.values())} requests, {seconds:.1f} s")
        assert not any(p.startswith("/private") for p in Handler.requests), "robots.txt"
        print(summary.rstrip())
        for kill_at in (40, 150, 270):
            crawl(args, url, str(killed), kill_at=kill_at, rows=killed)
        crawl(args, url, str(killed))
        print("killed three times, same bytes:", whole.read_bytes() == killed.read_bytes())
    table, texts = folder / "site.parquet", folder / "texts"
    crawl(args, url, str(table), "--exclude", "/calendar/")
    crawl(args, url, f"{texts}/", "--exclude", "/calendar/", kill_at=100, rows=folder / "texts.rows")
    crawl(args, url, f"{texts}/", "--exclude", "/calendar/")
    index = lines(texts / "index.jsonl")
    print("folder:", check(index, url, expected), len(list(texts.rglob("*.md"))), "files")
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(table).to_pylist()
    print("parquet:", check(rows, url, expected))
    assert [r["id"] for r in rows] == [r["id"] for r in index]
    mapped = subprocess.run([args.maintext, "map", url, "--exclude", "/calendar/"], capture_output=True, text=True, check=True)
    print("map without a sitemap:", len(mapped.stdout.splitlines()))
    Handler.has_sitemap = True
    mapped = subprocess.run([args.maintext, "map", url, "--json"], capture_output=True, text=True, check=True)
    print("map:", collections.Counter(json.loads(l)["source"] for l in mapped.stdout.splitlines()))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
