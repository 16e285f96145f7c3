"""Shards of a study on the workers of dask.distributed."""

from __future__ import annotations

import itertools
import os
import posixpath
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from . import _engine
from ._progress import Tell

if TYPE_CHECKING:
    from distributed import Client, Future

    from ._study import Study

_SUFFIX = ".parquet"

# Shards for each thread of the workers that are submitted ahead.
_AHEAD = 4


def run(study: Study, client: Client, tell: Tell | None) -> None:
    """Run the shards that the results lack on the workers, which write them."""
    from distributed import as_completed

    output = study.output
    shards = study._engine.missing()
    total, done = sum(loads for _, loads, _ in shards), 0
    plan = str(study._plan.absolute())
    # Pages that the caller named are relative to the caller's folder.
    place = os.getcwd()
    left = iter(shards)
    sizes = {}

    def submit(count: int) -> list[Future]:
        futures = []
        for name, loads, contents in itertools.islice(left, count):
            arguments = (plan, study._pages, place, output, contents)
            future = client.submit(_work, *arguments, key=f"pagerace-{name}", pure=False)
            sizes[future] = loads
            futures.append(future)
        return futures

    def wanted() -> int:
        # A few shards wait at each worker, however many the study has.
        threads = sum(client.nthreads().values())
        return max(1, _AHEAD * threads - len(sizes))

    try:
        finished = as_completed(submit(wanted()))
        for future in finished:
            future.result()
            done += sizes.pop(future)
            if tell:
                tell("running", done, total)
            finished.update(submit(wanted()))
    except BaseException:
        client.cancel(list(sizes))
        raise


def fetch(output: str, folder: str) -> None:
    """Copy the shards in an object store that a folder lacks."""
    import fsspec

    files, root = fsspec.core.url_to_fs(output)
    if not files.exists(root):
        return
    for path in files.find(root):
        local = Path(folder, posixpath.relpath(path, root))
        if path.endswith(_SUFFIX) and not local.exists():
            local.parent.mkdir(parents=True, exist_ok=True)
            part = local.with_suffix(".part")
            files.get_file(path, str(part))
            part.rename(local)


@lru_cache(maxsize=4)
def _opened(plan: str, pages: tuple[str, ...], folder: str) -> _engine.Study:
    return _engine.Study(plan, list(pages), folder)


def _work(plan: str, pages: list[str], place: str, output: str, shard: str) -> None:
    """Run a shard on a worker and write its files."""
    if pages:
        os.chdir(place)
    if "://" not in output:
        _opened(plan, tuple(pages), output).run_shard(shard)
        return
    import fsspec

    files, folder = fsspec.core.url_to_fs(output)
    with tempfile.TemporaryDirectory() as local:
        _engine.Study(plan, pages, local).run_shard(shard)
        written = sorted(Path(local).rglob("*" + _SUFFIX), key=lambda path: -len(path.parts))
        # The rows of loads come last: a shard exists once they do.
        for path in written:
            target = posixpath.join(folder, path.relative_to(local).as_posix())
            files.makedirs(posixpath.dirname(target), exist_ok=True)
            _put(files, path, target)


def _put(files, path: Path, target: str) -> None:
    """Write a file as a whole: object stores show no parts, and folders rename."""
    beside = f"{target}.{os.getpid()}.part"
    if "file" in files.protocol:
        files.put_file(str(path), beside)
        files.mv(beside, target)
    else:
        files.put_file(str(path), target)
