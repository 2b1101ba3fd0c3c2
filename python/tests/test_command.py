"""The command that the package installs does what the binary does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import article, warc_record

MODULE = [sys.executable, "-m", "maintext"]
LIMIT = 60  # seconds until a run counts as hanging
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")


def script() -> list[str]:
    """Returns the installed script, or ``python -m maintext`` if the package runs from its sources."""
    path = Path(sysconfig.get_path("scripts"), "maintext.exe" if os.name == "nt" else "maintext")
    return [str(path)] if path.exists() else MODULE


@pytest.fixture(scope="session")
def binary() -> list[str]:
    """The program that cargo builds; ``cargo xtask test python`` names it."""
    path = os.environ.get("MAINTEXT_BINARY")
    if path is None:
        pytest.skip("MAINTEXT_BINARY does not name the program; cargo xtask test python does")
    return [path]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two pages and a web archive."""
    (tmp_path / "page.html").write_text(article("walnuts"), encoding="utf-8")
    (tmp_path / "cyrillic.html").write_bytes(article("орехи").replace("<head>", "<head><meta charset=koi8-r>").encode("koi8-r"))
    (tmp_path / "crawl.warc.gz").write_bytes(b"".join(warc_record(f"http://e.org/{i}", article(f"w{i}").encode()) for i in range(9)))
    return tmp_path


def run(command: list[str], args: list[str], folder: Path, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    made = subprocess.run([*command, *args], cwd=folder, input=stdin, capture_output=True, timeout=LIMIT)
    return made.returncode, made.stdout, made.stderr


SAME: list[tuple[int, list[str]]] = [
    *((0, ["extract", "-f", form, "page.html"]) for form in ("text", "markdown", "html", "xml", "json", "blocks")),
    (0, ["extract", "--with-metadata", "-f", "markdown", "cyrillic.html"]),
    (0, ["extract", "-f", "json", "page.html", "cyrillic.html"]),
    (0, ["extract", "--url", "https://e.org/", "-"]),
    (0, ["list", "page.html"]),
    (0, ["classify", "page.html"]),
    (0, ["inspect", "page.html"]),
    (0, ["inspect", "--metadata", "page.html"]),
    (0, ["batch", "--threads", "1", "--quiet", "crawl.warc.gz", "-o", "-"]),
    (0, ["--version"]),
    (0, ["-h"]),
    (0, ["--help"]),
    *((0, [name, "--help"]) for name in ("extract", "batch", "crawl", "map", "serve", "mcp", "train")),
    (0, ["completions", "bash"]),
    (0, ["man", "extract"]),
    (1, ["extract", "missing.html"]),
    (1, ["extract", "page.html", "missing.html"]),
    (2, []),
    (2, ["frobnicate"]),
    (2, ["extract", "--no-such-flag", "page.html"]),
    (2, ["extract", "--things", "page.html"]),
    (2, ["man", "frobnicate"]),
]


@pytest.mark.parametrize(("status", "args"), SAME, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_status_and_output_are_those_of_the_binary(binary: list[str], folder: Path, status: int, args: list[str]) -> None:
    page = article("stdin").encode()
    expected = run(binary, args, folder, page)
    assert expected[0] == status, expected
    assert run(MODULE, args, folder, page) == expected


def test_the_script_is_the_same_command(folder: Path) -> None:
    status, out, err = run(script(), ["extract", "page.html"], folder)
    assert (status, err) == (0, b"") and b"Paragraph 2 of this page speaks of walnuts" in out
    assert run(script(), ["extract", "missing.html"], folder)[0] == 1
    status, out, err = run(script(), ["extract", "--no-such-flag"], folder)
    assert (status, out) == (2, b"") and b"Usage: maintext extract" in err


def test_files_are_written_as_by_the_binary(binary: list[str], folder: Path) -> None:
    for name, command in [("a", MODULE), ("b", binary)]:
        done = run(command, ["batch", "crawl.warc.gz", "-o", f"{name}.jsonl", "--threads", "2"], folder)
        assert done[0] == 0, done
    assert (folder / "a.jsonl").read_bytes() == (folder / "b.jsonl").read_bytes() != b""


@POSIX
def test_names_of_files_need_not_be_unicode(folder: Path) -> None:
    name = os.fsdecode(b"p\xff.txt")
    assert run(MODULE, ["extract", "page.html", "-o", name], folder) == (0, b"", b"")
    assert "speaks of walnuts" in (folder / name).read_text(encoding="utf-8")


@POSIX
@pytest.mark.parametrize("command", [MODULE, script()], ids=["module", "script"])
def test_ctrl_c_ends_the_command(command: list[str], folder: Path) -> None:
    # The second page is read from standard input, which stays open. The first result shows that the command is running.
    args = [*command, "extract", "page.html", "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(args, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() != b""
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT) == -signal.SIGINT
        assert process.stderr.read() == b""


@POSIX
def test_the_service_answers_and_ends_in_order_on_ctrl_c() -> None:
    args = [*MODULE, "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(args, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        address = process.stderr.readline().decode().split("http://")[1].split('"')[0]
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://{address}/v1/extract", article("service").encode(), timeout=LIMIT) as answer:
            assert b"speaks of service" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT) == 0


@POSIX
@pytest.mark.parametrize("command", [MODULE, script()], ids=["module", "script"])
def test_a_closed_pipe_is_not_an_error(command: list[str], folder: Path) -> None:
    # More output than a pipe holds, of which the reader takes one line.
    args = [*command, "extract", "-f", "json", *["page.html"] * 200]
    with subprocess.Popen(args, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith(b"{")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(LIMIT) == 0


@POSIX
def test_other_threads_run_meanwhile(folder: Path) -> None:
    # The command waits for a page that another thread of the same process writes.
    program = (
        "import os, sys, threading\n"
        "from maintext.__main__ import main\n"
        "def write():\n"
        "    with open('pipe', 'w') as pipe: pipe.write(open('page.html').read())\n"
        "os.mkfifo('pipe')\n"
        "threading.Thread(target=write).start()\n"
        "sys.argv = ['maintext', 'extract', 'pipe']\n"
        "sys.exit(main())\n"
    )
    status, out, err = run([sys.executable, "-c", program], [], folder)
    assert (status, err) == (0, b"") and b"speaks of walnuts" in out


@POSIX
def test_progress_is_shown_on_a_terminal(folder: Path) -> None:
    assert b"9" in terminal([*MODULE, "batch", "crawl.warc.gz", "-o", "out.jsonl"], folder)


def terminal(args: list[str], folder: Path) -> bytes:
    """Runs a program whose standard error is a terminal and returns what it writes there."""
    import pty

    leader, follower = pty.openpty()
    try:
        process = subprocess.Popen(args, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=follower)
        os.close(follower)
        shown = b"".join(read(leader))
        assert process.wait(LIMIT) == 0
        return shown
    finally:
        os.close(leader)


def read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # Linux reports the end as an error
            return
        if not part:
            return
        yield part
