"""Measures `maintext serve` at saturation: throughput against `maintext batch`, latencies, memory, misbehaving clients, shutdown.

    MAINTEXT_DATA=DIR service_load.py target/release/maintext [--seconds 300] [--clients 80]

The pages come from train/wcxb-dev.jsonl.zst in DIR. The clients keep their connections and send the next request as soon as they get
a response; after a 503 they wait for Retry-After. In the middle third of the time, other clients misbehave: headers at one byte per
second, bodies that stall, endless bodies. At the end, SIGTERM is sent under load; each request sent completely before it must be
answered. The rate of `batch` is measured before and after. Needs zstandard; Linux only (/proc).
"""

import argparse
import collections
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from shared import rows

TICK = os.sysconf("SC_CLK_TCK")


def pages(limit):
    path = Path(os.environ["MAINTEXT_DATA"], "train/wcxb-dev.jsonl.zst")
    found = [page["html"].encode() for page in rows(path) if page.get("html")]
    random.Random(1).shuffle(found)
    return found[:limit]


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) // 1024


def batch(binary, sources, threads):
    """Returns pages per second, in wall-clock and in processor time, for all formats and fields, as the service returns them."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "in.jsonl")
        with open(name, "w") as file:
            for i, html in enumerate(sources):
                file.write(json.dumps({"id": str(i), "html": html.decode()}) + "\n")
        before, start = os.times(), time.time()
        command = [binary, "batch", name, "-o", os.path.join(folder, "out.jsonl"), "-j", str(threads)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        seconds, after = time.time() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return len(sources) / seconds, len(sources) / used


class Client(threading.Thread):
    """Sends requests on one connection, one after another."""

    def __init__(self, port, sources, number, log, stop):
        super().__init__(daemon=True)
        self.port, self.sources, self.log, self.stop = port, sources, log, stop
        self.random = random.Random(number)
        # Start time of a request that was sent completely but not answered yet: SIGTERM must not lose it.
        self.sent = None
        self.lost = None

    def run(self):
        connection = None
        while not self.stop.is_set():
            try:
                connection = connection or socket.create_connection(("127.0.0.1", self.port), timeout=90)
                html = self.random.choice(self.sources)
                head = f"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: text/html\r\nContent-Length: {len(html)}\r\n\r\n"
                start = time.monotonic()
                connection.sendall(head.encode() + html)
                self.sent = time.monotonic()
                status, wait, closed = answer(connection)
                self.sent = None
            except OSError as error:
                # Not allowed before the shutdown. A connection refused or closed before the request was complete does not count as a loss.
                if self.sent is not None:
                    self.lost = (self.sent, repr(error))
                    self.log.append((time.monotonic(), 0, "lost"))
                elif not self.stop.is_set():
                    self.log.append((time.monotonic(), 0, "refused"))
                self.sent, connection = None, None
                if self.stop.wait(0.05):
                    return
                continue
            now = time.monotonic()
            self.log.append((now, now - start, status))
            if closed:
                connection.close()
                connection = None
            if status == 503:
                self.stop.wait(wait)


def answer(connection):
    """Reads one response and returns its status, its Retry-After and whether the connection ends."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError("closed without a response")
        data += piece
    head, body = data.split(b"\r\n\r\n", 1)
    lines = head.decode("latin-1").lower().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines[1:])
    left = int(fields.get("content-length", 0)) - len(body)
    while left > 0:
        piece = connection.recv(min(left, 1 << 20))
        if not piece:
            raise ConnectionError("cut short")
        left -= len(piece)
    return int(lines[0].split()[1]), float(fields.get("retry-after", 1)), fields.get("connection") == "close"


