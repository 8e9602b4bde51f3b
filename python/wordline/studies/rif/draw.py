"""Bandwidth, channel time, the gain against the reads that fail first, and what the predictor sees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...lab.ecc import curves
from .. import Results
from ..figures import figure
from .claims import grid_rows
from .points import CYCLES, SYSTEMS, ZERO

SHOWN = (ZERO, *SYSTEMS)
PARTS = {"idle": "IDLE", "cor": "COR", "uncor": "UNCOR", "eccwait": "ECCWAIT", "write": "WRITE"}
BAR = 0.8
Rows = Sequence[Mapping[str, Any]]


def all_figures(results: Results, out: Path) -> None:
    """Draws all of them."""
    rows = [row for row in grid_rows(results) if row["system"] in SHOWN]
    bandwidth(rows, out)
    channel(rows, out)
    failing(rows, out)
    predictor(results, out)


def bandwidth(rows: Rows, out: Path) -> None:
    """Bandwidth by workload and SSD, a panel for each number of cycles."""
    from ...output.plot.style import BLUE, ORANGE, SKY

    colours = dict(zip(SHOWN, ("#999999", ORANGE, SKY, BLUE), strict=True))
    with figure(out, "bandwidth", rows, panels=len(CYCLES), height=1.4, width=7.2) as panels:
        for axes, pec in zip(panels, CYCLES, strict=True):
            here = [row for row in rows if row["pec"] == pec]
            names = list(dict.fromkeys(row["workload"] for row in here))
            for i, system in enumerate(SHOWN):
                heights = [row["mb_s"] / 1000.0 for row in here if row["system"] == system]
                width = BAR / len(SHOWN)
                places = [x - BAR / 2 + (i + 0.5) * width for x in range(len(names))]
                axes.bar(places, heights, width, color=colours[system], label=system.replace("_", " "), linewidth=0)
            axes.set_xticks(range(len(names)), names)
            axes.set_xlim(-0.5, len(names) - 0.5)
            axes.set_ylabel("bandwidth (GB/s)")
            axes.set_title(f"{pec // 1000}K P/E cycles", loc="left")
            axes.grid(visible=False, axis="x")
        panels[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, borderaxespad=0.2, handlelength=1.2)


def channel(rows: Rows, out: Path) -> None:
    """What the channels do, stacked, at the most cycles: a bar for each SSD, in the order of the bandwidth figure."""
    from ...output.plot.style import BLUE, GREEN, ORANGE, VERMILION

    colours = dict(zip(PARTS, ("#dddddd", BLUE, VERMILION, ORANGE, GREEN), strict=True))
    here = [row for row in rows if row["pec"] == CYCLES[-1]]
    names = list(dict.fromkeys(row["workload"] for row in here))
    width = BAR / len(SHOWN)
    with figure(out, "channel", here, height=2.4, width=7.2) as (axes,):
        places = [names.index(row["workload"]) - BAR / 2 + (SHOWN.index(row["system"]) + 0.5) * width for row in here]
        bottom = [0.0] * len(here)
        for part in ("cor", "write", "uncor", "eccwait", "idle"):
            heights = [row[part] for row in here]
            axes.bar(places, heights, width * 0.92, bottom=bottom, color=colours[part], label=PARTS[part], linewidth=0)
            bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
        for place, row in zip(places, here, strict=True):
            axes.text(place, 1.01, row["system"].replace("SSD_", ""), rotation=90, ha="center", va="bottom", size=5.5)
        axes.set_xticks(range(len(names)), names)
        axes.set_xlim(-0.5, len(names) - 0.5)
        axes.set_ylim(0.0, 1.0)
        axes.set_ylabel("share of channel time")
        axes.grid(visible=False, axis="x")
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.13), ncols=5, borderaxespad=0.2, handlelength=1.2)


def failing(rows: Rows, out: Path) -> None:
    """RiF's gain against the share of reads that fail first."""
    from ...output.plot.style import ORANGE, SKY, legend

    table = []
    for mine in (row for row in rows if row["system"] == "RiF"):
        for other in rows:
            same = (other["workload"], other["pec"]) == (mine["workload"], mine["pec"])
            if same and other["system"] in ("SENC", "SWR"):
                table.append(
                    {
                        "workload": mine["workload"],
                        "pec": mine["pec"],
                        "against": other["system"],
                        "failing_first": mine["failing_first"],
                        "gain": mine["mb_s"] / other["mb_s"] - 1.0,
                    }
                )
    with figure(out, "gain", table) as (axes,):
        for system, colour, marker in (("SENC", ORANGE, "o"), ("SWR", SKY, "s")):
            here = [row for row in table if row["against"] == system]
            axes.plot(
                [row["failing_first"] for row in here], [row["gain"] for row in here],
                color=colour, marker=marker, ms=3, linestyle="", label=f"over {system}",
            )  # fmt: skip
        axes.set_xlabel("share of reads that fail first")
        axes.set_ylabel("RiF's gain in bandwidth")
        axes.set_xlim(0.0, 1.02)
        axes.set_ylim(bottom=0.0)
        legend(axes)


def predictor(results: Results, out: Path) -> None:
    """Errors of first reads on the device, and how often the predictor is right at so many."""
    from ...output.plot.style import BLUE, GREEN, ORANGE, SKY, VERMILION, legend

    found = results.where(part="first_reads")
    width_bits = 4.0
    curve = curves()["curves"]
    most = max(curve["errors_per_kib"])
    rows = []
    for outcome in found:
        bins = dict.fromkeys((width_bits * n for n in range(math.ceil(most / width_bits))), 0.0)
        for bits, share in outcome["histogram"]:
            place = bits // width_bits * width_bits
            if place in bins:
                bins[place] += share
        rows += [{"pec": outcome.coordinates["pec"], "bits": at, "share": share} for at, share in sorted(bins.items())]
    with figure(out, "predictor", rows, panels=2, height=1.6) as (upper, lower):
        for outcome, colour in zip(found, (SKY, ORANGE, BLUE), strict=True):
            here = [row for row in rows if row["pec"] == outcome.coordinates["pec"] and row["bits"] <= most]
            upper.step(
                [row["bits"] for row in here], [row["share"] for row in here],
                where="post", color=colour, label=f"{outcome.coordinates['pec'] // 1000}K cycles",
            )  # fmt: skip
        upper.set_ylabel(f"first reads in {width_bits:g} bits")
        lower.plot(curve["errors_per_kib"], curve["predictor_accuracy"], color=GREEN, label="predictor is right")
        lower.set_ylabel("share of pages")
        for axes in (upper, lower):
            capability = float(found[0]["capability_per_kib"])
            axes.axvline(capability, color=VERMILION, linewidth=0.8, linestyle="--", label="capability")
            axes.set_xlim(0.0, most)
            axes.set_xlabel("errors in the mean 1-KiB codeword (bits)")
            legend(axes)
