"""The faults of `make mutants` all apply, and the page of what they found is whole."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "tools" / "mutants.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module
    spec.loader.exec_module(module)
    return module


def test_every_fault_has_its_place() -> None:
    mutants = tool()
    faults = mutants.load()
    assert mutants.misfits(faults) == []
    # Faults that overlap could not be compiled together.
    mutants.switched(faults)


def test_a_fault_that_does_not_apply_is_named() -> None:
    mutants = tool()
    file = "crates/wordline-core/src/ftl/user.rs"
    gone = mutants.Mutant("gone", file, "write", "no such text", "true", "why", ("core all",))
    (message,) = mutants.misfits([gone])
    assert message == f"gone: `no such text` occurs 0 times in `write` of {file}, and must occur once"
