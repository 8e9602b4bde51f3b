"""Writes what is made from the form of a result, crates/wordline-run/src/result: the reference page and Python's types.

.venv/bin/python tools/gen_result_form.py            # writes docs/reference/result.md and python/wordline/document.py
.venv/bin/python tools/gen_result_form.py --check    # exit code 1 if one of them is stale
.venv/bin/python tools/gen_result_form.py --covered  # writes the numbers that the fingerprints of studies cover
"""
# ruff: noqa: INP001

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

from wordline.record.schema import UNIT, is_number, named, numbers, result_schema

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "result.md"
TYPES = ROOT / "python" / "wordline" / "document.py"
COVERED = ROOT / "papers" / "wordline_papers" / "covered.toml"

Schema = Mapping[str, Any]
MADE_BY = "tools/gen_result_form.py from crates/wordline-run/src/result: change that, build, then run it"
INTRODUCTION = """\
# The result document

<!-- Made by {made_by}. -->

`wordline run --json`, `result.json` and `Result.to_dict()` hold one document. This page lists every field of schema
version {version}. `wordline schema result` prints the same as JSON Schema 2020-12, and `wordline.document.Document` is
its type in Python. Earlier versions are read by `wordline.load`.

A run is measured in its **window**: from the end of the warm-up (or the start) to the last completion. Everything is
counted there alone, but for what `outside` and `precondition` say.

Numbers are named by their dotted path, as in the columns of `Result.to_pandas()`; `*` stands for each flow, or each
item of a list. Of a result of several seeds each number is the mean over them, so that counts need not be whole. All
but the `wall_*` fields is the same for the same configuration, workload and seed.
"""
TABLES = """\
## Tables

`bins.csv` (`Result.bins()`) has a row for every latency bin that is not empty: `op`, `upper_ns` (the bin's largest
value), `count`, and in the file `cumulative`. `series.csv` (`Result.series()`) is throughput over time: `start_ns`,
then requests, bytes and sums of latencies of reads and writes. `intervals.csv` (`Result.intervals()`) is the run in at
most 64 intervals of equal time, `start_ns` each:

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
Where the SSD has placement handles, `handle_intervals.csv` has the bytes written for each, with the column `handle`.
"""
HEAD = '''"""The types of a result's document, such as `wordline run --json` prints and `Result.to_dict` returns.

Made by {made_by}.
"""

from typing import Any, Literal, NotRequired, TypedDict

MEASURED = (
{measured})
"""Fields of a document that are measured; the others say what was run, when, and how certain the numbers are."""
'''
COVERED_HEAD = """\
# The numbers of a result that fingerprints cover, as its form had them when all of it was last covered. A result may
# grow: a later field is not covered, and changes no fingerprint. `tools/gen_result_form.py --covered` writes the list
# anew from the form; then every fingerprint changes, so do it before a full run of all studies.
"""
# Tables of a run whose columns are covered too.
COLUMNS = {
    "bins": "op upper_ns count",
    "series": "start_ns reads writes read_bytes write_bytes read_latency_sum_ns write_latency_sum_ns",
    "requests": "flow op sector sectors arrival_ns submitted_ns completed_ns",
    "timeline": "track index name start_ns duration_ns class lpn",
}


def main() -> int:
    """Writes or checks the files."""
    if "--covered" in sys.argv[1:]:
        COVERED.write_text(covered(), encoding="utf-8")
        return 0
    schema = result_schema()
    texts = {PAGE: page(schema), TYPES: types(schema)}
    if "--check" not in sys.argv[1:]:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path} is stale: run tools/gen_result_form.py", file=sys.stderr)
    return 1 if stale else 0


def page(schema: Schema) -> str:
    """Returns the reference page: a table of all fields, and one for each definition that several fields share."""
    defs = schema["$defs"]
    uses = Counter(name for each in (schema, *defs.values()) for name in _names(each))
    shared = [name for name, each in defs.items() if uses[name] > 1 and "properties" in each]
    head = ["| field | unit | meaning |", "|---|---|---|"]
    text = INTRODUCTION.format(made_by=MADE_BY, version=schema["properties"]["schema_version"]["const"])
    parts = [text, "## Fields\n", *head, *_rows(defs, "", schema, "", shared)]
    for name in shared:
        parts += ["", f"## {name}", "", f"{defs[name]['description']}", "", *head]
        parts += _rows(defs, "", defs[name], defs[name].get(UNIT, ""), shared)
    return "\n".join([*parts, "", TABLES])


