"""Compares the speed of extract_plain_text(main_content=True) of Resiliparse and of maintext's replacement, page by page in turns.

    python3 bench/plain_text_speed.py PAGES.jsonl.zst [--pages N] [--rounds N]

Needs maintext[resiliparse], resiliparse and zstdcat. Each line of the input is a JSON object with the page in "html".
"""

import argparse
import json
import subprocess
import time

from maintext.compat.resiliparse.extract.html2text import extract_plain_text as replacement
from resiliparse.extract.html2text import extract_plain_text as original


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    lines = subprocess.run(["zstdcat", arguments.file], capture_output=True, check=True).stdout.split(b"\n")[:-1]
    pages = [json.loads(line)["html"] for line in lines[:: max(1, len(lines) // arguments.pages)]][: arguments.pages]
    spent = {original: 0.0, replacement: 0.0}
    for _ in range(arguments.rounds):
        for page in pages:
            for function in spent:
                start = time.process_time()
                function(page, main_content=True)
                spent[function] += time.process_time() - start
    for name, function in (("resiliparse", original), ("maintext.compat.resiliparse", replacement)):
        print(f"{name}: {arguments.rounds * len(pages) / spent[function]:.0f} pages per second of processor time")


if __name__ == "__main__":
    main()
