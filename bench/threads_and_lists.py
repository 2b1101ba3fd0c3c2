"""Whether lists of threads are lists, and threads are not.

python bench/threads_and_lists.py MAINTEXT DATA    reads eleven link aggregators and indexes of forums, and twelve threads, of the training sets

A page of links to discussions must have entries and no posts; a discussion must have no entries. Needs zstandard.
"""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from base64 import b64decode
from pathlib import Path

from content_labels import pages

LISTS = {
    "wcxb-dev": ["2899", "3014", "3015"],
    "autopager-pagination": ["29", "61", "65", "68", "70", "71", "89", "190"],
}
THREADS = {
    "wcxb-dev": ["0519", "0525", "0536", "0562", "0565", "0570", "0573", "0575", "4316"],
    "web-forum-52": ["www.airliners.net.forum.viewtopic.php.1428699", "forums.macrumors.com.threads.x-vs-8.2183765"],
    "krdwrd-canola": ["691"],
}


def answers(binary: str, data: str, wanted: dict[str, list[str]]) -> list[tuple[str, dict]]:
    found = []
    for name, ids in wanted.items():
        for page in pages(Path(data, "train", f"{name}.jsonl.zst")):
            if page["id"] not in ids:
                continue
            with tempfile.NamedTemporaryFile(suffix=".html") as file:
                file.write(page["html"].encode() if page.get("html") else b64decode(page["html_base64"]))
                file.flush()
                command = [binary, "extract", "-f", "json", "--page-type", "--url", page["url"], file.name]
                answer = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            found.append((f"{name} {page['id']}", answer))
    return found


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    wrong = 0
    for kind, wanted in (("list", LISTS), ("thread", THREADS)):
        rows = answers(*sys.argv[1:], wanted)
        print(f"{kind}s: {len(rows)} pages")
        for place, page in rows:
            entries, posts = len(page["entries"]), len(page["posts"])
            if bool(entries) != (kind == "list") or kind == "list" and posts:
                wrong += 1
                print(f"  {place}: {page['page_type']}, {entries} entries, {posts} posts")
    if wrong:
        sys.exit(f"{wrong} wrong")


if __name__ == "__main__":
    main()
