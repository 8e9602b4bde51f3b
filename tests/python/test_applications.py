"""Loads of applications: shares of space and bytes come out, and a mistake is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.applications import APPLICATIONS, Application, application, cachelib, kv_objects, rocksdb, tenants
from wordline.applications.named import keys_of
from wordline.errors import WorkloadError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def drive() -> wl.Config:
    path = ROOT / "examples" / "cachelib-drive.toml"
    return wl.config(path).set_all({"precondition.overwrite": 0.0, "fdp.handles": 9})


@pytest.mark.parametrize(
    ("load", "shares"),
    [
        (cachelib(buckets=0.2, bucket_bytes=0.7, drive_writes=0.1), {1: 0.7, 2: 0.3}),
        (rocksdb(levels=3, fanout=4.0, file_bytes=1 << 20, drive_writes=0.3), {1: 0.1, 2: 0.1, 3: 0.4, 4: 0.4}),
        (rocksdb(levels=3, fanout=4.0, file_bytes=1 << 20, handles="hint", drive_writes=0.3), {2: 0.1, 3: 0.5, 4: 0.4}),
        (rocksdb(levels=3, fanout=4.0, file_bytes=1 << 20, handles="tuned", drive_writes=0.3), {2: 0.1, 3: 0.9}),
        (tenants([1, 3], drive_writes=0.1), {1: 0.25, 2: 0.75}),
        (kv_objects(classes={4: 0.5, 1: 0.5}, drive_writes=0.3), {1: 0.5, 2: 0.5}),
    ],
)
def test_each_handle_gets_its_share_of_the_bytes(drive: wl.Config, load: Application, shares: dict[int, float]) -> None:
    document = wl.run(drive, load).document
    placement = document["placement"]
    assert placement is not None
    total = document["written_bytes"]["host"]
    assert total == pytest.approx(load.drive_writes * drive.host_bytes, rel=0.02)
    found = {each["handle"] + 1: each["written_bytes"]["host"] / total for each in placement["handles"]}
    assert {handle: part for handle, part in found.items() if part > 0} == pytest.approx(shares, abs=0.02)


def test_compactions_trim_what_they_delete(drive: wl.Config) -> None:
    full = drive.set_all({"fdp.isolation": "off", "precondition.fill": 1.0, "precondition.overwrite": 1.0})

    def run(empty: float) -> wl.Result:
        load = rocksdb(levels=3, fanout=4.0, file_bytes=640 << 10, handles="none", empty=empty, drive_writes=1.0)
        return wl.run(full, load, check=True)

    without, with_trims = run(0.0).document, run(0.25).document
    # A quarter of the requests to files are trims, and as many bytes are written.
    files = without["written_bytes"]["host"] * 0.8 / (640 << 10)
    assert without["requests"]["other"] == 0
    assert with_trims["requests"]["other"] == pytest.approx(files / 3, rel=0.1)
    assert with_trims["written_bytes"]["host"] == pytest.approx(without["written_bytes"]["host"], rel=0.05)
    amplification = [each["write_amplification"] or 0.0 for each in (without, with_trims)]
    assert amplification[1] < 0.9 * amplification[0]


def test_parts_follow_each_other_and_reads_cover_them(drive: wl.Config) -> None:
    flows = cachelib(buckets=0.25, used=0.5, reads_per_s=100.0).flows(drive)
    buckets, log, reads = flows
    assert buckets.sectors is not None
    assert log.first_sector == buckets.first_sector + buckets.sectors
    assert (buckets.sectors * 512 / drive.host_bytes) == pytest.approx(0.125, abs=0.01)
    assert (reads.sectors or 0) * 512 / drive.host_bytes == pytest.approx(0.5, abs=0.01)
    assert reads.handles == ()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cachelib(buckets=0.0), "buckets = 0.0: it is a share"),
        (lambda: cachelib(bucket_bytes=1.5), "bucket_bytes = 1.5"),
        (lambda: rocksdb(levels=9), "levels = 9"),
        (lambda: rocksdb(handles="all"), "handles = all"),  # type: ignore[arg-type]
        (lambda: rocksdb(empty=1.0), "empty = 1.0"),
        (lambda: kv_objects(classes={64: 1.0}), "sizes from 1 to 32 MiB"),
        (lambda: tenants([0, 0]), "one above 0"),
        (lambda: cachelib(used=2.0), "have 200.0% of the drive"),
        (lambda: tenants([1], drive_writes=0.0), "drive_writes = 0.0"),
        (lambda: rocksdb(fanout=1000.0), "is less than a request"),
    ],
)
def test_a_mistake_is_told(drive: wl.Config, make: Callable[[], Application], message: str) -> None:
    with pytest.raises(WorkloadError, match=message):
        make().flows(drive)


@pytest.mark.parametrize("name", APPLICATIONS)
def test_every_key_of_an_application_has_help_and_its_default_can_be_written(name: str) -> None:
    keys = list(keys_of(name))
    assert all(key.help for key in keys)
    written = ",".join(f"{key.name}={key.default}" for key in keys if key.default)
    assert application(f"{name}:{written}") == application(name) == APPLICATIONS[name]()


def test_an_application_runs_by_its_name_as_in_python(drive: wl.Config, tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_text(drive.to_toml(), encoding="utf-8")
    asked = "app/tenants:writes=1/3,sequential=2,drive_writes=0.05"
    answer = wordline("run", str(tmp_path / "drive.toml"), "-w", asked, "--json")
    assert answer.code == 0, answer.err
    here = wl.run(drive, tenants([1, 3], sequential=[2], drive_writes=0.05)).document
    there = json.loads(answer.out)
    assert there["written_bytes"] == here["written_bytes"]
    assert there["flows"] == here["flows"]


def test_applications_and_their_keys_are_listed() -> None:
    names = {each["name"] for each in json.loads(wordline("workloads", "app/", "--json").out)}
    assert names == set(APPLICATIONS)
    keys = {each["name"]: each["default"] for each in json.loads(wordline("workloads", "app/cachelib", "--json").out)}
    assert keys["buckets"] == "0.1"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("app/cachlib", "there are app/cachelib, app/kv-objects"),
        ("app/cachelib:bucket=2", "with one of buckets, bucket_bytes"),
        ("app/cachelib:buckets=x", "it is written such as 0.1"),
        ("app/cachelib:buckets=0.1,buckets=0.2", "buckets comes twice"),
        ("app/kv-objects:classes=4", "such as 1:0.5/32:0.5"),
        ("app/cachelib:buckets=2", "it is a share"),
    ],
)
def test_a_wrong_application_or_key_is_an_error(name: str, told: str) -> None:
    refused = wordline("run", "mqsim", "-w", name)
    assert refused.code == 2
    assert told in refused.err
