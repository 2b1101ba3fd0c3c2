"""Compares `maintext batch` with Python multiprocessing scripts on the same WARC file, in turns: `batch_peers.py WARC [--rounds N] ...`.

The Python scripts are typical: one process reads the file with FastWARC and passes the pages to a pool, which extracts with
resiliparse or trafilatura; results go to a JSONL file with id, url, title and text. Each run is timed as a whole, with the
processor time and the peak memory of all its processes. Use --limit to give a slow system fewer pages. With --table, the
medians of the rounds follow as a Markdown table.
"""

import argparse
import json
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time


def pages(path, limit):
    """Yields (id, url, body, charset) of each HTML page."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    count = 0
    for record in ArchiveIterator(open(path, "rb"), record_types=WarcRecordType.response, parse_http=True):
        kind = record.http_content_type or ""
        if record.http_headers.status_code != 200 or not kind.startswith("text/html"):
            continue
        yield record.record_id, record.headers.get("WARC-Target-URI"), record.reader.read(), record.http_charset
        count += 1
        if count == limit:
            return


def resiliparse(page):
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import detect_encoding
    from resiliparse.parse.html import HTMLTree

    key, url, body, charset = page
    tree = HTMLTree.parse_from_bytes(body, charset or detect_encoding(body))
    text = extract_plain_text(tree, preserve_formatting=True, main_content=True, list_bullets=False, comments=False, links=False, alt_texts=False)
    return json.dumps({"id": key, "url": url, "title": tree.title, "text": text}, ensure_ascii=False)


def trafilatura(page):
    from trafilatura import bare_extraction

    key, url, body, charset = page
    found = bare_extraction(body, url=url, with_metadata=True)
    title, text = (found.title, found.text) if found else (None, "")
    return json.dumps({"id": key, "url": url, "title": title, "text": text}, ensure_ascii=False)


def guarded(call):
    """Wraps an extractor so that a page on which it fails does not end the run."""
    name, page = call
    try:
        return {"resiliparse": resiliparse, "trafilatura": trafilatura}[name](page)
    except Exception as error:
        return json.dumps({"id": page[0], "url": page[1], "error": repr(error)[:200]})


def run_pool(name, warc, out, processes, limit):
    """Runs the measured script in a process of its own."""
    done = 0
    room = threading.Semaphore(processes * 64)  # imap reads ahead without limit

    def calls():
        for page in pages(warc, limit):
            room.acquire()
            yield name, page

    with multiprocessing.Pool(processes) as pool, open(out, "w", encoding="utf-8", errors="replace") as file:
        for line in pool.imap(guarded, calls(), chunksize=8):
            room.release()
            file.write(line + "\n")
            done += 1
    print(done)


def memory(pid):
    """Returns the private memory of a process and its descendants, in bytes (Linux)."""
    total, stack = 0, [pid]
    while stack:
        pid = stack.pop()
        try:
            with open(f"/proc/{pid}/smaps_rollup") as file:
                total += sum(int(l.split()[1]) for l in file if l.startswith(("Private", "Swap:"))) * 1024
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                stack += [int(p) for p in file.read().split()]
        except (OSError, ValueError):
            pass
    return total


def measure(command, rows):
    """Returns seconds, processor seconds, peak memory in MB and number of rows of a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peak, stop = [0], threading.Event()

    def watch():
        while not stop.wait(0.25):
            peak[0] = max(peak[0], memory(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, errors = process.communicate()
    seconds = time.perf_counter() - start
    stop.set()
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in (0, 1):
        sys.exit(f"{command[:3]} failed: {errors[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"pages": rows(), "seconds": round(seconds, 1), "cpu": round(cpu, 1), "peak_mb": round(peak[0] / 1e6)}


def table(results, processes):
    """Returns a Markdown table of the medians, with the ratios of processor time to the first system."""
    rounds = {}
    for found in results:
        rounds.setdefault(found["system"], []).append(found)
    first = next(iter(rounds.values()))
    lines = [
        f"Whole processes from start to end, {processes} workers each, {len(first)} rounds in turns.",
        "",
        "| system | pages | seconds | processor seconds | pages per processor second | MB | maintext is faster by |",
        "| --- | --: | --: | --: | --: | --: | --: |",
    ]
    for system, found in rounds.items():
        middle = {key: statistics.median(f[key] for f in found) for key in ("pages", "seconds", "cpu", "pages_per_cpu_second", "peak_mb")}
        ratios = [a["pages_per_cpu_second"] / b["pages_per_cpu_second"] for a, b in zip(first, found)]
        lines.append(
            f"| {system} | {middle['pages']:,} | {middle['seconds']:.1f} | {middle['cpu']:.1f} | {middle['pages_per_cpu_second']:.0f} "
            f"| {middle['peak_mb']} | {statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f}) |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("warc")
    parser.add_argument("--maintext", default="maintext", help="the command")
    parser.add_argument("--systems", default="maintext,resiliparse,trafilatura")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--limit", type=int, default=0, help="number of pages for trafilatura; 0 for all")
    parser.add_argument("--table", action="store_true", help="print only a Markdown table of medians; rounds go to standard error")
    parser.add_argument("--pool", help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.pool:
        run_pool(args.pool, args.warc, args.out, args.processes, args.limit)
        return
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(args.rounds):
            for system in args.systems.split(","):
                out = os.path.join(folder, f"{system}.jsonl")
                limit = args.limit if system == "trafilatura" else 0
                if system == "maintext":
                    command = [args.maintext, "batch", args.warc, "-o", out, "--fields", "id,url,title,text", "-j", str(args.processes), "--restart"]
                else:
                    command = [sys.executable, __file__, args.warc, "--pool", system, "--out", out, "--processes", str(args.processes), "--limit", str(limit)]

                def rows():
                    with open(out, encoding="utf-8", errors="replace") as file:
                        lines = file.readlines()
                    failed = [line for line in lines if json.loads(line).get("error")]
                    if len(failed) * 2 > len(lines):
                        sys.exit(f"{system}: most pages failed: {failed[0][:300]}")
                    return len(lines)

                found = measure(command, rows)
                found = {"system": system, "round": turn + 1, **found}
                found["pages_per_second"] = round(found["pages"] / found["seconds"], 1)
                found["pages_per_cpu_second"] = round(found["pages"] / found["cpu"], 1)
                results.append(found)
                print(json.dumps(found), flush=True, file=sys.stderr if args.table else sys.stdout)
    if args.table:
        print(table(results, args.processes))


if __name__ == "__main__":
    main()
