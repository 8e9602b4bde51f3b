"""Figures of cells and lifetimes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import Results
from ..figures import figure
from . import published as paper
from .bench import CHIPS
from .lab_claims import life
from .plan import LATENCY_PECS, RATES, REQUIREMENTS_BITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = Sequence[Mapping[str, Any]]

RANGES = (r"$\leq\gamma$", r"$\leq\delta$", *(rf"$\leq{n}\delta$" for n in range(2, 8)))
PAGE = 7.2


def colours() -> dict[str, str]:
    """A colour for each scheme, in every figure the same."""
    from ...output.plot import style

    return {
        "ispe": "#000000",
        "i-ispe": style.ORANGE,
        "dpes": style.GREEN,
        "aero-cons": style.SKY,
        "aero": style.BLUE,
    }


def draw(results: Results, out: Path, measured: Rows) -> None:
    """All of them; `measured` is the public table of ISPE latencies, beside ours."""
    fig_4(results.one(function="latencies")["curve"], out)
    fig_7(results.one(function="fail_bits", chip="tlc-48l")["rows"], out)
    fig_8(results.one(function="ranges")["rows"], out)
    fig_9(results.one(function="shallow")["rows"], out)
    fig_10(results.one(function="margins", chip="tlc-48l")["rows"], out)
    fig_11(results, out)
    fig_13(results, out)
    fig_16_lifetime(results, out)
    fig_17(results, out)
    erase_latencies(results, out, measured)


def fig_4(rows: Rows, out: Path) -> None:
    """How long blocks need, by age."""
    from ...output.plot.style import legend

    with figure(out, "fig4", rows) as (axes,):
        for pec in (0, 1000, 2000, 3000, 3500, 5000):
            own = [row for row in rows if row["pec"] == pec]
            axes.step(
                [row["latency_ms"] for row in own],
                [row["share"] for row in own],
                where="post",
                label=f"{pec / 1000:g}K cycles",
            )
        axes.set_xlabel("least erase latency (ms)")
        axes.set_ylabel("share of blocks")
        legend(axes)


def fig_7(rows: Rows, out: Path) -> None:
    """Fail bits in the last loop."""
    with figure(out, "fig7", rows, width=PAGE) as (axes,):
        for loops in range(1, 6):
            for needed in range(2, paper.PULSES_PER_LOOP + 1):
                own = [row for row in rows if (row["loops"], row["needed_pulses"]) == (loops, needed)]
                axes.plot(
                    [loops * 4 + row["pulses"] * paper.PULSE_MS for row in own],
                    [row["fail_bits"] for row in own],
                    "o-",
                    color="C0",
                    ms=2,
                    lw=0.7,
                )
        axes.set_xticks([4 * loops + 2 for loops in range(1, 6)], [f"$N_{{ISPE}}$ = {loops}" for loops in range(1, 6)])
        axes.set_xlabel("time in the last loop, 0.5 to 3 ms in each part")
        axes.set_ylabel("most fail bits")


def fig_8(rows: Rows, out: Path) -> None:
    """What blocks need, by fail-bit range."""
    with figure(out, "fig8", rows, panels=5, height=1.2) as panels:
        for loops, axes in enumerate(panels, 1):
            own = [row for row in rows if row["loops"] == loops]
            axes.scatter(
                [row["range"] for row in own],
                [row["needed_pulses"] * paper.PULSE_MS for row in own],
                s=40,
                marker="s",
                c=[row["share"] for row in own],
                cmap="Greys",
                vmin=0,
                vmax=1,
                edgecolors="0.6",
                linewidths=0.3,
            )
            axes.set_xticks(range(8), RANGES)
            axes.set_ylabel("needed (ms)")
            axes.set_title(f"$N_{{ISPE}}$ = {loops}", loc="left")
        panels[-1].set_xlabel("fail bits before the last loop")


def fig_9(rows: Rows, out: Path) -> None:
    """Shallow erasure."""
    flat = [
        {
            "pec": row["pec"],
            "shallow_ms": row["shallow_ms"],
            "mean_ms": row["mean_ms"],
            "reduced_share": row["reduced_share"],
            "range": place,
            "share": share,
        }
        for row in rows
        for place, share in enumerate(row["range_shares"])
    ]
    with figure(out, "fig9", flat, panels=2, height=1.6) as panels:
        for axes, pec in zip(panels, (100, 500), strict=True):
            for number, row in enumerate(row for row in rows if row["pec"] == pec):
                places = [place + (number - 1.5) * 0.2 for place in range(len(row["range_shares"]))]
                axes.bar(
                    places, row["range_shares"], 0.2, label=f"{row['shallow_ms']:g} ms (mean {row['mean_ms']:.2f} ms)"
                )
            axes.set_xticks(range(8), RANGES)
            axes.set_ylabel("share of blocks")
            axes.set_title(f"{pec} cycles", loc="left")
            axes.legend(fontsize=5.5)
        panels[-1].set_xlabel("fail bits after shallow erasure")


def fig_10(rows: Rows, out: Path) -> None:
    """Largest M_RBER with and without the last loop."""
    with figure(out, "fig10", rows, panels=2) as (complete, incomplete):
        for loops in range(1, 6):
            own = [row for row in rows if row["loops"] == loops]
            complete.bar(loops, max(row["complete_bits"] for row in own), color="C0", width=0.5)
            _margin_bars(incomplete, own, loops)
        for axes, label in ((complete, "complete erasure"), (incomplete, "last loop left out")):
            axes.axhline(paper.REQUIREMENT_BITS, color="k", lw=0.7, ls="--")
            axes.set_ylabel("$M_{RBER}$ (bits in 1 KiB)")
            axes.set_title(label, loc="left")
            axes.set_xticks(range(1, 6), [f"$N_{{ISPE}}$ = {loops}" for loops in range(1, 6)])


def _margin_bars(axes: Axes, rows: Rows, loops: int) -> None:
    for row in rows:
        axes.bar(loops + (row["range"] - 3.5) * 0.1, row["incomplete_bits"], 0.09, color=f"C{row['range']}")


def fig_11(results: Results, out: Path) -> None:
    """Other kinds of chips."""
    fails = {chip: results.one(function="fail_bits", chip=chip) for chip in CHIPS}
    rests = {chip: results.one(function="margins", chip=chip)["rows"] for chip in CHIPS}
    rows = [
        {"chip": chip, "what": what, "fail_bits": value}
        for chip in CHIPS
        for what in ("deltas", "gammas")
        for value in fails[chip][what]
    ]
    with figure(out, "fig11", rows, panels=2) as (steps, bits):
        places = range(len(CHIPS))
        steps.boxplot([fails[chip]["deltas"] for chip in CHIPS], positions=places, widths=0.3, showfliers=False)
        steps.boxplot([fails[chip]["gammas"] for chip in CHIPS], positions=places, widths=0.3, showfliers=False)
        steps.set_xticks(places, CHIPS)
        steps.set_ylabel("delta (above), gamma")
        for number, chip in enumerate(CHIPS):
            own = [row for row in rests[chip] if row["range"] <= 1]
            bits.plot(
                [row["loops"] + 0.5 * row["range"] for row in own],
                [row["incomplete_bits"] for row in own],
                "o",
                ms=3,
                color=f"C{number}",
                label=chip,
            )
        bits.axhline(paper.REQUIREMENT_BITS, color="k", lw=0.7, ls="--")
        bits.set_xticks(
            [n + 0.5 * half for n in range(1, 6) for half in (0, 1)],
            [f"{n} {r}" for n in range(1, 6) for r in RANGES[:2]],
            rotation=60,
        )
        bits.set_xlabel("$N_{ISPE}$, fail bits")
        bits.set_ylabel("$M_{RBER}$ (bits in 1 KiB)")
        bits.legend(fontsize=6)


def fig_13(results: Results, out: Path) -> None:
    """M_RBER over life."""
    from ...output.plot.style import legend

    columns = ("pec", "m_rber_bits", "m_rber_most_bits", "stress", "residual_bits", "latency_ms", "within_two_loops")
    rows = [
        {"scheme": scheme, **dict(zip(columns, values, strict=True))}
        for scheme in paper.SCHEMES
        for values in zip(*(life(results, scheme)[column] for column in columns), strict=True)
    ]
    with figure(out, "fig13", rows, height=2.4) as (axes,):
        for scheme, colour in colours().items():
            own = [row for row in rows if row["scheme"] == scheme]
            axes.plot(
                [row["pec"] / 1000 for row in own],
                [row["m_rber_bits"] for row in own],
                color=colour,
                label=paper.NAMES[scheme],
            )
        axes.axhline(paper.REQUIREMENT_BITS, color="k", lw=0.7, ls="--")
        axes.set_xlabel("P/E cycles (thousands)")
        axes.set_ylabel("mean $M_{RBER}$ (bits in 1 KiB)")
        legend(axes)


def fig_16_lifetime(results: Results, out: Path) -> None:
    """Lifetime with mispredictions."""
    from ...output.plot.style import legend

    base = life(results, "ispe")["lifetime_pec"]
    rows = [
        {
            "scheme": scheme,
            "mispredict_rate": rate,
            "lifetime_over_ispe": life(results, scheme, mispredict_rate=rate)["lifetime_pec"] / base,
        }
        for scheme in ("aero-cons", "aero")
        for rate in RATES
    ]
    with figure(out, "fig16_lifetime", rows) as (axes,):
        for scheme in ("aero-cons", "aero"):
            own = [row for row in rows if row["scheme"] == scheme]
            axes.plot(
                [100 * row["mispredict_rate"] for row in own],
                [row["lifetime_over_ispe"] for row in own],
                "o-",
                ms=3,
                color=colours()[scheme],
                label=paper.NAMES[scheme],
            )
        axes.set_xlabel("mispredictions (%)")
        axes.set_ylabel("lifetime over ISPE's")
        legend(axes)


def fig_17(results: Results, out: Path) -> None:
    """Lifetime with a weaker ECC."""
    from ...output.plot.style import legend

    schemes = ("ispe", "aero-cons", "aero")
    rows = [
        {"scheme": scheme, "requirement_bits": bits, "lifetime_pec": life(results, scheme, bits)["lifetime_pec"]}
        for scheme in schemes
        for bits in REQUIREMENTS_BITS
    ]
    with figure(out, "fig17", rows) as (axes,):
        for number, scheme in enumerate(schemes):
            own = [row["lifetime_pec"] for row in rows if row["scheme"] == scheme]
            axes.bar(
                [place + (number - 1) * 0.25 for place in range(len(own))],
                own,
                0.25,
                color=colours()[scheme],
                label=paper.NAMES[scheme],
            )
        axes.set_xticks(range(len(REQUIREMENTS_BITS)), [f"{bits:g}" for bits in REQUIREMENTS_BITS])
        axes.set_xlabel("required errors in 1 KiB, at most")
        axes.set_ylabel("lifetime (P/E cycles)")
        legend(axes)


def erase_latencies(results: Results, out: Path, measured: Rows) -> None:
    """How long erases take under each scheme, in its own wear; for ISPE beside the public table."""
    rows = [
        {"scheme": scheme, **row}
        for scheme in paper.SCHEMES
        for row in results.one(function="erases", scheme=scheme)["rows"]
    ]
    with figure(out, "erase_latency", rows, panels=len(paper.SCHEMES), height=1.25) as panels:
        for axes, scheme in zip(panels, paper.SCHEMES, strict=True):
            for place, pec in enumerate(LATENCY_PECS):
                own = [row for row in rows if (row["scheme"], row["pec"]) == (scheme, pec)]
                axes.scatter(
                    [place] * len(own),
                    [row["latency_ms"] for row in own],
                    s=[120 * row["share"] for row in own],
                    color=colours()[scheme],
                    linewidths=0,
                )
                there = (
                    [row for row in measured if row["pec"] == pec and row["measured_percent"] is not None]
                    if scheme == "ispe"
                    else []
                )
                axes.scatter(
                    [place + 0.3] * len(there),
                    [row["loops"] * (paper.LOOP_MS + paper.VERIFY_MS) for row in there],
                    s=[1.2 * row["measured_percent"] for row in there],
                    facecolors="none",
                    edgecolors="0.4",
                    linewidths=0.6,
                )
            axes.set_xticks(range(len(LATENCY_PECS)), [f"{pec / 1000:g}K" for pec in LATENCY_PECS])
            axes.set_ylim(0, 19)
            axes.set_ylabel("tBERS (ms)")
            axes.set_title(
                paper.NAMES[scheme] + ("; rings: the public table" if scheme == "ispe" and measured else ""), loc="left"
            )
        panels[-1].set_xlabel("P/E cycles under the scheme; areas are shares of blocks")
