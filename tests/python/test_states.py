"""States: a run that was stopped goes on to the very same result, and a used SSD serves other runs."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import api_helpers
import cli_runner
import wordline as wl
from wordline import api
from wordline.errors import StateError
from wordline.sweeps import run_points

FILLED = {"precondition.fill": 0.9, "precondition.overwrite": 0.5}


def measured(result: wl.Result) -> object:
    """All that a run measures, wall time left out."""
    return cli_runner.without_wall(result.to_dict())


def stop_after(requests: int) -> wl.ProgressCallback:
    """Stops a run as Ctrl-C does, some time after so many requests."""

    def look(progress: wl.Progress) -> None:
        if progress.requests >= requests:
            raise KeyboardInterrupt

    return look


def stopped(ssd: wl.Config, workload: object, state: Path, **options: object) -> wl.Result:
    """A run that is stopped after a while, and then goes on from its state until it ends."""
    try:
        wl.run(ssd, workload, save_state=state, progress=stop_after(1), **options)
    except KeyboardInterrupt:
        pass
    else:
        pytest.fail("the run had ended before it was stopped")
    return wl.run(ssd, workload, load_state=state, **options)


@pytest.mark.parametrize("name", ["fio/random-mix", "msrc/hm_0"])
def test_a_run_that_was_stopped_ends_as_one_that_was_not(name: str, tmp_path: Path) -> None:
    ssd = wl.preset("pnar2", **{"precondition.fill": 0.5})
    workload = wl.workload(name, requests=400_000)
    whole = measured(wl.run(ssd, workload))
    assert measured(stopped(ssd, workload, tmp_path / "state")) == whole


def test_a_trace_goes_on_where_it_was(tmp_path: Path) -> None:
    ssd = api_helpers.small(**FILLED)
    trace = tmp_path / "trace.csv"
    wl.workload("fio/random-mix", requests=6_000).write(trace, ssd)
    # Rounds and requests that wrap count in the warnings, which are the same, too.
    flows = [
        wl.Flow("a", wl.trace(trace, rounds=3, wrap=True)),
        wl.Flow("b", wl.workload("fio/random-write", requests=6_000)),
    ]
    whole = wl.run(ssd, flows, log_requests=True, check=True)
    again = stopped(ssd, flows, tmp_path / "state", log_requests=True, check=True)
    assert measured(again) == measured(whole)
    assert again.columns == whole.columns


def test_a_killed_process_loses_little(tmp_path: Path) -> None:
    """`kill -9` in the middle; the same command goes on to the same bytes."""
    state, out = tmp_path / "state", tmp_path / "out"
    settings = ["mqsim", "--workload", "fio/random-mix", "--set", "workload.requests=600000", "--json"]
    saving = ["--save-state", str(state), "--save-every", "0.05s"]
    environment = cli_runner.environment()
    with subprocess.Popen(
        cli_runner.command("run", *settings, *saving),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        deadline = time.monotonic() + 120
        while not state.exists():
            assert process.poll() is None, "it ended before a state was saved"
            assert time.monotonic() < deadline, "no state was saved"
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    went_on = cli_runner.wordline("run", *settings, "--load-state", state, "--out", out)
    whole = cli_runner.wordline("run", *settings)
    assert (went_on.code, whole.code) == (0, 0), went_on.err + whole.err
    assert "the run goes on, after" in went_on.err
    assert cli_runner.without_wall(json.loads(went_on.out)) == cli_runner.without_wall(json.loads(whole.out))
    # Its record is that of the whole run, which needs no state.
    state.unlink()
    assert cli_runner.wordline("rerun", out).code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_the_state(number: signal.Signals, tmp_path: Path) -> None:
    state = tmp_path / "state"
    settings = ["mqsim", "--workload", "fio/random-mix", "--set", "workload.requests=1000000000"]
    with subprocess.Popen(
        cli_runner.command("run", *settings, "--save-state", str(state), "--save-every", "0.1s"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=cli_runner.environment(),
    ) as process:
        deadline = time.monotonic() + 120
        while not state.exists():
            assert process.poll() is None, "it ended before a state was saved"
            assert time.monotonic() < deadline, "no state was saved"
            time.sleep(0.02)
        first = state.stat().st_ino
        process.send_signal(number)
        assert process.stderr is not None
        said = process.stderr.read()
    assert process.returncode == 130
    assert f"the same command with --load-state {state} goes on from here" in said
    assert state.stat().st_ino != first, "the state of the last moment took the place of the one before"
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_last_moments_finds_a_whole_result(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes when all requests are complete: within the run, and while the result is made."""
    ssd, workload = api_helpers.small(), wl.workload("fio/random-mix", requests=500)
    whole = measured(wl.run(ssd, workload))
    state, simulation, outcome = tmp_path / "state", api._core.Simulation, api.outcome

    class Late:
        """A simulation whose signal comes as it ends."""

        def __init__(self, *arguments: object, **options: object) -> None:
            self._real = simulation(*arguments, **options)

        def run(self, *arguments: object, **options: object) -> None:
            self._real.run(*arguments, **options)
            signal.raise_signal(number)

        def __getattr__(self, name: str) -> object:
            return getattr(self._real, name)

    def later(*arguments: object) -> object:
        signal.raise_signal(number)
        return outcome(*[each._real if isinstance(each, Late) else each for each in arguments])

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for replaced, by in (("_core.Simulation", Late), ("outcome", later)):
            with monkeypatch.context() as patch:
                patch.setattr(f"wordline.api.{replaced}", by)
                if by is Late:
                    patch.setattr(api, "outcome", lambda simulation, *rest: outcome(simulation._real, *rest))
                result = wl.run(ssd, workload, save_state=state, keep_partial=True)
                assert measured(result) == whole
                assert "partial" not in result.document
                with pytest.raises(KeyboardInterrupt):
                    wl.run(ssd, workload, save_state=state)
            # What it leaves is the drive of a run that has ended, and says so.
            with pytest.raises(StateError, match="has ended after 500 requests"):
                wl.run(ssd, workload, load_state=state, go_on=False)
            assert wl.run(ssd, workload, load_state=state, go_on=True).all.count == 500
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_state_takes_the_place_of_nothing_that_the_run_reads(tmp_path: Path) -> None:
    """Neither by its name nor by a link; the state that it goes on from may be replaced."""
    trace, link, hard = api_helpers.write_trace(tmp_path / "t.csv"), tmp_path / "link", tmp_path / "hard"
    link.symlink_to(trace)
    os.link(trace, hard)
    before = trace.read_bytes()
    for place in (trace, link, hard):
        with pytest.raises(StateError, match=r"would replace .*t\.csv, which the workload names; name another file"):
            wl.run(api_helpers.small(), wl.trace(trace), save_state=place)
    job = tmp_path / "job.fio"
    job.write_text("[a]\nrw=randread\nbs=4k\nsize=1m\nwrite_iolog=log\n", encoding="utf-8")
    with pytest.raises(StateError, match="which write_iolog names"):
        wl.run(api_helpers.small(), wl.fio(job), save_state=tmp_path / "log")
    assert trace.read_bytes() == before
    state = tmp_path / "state"
    wl.run(api_helpers.small(), wl.trace(trace), save_state=state)
    wl.run(api_helpers.small(), wl.trace(trace), load_state=state, save_state=state, go_on=True)


