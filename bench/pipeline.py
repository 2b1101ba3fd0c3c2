#!/usr/bin/env python3
"""Compares maintext with datatrove and trafilatura from a WARC file to a filtered, deduplicated Parquet corpus.

    cargo xtask warc --records 20000 -o 20k.warc.gz
    python bench/pipeline.py 20k.warc.gz --maintext target/release/maintext [--cores 2]

Both sides read the same file, extract, apply FineWeb's filters (gopher-repetition, gopher-quality, c4 without end marks, fineweb) and MinHash
with 14 bands of 8 rows over shingles of five words, and write Parquet. datatrove reads one file with one task, so the script first cuts the
file into a part per core, outside of the measured time; its URL and language filters are left out. Needs datatrove[processing] 0.10.1, spacy 3.8, faust-cchardet, python-magic, orjson,
trafilatura and warcio. Prints a JSON object with the seconds, pages per second, pages per second and core, and rows of both sides.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

FILTERS = "fineweb-all"


def parts(warc: str, folder: str, count: int) -> int:
    """Deals the responses of a file to `count` files. Returns the number of pages."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.warcwriter import WARCWriter

    os.makedirs(folder)
    files = [open(f"{folder}/{n:02}.warc.gz", "wb") for n in range(count)]
    writers = [WARCWriter(file, gzip=True) for file in files]
    pages = 0
    with open(warc, "rb") as source:
        for record in ArchiveIterator(source):
            if record.rec_type == "response":
                writers[pages % count].write_record(record)
                pages += 1
    for file in files:
        file.close()
    return pages


def datatrove(source: str, folder: str, cores: int) -> None:
    """Runs the pipeline in this process and its workers."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.extractors import Trafilatura
    from datatrove.pipeline.filters import C4QualityFilter, FineWebQualityFilter, GopherQualityFilter, GopherRepetitionFilter
    from datatrove.pipeline.readers import JsonlReader, WarcReader
    from datatrove.pipeline.writers import JsonlWriter, ParquetWriter

    config = MinhashConfig(n_grams=5, num_buckets=14, hashes_per_bucket=8)
    texts, work = f"{folder}/texts", f"{folder}/minhash"

    def run(pipeline: list, tasks: int) -> None:
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=cores, skip_completed=False, logging_dir=f"{folder}/logs/{len(pipeline)}{tasks}{time.time()}").run()

    run(
        [
            WarcReader(source, glob_pattern="*.warc.gz"),
            Trafilatura(favour_precision=True, timeout=10),
            GopherRepetitionFilter(),
            GopherQualityFilter(),
            C4QualityFilter(filter_no_terminal_punct=False),
            FineWebQualityFilter(),
            JsonlWriter(texts),
        ],
        cores,
    )
    run([JsonlReader(texts), MinhashDedupSignature(f"{work}/signatures", config=config)], cores)
    run([MinhashDedupBuckets(f"{work}/signatures", f"{work}/buckets", config=config)], config.num_buckets)
    run([MinhashDedupCluster(f"{work}/buckets", f"{work}/remove", config=config)], 1)
    run([JsonlReader(texts), MinhashDedupFilter(f"{work}/remove"), ParquetWriter(f"{folder}/out")], cores)


def rows(folder: str) -> int:
    import pyarrow.parquet as pq

    found = [os.path.join(path, name) for path, _, names in os.walk(folder) for name in names if name.endswith(".parquet")]
    return sum(pq.ParquetFile(name).metadata.num_rows for name in found)


def measured(command: list[str]) -> dict:
    """Runs a command and returns its time."""
    start = time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - start
    if run.returncode:
        sys.exit(f"{command[0]}: exit code {run.returncode}\n{run.stderr[-2000:]}")
    return {"seconds": round(seconds, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warc")
    parser.add_argument("--maintext", default="target/release/maintext")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--parts", help="folder where the parts of the file are kept for another run")
    parser.add_argument("--datatrove", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.datatrove:
        datatrove(given.parts, given.datatrove, given.cores)
        return
    folder = tempfile.mkdtemp(prefix="pipeline-")
    try:
        kept = given.parts or f"{folder}/in"
        if not os.path.exists(f"{kept}/pages"):
            with open(f"{kept}.pages", "w", encoding="utf-8") as file:
                file.write(str(parts(given.warc, kept, given.cores)))
            os.rename(f"{kept}.pages", f"{kept}/pages")
        with open(f"{kept}/pages", encoding="utf-8") as file:
            pages = int(file.read())
        ours = [given.maintext, "batch", given.warc, "-o", f"{folder}/corpus", "-f", "parquet", "--fields", "fineweb", "--quality", FILTERS]
        ours += ["--dedup", "minhash", "-j", str(given.cores), "--tokenizer", "words", "--quiet", "--errors", f"{folder}/errors.jsonl"]
        theirs = [sys.executable, __file__, given.warc, "--cores", str(given.cores), "--datatrove", folder, "--parts", kept]
        result = {"pages": pages, "cores": given.cores}
        for name, command, out in [("maintext", ours, "corpus"), ("datatrove", theirs, "out")]:
            side = measured(command)
            side["pages_per_second"] = round(pages / side["seconds"], 1)
            side["pages_per_second_and_core"] = round(pages / side["seconds"] / given.cores, 1)
            side["rows"] = rows(f"{folder}/{out}")
            result[name] = side
            print(json.dumps({name: side}), file=sys.stderr)
        result["ratio"] = round(result["datatrove"]["seconds"] / result["maintext"]["seconds"], 1)
        print(json.dumps(result, indent=2))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
