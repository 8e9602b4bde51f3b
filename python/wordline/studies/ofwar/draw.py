"""What OFWAR's figures show, as rows and as drawings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...output.plot import style
from .. import Outcome, Results
from ..figures import figure

__all__ = ["all_figures", "choice_rows", "random_rows", "trace_rows"]

Row = Mapping[str, Any]
KEYS = {
    "depth": "program.rewrite_queue_pages",
    "write": "program.fast_write_threshold",
    "rewrite": "program.rewrite_threshold",
    "streams": "program.write_streams",
}
DEFAULT = {"depth": 65_536, "write": 128, "rewrite": 128, "streams": 4}


def pages_requested(outcome: Outcome) -> int:
    """Pages that the host asked for, reads and writes."""
    ftl = outcome["counters.ftl"]
    return int(ftl["user_writes"] + ftl["user_reads"] + ftl["reads_without_flash"])


def programs(outcome: Outcome) -> int:
    """Pages programmed: for the host, for rewrites and by GC."""
    ftl = outcome["counters.ftl"]
    return int(ftl["user_writes"] + ftl["rewrites"] + ftl["moved"])


def compared(outcome: Outcome, normal: Outcome) -> Row:
    """A run with fast writes beside the same without."""
    ftl, there = outcome["counters.ftl"], normal["response_us.all"]
    here, writes = outcome["response_us.all"], max(1, ftl["user_writes"])
    requested = max(1, pages_requested(outcome))
    return {
        "mean_us": here["mean"],
        "normal_mean_us": there["mean"],
        "normalized_mean": here["mean"] / there["mean"],
        "normalized_std": here["std"] / there["std"] if there["std"] > 0 else 1.0,
        "fast_share": ftl["fast_writes"] / writes,
        "rewrites": ftl["rewrites"] / requested,
        "extra_writes": (programs(outcome) - programs(normal)) / requested,
        "moved": (ftl["moved"] - normal["counters.ftl"]["moved"]) / requested,
        "hit_rate": ftl["rewrite_hits"] / writes,
        "rewrite_queue_max": ftl["rewrite_queue_max"],
        "write_queue_max": ftl["queued_max"],
        "lost_pages": ftl["lost_pages"],
    }


def trace_rows(results: Results) -> list[dict[str, Any]]:
    """Every run with fast writes over the ten workloads."""
    rows = []
    traces = results.where(part="traces")
    for outcome in traces.where({"program.policy": "ofwar"}):
        place = outcome.coordinates
        normal = traces.where(
            {"program.policy": "normal", KEYS["streams"]: place[KEYS["streams"]]}, load=place["load"]
        )[0]
        at = {name: place[key] for name, key in KEYS.items()}
        rows.append({"load": place["load"], "real": place["real"], **at, **compared(outcome, normal)})
    return rows


def random_rows(results: Results) -> list[dict[str, Any]]:
    """Fig. 12: random writes at fixed distances."""
    found = results.where(part="random")
    return [
        {
            "gap": gap,
            **compared(
                found.one({"program.policy": "ofwar"}, gap=gap), found.one({"program.policy": "normal"}, gap=gap)
            ),
        }
        for gap in found.values_of("gap")
    ]


def choice_rows(results: Results) -> list[dict[str, Any]]:
    """What the paper leaves open, one way and the other."""
    rows = []
    for load in results.where(part="choices").values_of("load"):
        found = results.where(part="choices", load=load)
        normal = found.one(choice="normal")
        rows += [
            {"load": load, "choice": choice, **compared(found.one(choice=choice), normal)}
            for choice in found.values_of("choice")
            if choice != "normal"
        ]
    return rows


def along(rows: Sequence[Row], key: str) -> list[Row]:
    """The rows in which only one setting differs from Section 5's."""
    return [row for row in rows if all(row[name] == value for name, value in DEFAULT.items() if name != key)]


def all_figures(results: Results, out: Path) -> None:
    """Draws every figure."""
    rows, random = trace_rows(results), random_rows(results)
    base = [row for row in along(rows, "depth") if row["depth"] == DEFAULT["depth"]]
    bars(out, "fig09", base, "normalized_std", "normalized std. deviation")
    bars(out, "fig10a", base, "normalized_mean", "normalized mean response")
    bars(out, "fig10b", base, "rewrites", "rewritten / requested pages")
    bars(out, "fig11", base, "extra_writes", "extra writes / requested pages")
    bars(
        out,
        "fig12a",
        random,
        "normalized_mean",
        "normalized mean response",
        label=lambda row: row["gap"].replace("_", "."),
    )
    bars(
        out, "fig12b", random, "rewrites", "rewritten / requested pages", label=lambda row: row["gap"].replace("_", ".")
    )
    for name, key, value, words in (
        ("fig13", "depth", "normalized_mean", "normalized mean response"),
        ("fig14", "depth", "extra_writes", "extra writes / requested pages"),
        ("fig16", "write", "normalized_mean", "normalized mean response"),
        ("fig17", "write", "extra_writes", "extra writes / requested pages"),
        ("fig18", "rewrite", "hit_rate", "hits / pages written"),
        ("fig19", "rewrite", "normalized_mean", "normalized mean response"),
        ("fig20", "rewrite", "extra_writes", "extra writes / requested pages"),
        ("streams", "streams", "normalized_mean", "normalized mean response"),
    ):
        lines(out, name, along(rows, key), key, value, words)
    financial = [row for row in along(rows, "write") if row["load"].startswith("financial")]
    lines(out, "fig15a", financial, "write", "normalized_mean", "normalized mean response")
    lines(out, "fig15b", financial, "write", "extra_writes", "extra writes / requested pages")


LABELS = {
    "depth": "rewrite queue, pages",
    "write": "fast write threshold, queued pages",
    "rewrite": "rewrite threshold, entries",
    "streams": "pages programmed at once on a channel",
}


def name_of(row: Row) -> str:
    """The workload, marked where it is made up."""
    return str(row["load"]) if row["real"] else f"{row['load']}*"


def bars(
    out: Path, name: str, rows: Sequence[Row], value: str, words: str, label: Callable[[Row], str] = name_of
) -> None:
    """One bar a row; made-up workloads are pale."""
    with figure(out, name, rows) as (axes,):
        colors = [style.BLUE if row.get("real") else style.SKY for row in rows]
        axes.bar([label(row) for row in rows], [row[value] for row in rows], color=colors)
        axes.tick_params(axis="x", rotation=60)
        axes.set_ylabel(words)


def lines(out: Path, name: str, rows: Sequence[Row], key: str, value: str, words: str) -> None:
    """One line a workload; made-up workloads are dashed."""
    with figure(out, name, rows, height=2.6) as (axes,):
        for load in dict.fromkeys(row["load"] for row in rows):
            here = sorted((row for row in rows if row["load"] == load), key=lambda row: row[key])
            look = "-o" if here[0]["real"] else "--"
            axes.plot(
                [row[key] for row in here], [row[value] for row in here], look, markersize=3, label=name_of(here[0])
            )
        axes.set_xscale("symlog", base=2)
        axes.set_xlabel(LABELS[key])
        axes.set_ylabel(words)
        axes.legend(ncol=2)
