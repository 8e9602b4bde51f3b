"""How long a read waits on a used drive that collects all the time, with each preset."""

from __future__ import annotations

import pytest

import wordline as wl

# Four dies, filled and overwritten twice; GC goes on in every plane.
USED = {
    "ssd.channels": 2,
    "ssd.chips_per_channel": 2,
    "ssd.dies_per_chip": 1,
    "ssd.blocks_per_plane": 220,
    "ssd.pages_per_block": 96,
    "precondition.fill": 1.0,
    "precondition.overwrite": 2.0,
}
# MQSim puts urgent GC before reads.
# A drive of zones has no GC.
PRESETS = [each.name for each in wl.presets() if each.name != "mqsim" and wl.preset(each.name)["zones.mode"] == "off"]


def used(preset: str) -> wl.Result:
    flows = [
        wl.Flow(name, wl.workload(f"fio/random-{name}", requests=20_000), mode="closed", queue_depth=2)
        for name in ("read", "write")
    ]
    return wl.run(wl.preset(preset).set_all(USED), flows)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_read_waits_for_fewer_than_three_erases(preset: str) -> None:
    result = used(preset)
    assert result.document["gc"]["erases"] > 20, "GC has to go on"
    erase_us, program_us = wl.preset(preset)["nand.erase_us"], max(wl.preset(preset)["nand.program_us"])
    longest = result.document["response_us"]["read"]["max"]
    # And one command of GC, which is a page in each plane of a die.
    assert longest < 3 * erase_us + program_us
    assert longest < 50_000


def test_in_mqsim_s_order_it_waits_for_whole_victims() -> None:
    assert used("mqsim").document["response_us"]["read"]["max"] > 100_000
