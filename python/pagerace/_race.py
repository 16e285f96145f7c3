"""Races of a few pages, in memory."""

from __future__ import annotations

import json
import os
import textwrap
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _engine
from ._engine import Loads, Page
from ._frames import Rows
from ._inputs import arguments, texts, threads
from ._progress import Line, Progress, teller

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Contender:
    """A contender on one page and network, against the baseline.

    Attributes:
        label: its name in tables.
        mark: "baseline", or a verdict such as "wins" or "open" (docs/output.md#verdicts).
        median: in the verdict's unit; None if it is undefined or infinite.
        range: central 90 % of the loads, in the verdict's unit.
        difference: median of the differences to the baseline, in the verdict's unit.
        difference_percent: the same in per cent of the baseline's median.
        sure_range: the range that holds the difference of two live loads with a probability of 95 %.
        probable_range: the same with a probability of 80 %.
        sooner_percent: share of pairs of loads in which the contender's value is lower.
        basis: what was measured of such ranges; empty if nothing was.
        instead_of: what was never measured, so that ``basis`` stands in for it; else empty.
        interval: 95 % interval of the median paired difference.
        p: of the signed-rank test, corrected over the contenders (Holm).
        failed_runs: number of loads that did not finish.

    In one world (``worlds="nominal"``), the ranges, ``sooner_percent``, ``basis`` and ``instead_of``
    are None; over several worlds, ``interval`` and ``p`` are.
    """

    label: str
    mark: str
    median: float | None
    range: tuple[float, float] | None
    difference: float | None
    difference_percent: float | None
    sure_range: tuple[float, float] | None
    probable_range: tuple[float, float] | None
    sooner_percent: float | None
    basis: str | None
    instead_of: str | None
    interval: tuple[float, float] | None
    p: float | None
    failed_runs: int


@dataclass(frozen=True, eq=False)
class Verdict:
    """The verdict on one page and network.

    Attributes:
        page, network, metric: what it is about.
        answer: the verdict in one sentence.
        text: all sentences of the verdict.
        unit: of the contenders' values.
        contenders: all of them, ranked.
        paints: the evidence for paints: "recorded", "fitted" or "guessed".
    """

    page: str
    network: str
    metric: str
    answer: str
    text: str
    unit: str
    paints: str
    contenders: list[Contender] = field(repr=False)

    @property
    def leader(self) -> Contender:
        """The contender with the best median, whether or not it surely wins."""
        return self.contenders[0]

    def __str__(self) -> str:
        return self.text


