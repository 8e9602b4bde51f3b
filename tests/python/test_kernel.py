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
# A run that lasts until the bar has been drawn several times.
LONG_RUN = """
result = wl.run(ssd, wl.workload("fio/random-read", requests=1_500_000), progress=True)
result.all.count
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


def test_a_bar_moves() -> None:
    notebook = Messages(BEGIN, LONG_RUN)
    drawn = [str(content.get("data", {}).get("text/plain", "")) for content in notebook.contents]
    bars = [text for text in drawn if "simulating" in text]
    shares = {text.rpartition("%")[0].split()[-1] for text in bars if "%" in text}
    assert len(shares) >= 2, "the bar moves"
    assert notebook.outputs(1)[-1]["text/plain"] == "1500000"


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
