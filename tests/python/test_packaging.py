"""The files of a release: the wheel, and the workflows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
GLIBC = (2, 17)
# Where rustup and the system keep what builds; a machine that only installs has none of it.
BUILDERS = ("cargo", "rustc", "cc", "gcc", "zig")
SYMBOL = re.compile(rb"GLIBC_(\d+)\.(\d+)")


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [("github-workflows", "workflows/*.yml"), ("github-issue-forms", "ISSUE_TEMPLATE/[!c]*.yml"),
     ("github-issue-config", "ISSUE_TEMPLATE/config.yml")],
)  # fmt: skip
def test_the_files_for_the_code_host_fit_their_schema(schema: str, pattern: str) -> None:
    files = sorted((ROOT / ".github").glob(pattern))
    assert files
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_release_workflow_builds_for_every_system() -> None:
    text = WORKFLOW.read_text(encoding="utf-8")
    for target in (
        "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-musl",
        "aarch64-unknown-linux-musl", "x86_64-apple-darwin", "aarch64-apple-darwin", "x86_64-pc-windows-msvc",
    ):  # fmt: skip
        assert target in text
    assert "attest-build-provenance" in text


def test_every_action_is_pinned_by_hash() -> None:
    uses = [
        line.strip()
        for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if "uses:" in line
    ]
    assert len(uses) > 15
    # A tag can be moved; the version beside the hash is for readers.
    assert [each for each in uses if not re.search(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", each)] == []


def test_every_base_image_is_pinned_by_digest() -> None:
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    images = [line.split()[1] for line in lines if line.startswith("FROM ")]
    assert len(images) == 2
    assert [image for image in images if not re.search(r":[\w.-]+@sha256:[0-9a-f]{64}$", image)] == []


@pytest.mark.parametrize(
    ("said", "code", "answer"),
    [
        ("", 0, (0, 0, "nothing is known")),
        ("error: dns error: failed to lookup address", 1, (0, 1, "NOT looked up, the network does not answer")),
        ("error[vulnerability]: RUSTSEC-2026-0001", 1, (1, 1, "RUSTSEC-2026-0001")),
    ],
)
def test_advisories_say_where_they_could_not_be_looked_up(
    said: str, code: int, answer: tuple[int, int, str], tmp_path: Path
) -> None:
    script = (
        "import runpy, subprocess, sys\n"
        f"subprocess.run = lambda *_, **__: subprocess.CompletedProcess([], {code}, {said!r}, '')\n"
        f"runpy.run_path({str(ROOT / 'tools' / 'advisories.py')!r}, run_name='__main__')\n"
    )
    for options, expected in (((), answer[0]), (("--online",), answer[1])):
        done = subprocess.run(
            [sys.executable, "-c", script, *options], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout.count(answer[2])) == (expected, 2), done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that WORDLINE_WHEEL names, or one built as `make wheel` does.

    Speed is not what is tested: a quick build tells as much.
    """
    if given := os.environ.get("WORDLINE_WHEEL"):
        return Path(given).resolve()
    if not sys.platform.startswith("linux"):
        pytest.skip("`make wheel` builds for Linux")
    out = tmp_path_factory.mktemp("dist")
    quick = {"CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}
    subprocess.run(["make", "wheel", f"DIST={out}"], cwd=ROOT, env={**os.environ, **quick}, check=True)
    (built,) = out.glob("*.whl")
    return built


@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_the_wheel_is_for_old_linux_and_any_python(wheel: Path) -> None:
    assert "-cp311-abi3-" in wheel.name
    assert "manylinux2014_x86_64" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        (extension,) = (name for name in archive.namelist() if name.endswith(".so"))
        needed = {tuple(map(int, found)) for found in SYMBOL.findall(archive.read(extension))}
    assert needed, "the extension needs no glibc at all?"
    assert max(needed) <= GLIBC, max(needed)


@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_the_wheel_holds_all_that_the_package_reads(wheel: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "python/wordline"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    wanted = {name.removeprefix("python/") for name in tracked if (ROOT / name).is_file()}
    assert wanted - names == set()
    assert {"wordline/report/assets/page.html", "wordline/py.typed"} <= names
    notices = {name.rpartition("/")[2] for name in names if "/licenses/" in name}
    assert {"LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-NOTICES"} <= notices
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests/")]


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a clean environment with the wheel alone: no Rust, no compiler, no checkout, no extra."""
    folder = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    programs = folder / "venv" / "bin"
    subprocess.run(
        [programs / "python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel],
        env=clean(programs), cwd=folder, check=True,
    )  # fmt: skip
    return programs


def clean(programs: Path) -> dict[str, str]:
    """An environment without Rust and without this checkout."""
    kept = {
        name: os.environ[name] for name in ("HOME", "LANG", "PIP_INDEX_URL", "PIP_CONFIG_FILE") if name in os.environ
    }
    return {**kept, "PATH": str(programs), "WORDLINE_CACHE": str(programs.parent / "cache")}


def call(programs: Path, cwd: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [programs / "wordline", *arguments], cwd=cwd, env=clean(programs), capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_it_runs_in_an_empty_folder_without_rust(installed: Path, tmp_path: Path) -> None:
    assert not [name for name in BUILDERS if shutil.which(name, path=clean(installed)["PATH"])]
    assert "passed in" in call(installed, tmp_path, "doctor").stdout
    run = ("run", "datacenter-tlc", "--workload", "fio/random-mix", "--set", "workload.requests=5000")
    call(installed, tmp_path, *run, "--out", "out")
    assert {"run.toml", "result.json"} <= {path.name for path in (tmp_path / "out").iterdir()}
    call(installed, tmp_path, "rerun", "out")
    call(installed, tmp_path, "cite", "out")
    call(installed, tmp_path, "explain", "read")
    call(installed, tmp_path, "schema", "sweep")
    (tmp_path / "s.toml").write_text(
        'ssd = "mqsim"\nworkload = "fio/random-read"\nrequests = 500\n[grid]\nqueue_depth = [1, 4]\n'
    )
    call(installed, tmp_path, "sweep", "s.toml")
    call(installed, tmp_path, "examples")
    call(installed, tmp_path, "run", "mqsim", "examples/steady.fio")
    said = call(installed, tmp_path, *run, "--out", "again", "--plot", code=2).stderr
    assert "pip install 'wordline[plot]'" in said


@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_the_base_install_is_small(installed: Path) -> None:
    (site,) = (installed.parent / "lib").glob("python*/site-packages")
    ours = [
        path
        for path in site.rglob("*")
        if path.is_file() and path.relative_to(site).parts[0] not in ("pip", "setuptools")
    ]
    size_mb = sum(path.stat().st_size for path in ours) / 1e6
    # docs/how-to/install.md says 96 MB, most of it numpy.
    assert size_mb < 130, f"{size_mb:.0f} MB"
