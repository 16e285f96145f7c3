"""Races the ways a web page can be delivered, and tells which one wins and by how much.

>>> import pagerace
>>> page = pagerace.Page.load("examples/pages/shop.har")
>>> race = pagerace.race(page, networks=["cable"], contenders=["h2", "h3"], runs=10)
>>> print(race)                              # doctest: +SKIP
>>> race.to_polars()                         # doctest: +SKIP

:class:`Study` runs a plan of many races, and :func:`corpus` surveys recordings. The functions raise :class:`PageraceError`, whose text
names the file, the place in it, and what to do.
"""

from ._corpus import Corpus, corpus
from ._engine import Page, PageraceError, __version__
from ._race import Contender, Race, Verdict, race
from ._study import Study, Table

__all__ = [
    "Contender",
    "Corpus",
    "Page",
    "PageraceError",
    "Race",
    "Study",
    "Table",
    "Verdict",
    "__version__",
    "corpus",
    "race",
]
