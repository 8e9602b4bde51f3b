"""Third-party material: its licences are allowed, its notices are included, and its files are the pinned ones."""

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_every_licence_is_allowed_and_the_notices_hold_that_of_zstd() -> None:
    script = ROOT / "tools" / "gen_notices.py"
    done = subprocess.run([sys.executable, str(script), "--print"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "zstd, the C library" in done.stdout
    assert "Redistribution and use in source and binary forms" in done.stdout


def test_a_licence_that_is_not_allowed_is_an_error() -> None:
    licence = runpy.run_path(str(ROOT / "tools" / "gen_notices.py"))["licence"]
    assert licence({"name": "both", "license": "WTFPL OR MIT"}, ["MIT"]) == ["MIT"]
    with pytest.raises(SystemExit, match=r"deny\.toml does not allow its licence, WTFPL"):
        licence({"name": "one", "license": "WTFPL"}, ["MIT"])


def test_every_pinned_package_has_a_hash() -> None:
    texts = [path.read_text(encoding="utf-8").replace("\\\n", " ") for path in ROOT.glob("requirements-*.txt")]
    pins = [line for text in texts for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    assert len(texts) >= 3
    assert len(pins) > 50
    assert [
        pin for pin in pins if not re.match(r"^[a-z0-9_.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", pin, re.IGNORECASE)
    ] == []


def test_every_crate_comes_from_crates_io_once() -> None:
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    crates = [package for package in packages if "source" in package]
    registry = "registry+https://github.com/rust-lang/crates.io-index"
    assert [package["name"] for package in crates if package["source"] != registry or "checksum" not in package] == []
    names = [package["name"] for package in crates]
    allowed = tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))["bans"].get("skip", [])
    twice = {name for name in names if names.count(name) > 1}
    assert twice <= {str(skip["crate"]).partition("@")[0] for skip in allowed}
