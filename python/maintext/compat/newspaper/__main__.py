"""``python -m maintext.compat.newspaper``."""

from .cli import main

main()
