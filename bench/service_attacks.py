"""Attacks a running service and measures its memory and what other users notice.

    service_attacks.py target/release/maintext [--only NAME] [--workers N] [--limit 512] [--costs]

Each attack starts a service with its default limits. The attacker is 127.0.0.1; meanwhile another user, 127.0.0.9, sends a small page
four times a second. Prints a table: peak resident memory of the process, the other user's worst latency and refusals, and bypasses of
limits. The exit status is 1 if the memory exceeds --limit (MB), a user waits for more than a second or is refused, or a limit is
bypassed. `--costs` prints instead how much memory single pages need. Needs only Python; Linux only (/proc).
"""

import argparse
import json
import os
import random
import re
import select
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection

MB = 1 << 20
WORDS = "the heron fox river fog hill swallow morning early road empty silence bank reed water light shore distant quiet story".split()
SMALL = ("<html><title>Herons</title><body><nav><a href=/>Home</a></nav><article><h1>Herons</h1>" + "<p>We left early, and the road was "
         "empty until the hills, where the fog lifted and the river shone.</p>" * 20 + "</article></body></html>").encode()


def article(size):
    pick = random.Random(1)
    words = lambda n: " ".join(pick.choice(WORDS) for _ in range(n))
    out, n = ["<html lang=en><title>Long</title><body><article><h1>Long</h1>"], 0
    while n < size:
        out.append(f'<p class="text p{n % 10}">{words(60)}. <a href="/x/{n}">{words(3)}</a>, {words(20)}.</p>\n')
        n += len(out[-1])
    return "".join(out).encode()


class Service:
    def __init__(self, binary, *flags):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [binary, "serve", "--quiet", "--listen", f"127.0.0.1:{self.port}", "--allow-network", "127.0.0.0/8", *flags]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                if self.process.poll() is not None:
                    sys.exit(f"{' '.join(command)}: exit status {self.process.returncode}")
                time.sleep(0.02)

    def memory(self, key="VmHWM"):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(key + r":\s+(\d+)", file.read())[1]) / 1024

    def request(self, method, path, body=None, headers={}, source="127.0.0.1", timeout=90):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=(source, 0))
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def post_json(self, path, value, **more):
        more["headers"] = {"Content-Type": "application/json", **more.get("headers", {})}
        return self.request("POST", path, json.dumps(value).encode(), **more)

    def open(self, path, body, headers="", read_buffer=4096):
        """Sends a request on a socket and leaves the answer unread."""
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, read_buffer)
        s.settimeout(30)
        s.connect(("127.0.0.1", self.port))
        method = "POST" if body is not None else "GET"
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body or b'')}\r\n{headers}\r\n"
        try:
            s.sendall(head.encode() + (body or b""))
        except OSError:
            pass
        return s

    def stop(self):
        self.process.kill()
        self.process.wait()


class User(threading.Thread):
    """Another user, who sends a small page again and again."""

    def __init__(self, service, headers={}, source="127.0.0.9"):
        super().__init__(daemon=True)
        self.service, self.headers, self.source = service, headers, source
        self.worst, self.served, self.refused, self.ended = 0.0, 0, [], threading.Event()

    def run(self):
        while not self.ended.wait(0.25):
            start = time.monotonic()
            try:
                status = self.service.request("POST", "/v1/extract", SMALL, {"Content-Type": "text/html", **self.headers}, self.source)[0]
            except OSError as error:
                status = type(error).__name__
            self.worst = max(self.worst, time.monotonic() - start)
            if status == 200:
                self.served += 1
            else:
                self.refused.append(status)


class Site:
    """A site on a loopback port. A slow one answers after `wait` seconds."""

    def __init__(self, wait=0.0):
        self.hits, self.open, self.most = 0, 0, 0
        site, lock = self, threading.Lock()

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    if not self.request.recv(65536):
                        return
                    with lock:
                        site.hits += 1
                        site.open += 1
                        site.most = max(site.most, site.open)
                    time.sleep(wait)
                    self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                                         % (len(SMALL), SMALL))
                except OSError:
                    pass
                finally:
                    site.open -= 1

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads, allow_reuse_address, request_queue_size = True, True, 512

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, n=0):
        return f"http://127.0.0.1:{self.port}/{n}"


def together(*works):
    threads = [threading.Thread(target=quiet, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads


def quiet(work):
    try:
        work()
    except OSError:
        pass


def wait_all(threads, seconds):
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0, end - time.monotonic()))


# Each attack gets a function that starts a service, and returns the number of bypasses and a note.

def slow_readers(begin):
    service, page, held = begin(), article(9_500_000), []
    codings = ["", "Accept-Encoding: gzip\r\n", "Accept-Encoding: zstd\r\n", ""] * 10
    wait_all(together(*[lambda coding=coding: held.append(service.open("/v1/extract", page, coding)) for coding in codings]), 40)
    time.sleep(8)
    return 0, f"{len(held)} connections"


