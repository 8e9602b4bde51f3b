"""Writes THIRD-PARTY-NOTICES: the licences of everything that is compiled into the wheel, on any platform.

python3 tools/gen_notices.py            # writes the file, which is not kept in git: whoever builds a wheel makes it
python3 tools/gen_notices.py --print    # prints it

A licence that is not one of deny.toml's is an error.
If a crate offers several licences, the first of them in deny.toml counts. Texts come from the sources that cargo has
fetched; equal texts are written once.
"""
# ruff: noqa: INP001

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOTICES = ROOT / "THIRD-PARTY-NOTICES"
WHEEL = "wordline-py"
# Sources in other languages that crates bring along: where their licence stands in the crate.
BUNDLED = {"zstd-sys": ("zstd, the C library", "BSD-3-Clause", "zstd/LICENSE")}
FILES = re.compile(r"^(licen[cs]e|copying|unlicense)", re.IGNORECASE)

INTRODUCTION = """\
Wordline's wheels contain the code of the following projects, each under its own licence.
This file is made by tools/gen_notices.py.
"""


def cargo(*arguments: str) -> str:
    """What cargo prints."""
    done = subprocess.run(["cargo", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603, S607
    return done.stdout


def compiled() -> set[tuple[str, str]]:
    """Name and version of every crate that the wheel contains."""
    tree = cargo("tree", "--locked", "--package", WHEEL, "--edges", "normal", "--target", "all", "--prefix", "none")
    words = (line.split() for line in tree.splitlines() if line)
    return {(name, version.removeprefix("v")) for name, version, *_ in words}


def packages() -> list[dict[str, Any]]:
    """The packages of other projects among them, by name."""
    wanted = compiled()
    known = json.loads(cargo("metadata", "--locked", "--format-version", "1"))["packages"]
    taken = [each for each in known if each["source"] and (each["name"], each["version"]) in wanted]
    return sorted(taken, key=lambda each: (each["name"], each["version"]))


def choices(expression: str) -> list[list[str]]:
    """The licences of an SPDX expression, as alternatives of what has to be kept together."""
    plain = expression.replace("/", " OR ").replace("(", "").replace(")", "")
    parts = [re.split(r"\s+OR\s+", part.strip()) for part in re.split(r"\s+AND\s+", plain)]
    chosen: list[list[str]] = [[]]
    for part in parts:
        chosen = [[*before, each.strip()] for before in chosen for each in part]
    return chosen


def licence(package: dict[str, Any], allowed: list[str]) -> list[str]:
    """The licences under which a package is taken.

    Raises:
        SystemExit: None that deny.toml allows.
    """
    fitting = [each for each in choices(package["license"] or "none") if set(each) <= set(allowed)]
    if not fitting:
        raise SystemExit(f"{package['name']}: deny.toml does not allow its licence, {package['license']}")
    return min(fitting, key=lambda each: [allowed.index(name) for name in each])


def texts(package: dict[str, Any], taken: list[str]) -> list[str]:
    """The licence texts of a package: those of the licences taken where the file's name tells, else all."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and FILES.match(path.name))
    words = [name.partition("-")[0].lower() for name in taken]
    named = [path for path in files if any(word in path.name.lower() for word in words)]
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in named or files]


def render() -> str:
    """The file's content.

    Raises:
        SystemExit: As `licence`.
    """
    licences = tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))["licenses"]
    exceptions = {each["crate"]: each["allow"] for each in licences["exceptions"]}
    users: dict[str, list[str]] = {}
    overview = []
    for package in packages():
        name = f"{package['name']} {package['version']}"
        taken = licence(package, [*licences["allow"], *exceptions.get(package["name"], [])])
        overview.append(f"{name}: {' AND '.join(taken)}; {package['repository'] or 'https://crates.io'}")
        texts_of_one = texts(package, taken)
        if not texts_of_one:
            overview.append(f"  {name} comes without a text of its licence; that of its repository holds.")
        for text in texts_of_one:
            users.setdefault(text, []).append(name)
        if package["name"] in BUNDLED:
            title, spdx, file = BUNDLED[package["name"]]
            overview.append(f"{title}, within {name}: {spdx}")
            text = (Path(package["manifest_path"]).parent / file).read_text(encoding="utf-8").strip()
            users.setdefault(text, []).append(title)
    sections = [f"{', '.join(names)}\n\n{text}" for text, names in users.items()]
    rule = "\n\n" + "-" * 80 + "\n\n"
    return INTRODUCTION + "\n" + "\n".join(overview) + rule + rule.join(sections) + "\n"


def main() -> None:
    """Writes the file, or prints it."""
    text = render()
    if "--print" in sys.argv[1:]:
        print(text, end="")
    else:
        NOTICES.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
