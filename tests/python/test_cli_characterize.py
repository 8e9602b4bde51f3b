"""`wordline characterize`: figures with their data, what a chip lacks, a user's own measurements, and mistakes."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from cli_runner import Answer, command, environment, wordline
from docs_playground import ERASE_SHARES, ROOT, retry_steps

QUICK = ("--blocks", "1")
FIGURES = ("last-steps", "timing-table", "erase-latency", "margins", "ldpc", "predictor")
ENDINGS = (".csv", ".parquet", ".png", ".svg")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("characterize") / "tlc"


@pytest.fixture(scope="module")
def answer(folder: Path) -> Answer:
    return wordline("characterize", "tlc-48l", "--only", ",".join(FIGURES), "--out", folder, *QUICK)


def test_each_figure_has_its_data_beside_it(answer: Answer, folder: Path) -> None:
    assert answer.code == 0, answer.err
    names = {f"{name}{ending}" for name in FIGURES for ending in ENDINGS}
    assert {path.name for path in folder.iterdir()} == names | {"characterize.json", "wordline.sha256"}
    for name in FIGURES:
        table = pq.read_table(folder / f"{name}.parquet")
        with (folder / f"{name}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == table.column_names
        assert len(rows) == table.num_rows > 1
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (folder / f"{name}.svg").read_text(encoding="utf-8")
    document = json.loads((folder / "characterize.json").read_text(encoding="utf-8"))
    assert [each["name"] for each in document["figures"]] == list(FIGURES)
    assert (document["chip"], document["left_out"]) == ("tlc-48l", [])
    for each in document["figures"]:
        assert each["says"] in answer.out


def test_the_numbers_are_those_of_the_papers(answer: Answer, folder: Path) -> None:
    assert answer.code == 0
    cuts = pq.read_table(folder / "timing-table.parquet")["tpre_cut_percent"].to_pylist()
    assert (min(cuts), max(cuts), len(cuts)) == (40, 54, 36)
    latency = pq.read_table(folder / "erase-latency.parquet").to_pylist()
    single = {row["pec"]: row["share"] for row in latency if row["latency_ms"] == 3.5}
    assert (single[0], single[1000], single[2000]) == (1.0, 0.765, 0.0)
    last = pq.read_table(folder / "last-steps.parquet").to_pylist()
    assert all((row["bits"] <= 72) == (row["steps_before_last"] == 0) for row in last)


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path: Path) -> None:
    for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        done = wordline("characterize", "--only", "m-err", "--seed", seed, "--out", tmp_path / name, *QUICK)
        assert done.code == 0, done.err
    for ending in ENDINGS:
        a, b, c = ((tmp_path / name / f"m-err{ending}").read_bytes() for name in "abc")
        assert a == b, ending
        assert a != c, ending


def test_what_a_chip_lacks_is_left_out_with_a_line() -> None:
    done = wordline("characterize", "mlc-ofwar", "--only", "m-err,margins,retention", "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert [each["name"] for each in document["figures"]] == ["retention"]
    assert {each["name"] for each in document["left_out"]} == {"m-err", "margins"}
    assert done.err.splitlines() == [
        "left out, since the chip has no [read] part: m-err",
        "left out, since the chip has no [erase] part: margins",
    ]
    columns = document["figures"][0]["data"]
    assert set(columns) == {"dvpp_factor", "program_us", "days"}
    half = columns["dvpp_factor"].index(2.0)
    assert columns["program_us"][half] == 300.0
    assert 3.0 <= columns["days"][half] <= 5.0


def test_an_ssd_stands_for_its_chip_and_a_file_for_itself(tmp_path: Path) -> None:
    copy = tmp_path / "mine.toml"
    text = (ROOT / "presets" / "chips" / "tlc-48l.toml").read_text(encoding="utf-8")
    copy.write_text(text.replace("fresh_bits = 14.25", "fresh_bits = 24.25"), encoding="utf-8")
    bits = {}
    for device in ("tlc-48l", "pnar2", str(copy)):
        done = wordline("characterize", device, "--only", "m-err", "--json", *QUICK)
        assert done.code == 0, done.err
        bits[device] = json.loads(done.out)["figures"][0]["data"]["m_err_bits"]
    assert max(bits["pnar2"]) == pytest.approx(max(bits["tlc-48l"]), rel=0.05)
    assert all(mine - own > 8.0 for mine, own in zip(bits[str(copy)], bits["tlc-48l"], strict=True))


def test_measured_steps_and_latencies_take_the_place_of_the_chip(tmp_path: Path) -> None:
    (tmp_path / "steps.csv").write_text(retry_steps(), encoding="ascii")
    (tmp_path / "shares.csv").write_text(ERASE_SHARES, encoding="ascii")
    sets = ("--set", "cells.retry_table=steps.csv", "--set", "cells.erase_table=shares.csv")
    only = ("--only", "vth,retry-steps,erase-latency")
    done = wordline("characterize", "tlc-48l", *sets, *only, "--json", *QUICK, cwd=tmp_path)
    assert done.code == 0, done.err
    assert "cells.retry_table" in done.err
    figures = {each["name"]: each["data"] for each in json.loads(done.out)["figures"]}
    steps = figures["retry-steps"]
    found = {
        (cycles, months, taken)
        for cycles, months, taken in zip(steps["cycles"], steps["months"], steps["retry_steps"], strict=True)
    }
    assert {(3000, 12, 5), (3000, 12, 6), (3000, 12, 7), (1000, 3, 0), (1000, 3, 1)} <= found
    assert max(steps["retry_steps"]) == 7
    erases = figures["erase-latency"]
    rows = zip(erases["pec"], erases["latency_ms"], erases["share"], strict=True)
    assert {pec: share for pec, ms, share in rows if ms == 3.5}[2000] == pytest.approx(0.2, abs=0.01)


def test_blocks_that_need_less_than_a_loop_are_erased_by_one(tmp_path: Path) -> None:
    rows = [f"{block},{pec},{1.5 + 0.5 * (block % 3)}" for pec in (0, 1000, 2000) for block in range(50)]
    (tmp_path / "blocks.csv").write_text("block,pec,latency_ms\n" + "\n".join(rows) + "\n", encoding="ascii")
    table = ("--set", "cells.erase_table=blocks.csv")
    done = wordline("characterize", "tlc-48l", *table, "--only", "erase-latency", *QUICK, cwd=tmp_path)
    assert done.code == 0, done.err
    assert "erased by one loop: 100.0% at 0, 100.0% at 1K, 100.0% at 2K" in done.out


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("retry_table", retry_steps().replace("\n3,1,", "\n3,-1,"), "mine.csv:5: -1 retry steps"),
        ("retry_table", retry_steps().replace("\n3,", "\n4,"), 'mine.csv:5: word line "4" where 3 should follow'),
        ("retry_table", retry_steps().replace(",1000_12m", ",2000_12m"), "mine.csv:1: there is no column"),
        ("retry_table", retry_steps().replace("\n1,1,", "\n1,"), "mine.csv:3: 4 cells where the first row has 5"),
        ("erase_table", ERASE_SHARES.replace(",80", ",-80"), "mine.csv:4: `-80` is not a percentage"),
        ("erase_table", ERASE_SHARES.replace("ispe,2000,7,80\n", ""), "mine.csv:3: the percents at 2000"),
        ("erase_table", "pec,ms\n0,3.5\n", "mine.csv:1: unknown columns `pec,ms`"),
    ],
)
def test_a_wrong_table_is_refused_by_line(key: str, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(text, encoding="ascii")
    setting = ("--set", f"cells.{key}=mine.csv")
    for arguments in (("characterize", "tlc-48l", "--only", "ldpc"), ("run", "aero", "--set", "workload.requests=10")):
        done = wordline(*arguments, *setting, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"wordline: error: {said}"), done.err
        assert len(done.err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tlc-49l",), "did you mean `tlc-48l`?"),
        (("mqsim",), 'cells.chip = "none"'),
        (("nowhere.toml",), "nowhere.toml: No such file or directory"),
        (("tlc-48l", "--only", "m-eer"), "did you mean `m-err`?"),
        (("tlc-48l", "--only", ","), "--only names no figure"),
        (("tlc-48l", "--only", "ldpc", "--out", "taken"), "exists and holds no earlier result"),
    ],
)
def test_a_mistake_is_said_in_a_line(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "letter.txt").write_text("dear", encoding="ascii")
    done = wordline("characterize", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert said in done.err.splitlines()[0]
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_broken_chip_names_its_line(tmp_path: Path) -> None:
    text = (ROOT / "presets" / "chips" / "tlc-48l.toml").read_text(encoding="utf-8")
    wrong = text.replace("residual_steps = 0.05", "residual_steps = 0.7")
    line = wrong[: wrong.index("residual_steps")].count("\n") + 1
    (tmp_path / "mine.toml").write_text(wrong, encoding="utf-8")
    done = wordline("characterize", "mine.toml", cwd=tmp_path)
    assert done.code == 2
    assert f"mine.toml:{line}: `read.drift.residual_steps`" in done.err


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command("characterize", "tlc-48l", "--blocks", "60", "--out", str(tmp_path / "out")),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    try:
        end = time.monotonic() + 60
        # Its unfinished folder is there: it is at work.
        while not any(tmp_path.iterdir()) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, ""), err
    assert "interrupted" in err
    assert list(tmp_path.iterdir()) == []
