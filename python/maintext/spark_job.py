"""A Spark job that extracts and deduplicates WARC or Parquet files to Parquet.

    spark-submit "$(python -c 'import maintext.spark_job as job; print(job.__file__)')" \\
        --input 'crawl/*.warc.gz' --output texts.parquet --fields id,url,title,language,text,error --where "language like 'de%'"

With ``--dedup``, the extracted pages are first written to a subfolder of ``--work``, which the job removes at its end.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from maintext._spark_dedup import Work

def names(text: str) -> list[str]:
    """Returns the parts of a list separated by commas."""
    return [name.strip() for name in text.split(",")]


def kinds(text: str) -> list[str]:
    """Returns the kinds of duplicates in a list."""
    wrong = [name for name in names(text) if name not in ("url", "exact", "minhash")]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r}: expected url, exact, minhash, or several separated by commas")
    return names(text)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parses the flags."""
    parser = argparse.ArgumentParser(
        prog="spark-submit spark_job.py", description="Extracts the main text of the pages in WARC or Parquet files with maintext."
    )
    parser.add_argument("--input", nargs="+", required=True, metavar="PATH", help="WARC files (.warc, .warc.gz, .warc.zst) or Parquet")
    parser.add_argument("--output", required=True, metavar="DIR", help="folder for the Parquet files")
    parser.add_argument("--format", choices=["warc", "parquet"], help="format of the inputs [default: detected by their names]")
    parser.add_argument("--fields", metavar="NAMES", type=names, help="fields of the result, separated by commas [default: all]")
    parser.add_argument("--where", metavar="SQL", help="keep only rows that meet this condition, such as \"language like 'de%' and error is null\"")
    parser.add_argument("--dedup", metavar="KINDS", type=kinds, help="drop duplicates: url, exact, minhash, or several in turn, such as url,minhash")
    parser.add_argument(
        "--keep", default="first", metavar="COPY", help="the copy that stays: first, longest, newest or an SQL expression [default: first]"
    )
    parser.add_argument("--work", metavar="DIR", help="folder for intermediate tables, which all executors reach [default: the checkpoint folder]")
    parser.add_argument("--html", default="html", metavar="COLUMN", help="column of pages in Parquet inputs [default: html]")
    parser.add_argument("--url", default="url", metavar="COLUMN", help="column of their addresses [default: url]")
    parser.add_argument("--id", metavar="COLUMN", help="column of their ids [default: id, if it exists]")
    parser.add_argument("--method", default="learned", help="method that finds the main content [default: learned]")
    parser.add_argument("--favor", choices=["precision", "recall"], help="favor precision (less boilerplate) or recall (more content) [default: neither]")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS", help="time limit for one page [default: 60]")
    parser.add_argument("--max-size", type=int, default=20 << 20, metavar="BYTES", help="maximum size of a page [default: 20 MiB]")
    parser.add_argument("--partitions", type=int, metavar="N", help="number of tasks [default: one per WARC file; chosen by Spark for Parquet]")
    parser.add_argument("--mode", default="errorifexists", choices=["errorifexists", "overwrite", "append"], help="action if DIR exists")
    return parser.parse_args(argv)


def fields(args: argparse.Namespace) -> tuple[list[str] | None, list[str] | None]:
    """Returns the fields to extract, and the fields of the result if they are fewer."""
    import maintext

    if args.fields is None:
        return None, None
    wanted = maintext.schema(args.fields).names
    needed = ["id", "url", "text"] if args.dedup else []
    needed += ["date"] if args.dedup and args.keep == "newest" else []
    missing = [name for name in dict.fromkeys(needed) if name not in wanted]
    return args.fields + missing, wanted if missing else None


def selected(texts: DataFrame, args: argparse.Namespace, work: Work) -> DataFrame:
    """Returns the pages without duplicates."""
    from maintext import spark as mt

    texts = work.save(texts, "texts")
    for kind in args.dedup:
        texts = mt.deduplicate(texts, by=kind, keep=args.keep, work=work.folder)
    return texts


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job and returns the exit status."""
    from pyspark.sql import SparkSession

    import maintext

    args = arguments(argv)
    spark = SparkSession.builder.appName("maintext").getOrCreate()
    try:
        run(args, spark)
    except (maintext.MaintextError, OSError, ValueError) as error:
        print(f"spark_job: {error}", file=sys.stderr)
        return 1 if isinstance(error, OSError) else 2
    finally:
        spark.stop()
    return 0


def run(args: argparse.Namespace, spark: SparkSession) -> None:
    """Extracts, selects and writes the pages."""
    from maintext import spark as mt
    from maintext._spark_dedup import Work

    asked, wanted = fields(args)
    is_warc = args.format == "warc" or (args.format is None and ".warc" in args.input[0])
    if is_warc:
        pages = mt.read_warc(spark, args.input, partitions=args.partitions, max_size=args.max_size)
    else:
        pages = spark.read.parquet(*args.input)
        if args.partitions:
            pages = pages.repartition(args.partitions)
    texts = mt.extract(
        pages,
        "html" if is_warc else args.html,
        "url" if is_warc else args.url,
        None if is_warc else args.id,
        fields=asked,
        timeout=args.timeout,
        max_size=args.max_size,
        method=args.method,
        favor=args.favor,
    )
    if args.where:
        texts = texts.where(args.where)
    work = Work(spark, args.work) if args.dedup else None
    try:
        if work:
            if args.mode == "errorifexists":
                work.expect_nothing_at(args.output)
            texts = selected(texts, args, work)
        texts = texts.select(*wanted) if wanted else texts
        texts.write.mode(args.mode).option("compression", "zstd").parquet(args.output)
    finally:
        if work:
            work.remove()


if __name__ == "__main__":
    sys.exit(main())
