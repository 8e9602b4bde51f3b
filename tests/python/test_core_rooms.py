"""The folders of the core, and those of the trace readers, depend on each other in one direction."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CRATES = Path(__file__).resolve().parents[2] / "crates"
CORE, TRACE = (CRATES / name / "src" for name in ("wordline-core", "wordline-trace"))

#: Rooms, from the ground up: a room imports from those before it in this list, and from no other.
ORDER = [
    "error",
    "engine",
    "options",
    "parameter",
    "flash",
    "policy",
    "zones",
    "config",
    "nand",
    "host",
    "metrics",
    "cache",
    "ftl",
    "controller",
    "ssd",
]

#: The same inside the FTL. Where one part leads to another and back (a write needs room, a job moves pages, the
#: table is written), the functions are those of `Ftl`: every room may name it, and its `Step`.
FTL_ORDER = [
    "step",
    "blocks",
    "map",
    "check",
    "write",
    "reclaim",
    "two_speed",
    "table",
    "power",
    "precondition",
    "handles",
    "rebuild",
    "sound",
    "user",
    "verify",
    "zoned",
]
FTL_WHOLE = {"Ftl", "Step"}

#: The same of the trace readers.
TRACE_ORDER = [
    "error",
    "bytes",
    "part",
    "unit",
    "archive",
    "utf16",
    "foreign",
    "devices",
    "device",
    "order",
    "log_histogram",
    "request",
    "input",
    "formats",
    "binary",
    "time_unit",
    "detect",
    "reader",
    "within",
    "stat",
    "convert",
    "synthetic",
    "fio",
]

IMPORT = re.compile(r"\bcrate::(\w+)")


def code_of(text: str) -> str:
    """Code without its comments and its tests."""
    return re.sub(r"//[^\n]*", "", text).partition("#[cfg(test)]\nmod tests {")[0]


def imports_of(text: str, order: list[str]) -> set[str]:
    """The rooms that a file's code names."""
    return {name for name in IMPORT.findall(code_of(text)) if name in order}


def against(order: list[str], files: dict[str, str]) -> dict[tuple[str, str], list[str]]:
    """Imports against the order: from which room to which, and in which files."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, text in files.items():
        here = name.removesuffix(".rs").split("/")[0]
        for there in imports_of(text, order):
            if order.index(there) > order.index(here):
                found.setdefault((here, there), []).append(name)
    return found


def sources(crate: Path = CORE) -> dict[str, str]:
    paths = [path for path in sorted(crate.rglob("*.rs")) if path.name not in {"lib.rs", "tests.rs"}]
    return {path.relative_to(crate).as_posix(): path.read_text(encoding="utf-8") for path in paths}


ROOMS = pytest.mark.parametrize(("crate", "order"), [(CORE, ORDER), (TRACE, TRACE_ORDER)], ids=["core", "trace"])


@ROOMS
def test_every_folder_has_its_place_in_the_order(crate: Path, order: list[str]) -> None:
    rooms = {name.removesuffix(".rs").split("/")[0] for name in sources(crate)}
    assert rooms == set(order)


@ROOMS
def test_rooms_import_in_one_direction(crate: Path, order: list[str]) -> None:
    upward = against(order, sources(crate))
    assert not upward, f"these files import from a room above their own: {upward}"


def ftl_imports(name: str, text: str) -> set[str]:
    """What a file of the FTL names of it, outside its own room."""
    code = code_of(text)
    above = r"(?<!:)\bsuper::" if name.endswith("/mod.rs") or "/" not in name else r"(?!)"
    named: set[str] = set()
    for names in re.findall(rf"(?:\bcrate::ftl::|{above})(\w+|\{{[^}}]*\}})", code):
        named |= set(re.findall(r"\w+", names))
    return named - FTL_WHOLE


def against_ftl(files: dict[str, str]) -> dict[str, set[str]]:
    """What files of the FTL name of rooms above their own, or of what the FTL shows others."""
    upward = {}
    for name, text in files.items():
        here = FTL_ORDER.index(name.removesuffix(".rs").split("/")[0])
        upward[name] = ftl_imports(name, text) - set(FTL_ORDER[: here + 1])
    return {name: found for name, found in upward.items() if found}


def test_the_rooms_of_the_ftl_import_in_one_direction() -> None:
    files = sources(CORE / "ftl")
    del files["mod.rs"]
    assert {name.removesuffix(".rs").split("/")[0] for name in files} == set(FTL_ORDER)
    assert not against_ftl(files)


def test_an_import_against_the_order_inside_the_ftl_is_found() -> None:
    files = {
        "blocks/mod.rs": "use super::write::put::Why;\n// super::power\n",
        "map/journal.rs": "use super::undone::Undone;\nlet x = crate::ftl::table::y();\n",
        "reclaim/job.rs": "use crate::ftl::write::put::Placing;\nuse crate::ftl::{Ftl, Step};\n",
        "write/put.rs": "use crate::ftl::{Blocks, Step};\n",
    }
    assert against_ftl(files) == {"blocks/mod.rs": {"write"}, "map/journal.rs": {"table"}, "write/put.rs": {"Blocks"}}


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


#: A file of more lines does more than one thing.
LINES_MAX = 600


def test_no_file_is_too_long() -> None:
    files = {path: path.read_text(encoding="utf-8").count("\n") for path in sorted(CRATES.rglob("*.rs"))}
    assert len(files) > 500
    assert not {path.relative_to(CRATES).as_posix(): count for path, count in files.items() if count > LINES_MAX}


def module_of(name: str) -> tuple[str, ...]:
    """The path of a file's module in its crate."""
    parts = name.removesuffix(".rs").split("/")
    return tuple(parts[:-1] if parts[-1] in {"mod", "lib", "main"} else parts)


