"""The summary of a run that `wordline run` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .certainty import cell, legend, rows_of_flows, time_unit
from .losses import power, refused
from .numbers import count, dig, percent, seconds

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

OPS = ("all", "read", "write")
LATENCIES = (
    ("mean", "mean"),
    ("p50", "p50"),
    ("p99", "p99"),
    ("p99.9", "p999"),
    ("p99.99", "p9999"),
    ("max", "max"),
)
OF_FLOWS = (("mean", "mean"), ("p99", "p99"), ("p99.9", "p999"))
# Parts of a channel's time, in the order of RiF's figures, with a mark and a colour of their own.
CHANNEL_PARTS = (
    ("cor", "COR", "█", "#", "green"),
    ("write", "WRITE", "▒", "w", "blue"),
    ("uncor", "UNCOR", "▓", "x", "red"),
    ("eccwait", "ECCWAIT", "░", "e", "yellow"),
    ("idle", "IDLE", "·", ".", "dim"),
)
BAR_CELLS = 24


def show(document: Mapping[str, Any], console: Console, title: str = "") -> None:
    """Prints the summary of a run's JSON document."""
    unicode = (console.encoding or "").lower().startswith("utf")
    parts = [heading(document, title), latencies(document), *by_flow(document), *marks(document)]
    for part in (*parts, *notes(document, unicode)):
        console.print(part)


def heading(document: Mapping[str, Any], title: str = "") -> Text:
    """What was run; says so when its requests are synthetic."""
    from rich.text import Text

    workload = document["workload"]
    text = Text()
    if title:
        text.append(f"{title}  ", style="bold")
    text.append(str(workload["name"]), style="bold")
    if document.get("partial"):
        text.append("  stopped early", style="bold red")
    if workload["synthetic"]:
        text.append("  synthetic", style="yellow")
    source = str(workload.get("source") or "")
    if all(each["synthetic"] for each in workload["flows"]):
        # It is said once, of all flows.
        source = source.replace("synthetic: ", "")
    if source and source != workload["name"]:
        text.append(f"  {source}", style="dim")
    if document.get("checked"):
        text.append(f"  checked: {count(document.get('reads_checked'))} page reads right", style="green")
    text.append("\n")
    return text


def latencies(document: Mapping[str, Any]) -> Table:
    """Requests, throughput and response times of all requests, reads and writes."""
    from .console import grid

    table = grid("", *OPS)
    table.add_row("requests", *(count(dig(document, "requests", op)) for op in OPS))
    table.add_row("IOPS", *(cell(document, "iops", op) for op in OPS))
    table.add_row("MB/s", *(cell(document, "bandwidth_mb_s", op) for op in OPS))
    for label, key in LATENCIES:
        unit, scale = time_unit(dig(document, "response_us", op, key) for op in OPS)
        table.add_row(f"{label} {unit}", *(cell(document, "response_us", op, key, scale=scale) for op in OPS))
    return table


def by_flow(document: Mapping[str, Any]) -> list[RenderableType]:
    """A row for each flow, where there are several, and for the reads and writes of one that has both."""
    from rich.text import Text

    from .console import grid

    rows = rows_of_flows(document)
    if not rows:
        return []
    unit, scale = time_unit(dig(each, "response_us", op, key) for _, op, each in rows for _, key in OF_FLOWS)
    heads = (f"{label} {unit}" for label, _ in OF_FLOWS)
    table = grid("flow", "requests", "IOPS", "MB/s", *heads)
    for name, op, each in rows:
        numbers = [cell(each, "iops", op), cell(each, "bandwidth_mb_s", op)]
        numbers += [cell(each, "response_us", op, key, scale=scale) for _, key in OF_FLOWS]
        table.add_row(name, count(dig(each, "requests", op)), *numbers)
    return [Text("\nEach flow over its own time:", style="dim"), table]


def marks(document: Mapping[str, Any]) -> list[RenderableType]:
    """What the marks of the table mean."""
    from rich.text import Text

    lines = legend(document, [(op, key) for op in OPS for _, key in LATENCIES])
    return [Text(line, style="dim") for line in lines]


def notes(document: Mapping[str, Any], unicode: bool = True) -> list[RenderableType]:
    """What the flash did meanwhile, and what the run took."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in [*refused(document), *power(document)]:
        table.add_row(label, text)
    moved = f"moved {count(dig(document, 'gc', 'moved_pages'))} pages, erased {count(dig(document, 'gc', 'erases'))}"
    jobs = f"GC of {count(dig(document, 'gc', 'jobs'))} blocks, {moved}"
    in_pages = f"{cell(document, 'write_amplification_pages')} in pages"
    table.add_row("WA", f"{cell(document, 'write_amplification')} in bytes{of_writes(document)}, {in_pages}  {jobs}")
    for label, text in [*handles(document), *aged(document), *verdicts(document)]:
        table.add_row(label, text)
    channels = dig(document, "channel_time", "mean")
    if channels:
        table.add_row("channels", channel_bar(channels, unicode))
    table.add_row("dies", _dies(document.get("die_utilisation") or {}))
    rate = document.get("wall_requests_per_s")
    speed = f" ({count(rate)} requests/s)" if rate else ""
    table.add_row(
        "time", f"{seconds(document.get('simulated_s'))} simulated in {seconds(document.get('wall_s'))}{speed}"
    )
    version, short = document.get("wordline", ""), str(document.get("config_hash", ""))[:12]
    table.add_row("from", f"wordline {version}, config {short}, seed {document.get('seed')}")
    return [Text(""), table]


def handles(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The write amplification of each placement handle that was written to, and what is mixed or went astray."""
    placement = document.get("placement")
    if not placement:
        return []
    named = enumerate(placement["handles"], 1)
    used = [(number, each) for number, each in named if each["write_amplification"] is not None]
    parts = [f"handle {number}: WA {each['write_amplification']:.2f}" for number, each in used]
    host = sum(each["written_bytes"]["host"] for each in placement["handles"])
    if placement["mixed"]["media"] and host:
        parts.append(f"mixed data: {placement['mixed']['media'] / host:.2f} bytes written for each byte of the host")
    invalid = placement["events"]["invalid_placement_identifier"]
    if invalid:
        parts.append(f"{count(invalid)} writes to handles that there are not")
    return [("handles", ", ".join(parts) or "nothing was written")]


