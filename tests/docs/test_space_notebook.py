"""The notebook of the documentation prints what it shows.

Needs nbclient and ipykernel. A picture is drawn anew but not compared: its bytes depend on the
version of matplotlib.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT
from tests.outside import PATIENCE

NOTEBOOK = ROOT / "docs" / "how-to" / "space-notebook.ipynb"


def texts(notebook: Any) -> list[list[dict[str, str]]]:
    """The outputs of each code cell: their texts by MIME type, or by the name of the stream."""
    return [
        [_text_of(output) for output in cell["outputs"]]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def _text_of(output: Any) -> dict[str, str]:
    if output["output_type"] == "stream":
        return {output["name"]: output["text"]}
    return {kind: text for kind, text in output["data"].items() if kind.startswith("text/")}


def executed(notebook: Any, folder: Path) -> Any:
    """A copy of a notebook with the outputs of a run in a folder. Raises CellExecutionError."""
    nbclient: Any = pytest.importorskip("nbclient")
    client = nbclient.NotebookClient(
        deepcopy(notebook),
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
        timeout=PATIENCE,
    )
    ran = client.execute()
    ran["metadata"] = notebook["metadata"]  # without the version of Python that ran it
    return ran


def test_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """A run of all cells prints the stored texts; --update-golden stores the outputs of the run."""
    nbformat: Any = pytest.importorskip("nbformat")
    for package in ("nbclient", "ipykernel", "matplotlib", "pyarrow"):
        pytest.importorskip(package)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))  # not the user's start-up files
    folder = tmp_path / "run"
    folder.mkdir()
    ran = executed(nbformat.read(NOTEBOOK, as_version=4), folder)
    if request.config.getoption("--update-golden"):
        nbformat.write(ran, NOTEBOOK)
    assert texts(ran) == texts(nbformat.read(NOTEBOOK, as_version=4))
