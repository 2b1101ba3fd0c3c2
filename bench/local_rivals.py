"""Compares maintext with other local tools for agents on the same pages: word F1, time, memory, first answer.

    pip install pagesift crawlberg zstandard
    npm install mdream
    MAINTEXT_DATA=DIR local_rivals.py target/release/maintext [--pages 100] [--systems maintext,pagesift,...] [--out DIR]

Samples pages from the set wcxb-dev by a fixed seed. Each system runs as one process that reads all pages and answers in their order, on
one thread of its own where it has a setting for that; its start counts. Crawlberg only reads addresses, and gets the pages from a server
on loopback. The first answer is the median time of five whole processes for one page each. Memory is the sum of the
largest resident sets of the process and its children. Markdown counts without the addresses of links and images. fastCRW has no program
for pages that one has: with --fastcrw PROGRAM, a program of ten lines around its crate crw-extract (source in this file) is measured.
"""

import argparse
import collections
import importlib.metadata
import io
import json
import os
import random
import re
import statistics
import subprocess
import sys
import threading
import time

WORD = re.compile(r"\w+")

FASTCRW = """
// crw-extract = { version = "=0.39.1", default-features = false }, crw-core = "=0.39.1", serde_json = "1"
use crw_core::types::OutputFormat;
use crw_extract::{OwnedExtractInput, extract};
fn main() {
    for line in std::io::stdin().lines() {
        let page: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let input = OwnedExtractInput {
            raw_html: page["html"].as_str().unwrap_or("").into(), content_type: Some("text/html".into()),
            source_url: page["url"].as_str().unwrap_or("").into(), status_code: 200, rendered_with: None, elapsed_ms: 0,
            render_decision: None, credit_cost: 0, warnings: vec![], formats: vec![OutputFormat::PlainText],
            only_main_content: true, include_tags: vec![], exclude_tags: vec![], css_selector: None, xpath: None,
            chunk_strategy: None, query: None, filter_mode: None, top_k: None, domain_selectors: None,
            captured_responses: vec![], debug: false, debug_sink: None, normalize_tables: false,
        };
        let text = extract(input.as_opts()).ok().and_then(|found| found.plain_text);
        println!("{}", serde_json::json!({ "text": text }));
    }
}
"""

MDREAM = """
import { htmlToMarkdown } from 'mdream'
import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const { html, url } = JSON.parse(line)
  let text = ''
  try { text = htmlToMarkdown(html, { origin: url, minimal: true, format: 'text' }) } catch {}
  console.log(JSON.stringify({ text }))
}
"""


def f1(found, truth):
    """The measure of WCXB: F1 over bags of words."""
    found, truth = WORD.findall((found or "").lower()), WORD.findall((truth or "").lower())
    if not truth or not found:
        return 1.0 if not truth and not found else 0.0
    overlap = sum((collections.Counter(found) & collections.Counter(truth)).values())
    return 2 * overlap / (len(found) + len(truth))


def plain(markdown):
    """Returns Markdown without the addresses of images and links."""
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", markdown or "")
    return re.sub(r"\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)", "]", text)


# ---- workers: a line per page in, a line per page out --------------------------------------------------------------------------------


