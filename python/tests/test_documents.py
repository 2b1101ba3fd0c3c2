"""The Python code in the documents: it parses, its imports exist, and calls of maintext take their arguments."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import Any, Iterator

import maintext
import pytest

ROOT = Path(__file__).parents[2]
OTHERS = {"target", "node_modules", "testdata", ".git"}
BLOCK = re.compile(r"^ *```(?:python|py)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def blocks() -> Iterator[tuple[str, str]]:
    for path in sorted(ROOT.glob("**/*.md")):
        name = path.relative_to(ROOT)
        if not OTHERS.intersection(name.parts):
            text = path.read_text("utf-8")
            for block in BLOCK.finditer(text):
                yield f"{name}:{text.count(chr(10), 0, block.start()) + 2}", textwrap.dedent(block[1])


def value(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name)
    return module


def checked(code: str) -> int:
    """Checks imports from maintext and calls of its functions, whose names begin with ``maintext.``, ``mt.`` or an imported name."""
    count = 0
    known: dict[str, Any] = {"maintext": maintext}
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "maintext":
            # Frameworks such as Ray need not be installed.
            try:
                module = importlib.import_module(node.module or "")
            except ImportError:
                continue
            for alias in node.names:
                known[alias.asname or alias.name] = getattr(module, alias.name, None) or importlib.import_module(f"{node.module}.{alias.name}")
                count += 1
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            first, _, rest = ast.unparse(node.func).partition(".")
            if first in known and re.fullmatch(r"[\w.]*", rest):
                called = value(known[first], rest) if rest else known[first]
                keywords = {keyword.arg: None for keyword in node.keywords if keyword.arg}
                inspect.signature(called).bind_partial(*node.args, **keywords)
                count += 1
    return count


@pytest.mark.parametrize(("place", "code"), list(blocks()))
def test_python_in_documents_parses_and_its_names_exist(place: str, code: str) -> None:
    checked(code)


def test_wrong_code_is_found() -> None:
    for code in ["maintext.extrac('')", "maintext.extract('', nothing=1)", "from maintext.compat.trafilatura import nothing", "a b"]:
        with pytest.raises((AttributeError, TypeError, ImportError, SyntaxError)):
            checked(code)
    assert checked("maintext.extract('', formats='text')") == 1
    assert sum(checked(code) for _, code in blocks()) > 20 or sys.platform == "win32"
