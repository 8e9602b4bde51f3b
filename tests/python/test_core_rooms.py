"""The folders of the core depend on each other in one direction."""

from __future__ import annotations

import re
from pathlib import Path

CORE = Path(__file__).resolve().parents[2] / "crates" / "wordline-core" / "src"

#: Rooms, from the ground up: a room imports from those before it in this list, and from no other.
ORDER = [
    "error",
    "engine",
    "options",
    "parameter",
    "flash",
    "policy",
    "config",
    "nand",
    "characterize",
    "host",
    "metrics",
    "cache",
    "ftl",
    "controller",
    "ssd",
]

IMPORT = re.compile(r"\bcrate::(\w+)")


def code_of(text: str) -> str:
    """Code without its comments and its tests."""
    return re.sub(r"//[^\n]*", "", text).partition("#[cfg(test)]\nmod tests {")[0]


def imports_of(text: str) -> set[str]:
    """The rooms that a file's code names."""
    return {name for name in IMPORT.findall(code_of(text)) if name in ORDER}


def against(order: list[str], files: dict[str, str]) -> dict[tuple[str, str], list[str]]:
    """Imports against the order: from which room to which, and in which files."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, text in files.items():
        here = name.removesuffix(".rs").split("/")[0]
        for there in imports_of(text):
            if order.index(there) > order.index(here):
                found.setdefault((here, there), []).append(name)
    return found


def sources() -> dict[str, str]:
    paths = [path for path in sorted(CORE.rglob("*.rs")) if path.name not in {"lib.rs", "tests.rs"}]
    return {path.relative_to(CORE).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def test_every_folder_has_its_place_in_the_order() -> None:
    rooms = {name.removesuffix(".rs").split("/")[0] for name in sources()}
    assert rooms == set(ORDER)


def test_rooms_import_in_one_direction() -> None:
    upward = against(ORDER, sources())
    assert not upward, f"these files import from a room above their own: {upward}"


def test_an_import_against_the_order_is_found() -> None:
    files = {
        "flash/txn.rs": "use crate::engine::Ns;\n// crate::ssd\n",
        "nand/page.rs": "use crate::{\n    a::B,\n};\nlet x = crate::ftl::Ftl::new();\n",
        "policy/gc/mod.rs": "use crate::config::Config;\n",
        "ftl/mod.rs": "use crate::nand::Nand;\n#[cfg(test)]\nmod tests {\n use crate::ssd::Ssd;\n}\n",
    }
    assert against(ORDER, files) == {
        ("nand", "ftl"): ["nand/page.rs"],
        ("policy", "config"): ["policy/gc/mod.rs"],
    }


def test_slots_do_not_know_each_other() -> None:
    """A technique that spans slots is one file in each: only `policy/`'s own files, such as its list, know several."""
    slots = {path.name for path in (CORE / "policy").iterdir() if path.is_dir()}
    assert len(slots) >= 10
    for name, text in sources().items():
        room, *inner = name.split("/")
        if room == "policy" and inner[0] in slots:
            named = set(re.findall(r"\bcrate::policy::(\w+)", code_of(text))) & slots
            assert named <= {inner[0]}, name


def test_no_nested_import_escapes_the_check() -> None:
    """`use crate::{a, b}` would not be seen: every import names its room behind `crate::`."""
    nested = [name for name, text in sources().items() if re.search(r"\buse crate::\{", code_of(text))]
    assert not nested