# Bytes programmed a byte of the host beyond which the table says why.
NOTABLE = 1.05


def of_writes(document: Mapping[str, Any]) -> str:
    """Why other bytes were programmed for the host's writes alone than it has written, where that is so."""
    amplification = document.get("write_amplification")
    if amplification is None:
        return ""
    if amplification < 1.0:
        return " (the write buffer holds the rest, or joined it to later writes)"
    host = dig(document, "written_bytes", "host")
    by_cause = dig(document, "written_bytes", "by_cause") or {}
    own, padding = by_cause.get("host"), by_cause.get("padding")
    # Earlier versions counted what is done again with the host's own.
    redone = by_cause.get("redone", 0)
    if not host or own is None or padding is None or own + padding + redone < NOTABLE * host:
        return ""
    closed = dig(document, "counters", "ftl", "closed_groups")
    reasons = {
        "a part of a page is programmed as a whole one": own - host,
        "open blocks are padded and closed" if closed else "pages are padded because the host waits": padding,
        "programs that a power cut ended are done again": redone,
    }
    return f" ({(own + padding + redone) / host:.2f} without GC: {max(reasons, key=lambda why: reasons[why])})"


def aged(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How the drive was brought to the equilibrium of its workload, and by which test, if it was."""
    steady = dig(document, "precondition", "steady")
    if not steady:
        return []
    if steady["write_amplification"] is None:
        return [("aged", "filled; the workload overwrites nothing")]
    flat = "at equilibrium" if steady["is_flat"] else "not at equilibrium"
    change, spread = percent(steady["change"]), percent(steady["spread"])
    length = steady["rounds"] * steady["round_drive_writes"]
    test = f"it changes by {change} in {length:.1f} drive writes, spread {spread}"
    text = f"WA {steady['write_amplification']:.2f} in bytes, {flat} after {steady['drive_writes']:.1f} drive writes"
    text = f"{text}: {test}"
    old, left = steady.get("old_share") or 0.0, steady.get("drive_writes_left")
    if left is not None:
        text += f"; {percent(old)} of the data lose units and wait for GC, for about {left:.0f} drive writes more"
    lines = [("aged", text)]
    if timed := steady.get("timed"):
        level = "no trend" if timed["is_level"] else "still changing"
        found = timed["write_amplification"]
        wa = "no GC" if found is None else f"WA {found:.2f} ({timed['untimed_write_amplification']:.2f} before it)"
        how = "ran as the run does, with cache and latencies"
        lines.append(("", f"its last {timed['drive_writes']:.2f} drive writes {how}: {wa}, {level}"))
        if rest_bytes := timed.get("rest_bytes"):
            lines.append(("", f"then at rest: for up to {rest_bytes / 1e6:,.1f} MB of writes the run needs less GC"))
    return lines


def verdicts(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Whether the run has reached its steady state: a label, then the verdict with its reason."""
    steady = document.get("steady") or {}
    labels = {"response_us": "response times", "write_amplification": "write amplification"}
    verdict_lines = []
    for name, label in labels.items():
        verdict = steady.get(name)
        if verdict is not None:
            warm_up = verdict.get("warmup_requests")
            after = f" after {count(warm_up)} requests" if warm_up and verdict["verdict"] == "steady" else ""
            verdict_lines.append(f"{label} {verdict['verdict']}{after}: {verdict['reason']}")
    return [("steady?" if number == 0 else "", text) for number, text in enumerate(verdict_lines)]


def _dies(die: dict[str, float]) -> str:
    parts = ", ".join(f"{name} {percent(die[name])}" for name in ("read", "program", "erase") if name in die)
    least, most = percent(die.get("min")).removesuffix(" %"), percent(die.get("max"))
    return f"busy {percent(die.get('mean'))} ({least} to {most}): {parts}"


def channel_bar(shares: dict[str, float], unicode: bool = True) -> Text:
    """A channel's time as a bar, one mark for each part, followed by the shares that are not zero."""
    from rich.text import Text

    text = Text()
    edges = [0.0]
    for part, *_ in CHANNEL_PARTS:
        edges.append(edges[-1] + shares.get(part, 0.0))
    for number, (_, _, block, letter, style) in enumerate(CHANNEL_PARTS):
        cells = round(edges[number + 1] * BAR_CELLS) - round(edges[number] * BAR_CELLS)
        text.append((block if unicode else letter) * cells, style=style)
    for part, label, block, letter, style in CHANNEL_PARTS:
        if not shares.get(part):
            continue
        text.append("  ")
        text.append(block if unicode else letter, style=style)
        text.append(f" {label} {percent(shares[part])}")
    return text
