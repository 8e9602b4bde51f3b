"""A fitted drive as two files: the drive on top of its base, and the host that it was measured on."""

from __future__ import annotations

from collections.abc import Sequence

from ..config import full_key, parse_value, toml_value
from ..files import parse_toml, read_input
from .drive import Fit
from .intervals import Known
from .model import Parameter

__all__ = ["drive_toml", "error_lines", "host_toml", "reasons"]

ENDS = {"_us": "us", "_mb_s": "MB/s"}


def drive_toml(fit: Fit, base: str, sets: Sequence[str], sources: Sequence[str]) -> str:
    """Returns the drive's file: what was fitted with its interval, what was enumerated, and the error in its head.

    Args:
        fit: The drive.
        base: The preset that it goes on top of, or a configuration file, whose text becomes part of it.
        sets: Settings on top of that, as on the command line.
        sources: The files that were measured.
    """
    head = [
        f"# A drive fitted to {len(fit.seen.rows)} points of {', '.join(sources)}.",
        *([f"# Before each load its jobs ran: {', '.join(fit.history)} (--history)."] if fit.history else []),
        *(f"# {line}" for line in error_lines(fit)),
        *(f"# No point bounds {name}: the base's value stays." for name in fit.unbounded),
    ]
    keys = reasons(fit)
    preset, under = _under(base)
    for text in sets:
        name, _, set_to = text.partition("=")
        under[full_key(name.strip())] = parse_value(set_to.strip())
    for key, value in under.items():
        keys.setdefault(key, (value, "as in the base"))
    first = [f'preset = "{preset}"'] if preset else []
    return "\n".join([*first, *head, *_sections(keys)]) + "\n"


def reasons(fit: Fit) -> dict[str, tuple[object, str]]:
    """Returns the keys that a fit decides, each with its value and why."""
    keys = _keys(fit, of_host=False)
    for key, value in fit.model.fixed:
        keys[key] = (value, _enumerated(fit, key))
    # The drive alone runs on the host that it was measured on.
    for key, (value, why) in _keys(fit, of_host=True).items():
        keys[key] = (value, f"of the host: {why}")
    return keys


def _enumerated(fit: Fit, key: str) -> str:
    """Returns why a key that was enumerated has its value."""
    if key == "ssd.blocks_per_plane":
        return "the base's capacity"
    if key in ("host.link", "host.device_queue_depth") and key not in fit.choices.costs:
        return "SATA, by the column `host` of the points"
    if key == "ftl.unmapped_read":
        return "single reads have two levels that no coding has: some addresses have no data"
    what = {"ssd.planes_per_die": "planes"}.get(key, "dies" if key.startswith("ssd.") else key)
    costs = fit.choices.costs.get(what, {})
    tried = ", ".join(f"{value} {cost:.0f}" for value, cost in costs.items())
    return (
        f"enumerated; cost of each number of {what}: {tried}"
        if what in ("dies", "planes")
        else f"enumerated; cost of each: {tried}"
    )


def _under(base: str) -> tuple[str, dict[str, object]]:
    """Returns the preset below a drive, and the keys that a configuration file sets on top of it."""
    if not base.endswith(".toml"):
        return base, {}
    table = parse_toml(read_input(base).decode("utf-8"))
    keys = {
        f"{section}.{name}": value
        for section, values in table.items()
        if isinstance(values, dict)
        for name, value in values.items()
    }
    return str(table.get("preset", "")), keys


def host_toml(fit: Fit, sources: Sequence[str]) -> str:
    """Returns the host's file: keys that `--host` lays on top of any drive."""
    head = f"# The host of {', '.join(sources)}: what its processor, its driver and its link add to a request."
    keys = _keys(fit, of_host=True)
    for key in ("host.link", "host.submit_ns"):
        keys[key] = (fit.config[key], "as in the base")
    return "\n".join([head, *_sections(keys)]) + "\n"


def error_lines(fit: Fit) -> list[str]:
    """Returns the errors of the fit, and of the points that it did not see, in a line each."""
    lines = []
    for words, agreement in (("Error of the fit", fit.seen), ("Error on points that the fit did not see", fit.unseen)):
        parts = []
        for label, name in (("IOPS", "iops"), ("p50", "p50_us"), ("p99", "p99_us"), ("p99.9", "p999_us")):
            half, most = agreement.median(name), agreement.p90(name)
            if half is not None and most is not None:
                parts.append(f"{label} {100 * half:.1f} / {100 * most:.1f}")
        if parts:
            lines.append(f"{words}, median / 90th percentile in %: {', '.join(parts)}.")
    return lines


def _keys(fit: Fit, *, of_host: bool) -> dict[str, tuple[object, str]]:
    """Returns the keys that parameters of the drive or of the host decide, each with its value and why."""
    parameters: dict[str, list[Parameter]] = {}
    for each in fit.model.parameters:
        if each.of_host == of_host:
            for key in each.keys:
                parameters.setdefault(key, []).append(each)
    return {
        key: (fit.config[key], "fitted: " + "; ".join(described(each, fit.known[each.name]) for each in own))
        for key, own in parameters.items()
    }


def described(parameter: Parameter, known: Known) -> str:
    """Returns a fitted value with its interval, as text."""
    unit = next((f" {text}" for end, text in ENDS.items() if parameter.name.endswith(end)), "")
    if known.low is None and known.high is None:
        return f"{known.value:.4g}{unit}"
    low = "?" if known.low is None else f"{known.low:.4g}"
    high = "?" if known.high is None else f"{known.high:.4g}"
    return f"{known.value:.4g}{unit} ({low} to {high})"


def _sections(keys: dict[str, tuple[object, str]]) -> list[str]:
    lines: list[str] = []
    for section in sorted({key.partition(".")[0] for key in keys}):
        lines += ["", f"[{section}]"]
        for key, (value, why) in keys.items():
            if key.partition(".")[0] == section:
                lines.append(f"{key.partition('.')[2]} = {toml_value(key, value)} # {why}")
    return lines
