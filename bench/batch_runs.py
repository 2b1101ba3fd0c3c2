"""Long runs of `maintext batch`: killed and resumed, and memory use over a million pages.

    batch_runs.py kills  BINARY INPUT... [--kills 10] [--dedup minhash] [--seed N]
    batch_runs.py memory BINARY INPUT... [--fields id,url,title,text]

`kills`: kills a run with SIGKILL at random moments and restarts it with the same arguments until it completes. Its output must then be
byte-identical to that of an uninterrupted run. Repeated for each kind of output. Kills that come after the end of a run do not count.
`memory`: the largest resident memory in each tenth of a run's time. Linux only (/proc).
"""

import argparse
import hashlib
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time


def digest(path):
    """Returns a hash of a file, or of the names and contents of a folder."""
    found = hashlib.sha256()
    names = sorted(os.path.join(f, n) for f, _, names in os.walk(path) for n in names) if os.path.isdir(path) else [path]
    for name in names:
        with open(name, "rb") as file:
            found.update(os.path.relpath(name, path).encode() + hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()[:16]


def kills(args, folder):
    good = True
    for kind in args.only or (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet", "/"):

        def command(name):
            out = os.path.join(folder, name + kind)
            flags = ["--checkpoint", "0.2", "--row-group", "20"] + (["--dedup", args.dedup] if args.dedup else [])
            return out, [args.binary, "batch", *args.inputs, "-o", out, *flags]

        whole, run = command("whole")
        start = time.time()
        subprocess.run(run, stderr=subprocess.DEVNULL)
        seconds = time.time() - start
        out, run = command("killed")
        done, early = 0, 0
        while done < args.kills:
            child = subprocess.Popen(run, stderr=subprocess.DEVNULL)
            # A resumed run repeats most of its work, so short intervals are needed for enough kills.
            time.sleep(random.uniform(0, 1.6 * seconds / args.kills))
            if child.poll() is None:
                child.kill()
                child.wait()
                done += 1
            else:
                # The run completed: start from the beginning, so that kills happen in every part of it.
                early += 1
                subprocess.run(["rm", "-rf", out])
        end = subprocess.run(run, stderr=subprocess.PIPE, text=True)
        same = digest(whole) == digest(out)
        resumed = re.search(r"(\d+) done by an earlier run", end.stderr)
        left = [name for name in os.listdir(folder) if name not in {os.path.basename(p.rstrip("/")) for p in (whole, out)}]
        row = {"output": kind, "seconds_whole": round(seconds, 1), "kills": done, "ended_before_a_kill": early}
        row |= {"pages_of_earlier_runs": int(resumed[1]) if resumed else 0, "sha256": digest(out), "identical": same, "left_over": left}
        print(json.dumps(row), flush=True)
        good = good and same and not left
        subprocess.run(["rm", "-rf", whole, out])
    return good


def memory(args, folder):
    fields = ["--fields", args.fields] if args.fields else []
    out = os.path.join(folder, "out.jsonl")
    start, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen([args.binary, "batch", *args.inputs, "-o", out, *fields], stderr=subprocess.DEVNULL)
    seen = []
    while child.poll() is None:
        try:
            with open(f"/proc/{child.pid}/status") as file:
                seen.append(int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024)
        except (OSError, TypeError):
            break
        time.sleep(0.25)
    status = child.wait()
    seconds, after = time.time() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with open(out, "rb") as file:
        rows = sum(1 for _ in file)
    tenths = [round(max(seen[len(seen) * i // 10 : len(seen) * (i + 1) // 10] or [0])) for i in range(10)]
    print(json.dumps({
        "rows": rows, "seconds": round(seconds, 1), "processor_seconds": round(used, 1), "rows_a_processor_second": round(rows / used),
        "peak_megabytes": round(after.ru_maxrss / 1024), "megabytes_by_tenth": tenths, "status": status,
    }))
    return status in (0, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["kills", "memory"])
    parser.add_argument("binary")
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--only", action="append", help="kind of output, for example .parquet; may be repeated")
    parser.add_argument("--dedup")
    parser.add_argument("--fields", default="")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--folder", help="folder for temporary outputs")
    args = parser.parse_args()
    random.seed(args.seed)
    args.binary, args.inputs = os.path.abspath(args.binary), [os.path.abspath(i) for i in args.inputs]
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        sys.exit(0 if {"kills": kills, "memory": memory}[args.what](args, folder) else 1)


if __name__ == "__main__":
    main()
