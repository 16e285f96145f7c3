"""Studies against the command line."""

import threading

import pagerace
import pyarrow.parquet
import pytest


def test_a_study_runs_what_is_missing(plan):
    study = pagerace.Study(plan)
    assert (study.title, study.progress) == ("Two versions", (0, 96))
    assert study.run().progress == (96, 96)
    names = sorted(path.name for path in plan.with_name("results").glob("*.parquet"))
    assert len(names) == 5
    told = []
    study.run(progress=lambda *step: told.append(step))
    assert told == []
    assert names == sorted(path.name for path in plan.with_name("results").glob("*.parquet"))


def test_files_are_those_of_the_command_line(cli, plan, tmp_path):
    study = pagerace.Study(plan, output=tmp_path / "ours").run(jobs=2)
    cli("study", "run", plan, "-o", tmp_path / "theirs")
    for table in ("", "requests"):
        ours = {path.name: path.read_bytes() for path in (tmp_path / "ours" / table).glob("*.parquet")}
        theirs = {path.name: path.read_bytes() for path in (tmp_path / "theirs" / table).glob("*.parquet")}
        assert ours == theirs and ours
    study.export(tmp_path / "ours.parquet")
    cli("study", "export", plan, "-o", tmp_path / "theirs", "--to", tmp_path / "theirs.parquet")
    assert (tmp_path / "ours.parquet").read_bytes() == (tmp_path / "theirs.parquet").read_bytes()
    assert study.to_arrow().equals(pyarrow.parquet.read_table(tmp_path / "ours.parquet").replace_schema_metadata())
    printed = cli("study", "table", tmp_path / "theirs", "--csv", "--metric", "speed_index_ms", "--baseline", "h2")
    table = study.table(metric="speed_index_ms", baseline="h2")
    lines = printed.splitlines()
    assert lines[0].split(",") == table.columns
    assert len(lines) == len(table) + 1
    assert all(row["pages"] == 2 for row in table)
    for spelling in ("speed-index", "speed_index", "speed-index-ms"):
        assert study.table(metric=spelling, baseline="h2") == table


def test_mistakes_are_named(plan, tmp_path):
    with pytest.raises(pagerace.PageraceError, match="nothing.toml"):
        pagerace.Study(tmp_path / "nothing.toml")
    text = plan.read_text(encoding="utf-8")
    plan.write_text(text.replace("cable", "calbe"), encoding="utf-8")
    with pytest.raises(pagerace.PageraceError, match='plan.toml: race "versions": .*calbe'):
        pagerace.Study(plan)
    plan.write_text(text, encoding="utf-8")
    study = pagerace.Study(plan)
    with pytest.raises(pagerace.PageraceError, match="holds no loads"):
        study.table()
    study.run()
    with pytest.raises(pagerace.PageraceError, match="`pie` is no kind of table"):
        study.table("pie")
    with pytest.raises(pagerace.PageraceError, match="no column"):
        study.table(compare="protocl")
    with pytest.raises(pagerace.PageraceError, match="loads.parquet: cannot be written"):
        study.export(tmp_path / "none" / "loads.parquet")
    with pytest.raises(ValueError, match="give a client"):
        pagerace.Study(plan, output="memory://results").run()


def test_given_pages_take_the_place_of_the_plans(plan):
    pages = plan.read_text(encoding="utf-8").split("pages = ['")[1].split("'")[0]
    assert pagerace.Study(plan, pages=[pages]).progress == (0, 48)


def test_threads_share_a_folder(plan, tmp_path):
    failed = []

    def run():
        try:
            pagerace.Study(plan, output=tmp_path / "shared").run(jobs=1)
        except pagerace.PageraceError as error:
            failed.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert pagerace.Study(plan, output=tmp_path / "shared").progress == (96, 96)
