"""The notebook of a newcomer, from top to bottom."""

import pytest
from conftest import ROOT

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")


def test_the_notebook_ends_in_a_figure():
    nbformat = pytest.importorskip("nbformat")
    path = ROOT / "examples" / "first-race.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": path.parent}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    assert kinds.count("image/png") == 2
    printed = "".join(output.get("text", "") for output in outputs)
    assert "against h2" in printed and "slow-4g:" in printed
