"""``python -m maintext.compat.trafilatura``."""

from .cli import main

main()
