"""Corpora against the command line, and their statistics against other libraries."""

import json

import numpy as np
import pagerace
import pytest
from conftest import ROOT
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from statsmodels.api import OLS, add_constant

PAGE = ROOT / "examples" / "pages" / "shop.har"
OPTIONS = {"networks": ["cable", "rate 5mbit rtt 30ms loss 1%"], "runs": 3, "http3": "providers"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return eight pages with a growing number of requests to a content delivery network.

    The first four share the host of the analytics, three of them that of the payments too.
    """
    folder = tmp_path_factory.mktemp("corpus")
    paths = []
    for page in range(8):
        text = PAGE.read_text(encoding="utf-8").replace("outfitters", f"site{page}")
        if page >= 4:
            text = text.replace("analytics.insight", f"analytics.own{page}")
        if page not in (0, 1, 2):
            text = text.replace("pay.wallet", f"pay.own{page}")
        har = json.loads(text)
        for entry in har["log"]["entries"][: 4 + 4 * page]:
            entry["response"]["headers"].append({"name": "cf-ray", "value": "1-TXL"})
        paths.append(folder / f"page{page}.har")
        paths[-1].write_text(json.dumps(har), encoding="utf-8")
    return paths


@pytest.fixture(scope="module")
def corpus(files):
    return pagerace.corpus(files, **OPTIONS)


def test_results_are_those_of_the_command_line(cli, corpus, files, tmp_path):
    words = ["--network", '"cable","rate 5mbit rtt 30ms loss 1%"', "--runs", 3, "--http3", "providers"]
    printed = cli("corpus", *files, *words, "--json", tmp_path / "corpus.json", "--no-progress")
    assert (tmp_path / "corpus.json").read_text(encoding="utf-8") == corpus.to_json()
    assert printed.startswith(str(corpus))
    frame = corpus.to_polars()
    assert frame.height == len(corpus) == corpus.findings["requests"]
    assert {"page", "provider", "evidence", "h3_wait_ms"} <= set(frame.columns)


def medians(page, network):
    """Return the median reduction of the page load time of a page on a network."""
    pairs = page["pairs"][network]["onload_ms"]
    return np.median([h2 - h3 for h2, h3 in pairs])


def test_slopes_are_those_of_statsmodels(corpus):
    reductions = corpus.findings["reductions"]
    pages = [page for page in corpus.findings["pages"] if page["name"] not in reductions["left_out"]]
    requests = [page["http3_cdn_requests"] for page in pages]
    for network, loss in enumerate(reductions["losses"]):
        saved = [medians(page, network) for page in pages]
        fit = OLS(saved, add_constant(np.array(requests, dtype=float))).fit()
        assert loss["trend"]["slope"] == pytest.approx(fit.params[1])
        assert loss["trend"]["interval"] == pytest.approx(fit.conf_int()[1])


def test_groups_are_those_of_scikit_learn(corpus):
    clusters = corpus.findings["reductions"]["clusters"]
    names = [name for one in clusters for name in one["pages"]]
    frame = corpus.to_pandas()
    hosts = frame.groupby("page")["host"].agg(set)
    shared = sorted({h for own in hosts for h in own if sum(h in other for other in hosts) > 1})
    vectors = np.array([[host in hosts[name] for host in shared] for name in names], dtype=float)
    ours = [place for place, one in enumerate(clusters) for _ in one["pages"]]
    theirs = KMeans(n_clusters=2, n_init=50, random_state=1).fit(vectors)
    spread = sum(((vectors[np.array(ours) == k] - vectors[np.array(ours) == k].mean(axis=0)) ** 2).sum() for k in (0, 1))
    assert spread <= theirs.inertia_ * (1 + 1e-9)
    assert adjusted_rand_score(ours, theirs.labels_) == 1


def test_mistakes_are_told(files, tmp_path):
    with pytest.raises(pagerace.PageraceError, match="nowhere.har"):
        pagerace.corpus(tmp_path / "nowhere.har")
    with pytest.raises(pagerace.PageraceError, match="for the command line"):
        pagerace.corpus(files, json=tmp_path / "corpus.json")
    with pytest.raises(pagerace.PageraceError, match="'--runs <N>' cannot be used with '--no-loads'"):
        pagerace.corpus(files, no_loads=True, runs=3)
    with pytest.raises(pagerace.PageraceError, match="cabel"):
        pagerace.corpus(files, networks="cabel")
    assert json.loads(pagerace.corpus(files[:1], no_loads=True).to_json())["settings"]["loads"] is None