def test_another_workload_begins_on_a_used_ssd(tmp_path: Path) -> None:
    state = tmp_path / "state"
    ssd = api_helpers.small(**FILLED)
    first = wl.run(ssd, wl.workload("fio/random-write", requests=60_000), save_state=state)
    assert "load_state" not in first.document["options"]
    reads = wl.workload("fio/random-read", requests=5_000)
    # How an SSD is asked and steered may be set; that it is not preconditioned again shows in what GC has moved.
    asked = ssd.set_all({"host.queue_depth": 4, "gc.policy": "fifo", "precondition.overwrite": 0.0})
    said: list[object] = []
    result = wl.run(asked, reads, load_state=state, loading=lambda loaded: said.append(loaded.kind))
    assert said == ["drive"]
    assert result.document["requests"]["all"] == 5_000
    assert result.document["simulated_s"] < first.document["simulated_s"]
    assert result.document["counters"]["ftl"]["preloaded"] == 0
    assert result.document["options"]["load_state"]["bytes"] == state.stat().st_size
    # What decides the result is in the record.
    out = tmp_path / "out"
    arguments = ["run", "mqsim", "--workload", "fio/random-read", "--set", "workload.requests=2000"]
    drive = tmp_path / "drive"
    assert cli_runner.wordline(*arguments, "--save-state", drive).code == 0
    again = cli_runner.wordline(*arguments, "--load-state", drive, "--out", out)
    assert (again.code, "add --go-on" in again.err) == (2, True), again.err
    assert cli_runner.wordline(*arguments, "--load-state", drive, "--go-on", "--out", out).code == 0
    assert cli_runner.wordline("rerun", out).code == 0
    drive.write_bytes(state.read_bytes())
    again = cli_runner.wordline("rerun", out)
    assert again.code == 2
    assert f"{drive}: not the record's state" in again.err


