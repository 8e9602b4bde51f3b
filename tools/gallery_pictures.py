"""Draws the pictures of docs/gallery.md: runs each notebook of the gallery, and keeps its first figure.

python3 tools/gallery_pictures.py           # a minute of processor time
"""
# ruff: noqa: INP001

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")

import matplotlib.pyplot as plt
from embed_fonts import embed

from wordline.output.plot.style import save

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "gallery"


def draw(notebook: Path) -> None:
    """Runs a notebook's cells until one has drawn a figure."""
    names: dict[str, Any] = {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        exec("".join(cell["source"]), names)  # noqa: S102 - of this project
        if plt.get_fignums():
            path = notebook.with_suffix(".svg")
            save(plt.gcf(), path)
            embed(path)
            plt.close("all")
            return
    sys.exit(f"{notebook.name} draws no figure")


if __name__ == "__main__":
    for each in sorted(FOLDER.glob("*.ipynb")):
        draw(each)
