"""Tests of what all components share: errors without the framework, and the examples of docs/integrations.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import article, warc_record

#: The packages of the modules, and a line that the example in their section prints.
PACKAGES = {
    "datatrove": ("datatrove", "forwarded: 3"),
    "haystack": ("haystack", "About firs"),
    "langchain": ("langchain_core", "About alders 6\nA page from elsewhere"),
    "llama_index": ("llama_index", "/ About firs About firs"),
    "scrapy": ("scrapy", '"authors": ["Ada Byron"]'),
}

DOCUMENT = Path(__file__).parents[2] / "docs" / "integrations.md"


def run(script: str, folder: Path) -> str:
    path = os.pathsep.join(p for p in sys.path if p)
    environment = {**os.environ, "PYTHONPATH": path, "HAYSTACK_TELEMETRY_ENABLED": "False"}
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("extra", PACKAGES)
def test_a_missing_package_is_an_error_that_names_the_extra(extra: str, tmp_path: Path) -> None:
    script = f"""
import sys
sys.modules["{PACKAGES[extra][0]}"] = None
try:
    import maintext.integrations.{extra}
except ImportError as error:
    print(error)
"""
    assert f"pip install 'maintext[{extra.replace('_', '-')}]'" in run(script, tmp_path)


@pytest.mark.parametrize("extra", PACKAGES)
def test_the_example_in_the_documentation_runs(extra: str, site: str, tmp_path: Path) -> None:
    if extra == "datatrove":
        pytest.importorskip("magic", exc_type=ImportError)  # needs the system's libmagic
    (tmp_path / "crawl").mkdir()
    (tmp_path / "pages").mkdir()
    pages = [warc_record(f"http://example.org/{i}", article(f"tree{i}").encode(), "Content-Type: text/html\r\n") for i in range(3)]
    (tmp_path / "crawl" / "0.warc.gz").write_bytes(b"".join(pages))
    for tree in ("firs", "oaks"):
        (tmp_path / "pages" / f"{tree}.html").write_text(article(tree))
    sections = re.split(r"^## ", DOCUMENT.read_text(encoding="utf-8"), flags=re.M)[1:]
    (section,) = (s for s in sections if s.split("\n")[0].lower() == extra.replace("_", ""))
    (example,) = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
    assert PACKAGES[extra][1] in run(example.replace("https://example.org", site), tmp_path)
