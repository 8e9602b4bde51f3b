"""The measurements of a run, under names that stay the same while the result document changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordline.tables import Columns

__all__ = ["GROUPS", "TABLES", "Group", "columns", "values"]

SPREAD = "mean std min p50 p90 p95 p99 p999 p9999 p99999 p999999 max"
FRACTIONS = "idle cor uncor eccwait write"
REPORT = "rewritten_pages lost_pages map_writes time_s"


@dataclass(frozen=True)
class Group:
    """Some values that are next to each other in the document.

    Attributes:
        name: Dotted; with the name of a field it is a value's name. `*` stands for each item of a list or mapping.
        fields: Their names, separated by spaces; empty if the group is a value itself.
        place: Path of the group in the document, if not its name: a value that moves keeps its name.
    """

    name: str
    fields: str = ""
    place: str | None = None


GROUPS = (
    Group("window", "start_s end_s"),
    Group("requests", "all read write other warmup lost"),
    *(Group(f"response_us.{kind}", SPREAD) for kind in ("all", "read", "write")),
    Group("response_us.flows.*", f"count {SPREAD}"),
    Group("iops", "all read write"),
    Group("bandwidth_mb_s", "all read write"),
    Group("write_amplification"),
    Group("write_amplification_pages"),
    Group("written_bytes", "host media erased"),
    Group("written_bytes.by_cause", "host gc wear_levelling refresh mapping rewrite"),
    Group(
        "counters.ftl",
        "user_reads reads_without_flash preloaded user_writes merge_reads parked_writes trimmed moved fast_writes "
        "too_worn_writes rewrite_hits rewrites forced_rewrites stale_dropped rewrite_queue_max queued_max lost_pages "
        "erases gc_jobs wear_jobs refresh_jobs refresh_valid_pages refresh_kept_pages refresh_written_back "
        "adjusted_wordlines grown_bad map_hits map_misses map_reads map_writes",
    ),
    Group(
        "counters.controller",
        "reads programs erases adjusts senses retry_senses wasted_senses resets set_features fallbacks first_failures "
        "failed_decodes uncorrectable_pages on_die_checks needless_on_die_retries missed_on_die incomplete_erases "
        "multiplane suspends",
    ),
    Group("counters.cache", "read_hits read_misses write_hits write_misses flushes"),
    Group("gc", "jobs moved_pages erases"),
    Group("blocks", "all in_use_before_refresh in_use_at_start in_use merged"),
    Group("erase_us", f"count {SPREAD}"),
    Group("channel_time.mean", FRACTIONS),
    Group("channel_time.channels.*", FRACTIONS),
    Group("die_utilisation", "mean min max read program erase"),
    Group("ecc_utilisation"),
    Group("ecc_time_us"),
    Group("read_retry", "reads_by_steps mean_steps first_failure_share"),
    Group("read_breakdown_us", "queue array channel_wait transfer total"),
    Group("precondition", "host_pages moved_pages erases"),
    Group("program", "fast_time_share fast_retention_days rated_fast_retention_days fast_pages_left"),
    Group("power.cut", "interrupted_requests programs_cut_off queued_pages fast_pages lost_cache_pages dumped_pages"),
    Group("power.power_up", REPORT),
    Group("power.shutdown", REPORT),
    Group("reads_checked"),
    Group("simulated_s"),
)

TABLES = {
    "bins": "op upper_ns count",
    "series": "start_ns reads writes read_bytes write_bytes read_latency_sum_ns write_latency_sum_ns",
    "requests": "flow op sector sectors arrival_ns submitted_ns completed_ns",
    "timeline": "track index name start_ns duration_ns class lpn",
}


def values(document: Mapping[str, Any], groups: Sequence[Group] = GROUPS) -> dict[str, Any]:
    """Returns the measured values of a run's document by name; absent values are left out."""
    found: dict[str, Any] = {}
    for group in groups:
        for steps, item in _items(document, (group.place or group.name).split(".")):
            name = ".".join([*group.name.partition(".*")[:1], *steps])
            if not group.fields:
                found[name] = item
            elif isinstance(item, Mapping):
                found |= {f"{name}.{field}": item.get(field) for field in group.fields.split()}
    return {name: value for name, value in found.items() if value is not None}


def columns(tables: Mapping[str, Columns]) -> dict[str, tuple[str, bytes, list[str]]]:
    """Returns the columns of a run's tables by name."""
    return {
        f"{table}.{name}": tables[table][name]
        for table, names in TABLES.items()
        for name in names.split()
        if name in tables.get(table, {})
    }


def _items(place: Any, path: Sequence[str]) -> Iterator[tuple[list[str], Any]]:  # noqa: ANN401 - JSON
    """Yields the values at a path, each with the keys or numbers for its stars."""
    if not path:
        yield [], place
    elif path[0] == "*":
        pairs = place.items() if isinstance(place, Mapping) else enumerate(place or ())
        for key, item in pairs:
            for steps, found in _items(item, path[1:]):
                yield [str(key), *steps], found
    elif isinstance(place, Mapping) and place.get(path[0]) is not None:
        yield from _items(place[path[0]], path[1:])
