"""Runs maintext on a Spark standalone cluster with a master and two workers on this machine and kills one worker during the job.

    spark_cluster.py WARC.gz [--parts 20] [--no-kill]

Cuts the WARC file into parts, one per task. The job `maintext.spark_job` runs over them; after a few tasks, one worker is killed with all
its descendants (SIGKILL). Every page must then appear in the output exactly once, and the output must equal that of `maintext batch` on the
same file. Needs pyspark, pyarrow, maintext and Java. Prints a JSON object with the measurements; exits with 1 if pages are lost, duplicated or different.
"""

import argparse
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zlib

FIELDS = "id,url,title,author,date,language,text,error"


def split(warc, folder, parts):
    """Cuts a file into parts of about the same size, at the borders of gzip members."""
    size = os.path.getsize(warc)
    out, written, number = None, 0, 0
    with open(warc, "rb") as file:
        rest = b""
        member = []
        inflate = zlib.decompressobj(31)
        while True:
            chunk = rest or file.read(1 << 20)
            if not chunk:
                break
            inflate.decompress(chunk)
            rest = inflate.unused_data
            member.append(chunk[: len(chunk) - len(rest)])
            if not inflate.eof:
                continue
            if out is None or (written >= size * number / parts and number < parts):
                if out:
                    out.close()
                out = open(os.path.join(folder, f"part-{number:03}.warc.gz"), "wb")
                number += 1
            written += sum(map(len, member))
            out.writelines(member)
            member, inflate = [], zlib.decompressobj(31)
    out.close()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """A master and its workers, each in its own process group."""

    def __init__(self, folder, workers, memory):
        import pyspark

        self.home = os.path.dirname(pyspark.__file__)
        self.folder = folder
        self.environment = {**os.environ, "SPARK_HOME": self.home, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port())]
        self.processes = [self.start("master", master)]
        self.wait_for("master", "I have been elected leader")
        for i in range(workers):
            work = os.path.join(folder, f"work-{i}")
            arguments = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", str(free_port())]
            arguments += ["--cores", "1", "--memory", memory, "--work-dir", work, self.url]
            self.processes.append(self.start(f"worker-{i}", arguments))
        for i in range(workers):
            self.wait_for(f"worker-{i}", "Successfully registered with master")

    def start(self, name, arguments):
        log = open(os.path.join(self.folder, f"{name}.log"), "wb")
        command = [os.path.join(self.home, "bin", "spark-class"), *arguments]
        return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)

    def wait_for(self, name, words):
        for _ in range(600):
            with open(os.path.join(self.folder, f"{name}.log"), errors="replace") as log:
                if words in log.read():
                    return
            time.sleep(0.2)
        sys.exit(f"{name} did not start; see {self.folder}/{name}.log")

    def kill(self, process):
        """Kills a worker with all its descendants at once, as if its machine had lost power."""
        groups = {process.pid}
        stack = [process.pid]
        while stack:
            pid = stack.pop()
            try:
                with open(f"/proc/{pid}/task/{pid}/children") as file:
                    below = [int(p) for p in file.read().split()]
                groups.add(os.getpgid(pid))
                stack += below
            except OSError:
                pass
        own = os.getpgid(0)
        for group in groups - {own}:
            try:
                os.killpg(group, signal.SIGKILL)
            except OSError:
                pass
        process.wait()

    def stop(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                self.kill(process)


def run_job(cluster, inputs, out, kill, log):
    """Runs the job; returns (seconds, number of tasks done when a worker was killed)."""
    import maintext.spark_job as job

    command = [os.path.join(cluster.home, "bin", "spark-submit"), "--master", cluster.url]
    for conf in [
        "spark.executor.memory=1g",
        "spark.executor.cores=1",
        "spark.ui.enabled=false",
        f"spark.pyspark.python={sys.executable}",
        "spark.driver.host=127.0.0.1",
        # Allows more failures, so that the tasks of a lost worker do not count as failures of their pages.
        "spark.task.maxFailures=8",
    ]:
        command += ["--conf", conf]
    command += [job.__file__, "--input", *inputs, "--output", out, "--fields", FIELDS]
    start = time.perf_counter()
    with open(log, "wb") as file:
        process = subprocess.Popen(command, env=cluster.environment, stdout=file, stderr=file, start_new_session=True)
        killed_at = None
        while process.poll() is None:
            done = len(glob.glob(os.path.join(out, "_temporary", "0", "task_*")))
            if kill and killed_at is None and done >= max(2, len(inputs) // 5):
                cluster.kill(cluster.processes[-1])
                killed_at = done
            time.sleep(0.1)
    if process.returncode:
        with open(log, errors="replace") as file:
            sys.exit(f"the job failed:\n{file.read()[-3000:]}")
    return time.perf_counter() - start, killed_at


def compare(batch, spark):
    """Returns the number of pages in both outputs and how many are lost, duplicated or different."""
    import pyarrow.parquet as pq

    expected = {row["id"]: row for row in pq.read_table(batch).to_pylist()}
    rows = pq.read_table(spark).to_pylist()
    found = {row["id"]: row for row in rows}
    return {
        "pages": len(expected),
        "rows": len(rows),
        "lost": len(expected.keys() - found.keys()),
        "doubled": len(rows) - len(found),
        "added": len(found.keys() - expected.keys()),
        "different": sum(found[key] != row for key, row in expected.items() if key in found),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warc")
    parser.add_argument("--parts", type=int, default=20)
    parser.add_argument("--memory", default="2g", help="memory of a worker")
    parser.add_argument("--no-kill", action="store_true")
    args = parser.parse_args()
    import maintext

    folder = tempfile.mkdtemp(prefix="maintext-spark-")
    cluster = None
    try:
        parts = os.path.join(folder, "parts")
        os.mkdir(parts)
        split(args.warc, parts, args.parts)
        inputs = sorted(glob.glob(os.path.join(parts, "*.warc.gz")))
        cluster = Cluster(folder, 2, args.memory)
        out = os.path.join(folder, "spark.parquet")
        seconds, killed_at = run_job(cluster, inputs, out, not args.no_kill, os.path.join(folder, "job.log"))
        cluster.stop()
        start = time.perf_counter()
        batch = os.path.join(folder, "batch.parquet")
        maintext.batch(inputs, batch, fields=FIELDS.split(","))
        result = {
            "tasks": len(inputs),
            "spark_seconds": round(seconds, 1),
            "worker_killed_after_tasks": killed_at,
            "batch_seconds": round(time.perf_counter() - start, 1),
            **compare(batch, out),
        }
        print(json.dumps(result))
        bad = result["lost"] or result["doubled"] or result["added"] or result["different"]
        if bad or not (args.no_kill or killed_at is not None):
            sys.exit(1)
    finally:
        if cluster:
            cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
