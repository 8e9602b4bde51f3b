"""Tables as other tools write them, many devices in one trace, and files that are known and no traces."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import wordline as wl
from cli_runner import wordline
from wordline.errors import EmptyTraceError, MalformedTraceError, TraceError, TraceOptionError, UnknownFormatError

BIOSNOOP = """\
TIME(s)        COMM           PID    DISK    T  SECTOR    BYTES   LAT(ms)
0.000000       jbd2/sda1-8    312    nvme0n1 W  8912344   28672      0.31
0.000127       postgres       9071   nvme0n1 R  10234880  8192       0.11
0.010552       kworker/u16:2  144    nvme0n1 WS 4481216   4096       0.22
0.011000       Web Content    5210   nvme1n1 R  1048576   16384      0.19
1.250000       a b c d        0      nvme0n1 W  2048      4096       0.15
"""
XPERF = """\
   DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID,    IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  Disk, X
   DiskRead,      15204,        app.exe (4120),       1312, 0xfffffa80, 0x0123456000, 0x00001000,         412, 0, 1
  DiskWrite,      22877,         System (   4),         96, 0xfffffa80, 0x00c0000000, 0x00010000,         955, 0, 1
   CSwitch,       22900, 1, 2
   DiskRead,      30011,        app.exe (4120),       1312, 0xfffffa80, 0x0123457000, 0x00001000,         398, 0, 1
