"""Checks the Grafana dashboard's queries with a real Prometheus against a running service.

Starts the service and Prometheus, makes requests of each kind, and runs every query of deploy/grafana-dashboard.json. A query must be valid,
and name only metrics that the service has. Also runs `promtool check metrics`. Needs `prometheus` and `promtool`, as in Debian's package.

    python bench/service_dashboard.py target/release/maintext
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import local_site

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = b"<title>Two herons</title><article><p>We left early, and the road was empty. By noon we had seen two herons, and a fox.</p></article>"


def get(url, body=None):
    headers = {"Content-Type": "application/json"} if body else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body and json.dumps(body).encode(), headers), timeout=10) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def ready(url):
    for _ in range(200):
        try:
            return get(url)
        except OSError:
            time.sleep(0.1)
    sys.exit(f"{url} does not answer")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--tools", default="", help="folder of prometheus and promtool")
    args = parser.parse_args()
    tool = lambda name: os.path.join(args.tools, name) if args.tools else shutil.which(name) or sys.exit(f"{name} is not installed")
    site = local_site.serve(lambda path: (PAGE, 404 if path == "/missing" else 200))
    page = f"http://127.0.0.1:{site}"
    flags = ["--listen", "127.0.0.1:0", "--allow-network", "127.0.0.1/32", "--allow-port", str(site), "--cache-memory", "8M"]
    service = subprocess.Popen([args.binary, "serve", *flags], stderr=subprocess.PIPE, text=True)
    address = json.loads(service.stderr.readline())["message"]
    threading.Thread(target=service.stderr.read, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "prometheus.yml"), "w") as file:
            target = address.removeprefix("http://")
            file.write(f"global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: maintext\n  static_configs: [{{targets: ['{target}']}}]\n")
        port = site + 1 if site < 65000 else site - 1
        listen = f"127.0.0.1:{port}"
        command = [tool("prometheus"), f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data", f"--web.listen-address={listen}"]
        prometheus = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            failures = check(tool("promtool"), address, f"http://{listen}", page)
        finally:
            for process in (prometheus, service):
                process.terminate()
                process.wait(60)
    sys.exit("\n".join(failures) if failures else 0)


def check(promtool, address, prometheus, page):
    ready(f"{prometheus}/-/ready")
    for path in ("/a", "/a", "/b", "/missing"):
        get(f"{address}/v1/extract", {"url": page + path})
    get(f"{address}/v1/extract", {"url": "http://169.254.169.254/"})
    metrics = get(f"{address}/metrics")
    lint = subprocess.run([promtool, "check", "metrics"], input=metrics, text=True, capture_output=True)
    failures = [f"promtool: {line}" for line in (lint.stdout + lint.stderr).splitlines()]
    # Rates need two scrapes after the requests.
    for _ in range(100):
        found = json.loads(get(f"{prometheus}/api/v1/query?query=count_over_time(process_open_fds[1m])"))["data"]["result"]
        if found and int(found[0]["value"][1]) >= 4:
            break
        time.sleep(0.2)
    else:
        failures.append(f"Prometheus gets nothing from the service: {get(f'{prometheus}/api/v1/targets')}")
    known = set(json.loads(get(f"{prometheus}/api/v1/label/__name__/values"))["data"])
    declared = set(re.findall(r"^# TYPE (\S+)", metrics, re.M))
    with open(os.path.join(ROOT, "deploy", "grafana-dashboard.json"), encoding="utf-8") as file:
        dashboard = json.load(file)
    queries = [(panel["title"], t["expr"]) for panel in dashboard["panels"] for t in panel.get("targets", [])]
    queries += [(a["name"], a["expr"]) for a in dashboard["annotations"]["list"]]
    filled = 0
    for title, query in queries:
        # The variables with the values that Grafana gives them.
        for name, value in (("$__rate_interval", "1m"), ("$__interval", "30s"), ("$job", ".*"), ("$instance", ".*")):
            query = query.replace(name, value)
        answer = json.loads(get(f"{prometheus}/api/v1/query?query={urllib.parse.quote(query)}"))
        if answer["status"] != "success":
            failures.append(f"{title}: {answer['error']}")
            continue
        filled += bool(answer["data"]["result"])
        for metric in re.findall(r"\b(?:maintext|process)_\w+", query):
            if metric not in known and re.sub(r"_(bucket|sum|count)$", "", metric) not in declared:
                failures.append(f"{title}: the service has no {metric}")
    print(f"{len(queries)} queries, {filled} with data; promtool found {len(lint.stdout.splitlines())} faults in {len(declared)} metrics")
    return failures


if __name__ == "__main__":
    main()
