"""Writes presets/base/*.toml, schemas/*.json and two pages of docs/reference from what the core declares.

python3 tools/gen_config_reference.py            # writes the files
python3 tools/gen_config_reference.py --check    # exit code 1 if one is stale

It reads the declarations from the extension, so build the extension first (`make setup`).
"""
# ruff: noqa: INP001

import itertools
import json
import sys
from pathlib import Path
from typing import Any

from wordline import _core
from wordline.config_schema import schema, workload_schema
from wordline.flow_file import flow_schema
from wordline.output import json_document
from wordline.sweeps.schema import sweep_schema

ROOT = Path(__file__).resolve().parents[1]
# Editors check and complete the TOML files of this repository by these.
SCHEMAS = {"config": schema, "workload": workload_schema, "sweep": sweep_schema, "flows": flow_schema}

INTRODUCTION = """\
# Configuration keys

<!-- Made by tools/gen_config_reference.py from the declarations in crates/: change those, then run it. -->

Every key of a configuration, with its default, the values that it takes with their unit, and its meaning: when it has
an effect, and where its default comes from. A preset, a file of yours and `--set` each change some of them, in this
order. `wordline explain PRESET` shows what became of every key and who set it; `wordline explain PRESET --key gc`
shows one section. `wordline schema config` prints all of this as a JSON Schema, by which an editor can check a file.

Words may be written with `-` or `_`. A number must be finite. A key that you set and that another key switches off is
named in the warnings of the run.

In a file a section is a TOML table, and a first line may name the preset that the file lies over:

```toml
preset = "datacenter-tlc"

[ssd]
channels = 16                     # a comment behind a value is shown as its source
```
"""


TOGETHER = """\
# What does not go together

<!-- Made by tools/gen_config_reference.py from config/together.rs of the core: change that, then run it. -->

Which keys can I not use at once? A configuration that asks for both of a row is refused, and the message names what to
change. Everything else goes together: the tests run every pair of policies that is not refused.

| key | what it does | does not go with | which |
|---|---|---|---|
"""


def together_page() -> str:
    """The page of what is refused."""
    return TOGETHER + "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in _core.refusals())


def page() -> str:
    """The reference page."""
    rows = json.loads(_core.parameters())
    defaults = _defaults()
    lines = [INTRODUCTION]
    for section, keys in itertools.groupby(rows, lambda row: row["key"].rpartition(".")[0]):
        heading = f"`[{section}]`" if section else "Before the first section"
        lines.append(f"\n## {heading}\n\n| key | default | takes | meaning |\n|---|---|---|---|\n")
        for row in keys:
            cells = [f"`{row['key']}`", f"`{defaults[row['key']]}`", _cell(row["values"]), _cell(_meaning(row))]
            lines.append(f"| {' | '.join(cells)} |\n")
    return "".join(lines)


def _defaults() -> dict[str, str]:
    """Every key's default as the base files write it."""
    values, section = {}, ""
    for _, text in _core.base_files():
        for line in text.splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif line and not line.startswith("#"):
                key, _, rest = line.partition(" = ")
                values[f"{section}.{key}".lstrip(".")] = rest.partition("# ")[0].strip()
    return values


def _meaning(row: dict[str, Any]) -> str:
    """Help, conditions and source of a key."""
    meaning = row["comment"]
    values = f"{row['values']}; "
    return str(meaning.removeprefix(values))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def main() -> int:
    """Writes the files, or checks them."""
    made = {ROOT / name: text for name, text in _core.base_files()}
    made[ROOT / "docs" / "reference" / "config.md"] = page()
    made[ROOT / "docs" / "reference" / "together.md"] = together_page()
    made |= {ROOT / "schemas" / f"{name}.json": json_document.text(make()) for name, make in SCHEMAS.items()}
    stale = [path for path, text in made.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if "--check" not in sys.argv[1:]:
        for path in stale:
            path.write_text(made[path], encoding="utf-8")
        return 0
    for path in stale:
        sys.stderr.write(f"{path.relative_to(ROOT)} is stale: run python3 tools/gen_config_reference.py\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