class Race(Rows):
    """The results of a race. ``print(race)`` is the answer of the command line."""

    def __init__(self, results: _engine.Results) -> None:
        self._results = results

    def __str__(self) -> str:
        return self._results.answer()

    def __repr__(self) -> str:
        return f"<Race: {len(self)} loads, {len(self.verdicts)} verdicts>"

    def __len__(self) -> int:
        return len(self._loads())

    def _loads(self) -> Loads:
        return self._table

    @cached_property
    def _table(self) -> Loads:
        return self._results.loads()

    def to_json(self) -> str:
        """Return the results file of ``pagerace race --json`` (docs/output.md), in the same bytes."""
        return self._results.json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the results file, which ``pagerace race --scenario`` runs again."""
        self._results.save(path)

    @cached_property
    def _document(self) -> dict[str, Any]:
        return json.loads(self.to_json())

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """The verdict on each page and network, in this order."""
        return [_verdict(comparison) for comparison in self._document["comparisons"]]

    def plot(self, metric: str | None = None) -> Figure:
        """Draw the loads of each contender as a box plot, one panel for each page and network.

        ``metric`` is a name or a column, such as ``speed_index_ms``; by default that of the verdicts.
        """
        return _plot(self._document, metric)


def race(
    page: Page | str | os.PathLike[str] | Iterable[Page | str | os.PathLike[str]],
    *,
    networks: str | Sequence[str] = (),
    contenders: str | Sequence[str] = (),
    runs: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    progress: Progress = False,
    **options: object,
) -> Race:
    """Race the ways to deliver a page.

    Args:
        page: one page or several, loaded or as files.
        networks: names or descriptions, such as "cable" or "rate 2mbit rtt 100ms loss 1%"; by
            default those of ``pagerace race``.
        contenders: in words, such as "h2", "h3 bbr" or "h3 bbr eps". The first is the baseline.
            Words that are left out are h3, cubic, sequential and a first visit. Without any, the
            options make them.
        runs: loads of each contender; by default as many as the answer takes, from 10 to 60.
        seed: the seed of all loads.
        jobs: number of threads; results do not depend on it. By default all cores.
        progress: True to show it on standard error, or a function of the name of the phase, the
            number of loads done, and of all.
        options: other options of ``pagerace race``, such as ``strategy=["eps", "sequential"]``,
            ``metric="speed-index"`` or ``browser="firefox"``. Those that write files, and
            ``page``, ``scenario`` and ``ad_list``, are for the command line only.

    Raises:
        PageraceError: a page or an option is not right.
    """
    named = {"network": texts("networks", networks), "runs": runs, "seed": seed, **options}
    words = texts("contenders", contenders)
    tell = teller(progress)
    try:
        results = _engine.race(_pages(page), arguments(named), words, threads(jobs), tell)
    finally:
        if isinstance(tell, Line):
            tell.clear()
    for text in results.warnings:
        warnings.warn(text, stacklevel=2)
    return Race(results)


def _pages(given: Any) -> list[Page]:
    single = isinstance(given, (Page, str, os.PathLike))
    pages = [given] if single else list(given)
    return [page if isinstance(page, Page) else Page.load(page) for page in pages]


def _verdict(comparison: dict[str, Any]) -> Verdict:
    return Verdict(
        page=comparison["page"],
        network=comparison["network"],
        metric=comparison["metric"],
        answer=comparison["answer"],
        text=comparison["verdict"],
        unit=comparison["unit"],
        paints=comparison["paints"],
        contenders=[_contender(one) for one in comparison["contenders"]],
    )


def _contender(one: dict[str, Any]) -> Contender:
    def pair(name: str) -> tuple[float, float] | None:
        low, high = one[name + "_low"], one[name + "_high"]
        return None if low is None or high is None else (low, high)

    return Contender(
        label=one["contender"]["label"],
        mark=one["mark"],
        median=one["median"],
        range=pair("range"),
        difference=one["difference"],
        difference_percent=one["difference_percent"],
        sure_range=pair("sure"),
        probable_range=pair("probable"),
        sooner_percent=one["sooner_percent"],
        basis=one["basis"],
        instead_of=one["instead_of"],
        interval=pair("interval"),
        p=one["signed_rank_p_holm"],
        failed_runs=one["failed_runs"],
    )


def _plot(document: dict[str, Any], metric: str | None) -> Figure:
    import matplotlib.pyplot as plt

    comparisons = document["comparisons"]
    results = document["results"]
    metric = _engine.column(metric or comparisons[0]["metric"])
    plan = document["plan"]
    networks = list(dict.fromkeys(one["network"] for one in comparisons))
    pages = list(dict.fromkeys(one["page"] for one in comparisons))
    labels = list(dict.fromkeys(one["contender"]["label"] for one in results))
    figure = plt.figure(
        figsize=(1.6 + max(2.0, 0.6 * len(labels)) * len(networks), 0.8 + 2.4 * len(pages)),
        layout="constrained",
    )
    axes = figure.subplots(len(pages), len(networks), squeeze=False)
    for row, page in enumerate(pages):
        for column, network in enumerate(networks):
            panel = axes[row][column]
            own = [one for one in results if (one["page"], one["network"]) == (page, network)]
            values = [[v for v in one["values"][metric] if v is not None] for one in own]
            names = [one["contender"]["label"] for one in own]
            panel.boxplot(values, tick_labels=names, widths=0.6)
            for label in panel.get_xticklabels():
                label.set(rotation=30, ha="right", rotation_mode="anchor")
            panel.grid(axis="y", alpha=0.3)
            panel.set_ylim(0, 1.08 * max((v for some in values for v in some), default=1) or 1)
            for place, (one, some) in enumerate(zip(own, values), 1):
                # An axis has no place for loads that never got there.
                absent = len(one["values"][metric]) - len(some)
                if absent:
                    text = f"{absent} of {len(one['values'][metric])}\nnever"
                    where = panel.get_xaxis_transform()
                    panel.text(place, 0.98, text, transform=where, ha="center", va="top", fontsize=7)
            if row == 0:
                panel.set_title(network, fontsize="medium")
            if column == 0:
                panel.set_ylabel(f"{textwrap.shorten(page, 24, placeholder='…')}\n{_axis(metric)}")
    counts = sorted({len(one["values"][metric]) for one in results})
    runs = " to ".join(str(count) for count in counts[:1] + counts[1:][-1:])
    figure.suptitle(
        f"Pagerace {document['version']}: {runs} runs, seed {plan['seed']}", fontsize="small"
    )
    # A notebook would show it twice, as an open figure and as a value.
    plt.close(figure)
    return figure


def _axis(metric: str) -> str:
    name, _, unit = metric.rpartition("_")
    known = {"ms", "bytes"}
    return f"{name.replace('_', ' ')} ({unit})" if unit in known else metric.replace("_", " ")
