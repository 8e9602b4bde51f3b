"""Real programs on a served SSD: libnbd, QEMU, fio, ext4, SQLite and RocksDB, with power cuts."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from serve_session import BYTES, OF_TODAY, Session, needs, run


def noise(seed: int, count: int) -> bytes:
    """Bytes that look random, the same each time."""
    return hashlib.shake_128(str(seed).encode()).digest(count)


def test_nbdinfo_sees_what_is_announced() -> None:
    needs("nbdinfo")
    with Session() as session:
        said = json.loads(run("nbdinfo", "--json", session.uri))["exports"][0]
        assert said["export-size"] == BYTES
        assert said["block_size_minimum"] == 512
        assert said["block_size_preferred"] == 4096
        assert said["block_size_maximum"] == 32 << 20
        able = ("can_flush", "can_fua", "can_multi_conn", "can_trim", "can_zero", "can_df", "can_cache")
        assert all(said[what] for what in able), said
        assert not said["is_read_only"]
        assert "base:allocation" in said["contexts"]
        listed = json.loads(run("nbdinfo", "--list", "--json", session.uri))
        assert [export["export-name"] for export in listed["exports"]] == ["wordline"]
        session.end()


def test_nbdcopy_brings_every_byte_there_and_back(tmp_path: Path) -> None:
    needs("nbdcopy", "nbdinfo")
    source, back = tmp_path / "source", tmp_path / "back"
    with source.open("wb") as file:
        for place in range(0, 24 << 20, 1 << 20):
            file.seek(place)
            file.write(noise(place, 299_520))
        file.truncate(BYTES)
    with Session("--set=cache.mode=write") as session:
        run("nbdcopy", "--flush", source, session.uri)
        run("nbdcopy", session.uri, back)
        assert back.read_bytes() == source.read_bytes()
        extents = json.loads(run("nbdinfo", "--map", "--json", session.uri))
        assert sum(extent["length"] for extent in extents) == BYTES
        assert {extent["type"] for extent in extents} == {0, 3}
        document = session.end()
    assert document["wall_session"]["clients"] > 2, "nbdcopy connects several times at once"


def test_qemu_reads_what_it_writes(tmp_path: Path) -> None:
    needs("qemu-img", "qemu-io")
    image = tmp_path / "image"
    image.write_bytes(noise(2, 4 << 20) + bytes(BYTES - (4 << 20)))
    with Session() as session:
        run("qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", image, session.uri)
        run("qemu-img", "compare", "-f", "raw", "-F", "raw", image, session.uri)
        commands = (
            "write -P 0xab 8M 1M", "write -f -P 0xcd 9M 64k", "read -P 0xab 8M 1M", "read -P 0xcd 9M 64k",
            "write -z 8M 512k", "read -P 0 8M 512k", "discard 9M 64k", "flush", "aio_write -P 1 10M 64k",
            "aio_write -P 2 11M 64k", "aio_flush", "read -P 1 10M 64k",
        )  # fmt: skip
        said = run("qemu-io", "-f", "raw", *(word for each in commands for word in ("-c", each)), session.uri)
        assert "failed" not in said
        assert "error" not in said.lower()
        mapped = json.loads(run("qemu-img", "map", "--output=json", "-f", "raw", session.uri))
        assert any(extent["data"] for extent in mapped)
        session.end()


def fio(session: Session, *arguments: str) -> dict[str, object]:
    """Runs a job of fio's `nbd` engine; its part of the answer."""
    said = run(
        "fio", "--name=job", "--ioengine=nbd", f"--uri={session.uri}", "--output-format=json", "--thread",
        "--verify_state_save=0", *arguments,
        timeout_s=280,
    )  # fmt: skip
    job: dict[str, object] = json.loads(said[said.index("{") :])["jobs"][0]
    return job


def has_fio_nbd() -> bool:
    return "nbd" in subprocess.run(["fio", "--enghelp"], capture_output=True, text=True, check=False).stdout.split()


def test_fio_connects_to_look_and_again_to_work() -> None:
    """Without threads, fio's parent asks for the size, and leaves before its jobs begin."""
    needs("fio")
    if not has_fio_nbd():
        pytest.skip("this fio has no nbd engine")
    with Session("--once") as session:
        jobs = ("--name=job", "--numjobs=2", "--rw=randwrite", "--bs=4k", "--size=1m")
        run("fio", "--ioengine=nbd", f"--uri={session.uri}", *jobs)
        document = session.end(None)
    assert document["requests"]["write"] == 512
    assert document["wall_session"]["clients"] >= 3


def verified(settings: tuple[str, ...], ssd: str, *job: str) -> dict[str, Any]:
    """The result of a session in which fio verifies all that it reads of a random mix."""
    needs("fio")
    if not has_fio_nbd():
        pytest.skip("this fio has no nbd engine")
    mix = ("--rw=randrw", "--bs_unaligned=0", "--iodepth=16", "--verify=crc32c", "--verify_fatal=1")
    with Session(*settings, ssd=ssd) as session:
        assert fio(session, *mix, *job)["error"] == 0
        return session.end()