def known_by(name: str, text: str, modules: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """The other modules that a file names, but for those that contain it and those that it contains."""
    here = module_of(name)
    known = set()
    for start, names in re.findall(r"\b(crate|super)((?:::\w+)*(?:::\{[^;]*)?)", code_of(text)):
        base = () if start == "crate" else here[:-1]
        first, _, inner = names.partition("{")
        for last in re.findall(r"\w+(?:::\w+)*", inner) or [""]:
            path = list(base)
            for word in re.findall(r"\w+", f"{first}::{last}"):
                path = path[:-1] if word == "super" else [*path, word]
            while path and tuple(path) not in modules:
                path.pop()
            known.add(tuple(path))
    return {there for there in known if there[: len(here)] != here and here[: len(there)] != there}


def circles(files: dict[str, str]) -> set[tuple[str, ...]]:
    """Modules that name each other, by way of others or at once: each with those that it reaches and that reach it."""
    modules = {module_of(name) for name in files}
    reached = {module_of(name): known_by(name, text, modules) for name, text in files.items()}
    growing = True
    while growing:
        growing = False
        for there in reached.values():
            count = len(there)
            there.update(*[reached[each] for each in there])
            growing = growing or len(there) > count
    return {module for module, there in reached.items() if module in there}


@pytest.mark.parametrize("crate", sorted(path.name for path in CRATES.iterdir() if (path / "src").is_dir()))
def test_no_files_of_a_crate_name_each_other_in_a_circle(crate: str) -> None:
    assert not circles(sources(CRATES / crate / "src"))


def test_a_circle_of_files_is_found() -> None:
    files = {
        "lib.rs": "mod a;",
        "a/mod.rs": "mod b; mod c; use crate::d::D;",
        "a/b.rs": "use super::A;\nuse super::c::C;",
        "a/c.rs": "use crate::{d::D};\n// super::b",
        "d.rs": "use crate::a::b::{B, E};",
        "e.rs": "use crate::d::D;",
    }
    assert circles(files) == {("a", "b"), ("a", "c"), ("d",)}


def test_slots_do_not_know_each_other() -> None:
    """A technique that spans slots is one file in each: only `policy/`'s own files, such as its list, know several."""
    slots = {path.name for path in (CORE / "policy").iterdir() if path.is_dir()}
    assert len(slots) >= 10
    for name, text in sources().items():
        room, *inner = name.split("/")
        if room == "policy" and inner[0] in slots:
            named = set(re.findall(r"\bcrate::policy::(\w+)", code_of(text))) & slots
            assert named <= {inner[0]}, name
        elif room == "policy" and inner[0] not in {"mod.rs", "list.rs"}:
            # Else a slot would know, by way of what all slots are given, every other one.
            assert not set(re.findall(r"\b(?:super|crate::policy)::(\w+)", code_of(text))) & slots, name


@pytest.mark.parametrize("crate", [CORE, TRACE], ids=["core", "trace"])
def test_no_nested_import_escapes_the_check(crate: Path) -> None:
    """`use crate::{a, b}` would not be seen: every import names its room behind `crate::`."""
    nested = [name for name, text in sources(crate).items() if re.search(r"\buse crate::\{", code_of(text))]
    assert not nested
