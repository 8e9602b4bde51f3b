"""How long a drive lasts: `wordline lifetime`, the ratings of presets, and what is not modelled."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import wordline as wl
from api_helpers import ROOT
from cli_runner import wordline
from wordline.cli.lifetime import cycles_of_rating, sources, span, warnings
from wordline.explain.not_modelled import TOPICS, topic_of
from wordline.stats import Interval
from wordline.stats.lifetime import Lifetime, lifetime_of, rating

RATED = """\
# A small drive.
# rated_pec = 3000   # a data sheet
# rated_dwpd = 1.5   # the same
preset = "mqsim"
[ssd]
channels = 1
chips_per_channel = 1
blocks_per_plane = 64
pages_per_block = 16
overprovisioning = 0.4
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of a small rated drive at two loads."""
    place = tmp_path_factory.mktemp("lifetime")
    (place / "mine.toml").write_text(RATED, encoding="utf-8")
    load = ["--set", "workload.inter_arrival_us=8000,16000", "--set", "host.mode=open", "--jobs", "1"]
    size = ["--set", "workload.requests=4000", "--set", "precondition.fill=1", "--set", "precondition.overwrite=1"]
    done = wordline("compare", "mine.toml", "-w", "fio/random-write", *load, *size, "--out", "out", cwd=place)
    assert done.code == 0, done.err
    return place


def test_half_the_load_lasts_twice_as_long(folder: Path) -> None:
    answer = wordline("lifetime", "out", "--json", cwd=folder)
    assert answer.code == 0, answer.err
    fast, slow = json.loads(answer.out)["rows"]
    assert fast["pec"] == 3000
    assert fast["rated_pec"] == {"value": 3000.0, "source": "a data sheet"}
    assert fast["rated_dwpd"]["value"] == 1.5
    assert slow["years"] / fast["years"] == pytest.approx(2 * slow["tbw_tb"] / fast["tbw_tb"], rel=0.01)
    seconds = fast["years"] * 365 * 24 * 3600
    rate = wl.load(folder / "out")[0].document["bandwidth_mb_s"]["write"] * 1e6
    assert fast["tbw_tb"] * 1e12 == pytest.approx(seconds * rate)


def test_a_rating_that_is_far_off_says_which_cycles_it_would_need() -> None:
    row = Lifetime(tbw_tb=10, dwpd=0.5, write_amplification=4.0, wear_unevenness=1.0, pec=3000)
    near = replace(row, dwpd=0.9)
    assert cycles_of_rating(1.0, [row, near], 5.0) == [
        "the rating would need about 6,000 cycles at a WA of 4, over 5 years"
    ]
    assert cycles_of_rating(0.33, [row], 5.0) == ["the rating would need about 1,980 cycles at a WA of 4, over 5 years"]


def test_intervals_are_those_of_write_amplification_and_rate(folder: Path) -> None:
    result = wl.load(folder / "out")[0].result
    assert result is not None
    life, written = result.lifetime(), result.interval("write_amplification")
    rate = result.interval("bandwidth_mb_s.write")
    assert written is not None
    assert rate is not None
    assert written.high is not None
    assert rate.high is not None
    assert life.tbw_interval is not None
    assert life.years_interval is not None
    assert life.years is not None
    assert life.tbw_interval.low == pytest.approx(life.tbw_tb * written.value / written.high)
    worst = life.years * written.value / written.high * rate.value / rate.high
    assert life.years_interval.low == pytest.approx(worst)
    assert lifetime_of(result.document, result.config, 6000).tbw_tb == pytest.approx(2 * life.tbw_tb)


def test_the_table_says_where_the_cycles_come_from(folder: Path) -> None:
    table = wordline("lifetime", "out", cwd=folder).out
    assert "a block endures 3,000 P/E cycles (a data sheet)" in table
    assert "the drive is sold for 1.5 DWPD (the same)" in table
    assert "TB TB" not in table
    assert "an upper bound" in table
    one = wordline("lifetime", "out:2", "--pec", "1000", cwd=folder)
    assert one.out.count("fio/random-write") == 1
    assert "a block endures 1,000 P/E cycles (given)" in one.out


def aged(result: wl.Result, found: float, low: float, high: float, verdict: str = "too short") -> None:
    """Has a run this write amplification on a drive that aging made level at 4."""
    result.document["write_amplification"] = found
    result.document["precondition"]["steady"] = {"is_flat": True, "write_amplification": 4.0, "timed": None}  # type: ignore[typeddict-item]
    result.document["steady"] = {"write_amplification": {"verdict": verdict, "reason": "why"}}  # type: ignore[typeddict-item]
    result.document["uncertainty"]["values"]["write_amplification"] = {"low": low, "high": high}


@pytest.mark.parametrize(
    ("found", "low", "high", "verdict", "whose", "words"),
    [
        (3.0, 2.0, 4.2, "too short", "aging", "(why), so that of aging is taken"),
        (3.9, 3.7, 4.1, "too short", "run", ""),
        (3.6, 3.5, 3.7, "too short", "run", "may not be that of years"),
        (3.6, 2.0, 5.0, "steady", "run", ""),
    ],
)
def test_the_steadier_write_amplification_is_taken(
    found: float, low: float, high: float, verdict: str, whose: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text(RATED, encoding="utf-8")
    result = wl.run(wl.config(tmp_path / "mine.toml"), wl.workload("fio/random-write", requests=100))
    aged(result, found, low, high, verdict)
    life = result.lifetime()
    assert (life.amplification_of, life.write_amplification) == (whose, 4.0 if whose == "aging" else found)
    of_run = lifetime_of(result.document, result.config, 3000, of="run")
    assert life.tbw_tb * life.write_amplification == pytest.approx(of_run.tbw_tb * found)
    assert (life.tbw_interval is None) == (whose == "aging")
    assert words in "".join(warnings(result))
    assert bool(words) == bool(warnings(result))
    result.document["precondition"]["steady"]["is_flat"] = False  # type: ignore[index]
    assert result.lifetime().amplification_of == "run", "aging reached no equilibrium"


def test_an_end_that_is_not_known_is_left_out_and_said() -> None:
    assert span(4569.0, None, " TB") == "4,569 TB"
    assert span(4569.0, Interval(4569.0, None, None, "batches", 3), " TB") == "4,569 TB"
    assert span(0.65, Interval(0.65, 0.5, None, "batches", 3)) == "0.65 (from 0.5)"
    assert span(0.65, Interval(0.65, None, 0.8, "batches", 3)) == "0.65 (to 0.8)"
    assert span(0.65, Interval(0.65, 0.5, 0.8, "batches", 3)) == "0.65 (0.5 to 0.8)"


def test_years_that_are_not_known_say_why(folder: Path) -> None:
    result = next(iter(wl.load(folder / "out"))).result
    assert result is not None
    known = lifetime_of(result.document, result.config, 3000.0)
    reason = "years: not known, as the writes of the run took no time"
    for life, is_said in ((known, False), (replace(known, years=None), True)):
        lines = sources([({}, result, rating(result.config), life)], 5.0)
        assert any(reason in line for line in lines) == is_said


def test_a_run_that_was_stopped_says_so(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(RATED, encoding="utf-8")
    drive = wl.config(tmp_path / "mine.toml")
    result = wl.run(drive, wl.workload("fio/random-write", requests=100))
    result.document["partial"] = True
    (warning,) = warnings(result)
    assert "stopped early" in warning


def test_mistakes_say_what_to_give(folder: Path, tmp_path: Path) -> None:
    assert "from out:1 to out:2" in wordline("lifetime", "out:3", cwd=folder).err
    ranged = wordline("lifetime", "out", "--pec", "0", cwd=folder)
    assert ranged.code == 2
    assert "more than 0" in ranged.err
    result = wl.run(wl.preset("mqsim", scale="1/256"), wl.workload("fio/random-write", requests=100))
    assert rating(result.config).pec is None
    with pytest.raises(ValueError, match="rated_pec"):
        result.lifetime()
    read = wordline("run", "mqsim", "--scale", "1/256", "-w", "fio/random-read", "--out", "r", cwd=tmp_path)
    assert read.code == 0
    unrated = wordline("lifetime", "r", cwd=tmp_path)
    assert unrated.code == 2
    assert "--pec 3000" in unrated.err
    assert "wrote nothing" in wordline("lifetime", "r", "--pec", "9", cwd=tmp_path).err


def test_presets_of_drives_are_rated_with_a_source() -> None:
    real = ("samsung-pm883-480gb", "intel-d3-s4610-480gb", "intel-d3-s4610-480gb-new", "wd-sn540-960gb")
    consumer_drives = ("samsung-980-pro-1tb", "sabrent-rocket-4-plus-2tb", "samsung-860-pro")
    for name in ("datacenter-tlc", "datacenter-qlc", "consumer-tlc", "consumer-qlc", *real, *consumer_drives):
        text = (ROOT / "presets" / "ssd" / f"{name}.toml").read_text(encoding="utf-8")
        rated = rating(wl.config(text=text))
        assert rated.pec is not None
        assert rated.pec.value >= 1000
        assert len(rated.pec.source) > 10
    consumer = rating(wl.config(text=(ROOT / "presets/ssd/consumer-tlc.toml").read_text(encoding="utf-8")))
    assert consumer.dwpd is not None
    assert consumer.dwpd.value * 5 * 365 == pytest.approx(600, rel=0.01)


def test_the_page_has_what_is_not_modelled() -> None:
    page = (ROOT / "docs" / "not-modelled.md").read_text(encoding="utf-8")
    for topic in TOPICS:
        assert f"| {topic.name} | {topic.why} | {topic.instead[:1].upper()}{topic.instead[1:]} |" in page
    assert page.count("\n| ") == len(TOPICS) + 1
    energy = topic_of("energy_nj")
    assert energy is not None
    assert energy.name.startswith("Energy")
    known = [key for key in wl.config() if topic_of(key)]
    assert not known, "a key is of something that is not modelled"


@pytest.mark.parametrize(
    ("preset", "written_tb", "capacity_tb"), [("samsung-pm883-480gb", 683, 0.48), ("intel-d3-s4610-480gb", 3000, 0.48)]
)
def test_presets_of_real_drives_carry_the_rating_of_their_data_sheets(
    preset: str, written_tb: float, capacity_tb: float
) -> None:
    rated = rating(wl.preset(preset))
    assert rated.pec is not None
    assert rated.dwpd is not None
    assert rated.dwpd.value == pytest.approx(written_tb / capacity_tb / (5 * 365), rel=0.02)
    assert "480 GB" in rated.dwpd.source
