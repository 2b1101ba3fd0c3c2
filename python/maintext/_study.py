"""Training classifiers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from . import _maintext
from ._tables import _paths


@dataclass(frozen=True)
class Trained:
    """A trained line classifier."""

    #: The model as JSON, which names its method: ``extract(html, model=trained.model)``.
    model: str
    #: A report of the training with accuracy figures, as text.
    report: str

    def __repr__(self) -> str:
        return f"Trained({self.report.splitlines()[0] if self.report else ''!r}, model of {len(self.model):,} characters)"

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the model to a file, like ``maintext train --out``."""
        Path(path).write_text(self.model, encoding="utf-8")


def train(
    method: str,
    data: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    hidden: Iterable[int] | None = None,
    seed: int = 1,
) -> Trained:
    """Trains the classifier of a published method on labelled pages, like ``maintext train``.

    :param method: ``"line-density"`` or ``"markup-ratio"``
    :param data: sets of labelled pages, ``.jsonl`` or ``.jsonl.zst`` (docs/data.md describes the keys)
    :param hidden: units of the hidden layers; found by a search by default
    :param seed: the seed of the random numbers; the same seed gives the same model
    """
    return Trained(*_maintext.train(method, _paths(data), None if hidden is None else list(hidden), seed))
