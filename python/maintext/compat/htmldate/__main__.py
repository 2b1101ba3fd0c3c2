"""Runs the command."""

from .cli import main

main()