def dense_pages(begin):
    service = begin()
    pages = [(b"<html><body>" + unit * (9_500_000 // len(unit))) for unit in (b"<p>a", b"<b>", b"<li><a href=/a>b</a>", b"<tr><td>a<td>b")]
    works = [lambda page=page, path=path: service.request("POST", path, page) for page in pages for path in ("/v1/extract", "/v1/list", "/v1/inspect")]
    wait_all(together(*works), 90)
    return 0, "9.5 MB of tags"


def inspected(begin):
    service, page = begin(), article(9_500_000)
    wait_all(together(*[lambda: service.request("POST", "/v1/inspect", page)] * 8), 60)
    return 0, "8 pages of 9.5 MB"


def nested_json(begin):
    service = begin()
    bomb = b'{"html": "<p>a", "id": [' + b'{"":0},' * 1_400_000 + b"0]}"
    statuses = []
    wait_all(together(*[lambda: statuses.append(service.request("POST", "/v1/batch", bomb)[0])] * 12), 60)
    return 0, "12 lines of 9.8 MB"


def teach(begin):
    with tempfile.TemporaryDirectory() as folder:
        service, page = begin("--store", os.path.join(folder, "labels.sqlite")), article(9_900_000)
        stored = 0
        for n in range(30):
            status, body = service.request("POST", f"/v1/inspect?url=http://birds.example/{n}", page, {"Content-Type": "text/html"})
            if status != 200:
                continue
            handle = json.loads(body)["handle"]
            del body
            stored += service.post_json("/v1/teach/labels", {"handle": handle, "labels": {"2": True, "3": False}})[0] == 200
        slow = [service.open("/v1/teach/export", None) for _ in range(12)]
        statuses = []
        wait_all(together(*[lambda: statuses.append(service.post_json("/v1/teach/train", {"site": "birds.example"})[0])] * 3), 60)
        time.sleep(3)
        return 0, f"{stored} pages of 9.9 MB stored, {len(slow)} exports, training {sorted(set(statuses))}"


def slow_site(begin):
    site = Site(wait=15)
    service = begin("--allow-port", str(site.port), "--timeout", "20")
    fetch = lambda: service.post_json("/v1/extract", {"url": site.url()})
    together(*[fetch] * 64)
    fast, lying = Site(), 0
    end, worst = time.monotonic() + 12, 0.0
    while time.monotonic() < end:
        start = time.monotonic()
        status = service.request("POST", "/v1/extract", SMALL, {"Content-Type": "text/html"}, "127.0.0.8")[0]
        ready = service.request("GET", "/readyz")[0]
        lying += (ready == 200) != (status == 200)
        worst = max(worst, time.monotonic() - start)
        time.sleep(0.25)
    return lying, f"64 requests; /readyz and pasted pages within {worst:.2f} s"


def rate(begin):
    site = Site()
    service = begin("--allow-port", str(site.port), "--rate", "5", "--burst", "20")
    lines = "".join(json.dumps({"url": site.url(n)}) + "\n" for n in range(500)).encode()
    start = time.monotonic()
    held = service.open("/v1/batch", lines, "Content-Type: application/x-ndjson\r\n", 1 << 20)
    end = start + 8
    while time.monotonic() < end:
        if select.select([held], [], [], 0.1)[0] and not held.recv(1 << 20):
            break
    allowed = 20 + 5 * (time.monotonic() - start) + 2
    return max(0, site.hits - int(allowed)), f"{site.hits} fetches in {time.monotonic() - start:.1f} s"


def wrong_tokens(begin):
    with tempfile.NamedTemporaryFile("w", suffix=".tokens") as file:
        file.write("lab s3cret-of-the-lab\n")
        file.flush()
        service = begin("--token-file", file.name, user={"Authorization": "Bearer s3cret-of-the-lab"})
        statuses = [service.request("POST", "/v1/extract", SMALL, {"Authorization": f"Bearer guess{n}"})[0] for n in range(400)]
        right = service.request("POST", "/v1/extract", SMALL, {"Authorization": "Bearer s3cret-of-the-lab", "Content-Type": "text/html"})[0]
        return max(0, statuses.count(401) - 40) + (right != 200), f"{statuses.count(401)} x 401, {statuses.count(429)} x 429, then right: {right}"


def behind_proxy(begin):
    site = Site(wait=10)
    flags = ["--allow-port", str(site.port), "--trust-forwarded-for", "--connections-per-client", "16", "--timeout", "15"]
    service = begin(*flags, user={"X-Forwarded-For": "192.0.2.9"})
    body = json.dumps({"url": site.url()}).encode()
    held = [service.open("/v1/extract", body, "Content-Type: application/json\r\nX-Forwarded-For: 192.0.2.1\r\n") for _ in range(100)]
    time.sleep(3)
    refused = sum(bool(select.select([s], [], [], 0)[0]) and s.recv(15).startswith(b"HTTP/1.1 503") for s in held)
    return max(0, len(held) - refused - 16), f"{len(held) - refused} of 100 requests of one client are open; the limit is 16"


def cross_site(begin):
    site = Site()
    service = begin("--allow-port", str(site.port))
    for mode, destination in [("no-cors", "image"), ("no-cors", "script"), ("navigate", "iframe"), ("navigate", "document")]:
        headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": destination}
        service.request("GET", "/r/" + site.url(), None, headers)
    opens = service.request("GET", "/?url=https://example.org/", None, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})[0]
    return site.hits + (opens != 200), f"{site.hits} of 4 blind requests fetched; the playground opens: {opens}"


def slow_senders(begin):
    service, stop = begin(), time.monotonic() + 14
    held = []

    def header():
        s = socket.create_connection(("127.0.0.1", service.port))
        s.sendall(b"POST /v1/extract HTTP/1.1\r\n")
        held.append(s)
        while time.monotonic() < stop:
            s.sendall(b"x")
            time.sleep(1)

    def endless():
        while time.monotonic() < stop:
            with socket.create_connection(("127.0.0.1", service.port)) as s:
                s.sendall(b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
                piece = b"<p>word " * 8192
                quiet(lambda: [s.sendall(b"%x\r\n%s\r\n" % (len(piece), piece)) for _ in range(400)])

    def stalled():
        held.append(service.open("/v1/extract", b""))
        s = socket.create_connection(("127.0.0.1", service.port))
        s.sendall(b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9500000\r\n\r\n" + b"<p>a" * 2_000_000)
        held.append(s)

    wait_all(together(*[header] * 100, *[endless] * 10, *[stalled] * 20), 20)
    return 0, "100 slow headers, 10 endless bodies, 20 stalled bodies"


ATTACKS = [slow_readers, dense_pages, inspected, nested_json, teach, slow_site, rate, wrong_tokens, behind_proxy, cross_site, slow_senders]


def attack(binary, work, flags):
    started = []

    def begin(*more, user={}):
        service = Service(binary, *flags, *more)
        started.append((service, User(service, user)))
        started[0][1].start()
        return service

    try:
        bypasses, note = work(begin)
    except Exception as error:  # A service that breaks is a result, too.
        bypasses, note = 1, f"failed: {error!r}"
    service, user = started[0]
    alive = service.process.poll() is None
    time.sleep(0.3)
    user.ended.set()
    user.join(60)
    row = (service.memory() if alive else float("nan"), service.memory("VmRSS") if alive else float("nan"), user, bypasses, note)
    service.stop()
    return row


def costs(binary):
    unit = {"text": b"word ", "p": b"<p>a", "b": b"<b>", "li": b"<li><a href=/a>b</a>", "td": b"<tr><td>a<td>b"}
    pages = {"article": article(2_000_000), **{name: b"<html><body>" + u * (2_000_000 // len(u)) for name, u in unit.items()}}
    for name, page in pages.items():
        for path in ("/v1/extract", "/v1/list", "/v1/inspect"):
            service = Service(binary)
            before = service.memory()
            service.request("POST", path, page, {"Content-Type": "text/html"})
            used = (service.memory() - before) * MB
            print(f"{name:8} {path:12} {used / len(page):6.1f} bytes per byte, {used / max(1, page.count(b'<')):8.0f} per tag")
            service.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", action="append")
    parser.add_argument("--workers", help="extraction threads; by default as many as the service chooses")
    parser.add_argument("--limit", type=float, default=512, help="megabytes")
    parser.add_argument("--costs", action="store_true")
    args = parser.parse_args()
    if args.costs:
        return costs(args.binary)
    flags = ["--workers", args.workers] if args.workers else []
    failed = False
    print("| attack | peak MB | MB after | other user's worst s | refused | bypasses | |\n| --- | --- | --- | --- | --- | --- | --- |")
    for work in ATTACKS:
        if args.only and work.__name__ not in args.only:
            continue
        peak, after, user, bypasses, note = attack(args.binary, work, flags)
        total = user.served + len(user.refused)
        failed |= not (peak <= args.limit) or user.worst > 1 or bool(user.refused) or bypasses > 0
        name = work.__name__.replace("_", " ")
        print(f"| {name} | {peak:.0f} | {after:.0f} | {user.worst:.2f} | {len(user.refused)} of {total} | {bypasses} | {note} |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
