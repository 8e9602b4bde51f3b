"""`wordline explain`, `presets` and `workloads`."""

import json
from pathlib import Path

from cli_runner import wordline


def explained(*arguments: str, cwd: Path | None = None) -> dict[str, dict[str, object]]:
    answer = wordline("explain", *arguments, "--json", cwd=cwd)
    assert (answer.code, answer.err) == (0, "")
    return {entry["key"]: entry for entry in json.loads(answer.out)["keys"]}


def test_every_key_says_who_set_it(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('preset = "pnar2"\n[gc]\npolicy = "fifo" # my choice\n')
    keys = explained("mine.toml", "--set", "ssd.channels=2", cwd=tmp_path)
    assert keys["gc.policy"]["value"] == "fifo"
    assert keys["gc.policy"]["set_by"] == "mine.toml:3"
    assert keys["gc.policy"]["comment"] == "my choice"
    assert "cost-benefit" in str(keys["gc.policy"]["documentation"])
    assert keys["ssd.channels"]["set_by"] == "--set ssd.channels=2"
    assert str(keys["nand.erase_us"]["set_by"]).startswith("preset pnar2:")
    assert "Table 1" in str(keys["nand.erase_us"]["comment"])
    assert keys["gc.d"]["set_by"] == "default"


def test_every_key_has_a_comment() -> None:
    keys = explained()
    assert len(keys) > 100
    assert all(entry["comment"] and entry["set_by"] == "default" for entry in keys.values())


def test_keys_can_be_chosen() -> None:
    assert set(explained("pnar2", "--key", "erase", "--key", "gc.policy")) == {
        "erase.last_loop",
        "erase.mispredict_pulse",
        "erase.mispredict_rate",
        "erase.rber_requirement_bits",
        "erase.scheme",
        "erase.shallow_flag",
        "erase.shallow_us",
        "erase.yield",
        "gc.policy",
    }
    changed = explained("pnar2", "--changed")
    assert "ssd.channels" in changed
    assert "gc.d" not in changed


def test_the_table_is_plain_and_whole() -> None:
    answer = wordline("explain", "pnar2", "--key", "nand.erase_us")
    assert answer.code == 0
    row = answer.out.splitlines()[1]
    assert row.split()[:2] == ["nand.erase_us", "5000"]
    assert "preset pnar2:" in row
    assert "Table 1, tBERS" in row
    assert "time of an erase in one piece (tBERS); only with erase.scheme = fixed" in answer.out


def test_an_unknown_key_is_a_mistake() -> None:
    answer = wordline("explain", "pnar2", "--key", "gc.polcy")
    assert (answer.code, answer.out) == (2, "")
    assert "did you mean `gc.policy`?" in answer.err


def test_presets_and_workloads_are_listed() -> None:
    for command, name in (("presets", "pnar2"), ("workloads", "msrc/hm_0")):
        items = json.loads(wordline(command, "--json").out)
        assert name in [item["name"] for item in items]
        assert all(item["summary"] for item in items)
        table = wordline(command)
        assert table.code == 0
        assert any(line.split()[0] == name for line in table.out.splitlines())
