"""The page for MQSim's users names keys that exist, and sums that are right."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-to" / "from-mqsim.md").read_text(encoding="utf-8")


def test_every_key_exists() -> None:
    known: set[str] = set()
    for name in ("ssd", "workload"):
        with (ROOT / "presets" / "base" / f"{name}.toml").open("rb") as file:
            for section, keys in tomllib.load(file).items():
                known |= {f"{section}.{key}" for key in keys} if isinstance(keys, dict) else set()
    named = set(re.findall(r"`([a-z]+\.[a-z_]+)", PAGE)) - {"ssdconfig.xml", "workload.xml", "page.parameters"}
    assert len(named) > 40
    assert named <= known


def test_rows_of_the_unloaded_table_add_up() -> None:
    rows = re.findall(r"^\| (\d)-KiB (read|write) \|(.*)\*\*([\d,]+)\*\* \|$", PAGE, re.MULTILINE)
    assert len(rows) == 4
    for _, _, parts, total in rows:
        numbers = [int(number.replace(",", "")) for number in re.findall(r"[\d,]+", parts)]
        assert sum(numbers) == int(total.replace(",", ""))


def test_hand_computed_cases_add_up() -> None:
    read, out = 290 + 75_020, 12_288
    assert "**175,196**" in PAGE
    assert 2 * (read + out) == 175_196
    assert "**99,886**" in PAGE
    assert read + 2 * out == 99_886
    assert "**76,618**" in PAGE
    assert 88_906 - out == 76_618
    write = 49 + 8 + 1_248 + (read + out) + (361 + out + 750_000) + 11
    assert write == 851_563
    assert "**863,851**" in PAGE
    assert write + out == 863_851
    assert "**1,575,266**" in PAGE
    assert 1_177 + 361 + 3 * 24_576 + 2 * 750_000 == 1_575_266
    assert "**2,324,811**" in PAGE
    assert 3 * (361 + 24_576 + 750_000) == 2_324_811