def work(system):
    pages = (json.loads(line) for line in sys.stdin)
    if system == "pagesift":
        import pagesift

        run = lambda page: plain(pagesift.convert(page["html"], page["url"], True).markdown)
    elif system == "crawlberg":
        import asyncio

        import crawlberg

        engine = crawlberg.create_engine(crawlberg.CrawlConfig(ssrf=crawlberg.SsrfPolicy(deny_private=False)))
        run = lambda page: plain(asyncio.run(crawlberg.scrape(engine, page["local"])).markdown.content)

    for page in pages:
        try:
            answer = {"text": run(page)}
        except Exception as error:  # a failure counts as an empty text
            answer = {"text": "", "error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(answer), flush=True)


# ---- measuring -----------------------------------------------------------------------------------------------------------------------


def tree(root):
    """The process and those below it."""
    found, below = [root], collections.defaultdict(list)
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    below[int(file.read().rsplit(")", 1)[1].split()[1])].append(int(name))
            except OSError:
                pass
    for process in found:
        found += below[process]
    return found


def memory(processes):
    total = 0
    for process in processes:
        try:
            with open(f"/proc/{process}/status") as file:
                total += next((int(line.split()[1]) for line in file if line.startswith("VmHWM:")), 0)
        except OSError:
            pass
    return total / 1024


def measured(command, pages):
    """Runs a process over pages, and returns its texts, its seconds and its memory in MB."""
    lines = "".join(json.dumps({key: page[key] for key in ("id", "html", "url", "local")}) + "\n" for page in pages)
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    largest = 0.0

    def watch():
        nonlocal largest
        while process.poll() is None:
            largest = max(largest, memory(tree(process.pid)))
            time.sleep(0.02)

    watcher = threading.Thread(target=watch)
    watcher.start()
    out, _ = process.communicate(lines.encode())
    seconds = time.perf_counter() - start
    watcher.join()
    return [json.loads(line) for line in out.splitlines() if line.strip()], seconds, largest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--systems", default="maintext,pagesift,mdream,crawlberg")
    parser.add_argument("--fastcrw", help="the program around crw-extract")
    parser.add_argument("--out", help="folder for predictions, one file per system")
    args = parser.parse_args()
    import local_site
    import zstandard

    with open(os.path.join(os.environ["MAINTEXT_DATA"], "train", "wcxb-dev.jsonl.zst"), "rb") as file:
        rows = [json.loads(line) for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8")]
    rows = [row for row in rows if row.get("text")]
    pages = random.Random(args.seed).sample(sorted(rows, key=lambda row: row["id"]), args.pages)
    by_number = {f"/{i}": page["html"].encode("utf-8", "replace") for i, page in enumerate(pages)}
    port = local_site.serve(lambda path: by_number.get(path) or (b"", 404))
    for i, page in enumerate(pages):
        page["local"] = f"http://127.0.0.1:{port}/{i}"
        page["url"] = page.get("url") or page["local"]
    own = [sys.executable, os.path.abspath(__file__), "--worker"]
    batch = ["batch", "-", "-o", "-", "--input-format", "jsonl", "--fields", "id,text", "--threads", "1", "--quiet"]
    commands = {
        "maintext": [os.path.abspath(args.binary), *batch],
        "pagesift": [*own, "pagesift"],
        "crawlberg": [*own, "crawlberg"],
        "mdream": ["node", "--input-type=module", "-e", MDREAM],
    }
    if args.fastcrw:
        commands["fastcrw"] = [args.fastcrw]
    names = args.systems.split(",") + (["fastcrw"] if args.fastcrw else [])
    base = None
    print(f"{len(pages)} pages of wcxb-dev, seed {args.seed}")
    print(f"{'system':18}{'word F1':>8}{'empty':>7}{'seconds':>9}{'ratio':>7}{'MB':>7}{'first, ms':>11}")
    for name in names:
        runs = [measured(commands[name], pages) for _ in range(3)]
        answers, seconds, largest = sorted(runs, key=lambda run: run[1])[1]
        first = statistics.median(measured(commands[name], [page])[1] for page in pages[:5])
        if len(answers) != len(pages):
            print(f"{name}: {len(answers)} answers")
            continue
        texts = [answer.get("text") or "" for answer in answers]
        mean = statistics.mean(f1(text, page["text"]) for text, page in zip(texts, pages))
        base = base or seconds
        empty = sum(not text.strip() for text in texts)
        print(f"{name:18}{mean:8.3f}{empty:7}{seconds:9.2f}{seconds / base:7.1f}{largest:7.0f}{1000 * first:11.0f}", flush=True)
        errors = collections.Counter(answer["error"] for answer in answers if answer.get("error"))
        for error, count in errors.most_common(2):
            print(f"    {count} times {error}")
        if args.out:
            os.makedirs(args.out, exist_ok=True)
            with open(os.path.join(args.out, f"{name}.jsonl"), "w", encoding="utf-8") as file:
                for page, text in zip(pages, texts):
                    file.write(json.dumps({"id": page["id"], "text": text}) + "\n")
    packages = [name for name in ("pagesift", "crawlberg") if name in names]
    print(", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2])
    else:
        main()
