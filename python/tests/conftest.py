"""Recordings that come with the repository, and the command line to compare with."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "examples" / "pages"


@pytest.fixture(scope="session")
def cli():
    """Return a function that runs the command line and returns its standard output."""
    built = [ROOT / "target" / profile / "pagerace" for profile in ("debug", "release")]
    given = [Path(os.environ["PAGERACE"])] if "PAGERACE" in os.environ else built
    found = [path for path in given if path.exists()]
    if not found:
        pytest.skip("there is no pagerace to compare with: run cargo build, or set PAGERACE")

    def run(*words):
        command = [str(found[0]), *map(str, words)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return run


@pytest.fixture
def plan(tmp_path):
    """Return the file of a small plan of two pages."""
    pages = [str(PAGES / name) for name in ("blog.har", "news.har")]
    path = tmp_path / "plan.toml"
    path.write_text(
        f"""
        title = "Two versions"
        pages = {pages}
        runs = 12
        requests = true
        [[race]]
        name = "versions"
        network = ["cable", "lossy-wifi"]
        protocol = ["h2", "h3"]
        """,
        encoding="utf-8",
    )
    return path
