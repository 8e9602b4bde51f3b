"""Loads of applications: shares of space and bytes come out, and a mistake is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import wordline as wl
from wordline.applications import Application, cachelib, kv_objects, rocksdb, tenants
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
        (rocksdb(levels=3, fanout=4.0, file_bytes=1 << 20, handles="hint", drive_writes=0.3), {2: 0.1, 3: 0.5, 5: 0.4}),
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
