"""The result of :func:`maintext.inspect`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._maintext import Inspected
    from ._types import Block

#: Colours of kept and dropped blocks, which also differ in lightness.
KEPT, DROPPED = "#1a7f37", "#b8bec5"
#: Maximum number of blocks in the table of a notebook.
MOST_ROWS = 400


def escape(text: str) -> str:
    """Escapes a text for HTML."""
    # Imported on first use: few programs show an inspection.
    import html

    return html.escape(text)


class Plot:
    """A plot in SVG. Notebooks display it; :meth:`save` writes it to a file."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Any) -> None:
        """Writes the SVG to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


class Inspection:
    """All text blocks of a page in order, with a method's decision on each."""

    def __init__(self, inspected: Inspected) -> None:
        #: The blocks as dicts: text, tag, score, probability, keep, span (bytes of the decoded page).
        self.blocks: list[Block] = inspected.blocks
        #: Expected F1 of the kept text, if the method estimates it.
        self.confidence: float | None = inspected.confidence
        #: The name of the method.
        self.method: str = inspected.method

    @property
    def kept(self) -> list[Block]:
        """The blocks of the main content."""
        return [block for block in self.blocks if block["keep"]]

    def __repr__(self) -> str:
        return f"Inspection(method={self.method!r}, {len(self.kept)} of {len(self.blocks)} blocks kept)"

    def _values(self) -> tuple[str, list[float]]:
        """Returns the name and the values to plot: probabilities if the method returns them, or else scores."""
        if self.blocks and all(block["probability"] is not None for block in self.blocks):
            return "probability", [block["probability"] or 0.0 for block in self.blocks]
        return "score", [block["score"] for block in self.blocks]

    def _repr_html_(self) -> str:
        name, values = self._values()
        least, most = min(values, default=0.0), max(values, default=1.0)
        if name == "probability":
            least, most = 0.0, 1.0
        width = (most - least) or 1.0
        rows = []
        for block, value in list(zip(self.blocks, values))[:MOST_ROWS]:
            text = block["text"]
            text = text if len(text) <= 300 else text[:299] + "…"
            colour = KEPT if block["keep"] else DROPPED
            style = "" if block["keep"] else "color:#8b949e"
            bar = (
                f'<div style="background:#eee;width:80px"><div style="background:{colour};height:10px;'
                f'width:{max(0.0, min(1.0, (value - least) / width)) * 80:.0f}px"></div></div>'
            )
            rows.append(
                f'<tr><td style="border-left:4px solid {colour};text-align:left;{style}">{escape(text)}</td>'
                f"<td>{escape(block['tag'])}</td><td>{bar}</td><td>{value:.2f}</td></tr>"
            )
        left_out = len(self.blocks) - len(rows)
        foot = f"<p>… and {left_out} more blocks</p>" if left_out > 0 else ""
        sure = f", confidence {self.confidence:.2f}" if self.confidence is not None else ""
        return (
            f"<p><b>{escape(self.method)}</b>: {len(self.kept)} of {len(self.blocks)} text blocks kept{sure}</p>"
            f'<table style="font-size:90%;text-align:left"><thead><tr><th>text block</th><th>tag</th><th></th>'
            f"<th>{name}</th></tr></thead><tbody>{''.join(rows)}</tbody></table>{foot}"
        )

    def plot(self) -> Plot:
        """Returns a bar plot of the blocks' scores or probabilities; kept blocks are dark green."""
        name, values = self._values()
        wide, high, left, top, bottom = 720, 220, 44, 26, 30
        least, most = min([0.0, *values]), max([0.0, *values])
        if name == "probability":
            least, most = 0.0, 1.0
        span = (most - least) or 1.0
        step = (wide - left - 10) / max(1, len(values))

        def y(value: float) -> float:
            return top + (most - value) / span * (high - top - bottom)

        bars = []
        for i, (block, value) in enumerate(zip(self.blocks, values)):
            ends = sorted((y(value), y(0.0)))
            colour = KEPT if block["keep"] else DROPPED
            title = escape(f"{value:.2f}  {block['text'][:80]}")
            bars.append(
                f'<rect x="{left + i * step:.2f}" y="{ends[0]:.2f}" width="{max(step * 0.9, 0.4):.2f}" '
                f'height="{max(ends[1] - ends[0], 0.6):.2f}" fill="{colour}"><title>{title}</title></rect>'
            )
        ticks = []
        for value in (least, (least + most) / 2, most):
            ticks.append(
                f'<line x1="{left - 4}" x2="{wide - 10}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#d0d7de" '
                f'stroke-width="0.6"/><text x="{left - 7}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.2f}</text>'
            )
        words = f"{self.method}: {name} of each text block, {len(self.kept)} of {len(self.blocks)} kept"
        return Plot(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
            f'font-family="sans-serif" font-size="11" fill="#57606a"><rect width="{wide}" height="{high}" fill="#fff"/>'
            f'<text x="{left}" y="16" font-size="12" fill="#24292f">{escape(words)}</text>{"".join(ticks)}{"".join(bars)}'
            f'<text x="{left}" y="{high - 10}">first block</text>'
            f'<text x="{wide - 10}" y="{high - 10}" text-anchor="end">last block</text></svg>\n'
        )
