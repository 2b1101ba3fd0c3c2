"""Measures maintext in Python: speed against other packages on the same pages, scaling over threads, and memory over many calls.

    python_speed.py speed PAGES.jsonl [...]      pages per second of extract(), resiliparse, trafilatura, readability-lxml, newspaper4k
    python_speed.py threads PAGES.jsonl [...]    the same pages on 1, 2, 4 and 8 Python threads
    python_speed.py leak PAGES.jsonl [...]       resident memory during 200,000 calls (--calls N)

Packages that are not installed are skipped.
"""

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor


def load(paths, limit):
    pages = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            pages += [json.loads(line) for line in file]
    pages = [p for p in pages if p.get("html")]
    return pages[:: max(1, len(pages) // limit)][:limit]


def systems():
    import maintext

    text = maintext.Extractor(formats="text")
    yield "maintext, text and metadata", lambda p: text.extract(p["html"]).text
    everything = maintext.Extractor()
    yield "maintext, all formats", lambda p: everything.extract(p["html"]).text
    try:
        from resiliparse.extract.html2text import extract_plain_text
        from resiliparse.parse.html import HTMLTree

        yield "resiliparse", lambda p: extract_plain_text(HTMLTree.parse(p["html"]), main_content=True, preserve_formatting=True)
    except ImportError:
        pass
    try:
        import trafilatura

        yield "trafilatura", lambda p: trafilatura.extract(p["html"], with_metadata=True)
    except ImportError:
        pass
    try:
        import readability

        yield "readability-lxml", lambda p: readability.Document(p["html"]).summary()
    except ImportError:
        pass
    try:
        from newspaper import Article

        def newspaper(p):
            article = Article("", fetch_images=False)
            article.download(input_html=p["html"])
            article.parse()
            return article.text

        yield "newspaper4k", newspaper
    except ImportError:
        pass


def speed(pages, args):
    """Measures processor time in turns of 50 pages, so that load on the machine affects all systems equally."""
    found = {name: [0.0, 0] for name, _ in systems()}
    calls = list(systems())
    for start in range(0, len(pages), 50):
        for name, call in calls:
            for page in pages[start : start + 50]:
                begin = time.process_time()
                try:
                    call(page)
                except Exception:
                    found[name][1] += 1
                found[name][0] += time.process_time() - begin
    size = sum(len(p["html"]) for p in pages) / len(pages) / 1000
    print(f"{len(pages)} pages, {size:.0f} kB on average")
    for name, (seconds, failed) in found.items():
        print(f"{name:30} {len(pages) / seconds:8.1f} pages per second of processor time  {failed} failed")


def threads(pages, args):
    import maintext

    extractor = maintext.Extractor(formats="text")
    for count in (1, 2, 4, 8, 1, 2, 4, 8):
        with ThreadPoolExecutor(count) as pool:
            start, cpu = time.perf_counter(), time.process_time()
            for _ in pool.map(lambda p: extractor.extract(p["html"]), pages):
                pass
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        print(f"{count} threads: {len(pages) / seconds:8.1f} pages per second, {cpu / seconds:.2f} cores busy")


def leak(pages, args):
    import maintext

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096 / 1e6

    extractor = maintext.Extractor()
    start = time.perf_counter()
    for call in range(args.calls + 1):
        if call % (args.calls // 10) == 0:
            print(f"{call:8} calls  {resident():7.1f} MB resident  {time.perf_counter() - start:6.0f} s", flush=True)
        extractor.extract(pages[call % len(pages)]["html"]).to_dict()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "threads", "leak"])
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--limit", type=int, default=500, help="number of pages, spread over the files")
    parser.add_argument("--calls", type=int, default=200_000)
    args = parser.parse_args()
    {"speed": speed, "threads": threads, "leak": leak}[args.what](load(args.pages, args.limit), args)


if __name__ == "__main__":
    main()
