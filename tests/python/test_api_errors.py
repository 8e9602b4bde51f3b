"""Each kind of mistake has its class, and one line that says where, what, and how to fix it."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import wordline as wl
from api_helpers import msrc, small, write_trace
from wordline import errors


def fails(kind: type[errors.WordlineError], *parts: str, of: Callable[[], object]) -> errors.WordlineError:
    with pytest.raises(errors.WordlineError) as caught:
        of()
    error = caught.value
    assert type(error) is kind, repr(error)
    message = str(error)
    assert "\n" not in message
    assert all(part in message for part in parts), message
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (kind, message, vars(error))
    return error


def test_misspelt_key(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('preset = "pnar2"\n[ssd]\nchanels = 4\n')
    error = fails(errors.UnknownKeyError, f"{path}:3:", "`ssd.channels`", of=lambda: wl.config(path))
    assert (error.file, error.line, error.key) == (str(path), 3, "ssd.chanels")
    fails(errors.UnknownKeyError, "`ssd.channels`", of=lambda: small().set("ssd.chanels", 4))
    fails(errors.UnknownKeyError, "`ssd.channels`", of=lambda: small(chanels=4))
    fails(errors.UnknownKeyError, "`ssd.channels`", of=lambda: small()["ssd.chanels"])
    fails(errors.UnknownKeyError, "`reliability.pec`", of=lambda: wl.preset("pnar2", pecs=4))


def test_ambiguous_keyword() -> None:
    fails(errors.UnknownKeyError, "`gc.policy`", "`schedule.policy`", of=lambda: small(policy="fifo"))


def test_section_as_key() -> None:
    fails(errors.UnknownKeyError, "`ssd` is a section", of=lambda: small().set("ssd", 3))


def test_wrong_unit() -> None:
    error = fails(errors.WrongValueError, "nand.erase_us", "us", of=lambda: small(nand__erase_us="3ms"))
    assert error.key == "nand.erase_us"


def test_wrong_word() -> None:
    fails(errors.WrongValueError, "greedyy", "cost-benefit", of=lambda: small().set("gc.policy", "greedyy"))


def test_no_value_at_all() -> None:
    fails(errors.WrongValueError, "`ssd.channels`", "set", of=lambda: small().set("ssd.channels", {1, 2}))


def test_out_of_range() -> None:
    fails(errors.OutOfRangeError, "ssd.channels", "1..64", of=lambda: small(channels=0))
    fails(errors.OutOfRangeError, "ssd.channels", of=lambda: small(channels=-1))
    fails(errors.OutOfRangeError, "`ssd.overprovisioning`", of=lambda: small().assign("ssd.overprovisioning=1.5"))


def test_geometry_that_does_not_fit() -> None:
    fails(errors.OutOfRangeError, "ssd.page_bytes", "4096 | 8192", of=lambda: small(page_bytes=5000))
    fails(errors.OutOfRangeError, "spare blocks", "raise ssd.overprovisioning", of=lambda: small(overprovisioning=0.0))


def test_unknown_preset(tmp_path: Path) -> None:
    fails(errors.UnknownPresetError, "`pnra2`", "did you mean `pnar2`?", of=lambda: wl.preset("pnra2"))
    # Longer than the name of any file.
    fails(errors.UnknownPresetError, "`xxx", of=lambda: wl.Point("x" * 300).resolve())
    path = tmp_path / "mine.toml"
    path.write_text('\npreset = "aeroo"\n')
    error = fails(errors.UnknownPresetError, f"{path}:2:", "`aero`", of=lambda: wl.config(path))
    assert error.line == 2


def test_unknown_workload() -> None:
    fails(errors.UnknownWorkloadError, "did you mean `msrc/hm_0`?", of=lambda: wl.workload("msrc/hm0"))


def test_file_that_is_not_there(tmp_path: Path) -> None:
    fails(errors.ConfigFileError, "nope.toml", "no such file", of=lambda: wl.config(tmp_path / "nope.toml"))
    fails(errors.ConfigFileError, "directory", of=lambda: wl.config(tmp_path))
    fails(errors.TraceNotFoundError, "nope.csv: no such file", of=lambda: wl.run(small(), wl.trace("nope.csv")))
    fails(errors.TraceNotFoundError, "nope.csv", of=lambda: wl.trace("nope.csv").stat())


def test_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe\x00")
    fails(errors.ConfigFileError, "UTF-8", of=lambda: wl.config(path))


def test_broken_toml() -> None:
    error = fails(errors.SyntaxError_, "<text>:2:", of=lambda: wl.config(text="[ssd]\nchannels = = 4\n"))
    assert error.line == 2
    fails(errors.SyntaxError_, "=", of=lambda: small().assign("ssd.channels"))


def test_malformed_line(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "a.csv", 3)
    path.write_text(path.read_text() + "128166372000006000,hm,0,Reed,0,4096,100\n")
    error = fails(errors.MalformedTraceError, f"{path}:4:", "expected", "`Reed`", of=lambda: wl.trace(path).stat())
    assert (error.file, error.line) == (str(path), 4)
    fails(errors.MalformedTraceError, f"{path}:4:", of=lambda: wl.run(small(), wl.trace(path)))


def test_malformed_line_far_behind_the_first_ones(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "a.csv", 5000)
    path.write_text(path.read_text() + "nonsense\n")
    fails(errors.MalformedTraceError, f"{path}:5001:", of=lambda: wl.run(small(), wl.trace(path)))


def test_empty_trace(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("")
    fails(errors.EmptyTraceError, f"{path}: empty trace", of=lambda: wl.run(small(), wl.trace(path)))
    write_trace(path, 5)
    fails(errors.EmptyTraceError, "empty", of=lambda: wl.run(small(), wl.trace(path, skip=9)))


def test_time_that_goes_back(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(msrc((2000, "Read", 0, 4096), (1000, "Read", 4096, 4096)))
    trace = wl.trace(path, on_time_back="error")
    error = fails(errors.TimeGoesBackError, f"{path}:2:", "time goes back", of=lambda: wl.run(small(), trace))
    assert error.line == 2
    assert wl.run(small(), wl.trace(path)).all.count == 2


def test_format_that_nobody_knows(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("what is this\n")
    fails(errors.UnknownFormatError, "msrc", of=lambda: wl.run(small(), wl.trace(path)))
    fails(errors.TraceOptionError, "msrc", of=lambda: wl.trace(path, format="msr"))
    fails(errors.TraceOptionError, "stride", of=lambda: wl.trace(path, device="first"))


def test_truncated_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(write_trace(tmp_path / "a.csv", 5000).read_bytes())[:-200])
    fails(errors.TruncatedTraceError, f"{path}: truncated", of=lambda: wl.run(small(), wl.trace(path)))


def test_address_beyond_the_ssd(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(msrc((0, "Read", 0, 4096), (1000, "Write", 2**40, 4096)))
    error = fails(errors.TraceOutOfRangeError, f"{path}:2:", "wrap", of=lambda: wl.run(small(), wl.trace(path)))
    assert error.line == 2
    wrapped = wl.run(small(), wl.trace(path, wrap=True))
    assert wrapped.all.count == 2
    assert any("1 requests lie beyond the SSD" in warning for warning in wrapped.warnings)
    assert wl.run(small(wrap=True), wl.trace(path)).all.count == 2


def test_unwritable_request(tmp_path: Path) -> None:
    trace = tmp_path / "a.csv"
    trace.write_text("time_ns,op,sector,sectors\n0,R,0,8\n5,F,0,0\n")
    out = tmp_path / "b.ascii"
    fails(errors.TraceUnwritableError, "request 2", of=lambda: wl.trace(trace).convert(out))
    assert not list(tmp_path.glob("b*"))


def test_workload_that_cannot_be() -> None:
    error = fails(errors.OutOfRangeError, "read_ratio", "0..1", of=lambda: wl.run(small(), wl.workload(read_ratio=1.5)))
    assert error.key == "workload.read_ratio"
    fails(errors.UnknownKeyError, "workload.requests", of=lambda: wl.workload(request=5))
    fails(
        errors.WorkloadError, "needs", of=lambda: wl.run(small(), wl.workload(size_unit_bytes=2**30, align_bytes=2**30))
    )
    fails(errors.WorkloadError, "no workload", of=lambda: wl.run(small(), "hm_0.csv"))
    fails(errors.WorkloadError, "at least one", of=lambda: wl.run(small(), []))


def test_flow_that_cannot_be() -> None:
    work = wl.workload(requests=5)
    fails(errors.WorkloadError, "queue_depth", of=lambda: wl.run(small(), wl.Flow("a", work, queue_depth=0)))
    fails(errors.WorkloadError, "weight", of=lambda: wl.run(small(), wl.Flow("a", work, weight=0)))
    fails(errors.WorkloadError, "time_scale", of=lambda: wl.run(small(), wl.Flow("a", work, time_scale=0.0)))
    fails(errors.WorkloadError, "sector", of=lambda: wl.run(small(), wl.Flow("a", work, first_sector=2**40)))


def test_shape_of_a_workload_that_never_writes() -> None:
    config = small().set_all(
        {"precondition.fill": 0.5, "precondition.overwrite": 0.5, "precondition.shape": "workload"}
    )
    reads = wl.workload("fio/random-read", requests=100)
    fails(errors.WorkloadError, "precondition.shape", of=lambda: wl.run(config, reads))
    assert wl.run(config, wl.workload("fio/random-write", requests=100)).document["precondition"]["host_pages"] > 0


def test_out_of_space() -> None:
    writes = wl.workload("fio/random-write", requests=20_000)
    worn = small().set_all({"precondition.fill": 1.0, "reliability.grown_bad": 0.5})
    fails(errors.OutOfSpaceError, "out of space", of=lambda: wl.run(worn, writes))


def test_grid_that_is_empty() -> None:
    fails(errors.ConfigError, "grid", of=lambda: wl.compare(small(), wl.workload(requests=5), {"gc.d": []}))
    fails(errors.ConfigError, "jobs", of=lambda: wl.compare(small(), wl.workload(requests=5), {"gc.d": [1]}, jobs=0))


def test_a_grid_that_is_none_is_explained() -> None:
    for wrong in (4, "4"):
        fails(
            errors.ConfigError, "write a list of values, [", of=lambda w=wrong: wl.compare(small(), None, {"gc.d": w})
        )
    swapped = {"host.queue_depth": [4]}
    fails(errors.ConfigError, "the third argument", of=lambda: wl.compare(small(), swapped))  # type: ignore[arg-type]


def test_a_mistake_in_a_grid_is_found_before_anything_runs() -> None:
    grid = {"gc.policy": ["greedy", "gredy"]}
    fails(errors.WrongValueError, "gredy", of=lambda: wl.compare(small(), wl.workload(requests=10**12), grid))


def test_every_class_is_listed() -> None:
    here = errors.__name__
    classes = {name for name, value in vars(errors).items() if isinstance(value, type) and value.__module__ == here}
    assert classes == set(errors.__all__)
    assert all(issubclass(getattr(errors, name), wl.WordlineError) for name in classes)