def test_grids_begin_on_a_used_ssd(tmp_path: Path) -> None:
    from wordline.sweeps import Point

    state = tmp_path / "state"
    ssd = api_helpers.small(**FILLED)
    wl.run(ssd, wl.workload("fio/random-write", requests=20_000), save_state=state)
    points = [
        Point(ssd, {"host.queue_depth": depth}, "fio/random-read", requests=2_000, load_state=str(state))
        for depth in (1, 8)
    ]
    assert [outcome.result.document["counters"]["ftl"]["preloaded"] for outcome in run_points(points, jobs=2)] == [0, 0]


def test_a_run_that_repeats_addresses_on_its_drive_says_so(tmp_path: Path) -> None:
    """Drawn with the seed of the run before, they come in the order in which that has written."""
    state = tmp_path / "state"
    ssd = api_helpers.small(**FILLED)
    job = tmp_path / "job.fio"
    job.write_text("[random]\nrw=randwrite\nbs=4k\nsize=32m\nnumber_ios=300\nnorandommap\n", encoding="utf-8")

    def warned(first: wl.Workload, then: wl.Workload) -> list[str]:
        wl.run(ssd, first, save_state=state)
        result = wl.run(ssd, then, load_state=state, go_on=True)
        return [warning for warning in result.warnings if "in the same order" in warning]

    def random(name: str, **settings: object) -> wl.Workload:
        return wl.workload(f"fio/{name}", requests=300, **settings)

    (warning,) = warned(random("random-write"), random("random-write"))
    assert "workload.seed" in warning
    assert len(warned(random("random-mix"), random("random-mix", read_block_bytes=4096))) == 1
    assert len(warned(wl.fio(job), wl.fio(job))) == 1
    # Other draws, reads before, and what is the same without a draw.
    assert not warned(random("random-write"), random("random-write", seed=1))
    assert not warned(random("random-read"), random("random-write"))
    assert not warned(random("sequential-write"), random("sequential-write"))