def hostile(port, stop, seen):
    """Runs misbehaving clients until `stop`; `seen` counts the responses they got."""

    def slow_header():
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.settimeout(60)
            s.sendall(b"POST /v1/extract HTTP/1.1\r\n")
            while not stop.wait(1):
                s.sendall(b"x")

    def slow_body():
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.settimeout(60)
            s.sendall(b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n<p>")
            seen["slow body", answer(s)[0]] += 1

    def huge_body(announced):
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.settimeout(60)
            length = b"Content-Length: 1000000000000" if announced else b"Transfer-Encoding: chunked"
            s.sendall(b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length + b"\r\n\r\n")
            piece = b"<p>word " * 8192
            piece = piece if announced else b"%x\r\n%s\r\n" % (len(piece), piece)
            try:
                for _ in range(400):
                    s.sendall(piece)
                    time.sleep(0.005)
            except OSError:
                pass
            seen["huge body" if announced else "endless body", answer(s)[0]] += 1

    def again(name, attack, *args):
        while not stop.is_set():
            try:
                attack(*args)
            except OSError:
                seen[name, "closed"] += 1
            stop.wait(0.5)

    kinds = [("slow header", slow_header)] * 40 + [("slow body", slow_body)] * 20
    kinds += [("huge body", huge_body, True)] * 2 + [("endless body", huge_body, False)] * 2
    for kind in kinds:
        threading.Thread(target=again, args=kind, daemon=True).start()


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))] if values else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--clients", type=int, default=80)
    parser.add_argument("--pages", type=int, default=1200)
    parser.add_argument("--threads", type=int, default=2, help="extraction threads, for both")
    args = parser.parse_args()
    sources = pages(args.pages)
    print(f"{len(sources)} pages, {sum(map(len, sources)) / len(sources) / 1000:.0f} kB each on average", file=sys.stderr)
    rates = [batch(args.binary, sources, args.threads)]

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [args.binary, "serve", "--quiet", "--listen", f"127.0.0.1:{port}", "--workers", str(args.threads), "--no-fetch"]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.05)

    log, stop, attack_over, seen = [], threading.Event(), threading.Event(), collections.Counter()
    clients = [Client(port, sources, number, log, stop) for number in range(args.clients)]
    for client in clients:
        client.start()
    start, used = time.monotonic(), processor_seconds(server.pid)
    attack, rest = start + args.seconds / 3, start + args.seconds * 2 / 3
    rss, attacked = [], False
    while (now := time.monotonic()) < start + args.seconds:
        rss.append(memory(server.pid))
        if now > attack and not attacked:
            attacked = True
            hostile(port, attack_over, seen)
        if now > rest:
            attack_over.set()
        if sys.stderr.isatty():
            print(f"\r{now - start:4.0f} s  {len(log) / (now - start + 1e-9):.0f} answers/s  {rss[-1]} MB ", end="", file=sys.stderr)
        time.sleep(0.5)
    end, used = time.monotonic(), processor_seconds(server.pid) - used
    measured = list(log)

    # Shutdown: requests sent completely before this point must be answered.
    term = time.monotonic()
    waiting = sum(client.sent is not None for client in clients)
    server.send_signal(signal.SIGTERM)
    stop.set()
    status = server.wait(60)
    for client in clients:
        client.join(10)
    lost = [client.lost for client in clients if client.lost and client.lost[0] < term]
    rates.append(batch(args.binary, sources, args.threads))

    good = [(t, s) for t, s, code in measured if code == 200]
    third = lambda a, b: [s for t, s in good if a <= t < b]
    count = collections.Counter(code for _, _, code in measured)
    minutes = [rss[i : i + max(1, len(rss) // 5)] for i in range(0, len(rss), max(1, len(rss) // 5))]
    clock, processor = (max(r[i] for r in rates) for i in (0, 1))
    figures = {
        "pages_a_second": round(len(good) / (end - start), 1),
        "pages_a_processor_second": round(len(good) / used, 1),
        "batch_pages_a_second": [round(r[0], 1) for r in rates],
        "batch_pages_a_processor_second": [round(r[1], 1) for r in rates],
        "share_of_batch_on_the_clock": round(len(good) / (end - start) / clock, 3),
        "share_of_batch_by_processor_time": round(len(good) / used / processor, 3),
        "answers": {str(code): n for code, n in count.items()},
        "milliseconds": {
            name: {f"p{q}": round(quantile(values, q / 100) * 1000) for q in (50, 90, 99)}
            for name, values in [("calm", third(start, attack) + third(rest, end)), ("attacked", third(attack, rest))]
        },
        "megabytes_by_fifth": [[min(m), max(m)] for m in minutes if len(m) > 3],
        "misbehaving": {f"{kind}: {code}": n for (kind, code), n in sorted(seen.items(), key=str)},
        "sigterm": {"waiting": waiting, "lost": len(lost), "status": status},
    }
    print(json.dumps(figures, indent=1))
    bad = set(count) - {200, 503}
    if bad or lost or status != 0:
        sys.exit(f"failed: {bad or ''} {lost or ''} exit status {status}")


if __name__ == "__main__":
    main()
