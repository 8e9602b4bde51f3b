"""The shell recipes of docs/how-to/my-cluster.md, with a real Dask cluster and something that stands for SLURM."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import docs_playground as playground
from cli_runner import environment
from docs_playground import ROOT

PAGE = ROOT / "docs" / "how-to" / "my-cluster.md"
TLS = next(block for block in playground.blocks(PAGE, "sh") if "openssl" in block)
RECIPES = [block for block in playground.blocks(PAGE, "sh") if "wordline sweep" in block]
STUDY = 'ssd = "mqsim"\nworkload = "fio/random-mix"\nrequests = 200\n[grid]\nhost.queue_depth = [1, 8, 64]\n'
# Two tasks where a job has many; a cluster of this machine alone. Options of `srun` begin with dashes.
COMMANDS = {
    "dask": 'what=$1; shift; exec {python} -W ignore -m distributed.cli.dask_$what "$@" --host 127.0.0.1 $PORT',
    "wordline": 'exec {python} -m wordline.cli "$@"',
    "srun": 'while [ "${{1#--}}" != "$1" ]; do shift; done; "$@" & exec "$@"',
}

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="there is no distributed (the extra `dask`)"
)


def place(folder: Path) -> dict[str, str]:
    """Fills a folder with what a recipe needs; returns its environment."""
    (folder / "study.toml").write_text(STUDY, "utf-8")
    subprocess.run(["bash", "-ec", TLS], cwd=folder, capture_output=True, check=True)
    tools = folder / "bin"
    tools.mkdir()
    for name, text in COMMANDS.items():
        script = text.format(python=sys.executable)
        if name == "dask":
            # Several tests at a time do not meet at one port.
            script = '[ "$1" = scheduler ] && PORT="--port 0"\n' + script
        (tools / name).write_text(f"#!/bin/bash\n{script}\n", "utf-8")
        (tools / name).chmod(0o755)
    return environment(
        PATH=f"{tools}{os.pathsep}{os.environ['PATH']}",
        WORDLINE_CACHE=str(folder / "cache"),
        SLURM_SUBMIT_DIR=str(folder),
        SLURM_JOB_ID="7",
    )


def run(script: str, folder: Path) -> tuple[int, str]:
    """Runs a script as SLURM does: what it started ends with it. Returns its exit code and output."""
    (folder / "sweep.sh").write_text(script, "utf-8")
    log = folder / "log"
    with log.open("w") as output:
        job = subprocess.Popen(
            ["bash", "sweep.sh"],
            cwd=folder,
            env=place(folder),
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            code = job.wait(timeout=120)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(job.pid, signal.SIGKILL)
            job.wait()
    return code, log.read_text("utf-8")


@pytest.mark.parametrize("recipe", RECIPES, ids=["dask", "slurm"])
def test_a_recipe_sweeps(recipe: str, tmp_path: Path) -> None:
    code, log = run(recipe, tmp_path)
    assert code == 0, log
    assert "3 points" in log
    assert (tmp_path / "results" / "results.parquet").exists()


def test_the_job_asks_for_what_it_uses() -> None:
    job = RECIPES[1]
    assert job.startswith("#!/bin/bash\n#SBATCH ")
    # One thread to a worker, one worker to a core.
    assert "--cpus-per-task=1\n" in job
    assert "--nworkers 1 --nthreads 1" in job


def test_one_machine_listens_to_itself_alone_and_several_use_tls() -> None:
    one, several = RECIPES
    starts = [line for line in one.splitlines() if line.startswith("dask ")]
    assert len(starts) == 2
    assert all("--host 127.0.0.1 " in line for line in starts)
    assert several.index("tls/use.sh") < several.index("dask scheduler --protocol tls ")
    assert "REQUIRE_ENCRYPTION=true" in TLS
    assert "**Dask runs what it is sent.**" in PAGE.read_text(encoding="utf-8")


def test_a_scheduler_with_tls_turns_away_who_has_no_key(tmp_path: Path) -> None:
    values = place(tmp_path)
    script = """
source tls/use.sh
dask scheduler --protocol tls --scheduler-file cluster.json --no-dashboard >scheduler.log 2>&1 &
trap 'kill $!' EXIT
until [ -s cluster.json ]; do sleep 0.2; done
address=$(grep -o 'tls://[^"]*' cluster.json)
unset ${!DASK_DISTRIBUTED__@}
wordline sweep study.toml --dask "${address/tls:/tcp:}"
"""
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=values, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 2, done.stderr
    assert "no scheduler answers" in done.stderr
