"""The documentation is right: commands run, links lead somewhere, names exist, numbers are those of the program."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import docs_playground as playground
import wordline as wl
from cli_runner import environment
from docs_playground import PAGES, ROOT
from wordline import _core
from wordline.cli import main

CORE = ROOT / "crates" / "wordline-core" / "src"


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", without_code(page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{name_of(page)} links to {target}"
        if anchor:
            assert anchor in anchors(found), f"{name_of(page)} links to {target}"


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/validation.md"])
def test_files_that_are_named_exist(name: str) -> None:
    tokens = re.findall(r"`([\w./-]*(?:/|\.(?:rs|py|toml|md|yml)))`", without_code(text_of(name)))
    # Names that a reader is to choose, and files of a result.
    invented = re.compile(r"NAME|GROUP|^(figures|tables)/$|/quick\.rs|/foo\.rs|^depth\.py$|^config\.toml$|^\.\./|^out/")
    roots = [ROOT, ROOT / "presets", ROOT / "python" / "wordline"]
    roots += [CORE, CORE / "policy", CORE.parent, CORE.parent / "tests" / "all" / "closed_forms"]
    for token in tokens:
        assert invented.search(token) or any((root / token).exists() for root in roots), f"{name} names {token}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "result.md"], ids=name_of)
def test_keys_that_are_named_exist(page: Path) -> None:
    config = wl.config()
    sections = {key.partition(".")[0] for key in config if "." in key}
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+\.[a-z_]+)[`= ]", text) + re.findall(r"--set ([a-z_.]+)=", text)
    # Files, and a misspelt key that shows what is said of one.
    no_keys = re.compile(r"\.(rs|toml)$|^ssd\.chanels$")
    named = [key for key in named if key.partition(".")[0] in sections and not no_keys.search(key)]
    assert [key for key in named if key not in config] == []


def test_the_configuration_reference_is_fresh() -> None:
    script = ROOT / "tools" / "gen_config_reference.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_readme_lists_the_trace_formats() -> None:
    section = text_of("README.md").partition("\n## Traces\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z0-9][a-z0-9-]*)` \| (.*) \|$", section, re.MULTILINE) == _core.trace_formats()


def test_the_readme_shows_what_its_command_prints() -> None:
    arguments = next(args for args in playground.commands(ROOT / "README.md", "wordline") if args[0] == "compare")
    assert arguments[:4] == ["compare", "pnar2", "--workload", "ycsb/c"]
    settings = dict(each.split("=", 1) for each in arguments if "=" in each)
    policies = settings.pop("read.retry").split(",")
    requests = int(settings.pop("workload.requests"))
    ssd = wl.preset("pnar2").set_all(
        {key: float(value) if "." in value else int(value) for key, value in settings.items()}
    )
    comparison = wl.compare(ssd, wl.workload("ycsb/c", requests=requests), {"read.retry": policies})
    row = r"^\| ([\w+]+) \| ([\d,.]+) us \| ([\d,.]+) us \| ([\d,.]+) us \|$"
    rows = re.findall(row, text_of("README.md"), re.MULTILINE)
    assert [row[0] for row in rows] == policies
    for (policy, *cells), point in zip(rows, comparison, strict=True):
        result = point.result
        shown = [float(cell.replace(",", "")) for cell in cells]
        measured = [result.all.mean, result.read.p99, result.read.p9999]
        assert shown == pytest.approx(measured, rel=0.01), f"README.md, {policy}: {measured}"


def cells(text: str) -> list[str]:
    """Words and numbers of a printed result, without its bar and what tells of the clock and the version."""
    lines = [line for line in text.splitlines() if not line.startswith(("channels ", "time ", "from "))]
    return " ".join(lines).replace(",", "").split()


def is_close(shown: str, printed: str) -> bool:
    """The same word, or nearly the same number; changes may differ by two percentage points."""
    if shown == printed:
        return True
    try:
        number, other = float(shown.lstrip("x(")), float(printed.lstrip("x("))
    except ValueError:
        return False
    return abs(number - other) <= (2.0 if shown[0] in "+-" else 0.02 * abs(other))


def test_the_tutorial_shows_what_its_commands_print(capsys: pytest.CaptureFixture[str]) -> None:
    shown = r"^```console\n\$ wordline ([^\n]*)\n```\n[^`]*^```text\n(.*?)^```$"
    pairs = re.findall(shown, text_of("docs/tutorial.md"), re.MULTILINE | re.DOTALL)
    assert len(pairs) == 2
    for command, output in pairs:
        assert main(command.partition(" --out")[0].split()) == 0
        printed = capsys.readouterr().out
        there, here = cells(output), cells(printed)
        differ = [pair for pair in zip(there, here, strict=False) if not is_close(*pair)]
        assert (len(there), differ) == (len(here), []), f"docs/tutorial.md, wordline {command} prints:\n{printed}"


def test_make_has_the_targets_that_are_named() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    named = [arguments for page in PAGES for arguments in playground.commands(page, "make")]
    named += [[target] for page in PAGES for target in re.findall(r"`make (?:-s )?([a-z-]+)`", page.read_text("utf-8"))]
    assert len(named) >= 5
    assert {target for arguments in named for target in arguments if not target.startswith("-")} <= targets


def test_the_script_is_installed() -> None:
    script = Path(sys.executable).with_name("wordline")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "wordline.cli"]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False, env=environment())
    assert done.stdout == f"wordline {wl.__version__}\n"


WITH_COMMANDS = [page for page in PAGES if playground.commands(page, "wordline")]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_commands_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    playground.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["trace", "gen", "msrc/hm_0", "hm_0.csv.gz", "--set", playground.REQUESTS]) == 0
    assert main(["trace", "gen", "msrc/hm_0", "mine.csv.gz", "--set", playground.REQUESTS]) == 0
    for arguments in playground.commands(page, "wordline"):
        capsys.readouterr()
        code = main(playground.quick(arguments))
        printed = capsys.readouterr()
        wrong = any("chanels" in argument for argument in arguments)
        assert code == (2 if wrong else 0), f"{name_of(page)}: wordline {' '.join(arguments)}: {printed.err}"
        if wrong:
            assert printed.err.strip() in page.read_text(encoding="utf-8")
        elif arguments[:2] not in (["trace", "gen"], ["trace", "convert"]):
            assert printed.out.strip(), f"{name_of(page)}: wordline {' '.join(arguments)} printed nothing"


IDLE = "had no effect|has no effect|give the same numbers|what differs is chance"


@pytest.mark.verify
@pytest.mark.parametrize("page", [page for page in WITH_COMMANDS if "docs/how-to" in str(page)], ids=name_of)
def test_every_key_of_an_example_acts(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commands as they are on the page, whose length decides whether garbage collection begins."""
    playground.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("hm_0.csv.gz", "mine.csv.gz"):
        assert main(["trace", "gen", "msrc/hm_0", name, "--set", "workload.requests=20000"]) == 0
    for arguments in playground.commands(page, "wordline"):
        if arguments[0] not in ("run", "compare") or any("chanels" in argument for argument in arguments):
            continue
        capsys.readouterr()
        main(arguments)
        idle = [line for line in capsys.readouterr().err.splitlines() if re.search(IDLE, line)]
        assert idle == [], f"{name_of(page)}: wordline {' '.join(arguments)}"


