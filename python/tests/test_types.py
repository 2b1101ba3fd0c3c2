"""The stubs are equal to the compiled module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_stubs_are_those_of_the_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "maintext._maintext"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
