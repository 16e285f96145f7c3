"""Studies: plans of races over many pages, with results in a folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _engine
from ._engine import Loads
from ._frames import Rows
from ._inputs import texts, threads
from ._progress import Line, Progress, teller

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class Table:
    """A table over pages.

    Attributes:
        caption: a description in one line.
        columns: the names of the columns.
        rows: texts, integers, floats and None. Shares and changes are fractions.
    """

    caption: str
    columns: list[str]
    rows: list[list[Any]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each row by the names of its columns."""
        for row in self.rows:
            yield dict(zip(self.columns, row))


class Study(Rows):
    """A plan and its results (docs/studies.md).

    Args:
        plan: a TOML file, or a folder that holds ``plan.toml``.
        output: the folder of the results; by default ``results`` beside the plan. Workers of a
            cluster can write to any address that fsspec knows, such as ``s3://bucket/results``.
        pages: recordings in place of the plan's, such as "*.har" or "small=s/*.har".

    Raises:
        PageraceError: the plan, or a file that it names, is not right.
    """

    def __init__(
        self,
        plan: str | os.PathLike[str],
        output: str | os.PathLike[str] | None = None,
        pages: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    ) -> None:
        self._plan = Path(plan)
        self._pages = texts("pages", pages)
        # Results in an object store are read from a copy.
        self._remote = output if isinstance(output, str) and "://" in output else None
        self._copy = tempfile.TemporaryDirectory() if self._remote else None
        local = self._copy.name if self._copy else output
        self._local = _engine.Study(plan, self._pages, local)

    @property
    def _engine(self) -> _engine.Study:
        if self._remote and self._copy:
            from ._cluster import fetch

            fetch(self._remote, self._copy.name)
        return self._local

    def __repr__(self) -> str:
        done, total = self.progress
        return f"<Study {self._plan}: {done} of {total} loads are done>"

    @property
    def title(self) -> str:
        """The title of the plan; empty if it has none."""
        return self._local.title

    @property
    def output(self) -> str:
        """The folder of the results, or its address."""
        return self._remote or str(self._local.folder.absolute())

    @property
    def progress(self) -> tuple[int, int]:
        """The number of loads that are done, and of all."""
        return self._engine.progress()

    def run(
        self,
        *,
        jobs: int | None = None,
        progress: Progress = False,
        client: Client | None = None,
    ) -> Study:
        """Run the loads that the results lack, and return the study.

        Interrupted (Ctrl-C), it keeps the shards that are complete, and the next call goes on.

        Args:
            jobs: number of threads; results do not depend on it. By default all cores.
            progress: True to show it on standard error, or a function of the name of the phase,
                the number of loads done, and of all.
            client: a client of dask.distributed, whose workers run the shards
                (docs/clusters.md).
        """
        tell = teller(progress)
        try:
            if client is not None:
                from ._cluster import run

                run(self, client, tell)
            elif self._remote:
                raise ValueError(f"{self._remote}: only workers of a cluster write there; give a client")
            else:
                self._local.run(threads(jobs), tell)
        finally:
            if isinstance(tell, Line):
                tell.clear()
        return self

    def _loads(self) -> Loads:
        return self._engine.loads()

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the loads as one Parquet file, in the order of the plan."""
        self._engine.export(path)

    def table(
        self,
        kind: str = "summary",
        *,
        metric: str | None = None,
        other: str | None = None,
        compare: str | None = None,
        baseline: str | None = None,
        where: Mapping[str, str | Sequence[str]] | None = None,
    ) -> Table:
        """Make a table of the loads, as ``pagerace study table`` does.

        Args:
            kind: "summary", "pages", "cdf", "quantiles" or "spearman".
            metric: by name or column; by default LCP.
            other: the metric with which "spearman" correlates.
            compare: the column whose values are compared; by default the one that varies.
            baseline: the value with which the others are compared.
            where: only loads with these values of columns.
        """
        conditions = {
            column: texts(f"where: {column}", values) for column, values in (where or {}).items()
        }
        return Table(*self._engine.table(kind, metric, other, compare, baseline, conditions))
