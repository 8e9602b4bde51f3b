"""The benches behind `wordline characterize`."""

from __future__ import annotations

import tomllib
from functools import reduce
from operator import getitem

import pytest

from api_helpers import ROOT
from wordline.config import config
from wordline.errors import WrongValueError
from wordline.lab import EraseBench, ProgramBench, ReadBench
from wordline.lab.chips import all_chips, chip_of, on_bench

READ = [chip.name for chip in all_chips() if "read" in chip.parts]


def test_every_chip_says_what_is_known_of_it() -> None:
    files = sorted(path.stem for path in (ROOT / "presets" / "chips").glob("*.toml"))
    assert [chip.name for chip in all_chips()] == files
    for chip in all_chips():
        assert chip.parts
        assert chip_of(on_bench(chip.name)) == chip
    assert chip_of(config()) is None


@pytest.mark.parametrize("name", READ)
def test_a_read_bench_counts_every_page(name: str) -> None:
    bench = ReadBench(on_bench(name), chips=8, blocks=1)
    for cycles, months in ((0, 0), (1000, 6), (2000, 12)):
        shares = bench.retry_steps(cycles, months)
        assert len(shares) == bench.table_steps + 2
        assert sum(shares) == pytest.approx(1.0)
    hot, cold = (bench.m_err(2000, 12, celsius)[0] for celsius in (85.0, 30.0))
    assert 0 < hot < cold
    bits = bench.m_err(1000, 0, 85.0, [(cut, 0.0, 0.0) for cut in (0.0, 0.2, 0.4, 0.6)])
    assert bits == sorted(bits)
    found = bench.vth(2000, 12)
    assert found["mean_v"] == sorted(found["mean_v"])
    assert len(found["best_reads_v"]) == len(found["mean_v"]) - 1
    low, high = bench.rber_quantiles(2000, 12, 30.0, (0.0, 1.0))
    assert 0 < low < high < 0.02
    assert bench.rber_quantiles(2000, 12, 30.0, (1.0,), behind_steps=1.0)[0] > high


def test_benches_refuse_what_they_cannot_measure() -> None:
    for bench, part in ((ReadBench, "read"), (EraseBench, "erase")):
        with pytest.raises(WrongValueError, match=rf"no `\[{part}\]` part"):
            bench(on_bench("mlc-ofwar"))
    with pytest.raises(WrongValueError, match=r"no `\[program\]` part"):
        ProgramBench(on_bench("tlc-2d"))
    with pytest.raises(WrongValueError, match="a sample needs"):
        ReadBench(on_bench("tlc-48l"), pages=2)


def test_columns_of_programs_are_of_one_length() -> None:
    bench = ProgramBench(on_bench("mlc-ofwar"))
    for columns in (bench.retention(2.0, 5), bench.rber((1.0, 2.0), (1000, 3000), (1.0, 10.0)), bench.sensitivity()):
        assert len({len(column) for column in columns.values()}) == 1
    cycles, days, most = bench.rated()
    assert bench.rber((1.0,), (cycles,), (days,))["rber"][0] == pytest.approx(most)


def test_fast_programs_of_the_tlc_are_as_the_model_page_says() -> None:
    bench = ProgramBench(on_bench("tlc-48l"))
    cycles, days, rber = bench.rated()
    assert (cycles, days) == (1000.0, pytest.approx(3652.5))
    # At the nominal step ten years leave what the ECC corrects; at the MLC's cycles they would not.
    assert 50.0 < rber * 8192 < 72.0 < bench.rber((1.0,), (3000.0,), (days,))["rber"][0] * 8192
    fast = bench.retention(2.0, 2)
    assert fast["days"][-1] == pytest.approx(17.0, abs=1.0)
    assert fast["program_us"] == [700.0, 350.0]


def test_a_constant_that_a_chip_takes_from_another_equals_it() -> None:
    """A refit moves the constants of `tlc-48l`; the chips that have them by a guess must follow."""
    folder = ROOT / "presets" / "chips"
    base = tomllib.loads((folder / "tlc-48l.toml").read_text())
    for path in sorted(folder.glob("*.toml")):
        own, section = tomllib.loads(path.read_text()), ""
        for line in path.read_text().splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif "as tlc-48l" in line and not line.startswith("#"):
                key = f"{section}.{line.partition('=')[0].strip()}".split(".")
                assert reduce(getitem, key, own) == reduce(getitem, key, base), f"{path.name}: {'.'.join(key)}"
