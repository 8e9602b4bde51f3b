"""Traces as they lie about: units of time, compression, binary data, rows of a CSV, orders; and advice that helps."""

from __future__ import annotations

import bz2
import lzma
import random
import re
import struct
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from mqsim_files import scenario_xml, ssd_xml
from wordline.errors import TraceError, TraceOptionError

MSRC = "128166372003061629,hm,1,Read,383496192,32768,413\n128166372016382155,hm,1,Write,2822144000,65536,1247\n"


def vscsi(step: float, count: int = 3000) -> str:
    rows = [f"1,{int(5_600_000 + number * step)},28,4096,{number * 8}" for number in range(count)]
    return "version,time,op,size,lbn\n" + "\n".join(rows) + "\n"


def mqsim(step: str, count: int = 500) -> str:
    return "".join(
        f"{float(step) * number:{'.9f' if '.' in step else '.0f'}} 0 {number * 8} 8 1\n" for number in range(count)
    )


@pytest.mark.parametrize(
    ("text", "duration_s", "unit"),
    [
        # A virtual disk in us, as vscsiStats writes it.
        (vscsi(2500.0), 7.4975, None),
        # The same header with seconds: in us it would have 400,000 requests/s.
        (vscsi(2.4), 7197.0, "s"),
        # DiskSim's ms with a fraction, and seconds in the same layout.
        (mqsim("0.5"), 0.2495, None),
        (mqsim("0.0005"), 0.2495, "s"),
        # MQSim's ns.
        (mqsim("100000"), 0.0499, None),
        # Too few requests to tell.
        (mqsim("1", 50), 49e-9, None),
    ],
)
def test_the_unit_of_times_makes_sense(text: str, duration_s: float, unit: str | None, tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_text(text)
    found = wl.trace(path).stat()
    assert found["duration_s"] == pytest.approx(duration_s)
    said = [warning for warning in found["warnings"] if "times are taken as" in warning]
    assert len(said) == (unit is not None)
    if unit:
        assert f"taken as {unit}:" in said[0]
        assert "requests/s" in said[0]
        assert "--time-unit" in said[0]


def test_where_two_units_make_sense_the_user_names_one(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    # One a unit: 1e9/s as MQSim documents it, 1,000/s in ms, 1/s in s.
    path.write_text(mqsim("1"))
    answer = wordline("trace", "stat", path)
    assert answer.code == 2
    assert "--time-unit" in answer.err
    assert "ms would be 1000 requests/s" in answer.err
    for unit, duration_s in (("s", 499.0), ("ms", 0.499), ("us", 499e-6), ("ns", 499e-9)):
        assert wl.trace(path, time_unit=unit).stat()["duration_s"] == pytest.approx(duration_s)
    assert '"duration_s": 499.0' in wordline("trace", "stat", path, "--time-unit", "s", "--json").out


def test_a_csv_without_a_unit_is_judged_too(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("".join(f"{number},R,{number * 4096},4096\n" for number in range(1000)))
    columns = "time-col=1,op-col=2,offset-col=3,size-col=4"
    with pytest.raises(TraceError, match="--time-unit"):
        wl.trace(path, csv_columns=columns).stat()
    assert wl.trace(path, csv_columns=columns, time_unit="s").stat()["duration_s"] == 999
    assert wl.trace(path, csv_columns=f"{columns},time-unit=ms").stat()["duration_s"] == pytest.approx(0.999)


def test_a_format_with_one_unit_takes_no_other(tmp_path: Path) -> None:
    path = tmp_path / "hm.csv"
    path.write_text(MSRC)
    with pytest.raises(TraceOptionError, match="msrc"):
        wl.trace(path, time_unit="s").stat()
    with pytest.raises(TraceOptionError, match="s, ms, us or ns"):
        wl.trace(path, time_unit="hours")


@pytest.mark.parametrize(("ending", "compress"), [("bz2", bz2.compress), ("xz", lzma.compress)])
def test_bzip2_and_xz_are_read(ending: str, compress: object, tmp_path: Path) -> None:
    plain, packed = tmp_path / "hm.csv", tmp_path / f"hm.csv.{ending}"
    plain.write_text(MSRC * 1)
    data = compress(MSRC.encode())  # type: ignore[operator]
    # Streams may follow each other, as parallel compressors write them.
    half = MSRC.splitlines(keepends=True)
    packed.write_bytes(b"".join(compress(line.encode()) for line in half))  # type: ignore[operator]
    assert wl.trace(packed).stat() == wl.trace(plain).stat()
    packed.write_bytes(data[: len(data) // 2])
    with pytest.raises(TraceError) as raised:
        wl.trace(packed).stat()
    assert str(raised.value).startswith(str(packed))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (struct.pack("<IIQQIIIIIHH", 0x65617407, 1, 0, 8, 4096, 0, 1, 0, 0, 0, 0), "blkparse"),
        (b"".join(struct.pack("<IIIHHQQ", n, 4096, 1, 0x2A, 0x0100, 8, n) for n in range(4)), ".vscsi"),
        (b"".join(struct.pack("<HHIIIQQQ", 0x28, 0x0200, n, 4096, 1, 8, n, 0) for n in range(4)), ".vscsi"),
        (b"PK\x03\x04" + bytes(40), "unpack"),
        (b"PAR1" + bytes(40), "CSV"),
        (bytes(range(256)), "as text"),
    ],
)
def test_binary_data_are_named_with_the_way_to_a_trace(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "data.bin"
    path.write_bytes(data)
    answer = wordline("trace", "stat", path)
    assert answer.code == 2
    assert said in answer.err
    assert answer.err.isprintable() or answer.err.rstrip("\n").isprintable()


def test_a_csv_takes_several_words_and_leaves_rows_out(tmp_path: Path) -> None:
    path = tmp_path / "in-out.csv"
    path.write_text("t,op,lba,n\n1,RD_IN,8,8\n2,RD_OUT,8,8\n3,WR_IN,16,8\n4,WR_OUT,16,8\n5,GET,32,8\n")
    columns = "time-col=1,op-col=2,offset-col=3,size-col=4,time-unit=us,offset-unit=sectors,size-unit=sectors"
    columns += ",read-value=RD_IN/GET,write-value=WR_IN"
    with pytest.raises(TraceError, match="skip-value"):
        wl.trace(path, csv_columns=columns).stat()
    for rest in ("skip-value=RD_OUT/WR_OUT", "skip-value=*"):
        found = wl.trace(path, csv_columns=f"{columns},{rest}").stat()
        assert (found["reads"], found["writes"]) == (2, 1)
        assert any("2 lines" in warning for warning in found["warnings"])


def test_the_window_that_is_suggested_fits(tmp_path: Path) -> None:
    path = tmp_path / "tencent.csv"
    chance = random.Random(7)  # noqa: S311
    times = [second for second in range(1_538_323_200, 1_538_323_260) for _ in range(300)]
    # Volumes write their lines with delays of up to half a minute.
    order = sorted(range(len(times)), key=lambda number: times[number] + 30 * chance.random())
    path.write_text("".join(f"{times[number]},{number * 8},8,0,{number % 7}\n" for number in order))
    with pytest.raises(TraceError) as raised:
        wl.trace(path, format="tencent-cbs").stat()
    found = re.search(r"`--on-time-back (sort-window=(\d+))`", str(raised.value))
    assert found
    assert wl.trace(path, format="tencent-cbs", on_time_back=found[1]).stat()["requests"] == len(times)
    with pytest.raises(TraceError):
        wl.trace(path, format="tencent-cbs", on_time_back=f"sort-window={int(found[2]) - 1}").stat()


TRACE_FLOW = """<IO_Flow_Parameter_Set_Trace_Based>
<Priority_Class>HIGH</Priority_Class>
<Device_Level_Data_Caching_Mode>TURNED_OFF</Device_Level_Data_Caching_Mode>
<Channel_IDs>0</Channel_IDs><Chip_IDs>0</Chip_IDs><Die_IDs>0</Die_IDs><Plane_IDs>0</Plane_IDs>
<Initial_Occupancy_Percentage>50</Initial_Occupancy_Percentage>
<File_Path>back.trace</File_Path>
<Percentage_To_Be_Executed>100</Percentage_To_Be_Executed>
<Relay_Count>1</Relay_Count>
<Time_Unit>NANOSECOND</Time_Unit>
</IO_Flow_Parameter_Set_Trace_Based>"""


def test_the_advice_for_a_trace_of_an_mqsim_pair_can_be_followed(tmp_path: Path) -> None:
    (tmp_path / "back.trace").write_text("1000 0 16 8 0\n900 0 32 8 1\n")
    (tmp_path / "ssd.xml").write_text(ssd_xml())
    (tmp_path / "work.xml").write_text(scenario_xml(TRACE_FLOW))
    pair = ("run", "--mqsim", tmp_path / "ssd.xml", tmp_path / "work.xml")
    answer = wordline(*pair)
    assert answer.code == 2
    advice = re.findall(r"`(--on-time-back [\w=-]+)`", answer.err)
    assert len(advice) == 2
    for each in advice:
        assert wordline(*pair, *each.split()).code == 0
    refused = wordline(*pair, "--limit", "1")
    assert refused.code == 2
    assert "--limit" in refused.err


def test_the_advice_for_a_log_of_a_fio_job_can_be_followed(tmp_path: Path) -> None:
    log = "fio version 3 iolog\n0 f add\n0 f open\n9 f read 0 4096\n5 f read 4096 4096\n9 f close\n"
    (tmp_path / "back.log").write_text(log)
    (tmp_path / "job.fio").write_text("[a]\nread_iolog=back.log\n")
    answer = wordline("run", "mqsim", tmp_path / "job.fio", "--on-time-back", "error")
    advice = re.findall(r"`--on-time-back ([\w=-]+)`", answer.err)
    assert (answer.code, len(advice)) == (2, 2)
    assert wordline("run", "mqsim", tmp_path / "job.fio", "--on-time-back", advice[0]).code == 0
