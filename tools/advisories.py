"""Looks up known vulnerabilities: of crates in RustSec's list, of Python packages in PyPI's. `make advisories` runs it.

Without the network nothing can be looked up: that is said, and is a failure with --online.
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PIP_AUDIT = "pip-audit==2.10.1"
CHECKS = {
    "crates (RustSec)": ["target/tools/bin/cargo-deny", "check", "advisories"],
    "Python packages (PyPI)": [
        str(Path(sys.executable).with_name("uv")), "tool", "run", PIP_AUDIT, "--disable-pip", "--require-hashes",
        "--requirement", "requirements-dev.txt", "--requirement", "requirements-uv.txt",
    ],
}  # fmt: skip
# What the programs say where they reach nothing.
OFFLINE = (
    "failed to fetch",
    "failed to lookup",
    "dns error",
    "error sending request",
    "connection error",
    "max retries",
)


def main() -> int:
    """Runs both; returns 1 if something is known, or if --online could not look it up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--online", action="store_true", help="fail where the network does not answer")
    online = parser.parse_args().online
    code = 0
    for what, command in CHECKS.items():
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
        said = done.stdout + done.stderr
        if done.returncode == 0:
            print(f"{what}: nothing is known")
        elif any(word in said.lower() for word in OFFLINE):
            print(f"{what}: NOT looked up, the network does not answer")
            code = max(code, int(online))
        else:
            print(f"{what}:\n{said}")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