def _names(schema: Schema) -> Iterator[str]:
    """Yields the definitions that a schema refers to, once for each time."""
    name = named(dict(schema))
    if name is not None:
        yield name
    for each in schema.get("properties", {}).values():
        yield from _names(each)
    for place in ("items", "additionalProperties"):
        if isinstance(schema.get(place), dict):
            yield from _names(schema[place])


def _rows(defs: Schema, path: str, schema: Schema, unit: str, shared: list[str]) -> Iterator[str]:
    """Yields a row for each field of an object, and for each field below."""
    for key, field in schema.get("properties", {}).items():
        yield from _row(defs, f"{path}.{key}".removeprefix("."), field, unit, shared)


def _row(defs: Schema, path: str, field: Schema, unit: str, shared: list[str]) -> Iterator[str]:
    items = next((field[each] for each in ("items", "additionalProperties") if isinstance(field.get(each), dict)), None)
    inner, place = (field, path) if items is None else (items, f"{path}.*")
    name = named(dict(inner)) or ""
    whole = {**defs[name], **inner} if name else inner
    unit = field.get(UNIT, whole.get(UNIT, unit))
    text = str(field.get("description", whole.get("description", "")))
    if "oneOf" in whole:
        words = "; ".join(f"`{each['const']}`: {each['description'].rstrip('.')}" for each in whole["oneOf"])
        text = f"{text} {words}."
    if name in shared:
        yield f"| `{place}` | {field.get(UNIT, '')} | {text} [{name}](#{name.lower()}) |"
        return
    yield f"| `{path}` | {unit if is_number(dict(field)) else ''} | {text} |"
    yield from _rows(defs, place, whole, unit, shared)


def types(schema: Schema) -> str:
    """Returns the module of Python's types."""
    measured = [name for name, each in schema["properties"].items() if each.get("x-measured", True)]
    names = "".join(f'    "{name}",\n' for name in measured)
    aliases, classes = [], []
    for name in _from_below({**schema["$defs"], "Document": schema}, "Document"):
        each = schema["$defs"].get(name, schema)
        if "oneOf" in each:
            words = ", ".join(f'"{one["const"]}"' for one in each["oneOf"])
            aliases.append(f"{name} = Literal[{words}]\n")
        elif isinstance(each.get("additionalProperties"), dict):
            # No type tells named keys from any other ones.
            aliases.append(f"{name} = dict[str, Any]\n")
        else:
            classes.append("\n\n" + _class(name, each))
    return "".join([HEAD.format(made_by=MADE_BY, measured=names), *aliases, *classes])


def _from_below(defs: Mapping[str, Schema], name: str, above: tuple[str, ...] = ()) -> list[str]:
    """Returns the definitions below one, each after those that it refers to, and it itself."""
    below = [
        each
        for inner in _names(defs[name])
        if inner not in (*above, name)
        for each in _from_below(defs, inner, (*above, name))
    ]
    return list(dict.fromkeys([*below, name]))


def _class(name: str, schema: Schema) -> str:
    text = "\n    ".join(wrap(schema["description"], 110))
    text += "\n    " if "\n" in text else ""
    required = schema.get("required", ())
    lines = [f"class {name}(TypedDict):", f'    """{text}"""', ""]
    for key, field in schema["properties"].items():
        kind = _kind(field)
        lines.append(f"    {key}: {kind if key in required else f'NotRequired[{kind}]'}")
    return "\n".join(lines) + "\n"


def _kind(field: Schema) -> str:
    name = named(dict(field))
    kinds = field.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    if name is not None:
        is_open = any(each.get("type") == "null" for each in field.get("anyOf", ()))
        return f"{name} | None" if is_open else name
    if "array" in kinds:
        words = {"array": f"list[{_kind(field.get('items') or field['prefixItems'][0])}]"}
    elif isinstance(field.get("additionalProperties"), dict):
        words = {"object": f"dict[str, {_kind(field['additionalProperties'])}]"}
    else:
        words = {"object": "dict[str, Any]"}
    words |= {"number": "float", "integer": "int", "boolean": "bool", "string": "str", "null": "None"}
    return " | ".join(words[each] for each in kinds)


def covered() -> str:
    """Returns the text of the list of covered numbers: all that are measured, and the columns of tables."""
    columns = [f"{table}.{name}" for table, names in COLUMNS.items() for name in names.split()]
    lists = {"numbers": [each.path for each in numbers() if each.is_measured], "columns": columns}
    blocks = (f"{name} = [\n" + "".join(f'    "{each}",\n' for each in paths) + "]\n" for name, paths in lists.items())
    return "\n".join([COVERED_HEAD, *blocks])


if __name__ == "__main__":
    sys.exit(main())
