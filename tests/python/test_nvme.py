"""What nvme-cli would read from the drive of a run, and the drive's life over chained states."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import wordline as wl
from cli_runner import wordline

DRIVE = """
[ssd]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 128
pages_per_block = 64
page_bytes = 4096
overprovisioning = 0.3
[ftl]
group = "superblock"
[precondition]
fill = 1.0
[fdp]
isolation = "mixed"
handles = 3
persistent_handles = [2]
"""
FLOWS = """
[[flow]]
name = "near"
size = "40%"
handle = 1
pattern = "random"
read_ratio = 0.2
requests = 9000
[[flow]]
name = "far"
offset = "40%"
size = "40%"
handle = 2
pattern = "random"
read_ratio = 0.0
requests = 9000
"""


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    (tmp_path / "drive.toml").write_text(DRIVE)
    (tmp_path / "flows.toml").write_text(FLOWS)
    out = tmp_path / "out"
    answer = wordline("run", tmp_path / "drive.toml", tmp_path / "flows.toml", "--out", out)
    assert answer.code == 0, answer.err
    return out


def log(*arguments: str | Path) -> Any:  # noqa: ANN401 - JSON
    answer = wordline("nvme", *arguments, "--json")
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def test_the_logs_of_a_drive_with_handles_have_the_keys_of_nvme_cli(saved: Path) -> None:
    life = json.loads((saved / "result.json").read_text())["life"]
    stats = log("fdp", "stats", saved)
    assert stats == {"hbmw": life["host_bytes"], "mbmw": life["media_bytes"], "mbe": life["erased_bytes"]}
    assert stats["mbmw"] > stats["hbmw"] > 0
    (config,) = log("fdp", "configs", saved)["configs"]
    assert (config["nrg"], config["nruh"], config["fdpa"], config["runs"]) == (1, 3, 0x80, 2 * 64 * 4096)
    assert [each["ruht"] for each in config["ruhs"]] == [1, 2, 1]
    status = log("fdp", "status", saved)
    assert status["nruhsd"] == 3
    assert set(status["ruhss"][0]) == {"pid", "ruhid", "earutr", "ruamw"}
    assert [each["ruha"] for each in log("fdp", "usage", saved)["ruhus"]] == [1, 1, 0]
    events = log("fdp", "events", saved)
    assert events["n"] == len(events["events"]) > 0
    moved = [each for each in events["events"] if each["type"] == 0x80]
    assert moved
    assert all(set(each) == {"type", "fdpef", "pid", "timestamp", "nsid", "nlbam", "lba"} for each in moved)
    others = [each for each in events["events"] if each["type"] == 0x81]
    assert others
    assert all("nlbam" not in each and each["pid"] in (0, 1) for each in others)
    smart, more = log("smart-log", saved), log("ocp", "smart-add-log", saved)
    assert smart["data_units_written"] == -(-stats["hbmw"] // 512_000)
    assert smart["host_write_commands"] == life["writes"]["count"]
    assert more["Physical media units written"] == {"hi": 0, "lo": stats["mbmw"]}


# A line of each log as nvme-cli 2 prints it, with the types of printf; a log is lines of these and no other.
LINES = {
    "fdp configs": [
        "FDP Attributes: %#x",
        "Vendor Specific Size: %u",
        "Number of Reclaim Groups: %u",
        "Number of Reclaim Unit Handles: %u",
        "Number of Namespaces Supported: %u",
        "Reclaim Unit Nominal Size: %u",
        "Estimated Reclaim Unit Time Limit: %u",
        "Reclaim Unit Handle List:",
        "  [%u]: Initially Isolated",
        "  [%u]: Persistently Isolated",
    ],
    "fdp stats": [
        "Host Bytes with Metadata Written (HBMW): %u",
        "Media Bytes with Metadata Written (MBMW): %u",
        "Media Bytes Erased (MBE): %u",
    ],
    "fdp status": [
        "Placement Identifier %u; Reclaim Unit Handle Identifier %u",
        "  Estimated Active Reclaim Unit Time Remaining (EARUTR): %u",
        "  Reclaim Unit Available Media Writes (RUAMW): %u",
        "",
    ],
    "fdp usage": [
        "Reclaim Unit Handle %u Attributes: %#x (Host Specified)",
        "Reclaim Unit Handle %u Attributes: 0 (Unused)",
    ],
    "fdp events": [
        "Event[%u]",
        "  Event Type: %#x (Media Reallocated)",
        "  Event Type: %#x (Implicitly Modified Reclaim Unit Handle)",
        "  Event Timestamp: %u (-)",
        "  Placement Identifier (PID): %#x",
        "  Namespace Identifier (NSID): %u",
        "  Number of LBAs Moved (NLBAM): %u",
        "  Logical Block Address (LBA): %#x",
        "",
    ],
    "smart-log": [
        "Smart Log for NVME device:%s namespace-id:ffffffff",
        "percentage_used\t\t\t\t: %u%%",
        "Data Units Read\t\t\t\t: %u (%s)",
        "Data Units Written\t\t\t: %u (%s)",
        "host_read_commands\t\t\t: %u",
        "host_write_commands\t\t\t: %u",
        "power_cycles\t\t\t\t: %u",
        "power_on_hours\t\t\t\t: %u",
        "unsafe_shutdowns\t\t\t: %u",
        "media_errors\t\t\t\t: %u",
    ],
    "ocp smart-add-log": [
        "SMART Cloud Attributes :-",
        "  Physical media units written -\t\t%u %u",
        "  Physical media units read    -\t\t%u %u",
        "  XOR recovery count\t\t\t\t%u",
        "  Uncorrectable read error count\t\t%u",
        "  Max User data erase counts\t\t\t%u",
        "  Min User data erase counts\t\t\t%u",
        "  Percent free blocks\t\t\t\t%u",
        "",
    ],
}
TYPES = {r"%\#x": "(?:0|0x[0-9a-f]+)", "%u": "[0-9]+", "%s": ".+", "%%": "%"}


def pattern(line: str) -> str:
    escaped = re.escape(line)
    for kind, what in TYPES.items():
        escaped = escaped.replace(kind, what)
    return escaped


@pytest.mark.parametrize("log", LINES)
def test_a_log_as_text_has_the_lines_of_nvme_cli(log: str, saved: Path) -> None:
    answer = wordline("nvme", *log.split(), saved)
    assert answer.code == 0, answer.err
    lines = answer.out.split("\n")
    assert lines.pop() == ""
    unknown = [line for line in lines if not any(re.fullmatch(pattern(each), line) for each in LINES[log])]
    assert unknown == []
    unused = [each for each in LINES[log] if not any(re.fullmatch(pattern(each), line) for line in lines)]
    # The drive has no rating of its blocks' endurance.
    assert [each for each in unused if "percentage_used" not in each] == []


def amplification_from_json(nvme: Callable[..., str]) -> dict[str, Any]:
    """What a monitoring script reads with `-o json`."""
    stats = json.loads(nvme("fdp", "stats", "-o", "json"))
    (config,) = json.loads(nvme("fdp", "configs", "-o", "json"))["configs"]
    left = json.loads(nvme("fdp", "status", "--output-format=json"))["ruhss"]
    events = json.loads(nvme("fdp", "events", "-o", "json"))["events"]
    added = json.loads(nvme("ocp", "smart-add-log", "-o", "json"))["Physical media units written"]
    return {
        "waf": stats["mbmw"] / stats["hbmw"],
        "units": stats["mbe"] / config["runs"],
        "left": {each["pid"]: each["ruamw"] for each in left},
        "moved": [(each["pid"], each["nlbam"], each["lba"]) for each in events if each["type"] == 128],
        "data units": json.loads(nvme("smart-log", "-o", "json"))["data_units_written"],
        "media": (added["hi"] << 64) + added["lo"],
    }


def amplification_from_text(nvme: Callable[..., str]) -> dict[str, Any]:
    """What a script reads that looks for names in the text."""

    def number(text: str, label: str) -> int:
        return int(re.search(rf"^\s*{re.escape(label)}\W+(\d+)", text, re.MULTILINE)[1])  # type: ignore[index]

    def hexadecimal(text: str, label: str) -> int:
        match = re.search(rf"\({label}\): (\w+)", text)
        return int(match[1], 16) if match else 0

    stats, unit = nvme("fdp", "stats"), nvme("fdp", "configs")
    left = re.findall(r"^Placement Identifier (\d+);.*\n.*\n.*\(RUAMW\): (\d+)", nvme("fdp", "status"), re.MULTILINE)
    events = nvme("fdp", "events", "-o", "normal").split("\n\n")
    moved = [each for each in events if "(Media Reallocated)" in each]
    ((high, low),) = re.findall(r"units written -\s+(\d+) (\d+)", nvme("ocp", "smart-add-log"))
    media = number(stats, "Media Bytes with Metadata Written (MBMW)")
    return {
        "waf": media / number(stats, "Host Bytes with Metadata Written (HBMW)"),
        "units": number(stats, "Media Bytes Erased (MBE)") / number(unit, "Reclaim Unit Nominal Size"),
        "left": {int(pid): int(each) for pid, each in left},
        "moved": [
            (hexadecimal(each, "PID"), number(each, "Number of LBAs Moved (NLBAM)"), hexadecimal(each, "LBA"))
            for each in moved
        ],
        "data units": number(nvme("smart-log"), "Data Units Written"),
        "media": (int(high) << 64) + int(low),
    }


def test_scripts_written_for_nvme_cli_read_the_drive(saved: Path) -> None:
    def nvme(*arguments: str) -> str:
        answer = wordline("nvme", *arguments, saved)
        assert answer.code == 0, answer.err
        return answer.out

    read = amplification_from_json(nvme)
    assert amplification_from_text(nvme) == read
    life = json.loads((saved / "result.json").read_text())["life"]
    assert read["waf"] == life["media_bytes"] / life["host_bytes"] > 1
    assert read["media"] == life["media_bytes"]
    assert list(read["left"]) == [0, 1, 2]
    assert read["moved"]


def test_a_format_that_nvme_cli_does_not_have_is_refused(saved: Path) -> None:
    answer = wordline("nvme", "fdp", "stats", saved, "-o", "xml")
    assert (answer.code, answer.out) == (2, "")
    assert '"xml"' in answer.err
    assert "normal or json" in answer.err


def test_a_unit_tells_its_room_and_its_time_until_it_is_closed(tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_text(DRIVE)
    settings = {"precondition.fill": 0.0, "ftl.open_timeout_ms": 5_000.0}
    drive = wl.open(wl.config(tmp_path / "drive.toml").set_all(settings))
    unit = 2 * 64 * 4096 // 512

    def status() -> list[tuple[int, int]]:
        return [(each["earutr"], each["ruamw"]) for each in drive.result().fdp_logs()["status"]["ruhss"]]

    def go_on_until(second: int) -> None:
        # With a request, for a drive that nobody asks does its own work when it is asked next.
        drive.submit(second * 1_000_000_000, [("read", 0, 4096)])
        drive.advance()

    drive.submit(0, [("write", 4096 * place, 4096, 0, 2) for place in range(3)])
    go_on_until(2)
    assert drive.result().fdp_logs()["configs"]["configs"][0]["erutl"] == 5
    (first, (left_s, room), third) = status()
    assert first == third == (0, unit)
    # It is looked at at intervals of an eighth of the limit.
    assert left_s in (3, 4)
    assert room == unit - 3 * 8
    go_on_until(6)
    assert status() == [(0, unit)] * 3
    assert [each["type"] for each in drive.result().fdp_logs()["events"]["events"]] == [1]


def test_usage_is_that_of_the_drives_life(tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_text(DRIVE)
    config = wl.config(tmp_path / "drive.toml")
    state: dict[str, Any] = {"save_state": tmp_path / "drive"}
    for handle, used in ((3, [0, 0, 1]), (1, [1, 0, 1])):
        flows = [wl.Flow("a", wl.workload(requests=50, read_ratio=0.0), handles=(handle,))]
        logs = wl.run(config, flows, **state).fdp_logs()
        assert [each["ruha"] for each in logs["usage"]["ruhus"]] == used
        state |= {"load_state": tmp_path / "drive", "go_on": True}
    # Requests of the warm-up are the host's, too.
    warm = wl.run(config.set("host.warmup_requests", 50), flows).fdp_logs()
    assert [each["ruha"] for each in warm["usage"]["ruhus"]] == [1, 0, 0]


def test_reclaim_groups_are_in_the_upper_bits_of_an_identifier(tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_text(DRIVE)
    config = wl.config(tmp_path / "drive.toml").set_all({"fdp.reclaim_groups": 2, "precondition.fill": 0.0})
    flows = [wl.Flow("a", wl.workload(requests=50, read_ratio=0.0), handles=(5,))]
    logs = wl.run(config, flows).fdp_logs()
    assert [each["pid"] for each in logs["status"]["ruhss"]] == [0, 1, 2, 0x8000, 0x8001, 0x8002]
    (described,) = logs["configs"]["configs"]
    assert (described["fdpa"], described["nrg"], described["runs"]) == (0x81, 2, 64 * 4096)
    assert [each["ruha"] for each in logs["usage"]["ruhus"]] == [0, 1, 0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fdp.reclaim_groups": 3}, "does not divide 2 channels"),
        ({"fdp.persistent_handles": [4]}, "names handle 4"),
        ({"fdp.unit_superblocks": 3}, "does not divide the 128 blocks"),
        ({"fdp.reclaim_groups": 2, "ftl.group": "block", "ftl.allocation": "dynamic"}, "lets them go anywhere"),
    ],
)
def test_what_a_drive_cannot_divide_is_refused(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    (tmp_path / "drive.toml").write_text(DRIVE)
    with pytest.raises(wl.errors.ConfigError, match=message):
        wl.config(tmp_path / "drive.toml").set_all(settings)


def test_a_run_without_handles_has_no_such_logs(tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_text(DRIVE.replace('isolation = "mixed"', 'isolation = "off"'))
    out = tmp_path / "out"
    wordline("run", tmp_path / "drive.toml", "--workload", "fio/random-write", "-n", "100", "--out", out)
    answer = wordline("nvme", "fdp", "stats", out)
    assert answer.code == 2
    assert "fdp.isolation" in answer.err
    assert log("smart-log", out)["host_write_commands"] == 100


def test_ten_chained_states_write_what_one_run_writes(tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_text(DRIVE)
    config = wl.config(tmp_path / "drive.toml").set_all({"cache.mode": "write", "cache.capacity_bytes": 1 << 20})
    # A drive at rest collects to its threshold: a part has to be long beside that.
    draws, count = Random(7), 15_000  # noqa: S311
    rows = [f"0,W,{draws.randrange(2_750) * 32},32,1" for _ in range(count)]

    def run(name: str, part: list[str], **states: Any) -> Any:  # noqa: ANN401 - options, and a document
        trace = tmp_path / f"{name}.csv"
        trace.write_text("\n".join(["time_ns,op,sector,sectors,handle", *part]) + "\n")
        return wl.run(config.set("host.mode", "closed"), wl.trace(trace), **states).document

    whole = run("whole", rows)["life"]
    state: dict[str, Any] = {"save_state": tmp_path / "drive"}
    for at in range(0, count, count // 10):
        document = run(f"part-{at}", rows[at : at + count // 10], **state)
        state |= {"load_state": tmp_path / "drive", "go_on": True}
        # Aging was done once, and is told apart.
        assert document["life"]["aging"] == whole["aging"]
    chained = document["life"]
    assert chained["host_bytes"] == whole["host_bytes"] == count * 16384
    assert chained["writes"] == whole["writes"]
    assert chained["media_bytes"] == pytest.approx(whole["media_bytes"], rel=0.005)
    assert document["written_bytes"]["host"] == count // 10 * 16384
