"""The command ``maintext``, which is also ``python -m maintext``: the same program as the binary.

``maintext --help`` lists its subcommands.
"""

from __future__ import annotations

import signal
import sys

from ._maintext import run_command


def main() -> int:
    """Runs the command with the arguments in ``sys.argv`` and returns its exit status.

    Meant for a process of its own: Ctrl-C ends the process, and so does invalid usage. Programs call :func:`maintext.extract` and
    :func:`maintext.batch` instead.
    """
    # Python's handler would wait until the command returns. A signal that the parent process ignores stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
