#!/usr/bin/env python3
"""Measures the processor time of each stage of `maintext batch`, by the names of its threads, and the limits that follow.

usage: python bench/batch_stages.py PAGES... --count N --maintext target/release/maintext [--threads 1,2] [--readers 1,2] [FLAGS OF batch]

Linux only: reads /proc. Each run writes to a temporary folder. The stages: `split` finds the members of an archive, `unpack` decompresses
and splits them into records (with one reader, `read` does both), `read` hands them over, `extract` makes the rows, and `write` puts them in
order into the output.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile
import time

TICKS = os.sysconf("SC_CLK_TCK")
STAGES = ["split", "unpack", "read", "extract", "write"]


def times(pid):
    """Returns the processor seconds and the name of each thread."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            name, rest = (task / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except (FileNotFoundError, ProcessLookupError):
            continue
        fields = rest.split()
        found[task.name] = (name, (int(fields[11]) + int(fields[12])) / TICKS)
    return found


def run(args, threads, readers):
    """Runs a batch; returns its wall-clock seconds and the processor seconds of each stage."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / args.output
        command = [args.maintext, "batch", *args.pages, "-o", output, "-j", str(threads), "--readers", str(readers), *args.flags]
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        seen = {}
        while process.poll() is None:
            try:
                seen.update(times(process.pid))
            except (FileNotFoundError, ProcessLookupError):
                break
            time.sleep(0.02)
        seconds = time.monotonic() - start
        report = process.stderr.read()
        if process.wait() not in (0, 1):
            raise SystemExit(f"{' '.join(map(str, command))}: exit status {process.returncode}: {report}")
    stages = dict.fromkeys(STAGES, 0.0)
    for name, used in seen.values():
        stages[name if name in stages else "write"] += used
    return seconds, stages


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", help="archives or tables")
    parser.add_argument("--maintext", default="target/release/maintext")
    parser.add_argument("--count", type=int, required=True, help="number of pages in them")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--readers", default="1,2")
    parser.add_argument("--output", default="out.jsonl")
    args, args.flags = parser.parse_known_args()
    print("| threads | readers | seconds | pages/s |", " | ".join(STAGES), "|")
    print("| --: " * (4 + len(STAGES)) + "|")
    for threads in map(int, args.threads.split(",")):
        for readers in map(int, args.readers.split(",")):
            seconds, stages = run(args, threads, readers)
            rate = [f"{used:.1f} s, {args.count / used:,.0f}/s" if used > 0.05 else f"{used:.2f} s" for used in stages.values()]
            print(f"| {threads} | {readers} | {seconds:.1f} | {args.count / seconds:,.0f} |", " | ".join(rate), "|", flush=True)


if __name__ == "__main__":
    main()