@pytest.mark.parametrize("cache", ["off", "write"])
def test_fio_verifies_a_random_mix(cache: str) -> None:
    settings = (f"--set=cache.mode={cache}", "--set=cache.capacity_bytes=4194304")
    document = verified(settings, "mqsim", "--bsrange=512-64k", "--size=24m", "--io_size=48m", "--fsync=50")
    assert document["requests"]["write"] > 100


@pytest.mark.parametrize("drive", OF_TODAY)
def test_fio_verifies_what_a_drive_of_today_holds(drive: str) -> None:
    """More is written than the drive has, so that blocks are collected, and a cache is folded."""
    ssd, *settings = OF_TODAY[drive]
    sizes = ("--bsrange=4k-64k", "--size=160m", "--io_size=1280m", "--fsync=200")
    document = verified((*settings, "--check"), ssd, *sizes)
    assert document["counters"]["ftl"]["erases"] > 0


def test_fio_measures_what_is_simulated() -> None:
    """At a slow-down of 20 its latencies are twenty times the simulated ones, and little more."""
    needs("fio")
    if not has_fio_nbd():
        pytest.skip("this fio has no nbd engine")
    with Session(slow_down="20") as session:
        job = fio(session, "--rw=randread", "--bs=4k", "--size=24m", "--io_size=2m", "--iodepth=1")
        document = session.end()
    read = job["read"]
    assert isinstance(read, dict)
    wall_us = read["clat_ns"]["mean"] / 1000
    simulated_us = document["response_us"]["read"]["mean"]
    assert wall_us >= 20 * simulated_us
    assert wall_us - 20 * simulated_us < 10_000, (wall_us, simulated_us)


@contextmanager
def as_file(session: Session, folder: Path) -> Iterator[Path]:
    """The device as a file, by nbdfuse."""
    place = folder / "device"
    place.touch()
    process = subprocess.Popen(["nbdfuse", str(place), session.uri])

    def end_with_session() -> None:
        # Without its server, nbdfuse 1.14 may fail an assertion or wait for ever. A drive without power is just gone.
        session.process.wait()
        process.kill()

    threading.Thread(target=end_with_session).start()
    try:
        for _ in range(600):
            if place.stat().st_size > 0:
                break
            time.sleep(0.05)
        else:
            raise AssertionError("nbdfuse does not show the device")
        yield place
    finally:
        subprocess.run(["fusermount3", "-u", "-z", str(place)], check=False)
        process.wait(timeout=30)


@contextmanager
def mounted(device: Path, folder: Path) -> Iterator[Path]:
    """The file system on a device, by a loop mount; every file on it must be closed at the end."""
    place = folder / "mnt"
    place.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "-o", "loop", str(device), str(place)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no loop mount here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        run("umount", place)


def needs_mounts() -> None:
    """Skips a test where file systems cannot be mounted."""
    needs("nbdfuse", "fusermount3", "mkfs.ext4", "e2fsck")
    if os.geteuid() != 0:
        pytest.skip("a loop mount needs root")
    if not Path("/dev/fuse").exists() or not Path("/dev/loop-control").exists():
        pytest.skip("no /dev/fuse or no loop devices here")


@pytest.mark.parametrize("drive", [None, *OF_TODAY])
def test_ext4_lives_on_it(drive: str | None, tmp_path: Path) -> None:
    needs_mounts()
    ssd, *settings = OF_TODAY[drive] if drive else ("mqsim", "--set=cache.mode=write")
    files = {f"file{number}": noise(number, 200_000 + 7919 * number) for number in range(40)}
    with Session(*settings, "--check", ssd=ssd) as session:
        with as_file(session, tmp_path) as device:
            run("mkfs.ext4", "-q", "-F", device)
            with mounted(device, tmp_path) as place:
                for name, data in files.items():
                    (place / name).write_bytes(data)
                for name in list(files)[::3]:
                    (place / name).unlink()
                    del files[name]
                run("sync")
            run("e2fsck", "-f", "-n", device)
            with mounted(device, tmp_path) as place:
                assert {name: (place / name).read_bytes() for name in files} == files
        document = session.end()
    assert document["counters"]["cache"]["flushes"] > 0


def commit_rows(path: Path, journal: str, synchronous: str) -> int:
    """Inserts rows into a new database, each in a transaction of its own, until that fails; how many were committed."""
    committed = 0
    with suppress(sqlite3.Error), closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(f"PRAGMA journal_mode={journal}")
        database.execute(f"PRAGMA synchronous={synchronous}")
        database.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)")
        while committed < 20_000:
            database.execute("INSERT INTO t VALUES (?, ?)", (committed, row(committed)))
            committed += 1
    return committed


def row(number: int) -> str:
    return f"row {number} " * 20


