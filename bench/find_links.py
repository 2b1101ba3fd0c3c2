"""Whether the links of `maintext extract --find` open pages at their passages in Chromium.

    python bench/find_links.py MAINTEXT DATA/train [--pages 60] [--chromium /usr/bin/chromium]

Serves the pages of find_questions.jsonl, without their scripts and styles and below 4,000 empty pixels, and opens the link of the first passage of each in
headless Chromium. A link works if the page has scrolled.
"""

from __future__ import annotations

import argparse
import http.server
import json
import re
import subprocess
import tempfile
import threading
from pathlib import Path

from find import HERE, html, rows

SPACE = '<div style="height:4000px">x</div>'
NOTE = "<script>addEventListener('load', () => setTimeout(() => document.documentElement.setAttribute('data-y', Math.round(scrollY)), 1200))</script>"
LOADED = re.compile(r"<script\b.*?</script>|<meta[^>]+refresh[^>]*>|<link\b[^>]*>|<img\b[^>]*>|<iframe\b.*?</iframe>", re.S | re.I)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("maintext")
    parser.add_argument("data", type=Path)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    args = parser.parse_args()
    questions: dict[tuple[str, str], str] = {}
    for line in (HERE / "find_questions.jsonl").read_text().splitlines():
        question = json.loads(line)
        questions.setdefault((question["set"], str(question["id"])), question["question"])
    questions = dict(list(questions.items())[: args.pages])
    pages: list[tuple[str, bytes]] = []
    for name in sorted({key[0] for key in questions}):
        for row in rows(args.data / f"{name}.jsonl.zst"):
            if (name, str(row["id"])) in questions:
                pages.append((questions[name, str(row["id"])], html(row)))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = re.fullmatch(r"/(\d+)", self.path)
            if not number:
                self.send_error(404)
                return
            text = LOADED.sub("", pages[int(number[1])][1].decode("utf-8", "replace"))
            body = (re.sub(r"(<body\b[^>]*>)", rf"\1{SPACE}", text, count=1, flags=re.I) + NOTE + SPACE).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    opened = worked = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (question, page) in enumerate(pages):
            path = Path(folder) / "page.html"
            path.write_text(page.decode("utf-8", "replace"))
            address = f"http://127.0.0.1:{server.server_port}/{number}"
            command = [args.maintext, "extract", "--find", question, "--find-limit", "1", "--url", address, "-f", "json", str(path)]
            passages = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["passages"]
            if not passages:
                continue
            flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=6000", f"--user-data-dir={folder}/profile"]
            run = subprocess.run([args.chromium, *flags, "--dump-dom", passages[0]["link"]], capture_output=True, text=True, timeout=120)
            place = re.search(r'data-y="(\d+)"', run.stdout)
            opened += 1
            worked += bool(place and int(place[1]) > 500)
            if not place or int(place[1]) <= 500:
                print(f"does not scroll: {passages[0]['link']}")
    print(f"{worked} of {opened} links open their page at the passage")


if __name__ == "__main__":
    main()
