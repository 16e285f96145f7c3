"""Studies on a local cluster of dask.distributed."""

import os
import shutil
import signal
import threading
import time

import pagerace
import pytest

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def exported(study, path):
    study.export(path)
    return path.read_bytes()


@pytest.fixture
def longer(plan):
    text = plan.read_text(encoding="utf-8").replace("runs = 12", "runs = 120")
    plan.write_text(text, encoding="utf-8")
    return plan


def test_a_killed_worker_loses_nothing(client, longer, tmp_path):
    alone = pagerace.Study(longer, output=tmp_path / "alone").run()
    output = tmp_path / "together"
    pids = list(client.run(os.getpid).values())

    def kill():
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and len(list(output.glob("*.parquet"))) < 3:
            time.sleep(0.01)
        os.kill(pids[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    together = pagerace.Study(longer, output=output)
    told = []
    together.run(client=client, progress=lambda *step: told.append(step))
    killer.join()
    assert pids[0] not in client.run(os.getpid).values()
    assert told[-1] == ("running", 960, 960)
    assert not list(output.rglob("*.part"))
    assert exported(together, tmp_path / "a.parquet") == exported(alone, tmp_path / "b.parquet")


def test_workers_write_to_addresses(client, plan, tmp_path):
    alone = pagerace.Study(plan, output=tmp_path / "alone").run()
    store = tmp_path / "store"
    study = pagerace.Study(plan, output=f"file://{store}").run(client=client)
    assert study.progress == (96, 96)
    names = {path.name for path in store.glob("*.parquet")}
    assert names == {path.name for path in (store / "requests").glob("*.parquet")}
    assert exported(study, tmp_path / "a.parquet") == exported(alone, tmp_path / "b.parquet")
    # Only what is missing runs again.
    lost = sorted(names)[0]
    (store / lost).unlink()
    told = []
    again = pagerace.Study(plan, output=f"file://{store}")
    again.run(client=client, progress=lambda *step: told.append(step))
    assert len(told) == 1
    assert exported(again, tmp_path / "c.parquet") == exported(alone, tmp_path / "b.parquet")


def test_an_error_of_a_worker_reaches_the_caller(client, plan, tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    text = plan.read_text(encoding="utf-8")
    for name in text.split("pages = [")[1].split("]")[0].replace("'", "").split(", "):
        shutil.copy(name, pages)
    start, rest = text.split("pages = [")
    plan.write_text(start + "pages = ['pages/*.har']" + rest.split("]", 1)[1], encoding="utf-8")
    study = pagerace.Study(plan, output=tmp_path / "results")
    (pages / "news.har").write_text("no HAR", encoding="utf-8")
    with pytest.raises(pagerace.PageraceError, match="news"):
        study.run(client=client)
