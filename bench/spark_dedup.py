"""Deduplicates synthetic pages with known clusters on a Spark standalone cluster on this machine, with and without killed workers.

    spark_dedup.py [--pages 200000] [--workers 4] [--seed 1] [--no-kill]

Generates pages from a seed: clusters with a heavy tail of sizes (one of 5,000 copies, one chain of 1,000 small edits), pages of sites that
share boilerplate, and unrelated pages. Runs `maintext.spark.clusters` twice on a master and workers on the loopback interface; in the second
run, two workers are killed with all their descendants (SIGKILL), one while signatures are made and one while components are joined. Both
runs must give the same clusters. Prints a JSON object: precision and recall of pairs and of kept copies, the share of pairs of one edit that
share a key beside the expectation for their similarity, seconds, and the processor time and peak memory of all processes (proportional set
size). Exits with 1 if the runs differ. Needs pyspark, pyarrow, numpy, maintext and Java.
"""

import argparse
import collections
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from spark_cluster import Cluster

#: Bands of a signature and minima in a band (crates/maintext-batch/src/dedup.rs).
BANDS, ROWS = 14, 8
SHINGLE = 5
#: About how many edits the shares by similarity are from.
EDITS = 20_000
VOCABULARY = 30_000


class Pages:
    """Synthetic pages: arrays of word numbers, the cluster of each, and the page that each was made from."""

    def __init__(self, count, seed):
        import numpy

        self.np, self.rng, self.count = numpy, numpy.random.default_rng(seed), count
        syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
        # The syllables of a number, as its digits: every word is different.
        self.words = numpy.array([self.word(syllables, number) for number in range(VOCABULARY)])
        weights = 1 / numpy.arange(1, VOCABULARY + 1)
        self.cumulated = numpy.cumsum(weights) / weights.sum()
        self.texts, self.cluster, self.parent = [], [], []

    def word(self, syllables, number):
        rest, digit = divmod(number, len(syllables))
        return (self.word(syllables, rest) if rest else "") + syllables[digit]

    def text(self, words):
        return self.np.searchsorted(self.cumulated, self.rng.random(words)).clip(0, VOCABULARY - 1)

    def length(self):
        return int(self.np.clip(self.rng.lognormal(5.5, 0.7), 60, 5000))

    def add(self, text, cluster, parent=None):
        self.texts.append(text)
        self.cluster.append(cluster)
        self.parent.append(parent)
        return len(self.texts) - 1

    def edited(self, text, similarity):
        """Returns a text with about this Jaccard similarity of shingles: words replaced, words added at an end, or an end cut."""
        size, kind = len(text), self.rng.integers(0, 3)
        if similarity >= 1:
            return text
        if kind == 0:
            changed = text.copy()
            count = max(1, round(size * (1 - similarity) / (SHINGLE * (1 + similarity))))
            changed[self.rng.choice(size, count, replace=False)] = self.text(count)
            return changed
        if kind == 1:
            more = self.text(max(1, round(size * (1 / similarity - 1))))
            return self.np.concatenate([more, text] if self.rng.random() < 0.5 else [text, more])
        return text[max(1, round(size * (1 - similarity))) :]

    def similarity(self):
        """Draws how similar a copy is to its original: 15 % equal, most above 0.85, some down to 0.7."""
        low, high = ((1, 1), (0.95, 1), (0.85, 0.95), (0.7, 0.85))[self.rng.choice(4, p=(0.15, 0.45, 0.25, 0.15))]
        return self.rng.uniform(low, high)

    def copies(self, size):
        number = len(self.texts)
        first = self.add(self.text(self.length()), number)
        for _ in range(size - 1):
            self.add(self.edited(self.texts[first], self.similarity()), number, first)

    def chain(self, size):
        """Each page is an edit of the one before, so the ends have little in common."""
        number = last = self.add(self.text(self.length() + 100), len(self.texts))
        for _ in range(size - 1):
            changed, count = self.texts[last].copy(), max(1, len(self.texts[last]) // 150)
            changed[self.rng.choice(len(changed), count, replace=False)] = self.text(count)
            last = self.add(changed, number, last)

    def site(self, size):
        """Unrelated pages with the same words at both ends: 5 to 50 % of each page."""
        shared = self.text(int(self.rng.integers(20, 120)))
        head, foot = shared[: len(shared) // 2], shared[len(shared) // 2 :]
        for _ in range(size):
            body = self.text(int(len(shared) / self.rng.uniform(0.05, 0.5)) - len(shared))
            self.add(self.np.concatenate([head, body, foot]), len(self.texts))

    def make(self):
        self.copies(min(5000, self.count // 20))
        self.chain(min(1000, self.count // 50))
        while len(self.texts) < self.count * 0.55:
            size = min(3000, int(2 / (1 - self.rng.random())))
            self.chain(min(size, 50)) if self.rng.random() < 0.2 else self.copies(size)
        while len(self.texts) < self.count * 0.8:
            self.site(int(self.rng.integers(5, 200)))
        while len(self.texts) < self.count:
            self.add(self.text(self.length()), len(self.texts))

    def shingles(self, text):
        np = self.np
        rows = np.lib.stride_tricks.sliding_window_view(text.astype(np.uint64), min(SHINGLE, len(text)))
        return np.unique((rows * np.uint64(0x9E3779B97F4A7C15) ** np.arange(1, rows.shape[1] + 1, dtype=np.uint64)).sum(axis=1))

    def string(self, text):
        """Returns the text in lines of random length, so that equal pages differ in white space."""
        words, lines, at = self.words[text].tolist(), [], 0
        while at < len(words):
            size = int(self.rng.integers(8, 16))
            lines.append(" ".join(words[at : at + size]))
            at += size
        return "\n".join(lines)

    def write(self, folder, files):
        """Writes the pages in random order. Their ids are random too, so that a cluster's first id is not its original's."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.ids = [f"{number:012x}" for number in self.rng.permutation(1 << 24)[: len(self.texts)].tolist()]
        self.strings = [self.string(text) for text in self.texts]
        order = self.rng.permutation(len(self.texts)).tolist()
        for file in range(files):
            part = order[file::files]
            table = pa.table({"id": [self.ids[i] for i in part], "text": [self.strings[i] for i in part]})
            pq.write_table(table, os.path.join(folder, f"pages-{file:03}.parquet"))

    def expectation(self):
        """Returns, by the similarity of an edit to its original, the number of pairs, how many share a key, and the expected share."""
        import maintext

        def keys(i):
            whole = maintext.signature(self.strings[i]) or b""
            return {whole[at : at + 8] for at in range(0, len(whole), 8)}

        bins = collections.defaultdict(lambda: [0, 0, 0.0])
        edits = [(child, parent) for child, parent in enumerate(self.parent) if parent is not None]
        for child, parent in edits[:: max(1, len(edits) // EDITS)]:
            one, other = self.shingles(self.texts[child]), self.shingles(self.texts[parent])
            both = len(self.np.intersect1d(one, other, assume_unique=True))
            similarity = both / (len(one) + len(other) - both)
            row = bins["1.00" if similarity == 1 else f"{int(similarity * 20) / 20:.2f} to {int(similarity * 20) / 20 + 0.05:.2f}"]
            row[0] += 1
            row[1] += not keys(child).isdisjoint(keys(parent))
            row[2] += 1 - (1 - similarity**ROWS) ** BANDS
        return {name: {"pairs": n, "share": round(found / n, 4), "expected": round(sure / n, 4)} for name, (n, found, sure) in sorted(bins.items())}


def pairs(sizes):
    return sum(n * (n - 1) // 2 for n in sizes)


def quality(pages, rows):
    """Returns precision and recall of pairs, and of kept copies: the smallest id of each cluster."""
    truth = dict(zip(pages.ids, pages.cluster))
    found = {row["id"]: row["cluster"] for row in rows}
    together = pairs(collections.Counter((truth[id], cluster) for id, cluster in found.items()).values())
    first = {}
    for id, cluster in truth.items():
        first[cluster] = min(id, first.get(cluster, id))
    wanted = set(first.values())
    kept = truth.keys() - {row["id"] for row in rows if not row["kept"]}
    actual = pairs(collections.Counter(found.values()).values())
    return {
        "true_pairs": pairs(collections.Counter(pages.cluster).values()),
        "found_pairs": actual,
        "pair_precision": round(together / actual, 5),
        "pair_recall": round(together / pairs(collections.Counter(pages.cluster).values()), 5),
        "true_clusters": len(wanted),
        "kept": len(kept),
        "kept_copies_too_many": len(kept - wanted),
        "kept_copies_missing": len(wanted - kept),
        "kept_precision": round(len(kept & wanted) / len(kept), 5),
        "kept_recall": round(len(kept & wanted) / len(wanted), 5),
    }


def usage(roots):
    """Returns the memory of processes and their descendants in bytes, where shared pages count once, and the processor seconds of each (Linux)."""
    children, ticks = collections.defaultdict(list), {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat) as file:
                name, rest = file.read().rsplit(")", 1)
            fields = rest.split()
            children[int(fields[1])].append(int(name.split()[0]))
            ticks[int(name.split()[0])] = int(fields[11]) + int(fields[12])
        except OSError:
            pass
    total, stack, seconds = 0, list(roots), {}
    while stack:
        pid = stack.pop()
        seconds[pid] = ticks.get(pid, 0) / os.sysconf("SC_CLK_TCK")
        stack += children[pid]
        try:
            with open(f"/proc/{pid}/smaps_rollup") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith(("Pss:", "SwapPss:"))) * 1024
        except OSError:
            pass
    return total, seconds


def run(folder, name, workers, kill):
    """Runs the job on a new cluster; returns its rows and measurements."""
    import pyarrow.parquet as pq

    place = os.path.join(folder, name)
    os.mkdir(place)
    cluster = Cluster(place, workers, "2g")
    confs = ["spark.executor.memory=1g", "spark.executor.cores=1", "spark.ui.enabled=false", "spark.sql.shuffle.partitions=8"]
    confs += [f"spark.pyspark.python={sys.executable}", "spark.driver.host=127.0.0.1", "spark.task.maxFailures=8"]
    command = [os.path.join(cluster.home, "bin", "spark-submit"), "--master", cluster.url]
    command += [part for conf in confs for part in ("--conf", conf)]
    work, out = os.path.join(place, "work"), os.path.join(place, "clusters")
    command += [os.path.abspath(__file__), "--job", os.path.join(folder, "pages"), work, out]
    peak, processor, stop, killed = 0, {}, threading.Event(), []
    # The steps during which a worker is killed, as patterns of files that exist from then on.
    moments = ["nodes/_temporary/0/_temporary/*", "edges-0/_SUCCESS"] if kill else []
    start = time.perf_counter()
    try:
        with open(os.path.join(place, "job.log"), "wb") as log:
            process = subprocess.Popen(command, env=cluster.environment, stdout=log, stderr=log, start_new_session=True)
            while process.poll() is None:
                memory, seconds = usage([process.pid, *(p.pid for p in cluster.processes)])
                peak = max(peak, memory)
                processor |= seconds
                if moments and glob.glob(os.path.join(work, "*", moments[0])):
                    cluster.kill(cluster.processes[-1 - len(killed)])
                    killed.append(round(time.perf_counter() - start, 1))
                    moments.pop(0)
                stop.wait(0.25)
        seconds = time.perf_counter() - start
        if process.returncode:
            with open(os.path.join(place, "job.log"), errors="replace") as log:
                sys.exit(f"the job failed:\n{log.read()[-3000:]}")
    finally:
        cluster.stop()
    rows = sorted(pq.read_table(out).to_pylist(), key=lambda row: row["id"])
    with open(os.path.join(place, "job.log"), errors="replace") as log:
        lost = sum("Lost executor" in line for line in log)
    figures = {"seconds": round(seconds, 1), "processor_seconds": round(sum(processor.values()), 1), "peak_memory_mb": round(peak / 1e6)}
    return rows, {**figures, "killed_at_seconds": killed, "executors_lost": lost}


def job(pages, work, out):
    """Runs on the cluster."""
    from pyspark.sql import SparkSession

    from maintext import spark as mt

    spark = SparkSession.builder.appName("deduplicate").getOrCreate()
    mt.clusters(spark.read.parquet(pages), work=work).write.parquet(out)
    spark.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-kill", action="store_true", help="only the undisturbed run")
    parser.add_argument("--job", nargs=3, metavar=("PAGES", "WORK", "OUT"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.job:
        return job(*args.job)
    folder = tempfile.mkdtemp(prefix="maintext-dedup-")
    try:
        os.mkdir(os.path.join(folder, "pages"))
        pages = Pages(args.pages, args.seed)
        pages.make()
        pages.write(os.path.join(folder, "pages"), 4 * args.workers)
        quiet, figures = run(folder, "quiet", args.workers, kill=False)
        result = {"pages": len(pages.ids), "words": sum(map(len, pages.texts)), "largest_clusters": sorted(collections.Counter(pages.cluster).values())[-5:]}
        result |= {**quality(pages, quiet), "by_similarity": pages.expectation(), "quiet": figures}
        if not args.no_kill:
            killed, more = run(folder, "killed", args.workers, kill=True)
            result |= {"killed": more, "same_result": quiet == killed}
        print(json.dumps(result, indent=1))
        if not args.no_kill and (quiet != killed or len(more["killed_at_seconds"]) < 2):
            sys.exit(1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
