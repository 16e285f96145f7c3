"""Corpora of recordings."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from . import _engine
from ._engine import Loads
from ._frames import Rows
from ._inputs import arguments, texts, threads
from ._progress import Line, Progress, teller


class Corpus(Rows):
    """Who serves a corpus of recordings, and what HTTP/3 saves there.

    ``print(corpus)`` is the answer of the command line. The rows are answered requests, with the
    provider, the version and the recorded and simulated times of each (docs/corpus.md).
    """

    def __init__(self, results: _engine.Corpus) -> None:
        self._results = results

    def __str__(self) -> str:
        return self._results.answer()

    def __repr__(self) -> str:
        return f"<Corpus: {len(self.findings['pages'])} pages, {len(self)} requests>"

    def __len__(self) -> int:
        return len(self._loads())

    def _loads(self) -> Loads:
        return self._table

    @cached_property
    def _table(self) -> Loads:
        return self._results.requests()

    @cached_property
    def findings(self) -> dict[str, Any]:
        """The findings: shares, pages with their pairs of loads, groups and trends."""
        return json.loads(self.to_json())["findings"]

    def to_json(self) -> str:
        """Return the file of ``pagerace corpus --json``, in the same bytes."""
        return self._results.json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file of ``pagerace corpus --json``."""
        self._results.save(path)


def corpus(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    networks: str | Iterable[str] = (),
    runs: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress = False,
    **options: object,
) -> Corpus:
    """Survey recordings, and load their pages in pairs over HTTP/2 and HTTP/3.

    Args:
        files: recordings (HAR files), one page each.
        networks: names or descriptions; the first is that of consecutive visits.
        runs: pairs of loads of each page, network and kind of visit.
        seed: the seed of all loads.
        jobs: number of threads; results do not depend on it. By default all cores.
        progress: True to show it on standard error, or a function of the name of the phase, the
            number of pairs done, and of all.
        options: other options of ``pagerace corpus``, such as ``http3="providers"`` or
            ``no_loads=True``. Those that write files are for the command line only.

    Raises:
        PageraceError: a file or an option is not right.
    """
    named = {"network": texts("networks", networks), "runs": runs, "seed": seed, **options}
    words = [*arguments(named), "--", *texts("files", files)]
    tell = teller(progress)
    try:
        results = _engine.corpus(words, threads(jobs), tell)
    finally:
        if isinstance(tell, Line):
            tell.clear()
    return Corpus(results)
