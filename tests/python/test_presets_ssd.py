"""The SSD presets: known keys only, a source beside every number, and the capacity that the source states."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRESETS = sorted((ROOT / "presets" / "ssd").glob("*.toml"))
GIB = 2**30
# Host capacity in bytes that each source states, and how far the geometry's whole pages may miss it.
CAPACITY = {
    "mqsim": 62_411_240 * 8192,  # counted in MQSim: logical pages of its default device
    "pnar2": 512 * GIB,
    "ida": 512e9,
    "ida-mlc": 512e9,
    "ofwar": 50 * GIB,
    "rif": 2e12,
    "aero": 0.8 * 1025 * GIB,
    "datacenter-tlc": 3.84e12,
    "datacenter-qlc": 3.84e12,
    "consumer-tlc": 1_000_204_886_016,  # sectors of a 1-TB drive by IDEMA's rule
    "consumer-qlc": 1_024_209_543_168,  # of a 1,024-GB drive
    "together": 0.8 * 531 * GIB,
    # By IDEMA's rule, from the size in the name; that of the 860 PRO is assumed.
    "samsung-pm883-480gb": 480_103_981_056,
    "intel-d3-s4610-480gb": 480_103_981_056,
    "intel-d3-s4610-480gb-new": 480_103_981_056,
    "sabrent-rocket-4-plus-2tb": 2_000_398_934_016,
    "samsung-860-pro": 512_110_190_592,
    "samsung-980-pro-1tb": 1_000_204_886_016,
    "wd-sn540-960gb": 960_197_124_096,
    "samsung-pm9d3a-7680gb": 7_681_501_126_656,
    "fadu-3840gb": 3_840_755_982_336,
    "wd-zn540-1tb": 904 * 1077 * 2**20,  # what can be written of its zones
}

# Presets whose own chip nobody has published.
STAND_INS = ("datacenter", "consumer", "wd-zn540", "samsung-pm9d3a", "fadu")


def load(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


def resolved(path: Path) -> dict[str, dict[str, Any]]:
    base = load(ROOT / "presets" / "base" / "ssd.toml")
    for section, keys in load(path).items():
        base[section].update(keys)
    return base


def test_every_preset_is_here() -> None:
    assert {path.stem for path in PRESETS} == set(CAPACITY)


@pytest.mark.parametrize("path", PRESETS, ids=lambda p: p.stem)
def test_keys_exist_and_have_the_base_layers_type(path: Path) -> None:
    base = load(ROOT / "presets" / "base" / "ssd.toml")
    for section, keys in load(path).items():
        for key, value in keys.items():
            assert key in base[section], f"{section}.{key}"
            # A fill is a word, as in the base, or a share.
            kinds = {type(base[section][key])} | ({float} if (section, key) == ("precondition", "fill") else set())
            assert type(value) in kinds, f"{section}.{key}"


@pytest.mark.parametrize("path", PRESETS, ids=lambda p: p.stem)
def test_every_preset_says_what_it_lacks_and_so_does_the_page(path: Path) -> None:
    (lacks,) = re.findall(r"^# Lacks: (\w.*\.)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    page = (ROOT / "docs" / "reference" / "presets.md").read_text(encoding="utf-8")
    assert f"- **`{path.stem}`**: {lacks}\n" in page


@pytest.mark.parametrize("path", PRESETS, ids=lambda p: p.stem)
def test_a_chip_that_stands_in_is_the_chip(path: Path) -> None:
    cells = load(path).get("cells", {})
    assert cells.get("stand_in", "") in ("", cells.get("chip"))
    assert ("stand_in" in cells) == path.stem.startswith(STAND_INS)


@pytest.mark.parametrize("path", PRESETS, ids=lambda p: p.stem)
def test_every_value_has_a_source(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("#:schema "), "the first line names the schema for editors"
    assert re.match(r"# \w.*\.$", lines[1]), "the second line describes the preset"
    for number, line in enumerate(lines, 1):
        if "=" in line and not line.startswith("#"):
            assert re.search(r"  ?# \S.{3,}", line), f"line {number} has no source"


@pytest.mark.parametrize("path", PRESETS, ids=lambda p: p.stem)
def test_capacity_is_the_stated_one(path: Path) -> None:
    config = resolved(path)
    ssd = config["ssd"]
    blocks = (
        ssd["channels"]
        * ssd["chips_per_channel"]
        * ssd["dies_per_chip"]
        * ssd["planes_per_die"]
        * ssd["blocks_per_plane"]
    )
    host_bytes = int(blocks * ssd["pages_per_block"] * (1 - ssd["overprovisioning"])) * ssd["page_bytes"]
    assert host_bytes == pytest.approx(CAPACITY[path.stem], rel=1e-4)
    # GC must be able to reach its threshold when the host has written everything.
    assert config["gc"]["threshold"] < ssd["overprovisioning"]


@pytest.mark.parametrize("path", PRESETS, ids=lambda p: p.stem)
def test_page_types_fit(path: Path) -> None:
    config = resolved(path)
    bits = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}[config["coding"]["cell"]]
    senses = max(
        int(n)
        for n in re.findall(
            r"\d", {"auto": f"{2 ** (bits - 1)}"}.get(config["coding"]["scheme"], config["coding"]["scheme"])
        )
    )
    assert config["ssd"]["pages_per_block"] % bits == 0
    assert len(config["nand"]["read_us"]) >= senses
    assert len(config["nand"]["program_us"]) in (1, bits)


def test_stated_times() -> None:
    def page_us(name: str) -> float:
        config = resolved(ROOT / "presets" / "ssd" / f"{name}.toml")
        return config["ssd"]["page_bytes"] / config["channel"]["rate_mb_s"]

    assert page_us("pnar2") == pytest.approx(16.0)
    assert page_us("ida") == pytest.approx(48.0)
    assert page_us("ida-mlc") == pytest.approx(48.0)
    assert page_us("ofwar") == pytest.approx(30.8, abs=0.01)
    assert page_us("mqsim") == pytest.approx(24.576)
    mqsim = resolved(ROOT / "presets" / "ssd" / "mqsim.toml")
    assert 4096 / mqsim["host"]["link_rate_mb_s"] == pytest.approx(1.248)
