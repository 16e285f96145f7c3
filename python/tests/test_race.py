"""Races against the command line."""

import csv
import io
import json
import math
import os
import signal
import subprocess
import sys
import time

import pagerace
import pytest
from conftest import PAGES

NEWS = PAGES / "news.har"


def test_a_page_tells_of_itself():
    page = pagerace.Page.load(NEWS)
    assert (page.name, page.paints) == ("news", "guessed")
    har = json.loads(NEWS.read_text(encoding="utf-8"))
    assert page.requests == len(har["log"]["entries"])
    assert page.url == har["log"]["entries"][0]["request"]["url"]
    assert page.origins > 1 and page.body_bytes > 100_000


def test_results_are_those_of_the_command_line(cli, tmp_path):
    words = ["--network", "cable,slow-4g", "--protocol", "h2,h3", "--runs", 8, "--seed", 5]
    file, rows = tmp_path / "race.json", tmp_path / "race.csv"
    printed = cli("race", NEWS, *words, "--json", file, "--csv", rows)
    race = pagerace.race(NEWS, networks=["cable", "slow-4g"], protocol=["h2", "h3"], runs=8, seed=5)
    assert race.to_json() == file.read_text(encoding="utf-8")
    assert printed.startswith(str(race).split("\n\n")[0])
    expected = list(csv.DictReader(io.StringIO(rows.read_text(encoding="utf-8"))))
    table = race.to_arrow().to_pylist()
    assert len(table) == len(expected) == len(race)
    for ours, theirs in zip(table, expected):
        assert (ours["run"] + 1, ours["network"]) == (int(theirs["run"]), theirs["network"])
        for column in ("lcp_ms", "speed_index_ms", "hol_blocked_bytes", "bytes_down"):
            assert ours[column] == float(theirs[column])
    saved = tmp_path / "saved.json"
    race.save(saved)
    assert saved.read_bytes() == file.read_bytes()
    with pytest.raises(pagerace.PageraceError, match="saved.json: cannot be written"):
        race.save(tmp_path / "none" / "saved.json")


def test_verdicts_are_those_of_the_results_file():
    race = pagerace.race(NEWS, networks=["cable", "slow-4g"], contenders=["h1", "h2", "h3 bbr"], runs=12)
    assert [verdict.network for verdict in race.verdicts] == ["cable", "slow-4g"]
    for verdict in race.verdicts:
        assert verdict.text.startswith(f"On {verdict.network}, ")
        assert verdict.text.startswith(verdict.answer)
        medians = [contender.median for contender in verdict.contenders]
        assert medians == sorted(medians)
        baseline = [one for one in verdict.contenders if one.mark == "baseline"]
        assert [one.label for one in baseline] == ["h1 cubic"]
        for one in verdict.contenders:
            if one.mark != "baseline":
                low, high = one.probable_range
                assert low <= one.difference <= high
                assert 0 <= one.sooner_percent <= 100 and one.interval is None
    loads = race.to_polars()
    h1 = loads.filter((loads["network"] == "cable") & (loads["protocol"] == "h1"))["lcp_ms"].median()
    assert math.isclose(h1, next(o for o in race.verdicts[0].contenders if o.label == "h1 cubic").median)


def test_libraries_read_the_rows():
    race = pagerace.race(NEWS, networks=["cable"], contenders=["h2", "h3"], runs=3)
    arrow, polars, pandas = race.to_arrow(), race.to_polars(), race.to_pandas()
    assert arrow.column_names == polars.columns == list(pandas.columns)
    assert arrow["lcp_ms"].to_pylist() == polars["lcp_ms"].to_list() == pandas["lcp_ms"].tolist()
    assert arrow["essential_ms"].null_count == arrow.num_rows


def test_a_plot_has_a_box_for_each_contender():
    race = pagerace.race(
        [NEWS, PAGES / "blog.har"], networks=["cable", "slow-4g"], contenders=["h2", "h3"], runs=5
    )
    figure = race.plot("speed_index_ms")
    assert len(figure.axes) == 4
    for axes in figure.axes:
        assert [label.get_text() for label in axes.get_xticklabels()] == ["h2", "h3"]
        low, high = axes.get_ylim()
        assert low == 0 and high > max(max(line.get_ydata(), default=0) for line in axes.lines)
    with pytest.raises(pagerace.PageraceError, match="`lpc_ms` is no metric"):
        race.plot("lpc_ms")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"networks": ["calbe"]}, "did you mean `cable`"),
        ({"contenders": ["h4"]}, "`h4` is not a protocol"),
        ({"stratgy": "eps"}, "`stratgy` is no option"),
        ({"runs": 0}, "--runs"),
        ({"runs": -1}, "runs: -1 is negative"),
        ({"browser": "chromium"}, "possible values: chrome"),
        ({"contenders": ["h2"], "protocol": "h3"}, "both name contenders"),
        ({"metric": "cls"}, "needs real layout"),
    ],
)
def test_a_wrong_option_is_named(options, text):
    with pytest.raises(pagerace.PageraceError, match=text):
        pagerace.race(NEWS, **options)


def test_a_wrong_file_is_named(tmp_path):
    with pytest.raises(pagerace.PageraceError, match="missing.har: cannot be read"):
        pagerace.Page.load(tmp_path / "missing.har")
    broken = tmp_path / "broken.har"
    broken.write_text('{"log": {"entries": [{}]}}', encoding="utf-8")
    with pytest.raises(pagerace.PageraceError, match="broken.har"):
        pagerace.Page.load(broken)


def test_a_text_stands_for_a_list_of_one():
    race = pagerace.race(
        NEWS, networks="cable", contenders="h2", runs=2
    )
    assert [verdict.network for verdict in race.verdicts] == ["cable"]
    policies = ["full", "datagram:fonts,ads"]
    assert len(pagerace.race(NEWS, networks="cable", reliability=policies, runs=1)) == 2
    with pytest.raises(TypeError, match="networks: None is no text"):
        pagerace.race(NEWS, networks=[None])
    with pytest.raises(ValueError, match="jobs: 0"):
        pagerace.race(NEWS, jobs=0)


def test_a_plot_counts_what_has_no_place():
    race = pagerace.race(NEWS, networks="cable", contenders=["h2", "h3"], runs=3, deadline="1ms")
    (axes,) = race.plot().axes
    assert [text.get_text() for text in axes.texts] == ["3 of 3\nnever"] * 2


def test_what_needs_attention_is_a_warning():
    with pytest.warns(UserWarning, match="applies to no request"):
        pagerace.race(NEWS, networks=["cable"], protocol=["none.example=h3 *=h2", "h1"], runs=1)


def test_progress_is_told_and_its_errors_stop_the_race():
    told = []
    pagerace.race(
        NEWS, networks=["cable"], runs=3, jobs=1, progress=lambda *step: told.append(step)
    )
    phase, done, total = next(step for step in reversed(told) if step[0] == "racing")
    assert done == total == sum(1 for step in told if step[0] == "racing")

    def stop(*_):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        pagerace.race(NEWS, networks=["cable"], runs=3, progress=stop)


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signal")
def test_ctrl_c_interrupts():
    code = f"""
import pagerace
print("ready", flush=True)
try:
    pagerace.race({str(NEWS)!r}, runs=20000)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[0] == "interrupted\n"
    assert child.returncode == 0


def test_other_threads_of_python_go_on():
    import threading

    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    pagerace.race(NEWS, networks=["cable"], runs=30, jobs=1)
    stop.set()
    thread.join()
    assert len(ticks) > 10
