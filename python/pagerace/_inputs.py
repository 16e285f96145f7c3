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


def arguments(options: dict[str, object]) -> list[str]:
    """Return options as words of a command line."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        single = isinstance(value, (str, os.PathLike)) or not isinstance(value, Iterable)
        for item in [value] if single else value:
            if item is True:
                words.append(option)
            elif item is not None and item is not False:
                text = os.fspath(item) if isinstance(item, os.PathLike) else str(item)
                # The command line splits lists at commas.
                quoted = not single and "," in text
                words += [option, f'"{text}"' if quoted else text]
    return words