def test_enough_commands_are_tested() -> None:
    assert {"README.md", "docs/tutorial.md", "docs/how-to/my-trace.md"} <= {name_of(page) for page in WITH_COMMANDS}
    assert sum(len(playground.commands(page, "wordline")) for page in PAGES) >= 25


WITH_SCRIPTS = [page for page in PAGES if playground.blocks(page, "python")]


@pytest.mark.parametrize("page", WITH_SCRIPTS, ids=name_of)
def test_scripts_run(page: Path, tmp_path: Path) -> None:
    script = re.sub(r"\brequests=[\d_]+", "requests=1_000", "\n".join(playground.blocks(page, "python")))
    # A drive that is nearly empty is written in no time.
    script = re.sub(r'("precondition\.fill": )0?\.\d+', r"\g<1>0.05", script)
    (tmp_path / "page.py").write_text(script, encoding="utf-8")
    playground.make(tmp_path)
    if '"out/' in script:
        # It reads what the page's commands leave.
        for arguments in playground.commands(page, "wordline")[:1]:
            command = [sys.executable, "-m", "wordline.cli", *playground.quick(arguments)]
            subprocess.run(command, cwd=tmp_path, env=environment(), check=True, capture_output=True)
    done = subprocess.run(
        [sys.executable, "page.py"],
        cwd=tmp_path,
        env={**environment(), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, ""), name_of(page)


def test_the_citation_is_of_this_version() -> None:
    with (ROOT / "Cargo.toml").open("rb") as file:
        package = tomllib.load(file)["workspace"]["package"]
    citation = text_of("CITATION.cff")
    assert f"\nversion: {package['version']}\n" in citation
    assert f"\nrepository-code: {package['repository']}\n" in citation
    assert re.findall(r"^  - (MIT|Apache-2\.0)$", citation, re.MULTILINE) == package["license"].split(" OR ")
    assert package["version"] in text_of("CHANGELOG.md")


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.name == "how-to"], ids=name_of)
def test_a_how_to_opens_with_its_question_and_its_answer(page: Path) -> None:
    opening = page.read_text(encoding="utf-8").partition("\n## ")[0]
    assert re.search(r"^\*\*Question\.\*\* .+?^\*\*Answer\.\*\* ", opening, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.with_suffix(".md") in PAGES], ids=name_of)
def test_a_page_of_a_folder_is_in_the_menu(page: Path) -> None:
    """The site's menu has pages of a folder below the page of that name, if that links to them."""
    above = page.parent.with_suffix(".md")
    assert f"]({page.parent.name}/{page.name}" in above.read_text(encoding="utf-8"), (
        f"{name_of(above)} links to no {page.name}"
    )
