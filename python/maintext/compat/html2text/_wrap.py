"""Line breaks and the layout of tables in finished Markdown."""

from __future__ import annotations

import re
import textwrap

#: Encloses a table whose columns get a common width when the text is finished.
TABLE_MARK = "\ue0f0"
_LINK = re.compile(r"\[.*?\] ?\(.*?\)|\[.*?\]:")
_ITEM = re.compile(r"(?:[-*+]|\d+\.)\s")


def _stays(line: str, links: bool, items: bool, tables: bool) -> bool:
    """Returns whether a line is not to be wrapped."""
    if not links and _LINK.search(line):
        return True
    if line[:4] == "    " or line[:1] == "\t":
        return True
    bare = line.lstrip()
    if bare[:2] == "--" and len(bare) > 2 and bare[2] != "-":
        return False
    if bare[:1] in ("-", "*") and bare[:2] != "**":
        return not items
    if _ITEM.match(bare):
        return True
    return not tables and " | " in line


def wrapped(text: str, width: int, links: bool, items: bool, tables: bool) -> str:
    """Wraps the paragraphs of a text at a width; one blank line follows each of them."""
    if not width:
        return text
    made: list[str] = []
    breaks = 0
    for line in text.split("\n"):
        if not line:
            if breaks < 2:
                made.append("\n")
                breaks += 1
        elif _stays(line, links, items, tables):
            made.append(line + "\n")
            breaks = 1
        else:
            indent = "> " if line.startswith("> ") else ""
            if items and line.startswith("  * "):
                indent = " " * 4
            made.append("\n".join(textwrap.wrap(line, width, break_long_words=False, subsequent_indent=indent)))
            if line.endswith("  "):
                made.append("  \n")
                breaks = 1
            elif indent:
                made.append("\n")
                breaks = 1
            else:
                made.append("\n\n")
                breaks = 2
    return "".join(made)


def _padded(lines: list[str], right: int) -> list[str]:
    """Gives the columns of a table a common width."""
    rows = [[cell.rstrip() for cell in line.split("|")] for line in lines]
    most = max(len(row) for row in rows)
    widths = [max(len(row[column].strip()) + right for row in rows if column < len(row)) for column in range(most)]
    made = []
    for row in rows:
        if len(row) > 1 and set("".join(row)) == {"-"}:
            made.append("|" + "|".join("-" * (width + 1) for _, width in zip(row, widths)) + "|")
        else:
            made.append("|" + "|".join(" " + cell.strip().ljust(width) for cell, width in zip(row, widths)) + "|")
    return made


def pad_tables(text: str, right: int = 1) -> str:
    """Lays out the tables between marks, and removes the marks."""
    made: list[str] = []
    table: list[str] | None = None
    for line in text.split("\n"):
        if TABLE_MARK in line:
            if table is None:
                table = []
            else:
                made += _padded(table or [""], right)
                table = None
                made.append("")
        elif table is not None:
            if line.strip():
                table.append(line)
        else:
            made.append(line)
    return "\n".join(made + (table or []))