@pytest.mark.parametrize("cut_s", [1.0, *(pytest.param(cut_s, marks=pytest.mark.verify) for cut_s in (1.7, 2.5, 4.0))])
# Where a commit is durable when it returns (sqlite.org/pragma.html#pragma_synchronous). FULL is not enough for DELETE:
# the commit is the removal of the journal, and only EXTRA syncs the folder behind it.
@pytest.mark.parametrize(("journal", "synchronous"), [("DELETE", "EXTRA"), ("WAL", "FULL")])
def test_sqlite_keeps_every_committed_row_through_a_power_cut(
    journal: str, synchronous: str, cut_s: float, tmp_path: Path
) -> None:
    loses_no_row(("mqsim", "--set=cache.mode=write", "--set=cache.flush=full"), (journal, synchronous), cut_s, tmp_path)


@pytest.mark.parametrize("drive", OF_TODAY)
def test_sqlite_keeps_every_committed_row_on_a_drive_of_today(drive: str, tmp_path: Path) -> None:
    # With backup power a commit takes some 50 us.
    loses_no_row(OF_TODAY[drive], ("WAL", "FULL"), 0.2, tmp_path)


def loses_no_row(drive: tuple[str, ...], mode: tuple[str, str], cut_s: float, tmp_path: Path) -> None:
    """Rows are committed to a database until the power of its drive is cut: they are there afterwards."""
    needs_mounts()
    ssd, *settings = drive
    kept: list[str | Path] = ["--store", tmp_path / "store", *settings]
    with Session(*kept, ssd=ssd) as session:
        with as_file(session, tmp_path) as device:
            run("mkfs.ext4", "-q", "-F", device)
        session.end()
    with Session(*kept, f"--power-cut-after={cut_s}", "--once", ssd=ssd) as session:
        with as_file(session, tmp_path) as device, mounted(device, tmp_path) as place:
            committed = commit_rows(place / "db", *mode)
        document = session.end(None)
    assert document["wall_session"]["power_was_cut"], f"{committed} rows and no power cut"
    assert committed > 10
    with Session(*kept, ssd=ssd) as session:
        with as_file(session, tmp_path) as device:
            # The file system's journal is replayed by the mount, the database's by the first query.
            with mounted(device, tmp_path) as place, closing(sqlite3.connect(place / "db")) as database:
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                rows = database.execute("SELECT n, text FROM t ORDER BY n").fetchall()
            run("e2fsck", "-f", "-n", device)
        session.end()
    assert rows == [(n, row(n)) for n in range(len(rows))]
    assert len(rows) in {committed, committed + 1}, f"{committed} rows were committed, {len(rows)} are there"


# Small files, so that flushes and compactions happen on a small SSD.
ROCKSDB = ("--write_buffer_size=1000000", "--target_file_size_base=1000000", "--compression_type=none", "--sync=1")


def test_rocksdb_keeps_what_it_synced_through_a_power_cut(tmp_path: Path) -> None:
    needs("db_bench", "ldb")
    needs_mounts()
    volatile = ("--store", tmp_path / "store", "--set=cache.mode=write", "--set=cache.flush=full")
    with Session(*volatile) as session, as_file(session, tmp_path) as device:
        run("mkfs.ext4", "-q", "-F", device)
        with mounted(device, tmp_path) as place:
            said = run("db_bench", "--benchmarks=fillrandom,readrandom", f"--db={place}/db", "--num=2000", *ROCKSDB)
            assert "readrandom" in said
        session.end()
    # Keys come in order, each synced: those that are there afterwards are the first ones, without a gap.
    with Session(*volatile, "--power-cut-after=2", "--once") as session:
        with as_file(session, tmp_path) as device, mounted(device, tmp_path) as place:
            cut = subprocess.run(
                ["db_bench", "--benchmarks=fillseq", f"--db={place}/seq", "--num=1000000", *ROCKSDB],
                capture_output=True,
                text=True,
                check=False,
                timeout=250,
            )
            assert cut.returncode != 0, "the database did not notice"
        # It says so at every hundredth put that has returned; the last of them may be the one that failed.
        synced = max(int(count) for count in re.findall(r"finished (\d+) ops", cut.stderr)) - 1
        assert session.end(None)["wall_session"]["power_was_cut"]
    with Session(*volatile) as session, as_file(session, tmp_path) as device:
        with mounted(device, tmp_path) as place:
            for name in ("db", "seq"):
                assert "OK" in run("ldb", f"--db={place}/{name}", "checkconsistency")
            keys = [line.partition(" : ")[0] for line in run("ldb", f"--db={place}/seq", "scan", "--hex").splitlines()]
            numbers = [int(key.removeprefix("0x")[:16], 16) for key in keys if key.startswith("0x")]
            assert len(numbers) >= synced
            assert numbers == list(range(len(numbers)))
        run("e2fsck", "-f", "-n", device)
        session.end()
