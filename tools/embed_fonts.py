"""Puts the glyphs that the figures of the documentation use into their SVGs.

python3 tools/embed_fonts.py           # after a figure was drawn: it then looks the same where its font is missing
"""
# ruff: noqa: INP001

from __future__ import annotations

import base64
import html
import io
import re
from pathlib import Path
from typing import Literal

from fontTools import subset as fonts
from matplotlib import font_manager

ROOT = Path(__file__).resolve().parents[1]
FAMILY = "STIXGeneral"
TEXT = re.compile(r"<(?:text|tspan)\b[^>]*>([^<]*)")
ROOT_TAG = re.compile(r"<svg\b[^>]*>")
FACE = "@font-face{{font-family:{family};font-style:{style};src:url(data:font/ttf;base64,{data})}}"


def embed(path: Path) -> None:
    """Adds a subset of the font to an SVG that names it; an SVG that has it, or needs none, stays as it is."""
    text = path.read_text(encoding="utf-8")
    letters = html.unescape("".join(TEXT.findall(text)))
    if FAMILY not in text or "@font-face" in text or not letters:
        return
    styles: list[Literal["normal", "italic"]] = ["normal"]
    if re.search(r"font(?:-style)?: italic", text):
        styles.append("italic")
    faces = "".join(FACE.format(family=FAMILY, style=style, data=subset(style, letters)) for style in styles)
    whole = ROOT_TAG.sub(lambda tag: f"{tag[0]}\n <style>{faces}</style>", text, count=1)
    path.write_text(whole, encoding="utf-8", newline="\n")


def subset(style: Literal["normal", "italic"], letters: str) -> str:
    """The glyphs of these letters, as a font in base64."""
    file = font_manager.findfont(font_manager.FontProperties(family=FAMILY, style=style))
    options = fonts.Options(
        drop_tables=["FFTM", "DSIG"],
        hinting=False,
        layout_features=[],
        name_IDs=[],
        notdef_outline=True,
        recalc_timestamp=False,
    )
    font = fonts.load_font(file, options)
    chosen = fonts.Subsetter(options)
    chosen.populate(text=letters)
    chosen.subset(font)
    made = io.BytesIO()
    fonts.save_font(font, made, options)
    return base64.b64encode(made.getvalue()).decode("ascii")


if __name__ == "__main__":
    for figure in sorted((ROOT / "docs").glob("*/*.svg")):
        embed(figure)
