"""A Spark job that extracts WARC or Parquet files to Parquet.

    spark-submit "$(python -c 'import maintext.spark_job as job; print(job.__file__)')" \\
        --input 'crawl/*.warc.gz' --output texts.parquet --fields id,url,title,language,text,error --where "language like 'de%'"
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parses the flags."""
    parser = argparse.ArgumentParser(
        prog="spark-submit spark_job.py", description="Extracts the main text of the pages in WARC or Parquet files with maintext."
    )
    parser.add_argument("--input", nargs="+", required=True, metavar="PATH", help="WARC files (.warc, .warc.gz, .warc.zst) or Parquet")
    parser.add_argument("--output", required=True, metavar="DIR", help="folder for the Parquet files")
    parser.add_argument("--format", choices=["warc", "parquet"], help="format of the inputs [default: detected by their names]")
    parser.add_argument("--fields", metavar="NAMES", help="fields of the result, separated by commas [default: all]")
    parser.add_argument("--where", metavar="SQL", help="keep only rows that meet this condition, such as \"language like 'de%' and error is null\"")
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


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job and returns the exit status."""
    from pyspark.sql import SparkSession

    from maintext import spark as mt

    args = arguments(argv)
    spark = SparkSession.builder.appName("maintext").getOrCreate()
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
        fields=args.fields.split(",") if args.fields else None,
        timeout=args.timeout,
        max_size=args.max_size,
        method=args.method,
        favor=args.favor,
    )
    if args.where:
        texts = texts.where(args.where)
    texts.write.mode(args.mode).option("compression", "zstd").parquet(args.output)
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
