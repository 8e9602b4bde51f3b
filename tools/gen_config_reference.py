"""Makes docs/reference/config.md from presets/base/*.toml, where every key stands with its default and its meaning.

python3 tools/gen_config_reference.py            # writes the page
python3 tools/gen_config_reference.py --check    # exit code 1 if the page is stale
"""
# ruff: noqa: INP001

import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BASES = ("presets/base/ssd.toml", "presets/base/workload.toml")
PAGE = ROOT / "docs" / "reference" / "config.md"

INTRODUCTION = """\
# Configuration keys

<!-- Made by tools/gen_config_reference.py from presets/base/*.toml: change those, then run it. -->

Every key of a configuration, with its default and its meaning: unit, range, and the source of the default. A preset,
a file of yours and `--set` each change some of them, in this order. `wordline explain PRESET` shows what became of
every key and who set it; `wordline explain PRESET --key gc` shows one section.

In a file a section is a TOML table, and a first line may name the preset that the file lies over:

```toml
preset = "datacenter-tlc"

[ssd]
channels = 16                     # a comment behind a value is shown as its source
```
"""


class BadLineError(ValueError):
    """A line of a base file that this script does not understand."""


def entries(name: str) -> list[tuple[str, str, str, str]]:
    """`(section, key, default, comment)` of every key of a base file, in its order.

    Raises:
        BadLineError: for a line that is not a comment, a section, or `key = value # comment`.
    """
    text = (ROOT / name).read_text(encoding="utf-8")
    section, found = "", []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip().strip("[]")
            continue
        setting, mark, comment = line.partition(" #")
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not mark:
            message = f"{name}:{number}: expected `key = value # comment`"
            raise BadLineError(message)
        found.append((section, key, value, comment.strip()))
    table: dict[str, Any] = tomllib.loads(text)
    known = {(s, k) for s, keys in table.items() if isinstance(keys, dict) for k in keys}
    known |= {("", k) for k, value in table.items() if not isinstance(value, dict)}
    if known != {(section, key) for section, key, _, _ in found}:
        message = f"{name}: the keys that were read are not those of the file"
        raise BadLineError(message)
    return found


def page() -> str:
    """The whole page."""
    lines = [INTRODUCTION]
    current = None
    for name in BASES:
        for section, key, value, comment in entries(name):
            if section != current:
                current = section
                heading = f"`[{section}]`" if section else "Before the first section"
                lines.append(f"\n## {heading}\n\n| key | default | meaning |\n|---|---|---|\n")
            full = f"{section}.{key}" if section else key
            meaning = comment.replace("|", "\\|").replace("<", "&lt;")
            lines.append(f"| `{full}` | `{value}` | {meaning} |\n")
    return "".join(lines)


def main() -> int:
    """Writes the page, or checks it."""
    made = page()
    if "--check" in sys.argv[1:]:
        if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == made:
            return 0
        sys.stderr.write(f"{PAGE.relative_to(ROOT)} is stale: run python3 tools/gen_config_reference.py\n")
        return 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
