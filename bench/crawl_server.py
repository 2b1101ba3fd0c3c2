"""A dry run of `maintext batch` over web archives on a server: whole files by a list, and captures by an index.

    crawl_server.py FILE.warc.gz --maintext BINARY [--files 8] [--kills 5] [--failures 0.1] [--dedup-lines]

Splits the file (from `cargo xtask warc`) into several, serves them on the loopback interface with range requests, and runs, one after
another:

  disk     the list of files, read from disk
  list     the same list from the server
  failing  the same while the server fails: a share of the answers has the status 503, ends halfway, or is shorter than the range
  killed   the same with failures, killed with SIGKILL at random moments and started again
  index    all captures by an index in the order of the files
  random   all captures by an index in random order: a request per capture

All runs but `random` must have the same bytes; its rows must be the same in another order. Prints a line of JSON per run.
"""

import argparse
import hashlib
import http.server
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import zlib


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        server = self.server
        if self.path == "/-/counts":
            body = json.dumps(server.counts).encode()
            server.counts = {"requests": 0, "failures": 0, "bytes": 0}
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        if self.path.startswith("/-/failures/"):
            server.failures = float(self.path.rsplit("/", 1)[1])
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        try:
            file = open(os.path.join(server.folder, self.path.lstrip("/")), "rb")
        except OSError:
            self.send_error(404)
            return
        with file:
            size = os.fstat(file.fileno()).st_size
            start, end = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups()
            start, end = int(start), min(int(end), size - 1)
            how = random.choice(["busy", "cut", "short"]) if random.random() < server.failures else None
            with server.lock:
                server.counts["requests"] += 1
                server.counts["failures"] += how is not None
            if how == "busy" or start >= size:
                self.send_response(503 if how else 416)
                self.send_header("Content-Range", f"bytes */{size}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            length = end - start + 1
            sent = length // 2 if how else length
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{end}/{size}")
            self.send_header("Content-Length", str(sent if how == "short" else length))
            self.end_headers()
            self.wfile.flush()
            self.connection.sendfile(file, start, sent)
            with server.lock:
                server.counts["bytes"] += sent
            if how == "cut":
                self.close_connection = True


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.folder, server.failures, server.lock = folder, 0.0, threading.Lock()
    server.counts = {"requests": 0, "failures": 0, "bytes": 0}
    print(server.server_port, flush=True)
    try:
        server.serve_forever()
    except (KeyboardInterrupt, BrokenPipeError):
        pass


def members(path):
    """Yields the compressed bytes and the start of the text of each gzip member."""
    with open(path, "rb") as file:
        rest = b""
        while True:
            decoder, parts, text = zlib.decompressobj(31), [], b""
            while not decoder.eof:
                chunk = rest or file.read(1 << 20)
                rest = b""
                if not chunk:
                    return
                out = decoder.decompress(chunk)
                text += out[: 4096 - len(text)]
                used = len(chunk) - len(decoder.unused_data)
                parts.append(chunk[:used])
                rest = decoder.unused_data
            yield b"".join(parts), text


def split(path, folder, files):
    """Writes the members of a file to several files of about the same size, a list, and two indexes. Returns the number of captures."""
    share = os.path.getsize(path) // files + 1
    rows, names, out, offset = [], [], None, 0
    for member, text in members(path):
        if out is None or offset >= share:
            names.append(f"{len(names):05}.warc.gz")
            out, offset = open(os.path.join(folder, names[-1]), "wb"), 0
        url = re.search(rb"WARC-Target-URI: *<?([^\r\n>]*)", text)
        if b"WARC-Type: response" in text:
            url = url[1].decode() if url else ""
            rows.append({"url": url, "status": "200", "filename": names[-1], "offset": str(offset), "length": str(len(member))})
        out.write(member)
        offset += len(member)
    out.close()
    with open(os.path.join(folder, "warc.paths"), "w") as file:
        file.writelines(name + "\n" for name in names)
    for name in ("index", "random"):
        with open(os.path.join(folder, name + ".cdxj"), "w") as file:
            file.writelines(f"- - {json.dumps(row)}\n" for row in rows)
        random.shuffle(rows)
    return len(rows)


def digest(path, in_order=True):
    found = hashlib.sha256()
    with open(path, "rb") as file:
        for line in file if in_order else sorted(file):
            found.update(line)
    return found.hexdigest()[:16]


def main():
    if sys.argv[1:2] == ["--serve"]:
        return serve(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--maintext", required=True)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--failures", type=float, default=0.1)
    parser.add_argument("--dedup-lines", action="store_true", help="in all runs but those by an index")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random.seed(args.seed)
    import urllib.request

    with tempfile.TemporaryDirectory() as folder:
        captures = split(args.file, folder, args.files)
        server = subprocess.Popen([sys.executable, __file__, "--serve", folder], stdout=subprocess.PIPE, text=True)
        base = f"http://127.0.0.1:{int(server.stdout.readline())}/"
        environment = {**os.environ, "NO_PROXY": "127.0.0.1"}
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        ask = lambda path: opener.open(base + path).read()
        good = True

        def start(name, base, out, *more):
            flags = ["--fields", "id,url,title,text", "--checkpoint", "0.5", "--retry-wait", "0.05"]
            if args.dedup_lines and name == "warc.paths":
                flags.append("--dedup-lines")
            command = [args.maintext, "batch", os.path.join(folder, name), "--base", base, "-o", out, *flags, *more]
            return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)

        def report(run, out, kills=0):
            nonlocal good
            seconds, used = time.time() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
            # The server is no child that has ended yet, so its time does not count.
            used = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
            row = {"run": run, "captures": captures, "seconds": round(seconds, 1), "pages_per_second": round(captures / seconds)}
            row |= {"processor_seconds": round(used, 1), **json.loads(ask("-/counts")), "kills": kills}
            same_rows = digest(out, False) == expected[1]
            row |= {"identical": digest(out) == expected[0], "same_rows": same_rows}
            good = good and same_rows and (run == "random" or row["identical"])
            print(json.dumps(row), flush=True)
            os.remove(out)

        def once(run, name, base, share=0.0):
            nonlocal begin, before, expected
            ask(f"-/failures/{share}")
            begin, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
            out = os.path.join(folder, run + ".jsonl")
            print(start(name, base, out).communicate()[1].split("\n")[0], file=sys.stderr)
            expected = expected or (digest(out), digest(out, False))
            report(run, out)
            return time.time() - begin

        begin, before, expected = 0.0, None, None
        ask("-/counts")
        once("disk", "warc.paths", folder)
        once("list", "warc.paths", base)
        seconds = once("failing", "warc.paths", base, args.failures)
        begin, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
        out = os.path.join(folder, "killed.jsonl")
        kills = 0
        while kills < args.kills:
            child = start("warc.paths", base, out)
            time.sleep(random.uniform(0.2, 1.6) * seconds / args.kills)
            if child.poll() is not None:
                break
            child.kill()
            child.communicate()
            kills += 1
        print(start("warc.paths", base, out).communicate()[1].split("\n")[0], file=sys.stderr)
        report("killed", out, kills)
        if args.dedup_lines:
            expected = None
            once("disk", "index.cdxj", folder)
        once("index", "index.cdxj", base)
        once("random", "random.cdxj", base)
        server.terminate()
        server.wait()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
