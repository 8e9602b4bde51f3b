"""Makes the figure of docs/how-to/fdp.md and prints its table: a flash cache on a full drive, with handles and without.

What WARP measured with CacheLib on a real drive is drawn beside.

python tools/fdp_page.py
"""
# ruff: noqa: INP001, S101

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from warp.caches import PAIRS

import wordline as wl
from wordline import extras
from wordline.output.plot.style import PALETTE, figure, legend, save

ROOT = Path(__file__).resolve().parents[1]
SHARES = (0.02, 0.04, 0.10, 0.15, 0.20, 0.30, 0.40)
WAYS: dict[str, tuple[dict[str, Any], float]] = {
    "plain": ({"fdp.isolation": "off"}, 1.0),
    "plain, half full": ({"fdp.isolation": "off", "precondition.fill": 0.5}, 0.5),
    "fdp-ii": ({"fdp.isolation": "initially"}, 1.0),
    "fdp-pi": ({"fdp.isolation": "persistently"}, 1.0),
}


def amplification(settings: dict[str, Any], share: float, used: float) -> float:
    """Returns the write amplification where buckets have a share of the part of the drive that is used."""
    text = (ROOT / "examples" / "cachelib.toml").read_text(encoding="utf-8")
    buckets, log = 100 * share * used, 100 * (1 - share) * used
    text = text.replace('size = "100%"', f'size = "{100 * used:.4f}%"').replace(
        'size = "10%"', f'size = "{buckets:.4f}%"'
    )
    text = text.replace('offset = "10%"', f'offset = "{buckets:.4f}%"\nsize = "{log:.4f}%"')
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cachelib.toml"
        path.write_text(text, encoding="utf-8")
        config = wl.config(ROOT / "examples" / "cachelib-drive.toml").set_all(settings)
        found = wl.run(config, wl.flows(path)).document["write_amplification"]
    assert found is not None
    return found


def main() -> None:
    """Runs all points, draws them and prints the table."""
    extras.need("the figure", "plot")
    lines = {
        name: [amplification(settings, share, used) for share in SHARES] for name, (settings, used) in WAYS.items()
    }
    with figure(1, height=2.3) as (drawing, (axes,)):
        for (name, values), colour in zip(lines.items(), PALETTE, strict=False):
            axes.plot([100 * share for share in SHARES], values, marker="o", markersize=3, color=colour, label=name)
        real = {
            "real, plain": ("^", [pair.plain for pair in PAIRS]),
            "real, FDP": ("v", [pair.fdp for pair in PAIRS]),
        }
        shares = [100 * pair.buckets for pair in PAIRS]
        for (name, (marker, measured)), colour in zip(real.items(), (PALETTE[0], PALETTE[2]), strict=True):
            axes.plot(shares, measured, marker, markersize=5, fillstyle="none", color=colour, label=name)
        axes.set(xlabel="Share of the space for small objects (%)", ylabel="Write amplification", ylim=(0.9, None))
        legend(axes)
        save(drawing, ROOT / "docs" / "how-to" / "fdp.svg")
    print("| small objects | " + " | ".join(lines) + " |")
    print("|---" * (len(lines) + 1) + "|")
    for number, share in enumerate(SHARES):
        print(f"| {share:.0%} | " + " | ".join(f"{values[number]:.2f}" for values in lines.values()) + " |")


if __name__ == "__main__":
    main()
