"""Rows of loads as tables of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ._engine import Loads


class Rows:
    """Something with one row for each load, or for each request of a corpus.

    Columns name page, network and the parts of the contender. Metrics have their unit in the
    name, such as ``lcp_ms``; null is undefined, and infinity a value that was never reached.
    """

    def _loads(self) -> Loads:
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as an Arrow stream (PyCapsule interface), without a copy."""
        return self._loads().__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pyarrow.Table:
        """Return the rows as a table of pyarrow, without a copy."""
        import pyarrow

        return pyarrow.table(self)

    def to_polars(self) -> polars.DataFrame:
        """Return the rows as a data frame of Polars."""
        import polars

        return polars.DataFrame(self._loads())

    def to_pandas(self) -> pandas.DataFrame:
        """Return the rows as a data frame of pandas. This copies."""
        return self.to_arrow().to_pandas()
