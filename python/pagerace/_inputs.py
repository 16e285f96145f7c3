"""Arguments as the engine wants them."""

from __future__ import annotations

import os
from collections.abc import Iterable


def texts(name: str, given: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return one text or several as a list."""
    items = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    for item in items:
        if not isinstance(item, (str, os.PathLike)):
            raise TypeError(f"{name}: {item!r} is no text")
    return [os.fspath(item) for item in items]


def threads(jobs: int | None) -> int | None:
    """Return a number of threads that is possible."""
    if jobs is not None and not 1 <= jobs <= 65535:
        raise ValueError(f"jobs: {jobs} is not between 1 and 65535")
    return jobs
