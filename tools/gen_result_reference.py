"""Writes docs/reference/result.md from python/wordline/record/result_fields.toml and its schema.

.venv/bin/python tools/gen_result_reference.py            # writes the page
.venv/bin/python tools/gen_result_reference.py --check    # exit code 1 if the page is stale
"""
# ruff: noqa: INP001

import sys
import tomllib
from pathlib import Path
from typing import Any

from wordline.record.schema import FLOWS, SAID
from wordline.result import SCHEMA_VERSION

ROOT = Path(__file__).resolve().parents[1]
FIELDS = ROOT / "python" / "wordline" / "record" / "result_fields.toml"
PAGE = ROOT / "docs" / "reference" / "result.md"

INTRODUCTION = f"""\
# The result document

<!-- Made by tools/gen_result_reference.py from python/wordline/record/result_fields.toml: change that, then run it. -->

`wordline run --json`, `result.json` and `Result.to_dict()` hold one document. This page lists every field of schema
version {SCHEMA_VERSION}.
`wordline schema result` prints the same as JSON Schema 2020-12. Earlier versions are read by `wordline.load`.

A run is measured in its **window**: from the end of the warm-up (or the start) to the last completion. Everything is
counted there alone, but for
what `outside` and `precondition` say.

Numbers are named by their dotted path, as in the columns of `Result.to_pandas()`. `{{op}}` is `all`, `read` or
`write`. Of a result of several seeds
each number is the mean over them, so that counts need not be whole. All but the `wall_*` fields is the same for the
same configuration, workload and seed.
"""
TABLES = """\
## Tables

`bins.csv` (`Result.bins()`) has a row for every latency bin that is not empty: `op`, `upper_ns` (the bin's largest
value), `count`, and in the file
`cumulative`. `series.csv` (`Result.series()`) is throughput over time: `start_ns`, then requests, bytes and sums of
latencies of reads and writes.
`intervals.csv` (`Result.intervals()`) is the run in at most 64 intervals of equal time, `start_ns` each:

| column | unit | meaning |
|---|---|---|
| `reads`, `writes` | count | requests that completed |
| `read_bytes`, `write_bytes` | bytes | their bytes |
| `read_latency_sum_ns`, `write_latency_sum_ns` | ns | sums of their response times |
| `host_written_bytes`, `media_written_bytes` | bytes | written by the host, and programmed: write amplification |
| `programs`, `user_programs` | count | pages programmed, and those for the user |
| `moved_pages`, `erases` | count | pages moved and blocks erased |
| `free_blocks` | count | free blocks at the interval's end |
| `outstanding` | count | requests under way at the interval's end; 0 where no request completes in it |
| `read_p50_ns`, `read_p99_ns`, `write_p50_ns`, `write_p99_ns` | ns | percentiles within the interval |
| `{op}_over_{percentile}` | count | requests that took longer than this percentile of the whole run |

Of several flows `flow_bins.csv` and `flow_intervals.csv` have the same of each, with the column `flow`.
"""


def main() -> int:
    """Writes or checks the page."""
    text = page(tomllib.loads(FIELDS.read_text(encoding="utf-8")))
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") == text:
            return 0
        print(f"{PAGE} is stale: run tools/gen_result_reference.py", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


def page(table: dict[str, Any]) -> str:
    """The page."""
    parts = [INTRODUCTION, "## Numbers\n", *_rows(table["numbers"].items())]
    parts += ["\n## Counts\n"]
    parts += [
        "Of the window; `outside.warmup` and `outside.remainder` have the same of what came before and after it.\n"
    ]
    parts += _rows(table["counts"].items())
    parts += ["\n## Response times and erase times\n"]
    parts += [
        "Of `response_us.{op}`, each flow in `response_us.flows` and `erase_us`; the last two also have `count`.\n"
    ]
    parts += _rows(table["spread"].items())
    parts += ["\n## Lists\n", *_rows(table["lists"].items())]
    parts += ["\n## What was run, and how certain the numbers are\n", "| field | meaning |", "|---|---|"]
    said = {**table["texts"], **{name: schema["description"] for name, schema in SAID.items()}}
    parts += [f"| `{name}` | {text} |" for name, text in said.items()]
    parts += ["| `workload.flows` | each flow as it was asked for: its trace with options, or its synthetic workload |"]
    parts += [f"| `flows` | {FLOWS} |"]
    parts += ["| `workload.synthetic` | whether any request was made up |", ""]
    return "\n".join([*parts, TABLES])


def _rows(fields: Any) -> list[str]:  # noqa: ANN401 - items of a dict
    rows = [(name, *said.split(": ", 1)) for name, said in fields]
    return [
        "| field | unit | meaning |",
        "|---|---|---|",
        *(f"| `{name}` | {unit} | {text} |" for name, unit, text in rows),
    ]


if __name__ == "__main__":
    sys.exit(main())