"""
IOTRACER = """\
2024-03-02 23:59:59.123456,4411,python3,2048000,write,8192,1.234,4412,16,0,4400
2024-03-02 23:59:59.623456,4411,python3,2048016,read,4096,0.567,4412,8,1,4400
2024-03-03 00:00:00.500000,4411,python3,0,flush,0,2.345,4412,0,2,4400
2024-03-03 00:00:01.500000,4411,python3,4096000,discard,1048576,0.345,4412,2048,2,4400
"""
COLUMNS = "time-col=1,op-col=2,offset-col=3,size-col=4"


def stat_of(folder: Path, text: str | bytes, **reading: str) -> dict:
    path = folder / "trace"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return wl.trace(path, **reading).stat()


def requests_of(folder: Path) -> list[str]:
    wl.trace(folder / "trace").convert(folder / "out.csv", force=True)
    return (folder / "out.csv").read_text().splitlines()[1:]


def test_completion_times_lose_their_latency_and_words_have_blanks(tmp_path: Path) -> None:
    found = stat_of(tmp_path, BIOSNOOP)
    assert (found["requests"], found["reads"], found["writes"]) == (5, 2, 3)
    assert (found["read_bytes"], found["write_bytes"]) == (24 << 10, 36 << 10)
    # The first was issued 0.31 ms before time zero.
    issued_us = [0, 310 + 127 - 110, 310 + 10_552 - 220, 310 + 11_000 - 190, 310 + 1_250_000 - 150]
    assert [int(line.split(",")[0]) for line in requests_of(tmp_path)] == [1000 * time_us for time_us in issued_us]
    assert found["devices"] == 2


def test_latencies_put_requests_into_another_order(tmp_path: Path) -> None:
    # Complete in this order, issued in the other.
    text = "2.0,R,0,4096,1500\n2.1,W,4096,4096,1700\n"
    description = f"{COLUMNS},latency-col=5,time-unit=s,latency-unit=ms"
    assert stat_of(tmp_path, text, csv_columns=description)["duration_s"] == pytest.approx(0.1)
    with pytest.raises(TraceOptionError, match="latency-col"):
        wl.trace(tmp_path / "trace", csv_columns=f"{COLUMNS},latency-unit=ms")


def test_xperfs_tables_are_read(tmp_path: Path) -> None:
    for text in (
        XPERF,
        f"BeginHeader\n{XPERF.splitlines()[0]}\nOther, TimeStamp\nEndHeader\n" + XPERF.split("\n", 1)[1],
    ):
        found = stat_of(tmp_path, text)
        assert (found["reads"], found["writes"], found["read_bytes"] + found["write_bytes"]) == (2, 1, 72 << 10)
        assert found["duration_s"] == pytest.approx((30_011 - 398 - 15_204 + 412) / 1e6)
        assert requests_of(tmp_path)[0] == f"0,R,{0x123456000 // 512},8,0"


def test_io_tracers_rows_are_read(tmp_path: Path) -> None:
    found = stat_of(tmp_path, IOTRACER)
    assert [found[kind] for kind in ("reads", "writes", "flushes", "trims")] == [1, 1, 1, 1]
    assert found["trim_bytes"] == 1 << 20
    assert found["duration_s"] == pytest.approx(2.376544)


# A line of each text format: time, offset in bytes and size in bytes are put in.
FORMATS = {
    "msrc": "{t:.0f},hm,0,Read,{o},{s},5",
    "alibaba": "1,R,{o},{s},{t}",
    "systor17": "{t},0.1,R,0,{o},{s}",
    "tencent-cbs": "{t},{o},{s},0,7",
    "fiu": "{t:.0f} 1 bash {o} {s} R 8 0 abc",
    "spc": "0,{o},{s},R,{t}",
    "mqsim": "{t:.0f} 0 {o} {s} 1",
    "disksim": "{t} 0 {o} {s} 1",
    "vscsi-csv": "1,{t},28,{s},{o}",
    "blkparse": "8,0 1 1 {t} 5 D R {o} + {s} [x]",
}
HEADS = {"tencent-cbs": "Timestamp,Offset,Size,IOType,VolumeID\n", "vscsi-csv": "version,time,op,size,lbn\n"}


def two_lines(name: str, time: object, offset: str = "8192", size: str = "512") -> str:
    line = FORMATS[name]
    lines = [line.replace(":.0f", "").format(t=each, o=offset, s=size) for each in (time, time)]
    return HEADS.get(name, "") + "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", FORMATS)
def test_every_text_format_takes_hexadecimal_times_of_day_and_marks(name: str, tmp_path: Path) -> None:
    plain = stat_of(tmp_path, two_lines(name, "5"), format=name)
    assert stat_of(tmp_path, two_lines(name, "5", "0x2000", "0x200"), format=name) == plain
    text = two_lines(name, "5")
    assert stat_of(tmp_path, b"\xef\xbb\xbf" + text.encode(), format=name) == plain
    assert stat_of(tmp_path, text.encode("utf-16"), format=name) == plain
    assert stat_of(tmp_path, b"\xfe\xff" + text.encode("utf-16-be"), format=name) == plain
    for first, last, apart_s in (
        ("2024-03-02T12:00:00Z", "2024-03-02 12:00:01.5", 1.5),
        ("2024-03-02T12:00:00+01:00", "2024-03-03T00:00:00Z", 46_800),
        ("2023-12-31 23:59:59.999999", "2024-01-01 00:00:00", 1e-6),
    ):
        rows = [two_lines(name, each).removeprefix(HEADS.get(name, "")).splitlines()[0] for each in (first, last)]
        found = stat_of(tmp_path, HEADS.get(name, "") + "\n".join(rows), format=name)
        assert found["duration_s"] == pytest.approx(apart_s)


@pytest.mark.parametrize(
    "name", ["alibaba", "systor17", "tencent-cbs", "spc", "disksim", "mqsim", "blkparse", "vscsi-csv"]
)
def test_a_decimal_comma_is_named(name: str, tmp_path: Path) -> None:
    text = two_lines(name, "5,25")
    with pytest.raises(MalformedTraceError) as raised:
        stat_of(tmp_path, text, format=name)
    # Where commas separate fields, another field may be the first that makes no sense.
    assert "decimal comma" in str(raised.value) or name in ("systor17", "tencent-cbs", "vscsi-csv")


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("0,5;R;4096;512\n", f"{COLUMNS},delimiter=semicolon,time-unit=s"),
        ("0,5,R,4096,512\n", f"{COLUMNS},time-unit=s"),
        ("t,o,a,n\n0,5,R,4096,512\n", "time-col=t,op-col=o,offset-col=a,size-col=n,time-unit=s"),
        ("0,5 R 4096 512\n", f"{COLUMNS},delimiter=space,time-unit=s"),
    ],
)
def test_a_decimal_comma_in_a_table_is_named(text: str, description: str, tmp_path: Path) -> None:
    with pytest.raises(MalformedTraceError, match="decimal comma"):
        stat_of(tmp_path, text, csv_columns=description)


def test_tables_have_quotes_repeated_headers_and_hexadecimal(tmp_path: Path) -> None:
    text = '"ts","op","off","len","who"\n"0.5","R","0x1000","4096","a, b"\nts2\n'.replace("ts2\n", "")
    text += '"ts","op","off","len","who"\n1.5,W,8192,4096,c\n'
    found = stat_of(tmp_path, text, csv_columns="time-col=ts,op-col=op,offset-col=off,size-col=len,time-unit=s")
    assert (found["reads"], found["writes"], found["duration_s"]) == (1, 1, 1.0)


def test_words_with_blanks_that_could_be_read_in_two_ways_are_an_error(tmp_path: Path) -> None:
    columns = "delimiter=space,time-col=t,op-col=o,offset-col=a,size-col=n,time-unit=s"
    with pytest.raises(MalformedTraceError, match="words without blanks"):
        stat_of(tmp_path, "t x o a n\n0 p 0 1 512 1024\n", csv_columns=f"{columns},read-value=0,write-value=1")


# Devices 3, 9 and 70000, each with its own addresses from 0 on; the second read is of what the first device wrote.
DEVICES = "3,W,0,16384,100\n9,W,0,2097152,200\n70000,R,0,16384,300\n3,R,0,16384,400\n"


def test_what_a_reader_has_to_say_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "shared.csv"
    file.write_text(DEVICES)
    told = "shared.csv: 3 devices share their addresses"
    assert [each for each in wl.trace(file).stat()["warnings"] if each.startswith(told)]
    assert [each for each in wl.trace(file).convert(tmp_path / "other.native").warnings if each.startswith(told)]


def test_devices_are_counted_and_never_laid_over_each_other_in_silence(tmp_path: Path) -> None:
    found = stat_of(tmp_path, DEVICES)
    assert found["devices"] == 3
    assert [each for each in found["warnings"] if "3 devices share their addresses" in each and "--device pack" in each]
    assert (found["footprint_bytes"], found["cold_ratio"]) == (2 << 20, 0.0)
    assert stat_of(tmp_path, DEVICES, device="merge")["warnings"] == []
    answer = wordline("trace", "stat", tmp_path / "trace")
    assert "devices" in answer.out
    assert "3 devices share" in answer.err
    result = wl.run(wl.preset("mqsim"), wl.trace(tmp_path / "trace"))
    assert [each for each in result.warnings if "3 devices share their addresses" in each]


def test_packed_devices_lie_one_behind_the_other(tmp_path: Path) -> None:
    found = stat_of(tmp_path, DEVICES, device="pack")
    assert found["warnings"] == []
    assert (found["footprint_bytes"], found["cold_ratio"]) == ((2 << 20) + (32 << 10), 0.5)
    # The second begins at 1 MiB, the third at 3 MiB.
    assert found["capacity_sectors"] == (3 << 11) + 32
    packed, merged = (wl.trace(tmp_path / "trace", device=mode) for mode in ("pack", "merge"))
    assert wl.run(wl.preset("mqsim"), packed).warnings == wl.run(wl.preset("mqsim"), merged).warnings
    with pytest.raises(TraceOptionError, match="read twice"):
        wl.trace("-", device="pack").stat()


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("spc", ["0,100,4096,R,0.5", "1,100,4096,R,0.6"]),
        ("tencent-cbs", ["1,100,8,0,1063", "1,100,8,0,7"]),
        ("mqsim", ["0 0 100 8 1", "9 3 100 8 1"]),
        ("disksim", ["0.5 0 100 8 1", "0.9 3 100 8 1"]),
        ("systor17", ["0.5,0.1,R,0,4096,4096", "0.6,0.1,R,4,4096,4096"]),
        ("msrc", ["5,hm,0,Read,4096,4096,5", "6,hm,1,Read,4096,4096,5"]),
        ("msrc", ["5,hm,0,Read,4096,4096,5", "6,usr,0,Read,4096,4096,5"]),
        ("fiu", ["5 1 bash 100 8 R 8 0 abc", "6 1 bash 100 8 R 8 1 abc"]),
        ("blkparse", ["8,0 1 1 0.1 5 D R 100 + 8 [x]", "8,16 1 1 0.2 5 D R 100 + 8 [x]"]),
        ("fio-iolog", ["0 a read 4096 4096", "5 b read 4096 4096"]),
    ],
)
def test_devices_of_every_format_are_told_apart(name: str, lines: list[str], tmp_path: Path) -> None:
    head = {**HEADS, "fio-iolog": "fio version 3 iolog\n"}.get(name, "")
    found = stat_of(tmp_path, head + "\n".join(lines), format=name)
    assert found["devices"] == 2
    assert any("2 devices share their addresses" in each for each in found["warnings"])
    packed = stat_of(tmp_path, head + "\n".join(lines), format=name, device="pack")
    assert packed["footprint_bytes"] == 2 * found["footprint_bytes"]
    # Pieces of one trace: what a name means goes on from file to file.
    pieces = [tmp_path / "a", tmp_path / "b"]
    for path, line in zip(pieces, lines, strict=True):
        path.write_text(f"{head}{line}\n")
    assert wl.trace(pieces, format=name).stat()["devices"] == 2


def test_devices_of_a_table_may_have_names(tmp_path: Path) -> None:
    text = "0,R,0,512,sda\n1,R,0,512,sdb\n2,R,0,512,sda\n"
    found = stat_of(tmp_path, text, csv_columns=f"{COLUMNS},device-col=5,time-unit=s", device="only=1")
    assert (found["requests"], found["devices"]) == (1, 2)


BLKPARSE = """\
259,0    2        1     0.000000000  1204  Q   R 204800 + 8 [app]
259,0    2        2     0.000104500     0  C   R 204800 + 8 [0]
259,0    2        3     0.001100000  1204  Q  WS 8192 + 128 [app]
259,0    2        4     0.001310000     0  C  WS 8192 + 128 [0]
"""


def test_blkparse_without_the_usual_event_is_read_by_another(tmp_path: Path) -> None:
    with pytest.raises(EmptyTraceError, match=r"no D event, but 2 Q \(queued\), 2 C \(complete\); --event Q"):
        stat_of(tmp_path, BLKPARSE)
    found = stat_of(tmp_path, BLKPARSE, event="Q")
    assert (found["reads"], found["writes"], found["duration_s"]) == (1, 1, 0.0011)
    assert stat_of(tmp_path, BLKPARSE, event="C")["duration_s"] == pytest.approx(0.0012055)
    assert wordline("trace", "stat", tmp_path / "trace", "--event", "Q").code == 0
    with pytest.raises(TraceOptionError, match="sent to the driver"):
        wl.trace(tmp_path / "trace", event="M")
    with pytest.raises(TraceOptionError, match="only the text of blkparse has events"):
        stat_of(tmp_path, "1,R,0,512,5\n", event="Q")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (json.dumps({"fio version": "fio-3.33", "jobs": []}, indent=2), "fio's JSON output"),
        ("0, 5423, 0, 4096, 0\n1, 5000, 1, 4096, 0\n", "write_iolog"),
        ('[\n{"id":0,"name":"read","cat":"POSIX","pid":1,"tid":1,"ts":5,"dur":2,"ph":"X","args":{}}\n', "DLIO"),
        ("#ifndef _NVMEVIRT_SSD_CONFIG_H\n#define NS_SSD_TYPE_0 1\n", "C header"),
        ("[global]\nioengine=libaio\n[a]\nrw=read\n", "wordline run"),
        ('<?xml version="1.0"?>\n<Execution_Parameter_Set>\n', "--mqsim"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "git lfs pull"),
    ],
)
def test_what_is_no_trace_is_named(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(UnknownFormatError) as raised:
        wl.trace(path).stat()
    assert named in str(raised.value)
    assert str(raised.value).startswith(f"{path}: ")
    answer = wordline("trace", "stat", path)
    assert (answer.code, answer.err.count("\n")) == (2, 1)


def test_the_requests_of_a_run_are_a_trace(tmp_path: Path) -> None:
    done = wordline(
        "run", "mqsim", "--set", "workload.requests=300", "--set", "workload.inter_arrival_us=50", "--set",
        "workload.read_ratio=0.6", "--out", tmp_path / "out", "--parquet",
    )  # fmt: skip
    assert done.code == 0, done.err
    path = tmp_path / "out" / "requests.parquet"
    found = wl.trace(path).stat()
    rows = pyarrow.parquet.read_table(path)
    assert found["requests"] == rows.num_rows == 300
    assert found["read_bytes"] == 512 * sum(rows.filter(pa.compute.equal(rows["op"], "read"))["sectors"].to_pylist())
    times = sorted(rows["arrival_ns"].to_pylist())
    assert found["duration_s"] == pytest.approx((times[-1] - times[0]) / 1e9)
    again = wordline("run", "mqsim", "--trace", path, "--json")
    assert json.loads(again.out)["requests"]["all"] == 300
    wl.trace(path).convert(tmp_path / "copy.csv")
    assert wl.trace(tmp_path / "copy.csv").stat()["write_bytes"] == found["write_bytes"]


def test_another_parquet_file_is_named_or_described(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pyarrow.parquet.write_table(pa.table({"t": [0.5, 1.5], "kind": ["R", "W"], "at": [0, 4096], "n": [512, 512]}), path)
    with pytest.raises(UnknownFormatError, match="no column arrival_ns"):
        wl.trace(path).stat()
    found = wl.trace(path, csv_columns="time-col=t,op-col=kind,offset-col=at,size-col=n,time-unit=s").stat()
    assert (found["requests"], found["duration_s"]) == (2, 1.0)
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(UnknownFormatError, match="no Parquet file"):
        wl.trace(path).stat()
    with pytest.raises(TraceError, match="no such file"):
        wl.trace(tmp_path / "none.parquet").stat()
