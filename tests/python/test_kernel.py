"""Wordline in a real Jupyter kernel: tables, figures and progress bars arrive as messages that a notebook shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="there is no Jupyter: `make setup` installs it")
nbformat = pytest.importorskip("nbformat")

BEGIN = """
import wordline as wl
ssd = wl.preset("mqsim").set_all({"ssd.channels": 2, "ssd.chips_per_channel": 1, "ssd.blocks_per_plane": 64})
reads = wl.workload("fio/random-read", requests=2_000)
"""
# The bar is drawn at each step of the run, whatever the machine's speed.
EACH_STEP = """
import os
os.environ["WORDLINE_PROGRESS_S"] = "0"
"""
RUN = """
result = wl.run(ssd, wl.workload("fio/random-read", requests=100_000), progress=True)
result.all.count
"""
COMPARISON = """
results = wl.compare(ssd, reads, {"workload.requests": [100_000, 100_001]}, jobs=1, progress=True)
len(results)
"""
FAILING = """
from wordline.progress import bar
try:
    with bar() as show:
        show("working", 0.5, "hard")
        raise ValueError
except ValueError:
    pass
"""


class Messages(nbclient.NotebookClient):  # type: ignore[misc]
    """Runs a notebook and keeps what the kernel sent."""

    def __init__(self, *cells: str) -> None:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
        super().__init__(notebook, timeout=240, kernel_name="python3")
        self.contents: list[Mapping[str, Any]] = []
        self.execute()

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:  # noqa: ANN401 - as the parent has it
        self.contents.append(msg["content"])
        return super().process_message(msg, cell, cell_index)

    def outputs(self, cell: int) -> list[Mapping[str, Any]]:
        return [output.get("data", {}) for output in self.nb.cells[cell].outputs]


def test_a_bar_moves_and_vanishes() -> None:
    notebook = Messages(EACH_STEP + BEGIN, RUN, COMPARISON)
    drawn = [str(content.get("data", {}).get("text/plain", "")) for content in notebook.contents]
    for label, cell in (("simulating", 1), ("points", 2)):
        shares = {text.partition("%")[0].split()[-1] for text in drawn if label in text and "%" in text}
        assert len(shares) >= 2, f"the bar of {label} moves"
        # What a saved notebook shows: an empty output in the bar's place, then the result.
        bar, result = notebook.outputs(cell)
        assert set(bar.values()) == {""}
        assert result["text/plain"] in ("100000", "2")


def test_an_error_takes_the_bar_away() -> None:
    notebook = Messages(FAILING)
    assert any(content.get("data", {}).get("text/plain") == "working 50% hard" for content in notebook.contents)
    (bar,) = notebook.outputs(0)
    assert set(bar.values()) == {""}


def test_tables_and_figures_show() -> None:
    notebook = Messages(
        BEGIN,
        "ssd",
        "wl.run(ssd, reads)",
        "results = wl.compare(ssd, reads, {'host.queue_depth': [1, 8]}, jobs=1)\nresults",
        "results.plot.bars('iops.all');",
    )
    for cell, said in ((1, "ssd.channels"), (2, "fio/random-read (synthetic)"), (3, "host.queue_depth")):
        assert said in notebook.outputs(cell)[0]["text/html"], cell
    assert "image/png" in notebook.outputs(4)[0]
