"""Progress on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

Tell = Callable[[str, int, int], object]
Progress = bool | Tell

# Seconds between two updates on a terminal or in a notebook, and in a log.
_OFTEN = 0.2
_SELDOM = 10.0


def teller(progress: Progress) -> Tell | None:
    """Return the function that is told of progress, if there is one."""
    if progress is True:
        return Line(sys.stderr)
    return progress or None


class Line:
    """One line that is written again, or a line now and then in a log."""

    def __init__(self, out: TextIO) -> None:
        # The standard error of a notebook is no terminal, but goes back to the line's start.
        self._again = out.isatty() or type(out).__module__.startswith("ipykernel")
        self._period = _OFTEN if self._again else _SELDOM
        self._out = out
        self._last = time.monotonic()
        self._shown = 0

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last < self._period:
            return
        self._last = now
        text = f"{phase}: {done} of {total}"
        if self._again:
            self._out.write("\r" + text.ljust(self._shown))
            self._shown = len(text)
        else:
            self._out.write(text + "\n")
        self._out.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            self._out.write("\r" + " " * self._shown + "\r")
            self._out.flush()
            self._shown = 0
