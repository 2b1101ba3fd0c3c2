"""The stubs are equal to the compiled module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_stubs_are_those_of_the_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "maintext._maintext"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


RIGHT = """
import maintext
from datetime import datetime
maintext.extract("<p>", favor="balance", formats=["text", "xml"], method="learned", title="never", alt_text="all")
maintext.extract("<p>", content_selector="p", drop_selector=[".ad"], field={"date": "time"}, now=datetime(2024, 5, 17))
maintext.Extractor(rules={"example.org": {"content": "article", "drop": ".ad", "fields": {"date": "time"}}}, favor="recall")
"""

WRONG = """
import maintext
maintext.extract("<p>", favor="recal")
maintext.extract("<p>", formats=["txt"])
maintext.extract("<p>", title="always")
maintext.extract("<p>", content_selektor="p")
maintext.Extractor(method="learnt")
maintext.Extractor(rules={"example.org": {"contents": "p"}})
"""


def test_a_type_checker_finds_wrong_names_of_options(tmp_path: Path) -> None:
    for code, errors in [(RIGHT, 0), (WRONG, 6)]:
        (tmp_path / "code.py").write_text(code, "utf-8")
        command = [sys.executable, "-m", "mypy", "--strict", "code.py"]
        run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert run.stdout.count("error:") == errors, run.stdout + run.stderr