def test_what_does_not_fit_is_refused_in_one_line(tmp_path: Path) -> None:
    state = tmp_path / "state"
    ssd = api_helpers.small()
    reads = wl.workload("fio/random-read", requests=2_000)
    wl.run(ssd, reads, save_state=state)

    def refusal(config: wl.Config, path: Path = state, **options: object) -> str:
        with pytest.raises(StateError) as caught:
            wl.run(config, reads, load_state=path, **options)
        said = str(caught.value)
        assert said.startswith(f"{path}: ")
        assert "\n" not in said
        return said.removeprefix(f"{path}: ")

    assert refusal(ssd.set("ssd.channels", 4)) == (
        "holds another SSD: ssd.channels was 2 and is 4; set it as it was, or make the drive anew"
    )
    assert refusal(ssd, tmp_path / "none") == "no such file or directory"
    other = tmp_path / "other"
    other.write_text("something else")
    assert refusal(ssd, other) == "not the state of a run; name a file that --save-state wrote"
    content = state.read_bytes()
    for place in (9, 40, 200, len(content) // 2, len(content) - 1):
        other.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        assert refusal(ssd, other) == "damaged: its bytes are not what was written; save it anew"
    for length in (12, 100, len(content) - 1):
        other.write_bytes(content[:length])
        assert refusal(ssd, other) == "damaged: its bytes are not what was written; save it anew"
    endless = wl.workload("fio/random-read", requests=10**9)
    with pytest.raises(KeyboardInterrupt):
        wl.run(ssd, endless, save_state=state, progress=stop_after(1))
    assert refusal(ssd).startswith("holds a run that has not ended, and workload.requests was 1000000000 and is 2000; ")
    with pytest.raises(StateError, match="with other options"):
        wl.run(ssd, endless, load_state=state, check=True)


def test_options_that_make_no_sense(tmp_path: Path) -> None:
    ssd = api_helpers.small()
    with pytest.raises(StateError, match="save_every_s needs a file"):
        wl.run(ssd, save_every_s=1.0)
    with pytest.raises(StateError, match="give a time above 0"):
        wl.run(ssd, save_state=tmp_path / "state", save_every_s=0.0)
    with pytest.raises(StateError, match="cannot be written"):
        wl.run(ssd, save_state=tmp_path / "nowhere" / "state")
    special = tmp_path / "special"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.fspath(special))
        with pytest.raises(StateError, match="is no file; a state needs one"):
            wl.run(ssd, save_state=special)
        assert special.is_socket()
    for arguments, said in (
        (["--save-every", "5s"], "--save-every needs a file"),
        (["--save-state", "state", "--save-every", "often"], "not a time"),
        (["--save-state", "state", "--seeds", "2"], "--seeds makes 2"),
        (["--load-state", "state"], "no such file"),
    ):
        answer = cli_runner.wordline("run", "mqsim", *arguments, cwd=tmp_path)
        assert answer.code == 2
        assert said in answer.err


def test_the_state_of_a_run_that_has_ended_is_not_taken_for_another_run(tmp_path: Path) -> None:
    state = tmp_path / "state"
    ssd, workload = api_helpers.small(**FILLED), wl.workload("fio/random-write", requests=2_000)
    first = wl.run(ssd, workload, save_state=state)
    with pytest.raises(StateError, match="has ended after 2000 requests; add --go-on"):
        wl.run(ssd, workload, load_state=state)
    again = wl.run(ssd, workload, load_state=state, go_on=True)
    assert measured(again) != measured(first), "it runs on the drive as it was left"
    assert wl.run(ssd, wl.workload("fio/random-read", requests=2_000), load_state=state).read.count == 2_000
    points = [wl.Point(ssd, {}, workload, load_state=str(state))]
    assert run_points(points).one().result.document["requests"]["all"] == 2_000, "a grid says what it means"


def test_runs_that_save_one_state_leave_it_whole(tmp_path: Path) -> None:
    """They wrote the same part of a file, and left a damaged one."""
    state = tmp_path / "state"
    ssd = api_helpers.small(**FILLED)
    workloads = [wl.workload("fio/random-write", requests=count) for count in (1_000, 1_500)]
    for _ in range(10):
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda workload: wl.run(ssd, workload, save_state=state), workloads))
        wl.run(ssd, wl.workload("fio/random-read", requests=10), load_state=state)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
