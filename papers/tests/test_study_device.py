"""The study `device`, and the tables of docs/model.md, which show its claims."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import wordline_papers as studies
from api_helpers import ROOT
from wordline_papers.claims import all_claims
from wordline_papers.reproduction import reproduce


def test_the_device_study_measures_every_claim_about_cells(points_folder: Path) -> None:
    done = reproduce(studies.find("device"), quick=True, jobs=1, store=studies.Store(points_folder))
    rows = {row.claim.id: row for row in done.verdicts}
    about_cells = (
        "pnar2.retry.", "pnar2.merr.", "pnar2.tpre.", "pnar2.tdisch.", "pnar2.teval.", "pnar2.rpt.", "ofwar.device.",
        "rif.retry.", "aero.mispe", "aero.stress.", "aero.fig4.", "aero.fig7.", "aero.fig8.", "aero.fig9.",
        "aero.fig10.", "aero.table1", "aero.fig13.", "aero.overhead",
    )  # fmt: skip
    of_cells = {name for name, claim in all_claims().items() if claim.kind in ("exact", "calibration")}
    wanted = [name for name in all_claims() if name in of_cells and name.startswith(about_cells)]
    assert len(wanted) >= 50
    assert [name for name in wanted if name not in rows] == []
    assert [row.claim.id for row in done.verdicts if not row.holds] == []


def test_the_tables_of_the_model_page_are_fresh() -> None:
    script = ROOT / "tools" / "gen_model_tables.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
