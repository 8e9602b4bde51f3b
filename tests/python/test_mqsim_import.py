"""MQSim's XML pairs become layers, flows and warnings."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from mqsim_files import (
    PLANE_SECTORS,
    Pair,
    flow_xml,
    scenario_xml,
    ssd_xml,
)
from wordline.mqsim import MqsimError, Scenario
from wordline.mqsim.workload import normal_sizes

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def layer(scenario: Scenario) -> dict[str, Any]:
    return tomllib.loads(scenario.layer)


def reasons(scenario: Scenario, key: str) -> list[str]:
    return [warning.reason for warning in scenario.warnings if warning.key == key]


def test_device_values(pair: Pair) -> None:
    got = layer(pair.load())
    assert got["ssd"] == {
        "channels": 2,
        "chips_per_channel": 2,
        "dies_per_chip": 2,
        "planes_per_die": 2,
        "page_bytes": 8192,
        "blocks_per_plane": 512,
        "pages_per_block": 64,
        "overprovisioning": 0.28,
    }
    # 20 ns of ready/busy delay on top of tR alone.
    assert got["nand"] == {
        "read_us": [75.02, 80.02],
        "program_us": [750.0, 900.0],
        "erase_us": 3800.0,
        "multiplane": "overtaking",
    }
    assert got["coding"] == {"cell": "mlc", "scheme": "mlc-1-2"}
    assert got["ftl"] == {"allocation": "PDWC", "mapping": "flat", "unmapped_read": "frontier", "sector_map": True}
    assert got["precondition"] == {"fill": "lazy"}
    assert got["cache"] == {"mode": "off"}
    assert "dram" not in got


def test_every_key_is_one_of_the_base_layers_and_fits(pair: Pair) -> None:
    with (ROOT / "presets" / "base" / "ssd.toml").open("rb") as file:
        base = tomllib.load(file)
    with (ROOT / "presets" / "base" / "workload.toml").open("rb") as file:
        workload = tomllib.load(file)["workload"]
    everything = pair.load(
        {"Device_Level_Data_Caching_Mode": "WRITE_CACHE", "Stop_Time": "1000", "Initial_Occupancy_Percentage": "50"},
        {"Synthetic_Generator_Type": "BANDWIDTH", "Bandwidth": "40960000", "Initial_Occupancy_Percentage": "50",
         "Address_Distribution": "RANDOM_HOTCOLD", "Percentage_of_Hot_Region": "20", "Priority_Class": "LOW",
         "Request_Size_Distribution": "NORMAL", "Variance_Request_Size": "2"},
        device={"Ideal_Mapping_Table": "false", "Enabled_Preconditioning": "true"},
    )  # fmt: skip
    for section, keys in layer(everything).items():
        for key, value in keys.items():
            assert key in base[section], f"{section}.{key}"
            # `precondition.fill` takes a word or a number.
            assert type(value) is type(base[section][key]) or key == "fill", f"{section}.{key}"
    for flow in everything.flows:
        for name, value in flow.settings.items():
            assert type(value) is type(workload[name]), name


def test_each_setting_names_its_line(pair: Pair) -> None:
    text = ssd_xml()
    line = text[: text.index("<Overprovisioning_Ratio>")].count("\n") + 1
    (scenario,) = pair.load_text(text, scenario_xml(flow_xml()))
    assert f"overprovisioning = 0.28 # ssd.xml:{line} Overprovisioning_Ratio" in scenario.layer


@pytest.mark.parametrize(
    ("rate", "width", "mb_s", "warned"),
    [
        ("333", "1", 1000 / 3, False),
        ("400", "1", 500.0, True),
        ("1000", "2", 2000.0, False),
        ("1200", "1", 1200.0, True),
    ],
)
def test_transfer_rate_is_rounded_as_mqsim_does_unless_to_nothing(
    pair: Pair, rate: str, width: str, mb_s: float, warned: bool
) -> None:
    scenario = pair.load(device={"Channel_Transfer_Rate": rate, "Flash_Channel_Width": width})
    assert layer(scenario)["channel"]["rate_mb_s"] == pytest.approx(mb_s)
    assert bool(reasons(scenario, "Channel_Transfer_Rate")) == warned


def test_link_is_that_of_pcie_packets(pair: Pair) -> None:
    host = layer(pair.load())["host"]
    # 4 lanes x 1 GB/s: 4096 bytes are 32 packets of 156 bytes, 1248 ns.
    assert 4096 / host["link_rate_mb_s"] * 1000 == pytest.approx(1248.0)
    # Doorbells of 8 + 8, a read request of 8 and a 72-byte command of 25; a completion of 16 bytes in 11.
    assert (host["submit_ns"], host["link_request_ns"], host["complete_ns"]) == (49, 8, 11)
    half = layer(pair.load(host={"PCIe_Lane_Bandwidth": "0.5", "PCIe_Lane_Count": "2"}))["host"]
    # ceil(30 / 2) / 0.5, ceil(32 / 2) / 0.5 and ceil(100 / 2) / 0.5: doorbells of 30, 32, 100.
    assert half["submit_ns"] == 30 + 30 + 32 + 100
    assert half["link_rate_mb_s"] == pytest.approx(1000 * 128 / 156)


def test_open_loop_has_no_completion_doorbell_before_the_next_request(pair: Pair) -> None:
    scenario = pair.load({"Synthetic_Generator_Type": "BANDWIDTH", "Bandwidth": "40960000"})
    assert layer(scenario)["host"]["submit_ns"] == 41
    assert layer(scenario)["host"]["mode"] == "open"


def test_gc_thresholds_are_whole_blocks_and_at_least_ten(pair: Pair) -> None:
    gc = layer(pair.load())["gc"]
    assert gc["policy"] == "greedy"
    assert gc["preemptible"] is True
    assert gc["d"] == 9  # log2 of 512
    # 5 % are 25 blocks; MQSim keeps its mapping table in one more, even where it is ideal.
    assert int(gc["threshold"] * 512) == 25 + 1
    assert int(gc["hard_threshold"] * 512) == 2
    small = pair.load(flash={"Block_No_Per_Plane": "100"})
    assert int(layer(small)["gc"]["threshold"] * 100) == 10 + 1
    assert not reasons(small, "GC_Exec_Threshold")
    real = pair.load(device={"Ideal_Mapping_Table": "false"})
    assert int(layer(real)["gc"]["threshold"] * 512) == 25
    # MQSim's default device: 45,722 pages of 1,365 entries, 357.2 a plane, in two blocks of 256.
    default = pair.load(
        device={"Flash_Channel_Count": "8", "Chip_No_Per_Channel": "4", "Overprovisioning_Ratio": "0.07"},
        flash={"Block_No_Per_Plane": "2048", "Page_No_Per_Block": "256"},
    )
    assert int(layer(default)["gc"]["threshold"] * 2048) == 102 + 2
    tight = pair.load(flash={"Block_No_Per_Plane": "100"}, device={"Overprovisioning_Ratio": "0.13"})
    assert "13.0" in reasons(tight, "GC_Exec_Threshold")[0]


def test_tlc_takes_one_two_and_four_senses(pair: Pair) -> None:
    scenario = pair.load(
        flash={"Flash_Technology": "TLC", "Page_Read_Latency_LSB": "60000", "Page_Read_Latency_CSB": "80000",
               "Page_Read_Latency_MSB": "100000", "Page_Program_Latency_CSB": "800000"}
    )  # fmt: skip
    got = layer(scenario)
    assert got["nand"]["read_us"] == [60.02, 80.02, 100.02, 100.02]
    assert got["nand"]["program_us"] == [750.0, 800.0, 900.0]
    assert got["coding"] == {"cell": "tlc", "scheme": "tlc-1-2-4"}


def test_synthetic_closed_loop(pair: Pair) -> None:
    scenario = pair.load({"Working_Set_Percentage": "50"})
    (read,) = scenario.flows
    sectors = 16 * PLANE_SECTORS
    flow = read.flow
    assert (flow.mode, flow.queue_depth, flow.first_sector) == ("closed", 16, 0)
    assert flow.sectors == sectors - sectors % 16
    assert read.settings == {
        "name": "flow0",
        "requests": 1000,
        "seed": 798,
        "read_ratio": 0.7,
        "footprint_bytes": int((sectors - 1) * 0.5) * 512,
        "pattern": "random",
        "align_bytes": 8192,
        "size_distribution": "fixed",
        "read_block_bytes": 4096,
    }
    assert layer(scenario)["host"]["queue_depth"] == 16
    assert layer(scenario)["host"]["device_queue_depth"] == 512


def test_bandwidth_is_poisson_with_whole_divisions(pair: Pair) -> None:
    # 40,960,000 B/s are 80,000 sectors/s, 11,428 requests of 7 sectors, 87,504 ns apart.
    scenario = pair.load(
        {"Synthetic_Generator_Type": "BANDWIDTH", "Bandwidth": "40960000", "Average_Request_Size": "7"}
    )
    workload = scenario.flows[0].settings
    assert workload["arrival"] == "exponential"
    assert workload["inter_arrival_us"] == pytest.approx(87.504)
    assert reasons(scenario, "Average_No_of_Reqs_in_Queue")


def test_stop_time_limits_time_not_requests(pair: Pair) -> None:
    scenario = pair.load({"Stop_Time": "2500000000"})
    assert layer(scenario)["host"]["duration_s"] == 2.5
    assert scenario.flows[0].duration_s == 2.5
    assert scenario.flows[0].settings["requests"] == 10**15
    assert "Stop_Time" in reasons(scenario, "Total_Requests_To_Generate")[0]
    assert "duration_s" not in layer(pair.load())["host"]


def test_hot_region(pair: Pair) -> None:
    flow = pair.load({"Address_Distribution": "RANDOM_HOTCOLD", "Percentage_of_Hot_Region": "20"}).flows[0]
    assert flow.settings["pattern"] == "hot-cold"
    assert flow.settings["hot_fraction"] == 0.2
    assert flow.settings["hot_access_fraction"] == 0.8
    none = pair.load({"Address_Distribution": "RANDOM_HOTCOLD", "Percentage_of_Hot_Region": "0"})
    assert none.flows[0].settings["pattern"] == "random"
    assert reasons(none, "Percentage_of_Hot_Region")


def test_unaligned_and_streaming(pair: Pair) -> None:
    workload = (
        pair.load({"Generated_Aligned_Addresses": "FALSE", "Address_Distribution": "streaming"}).flows[0].settings
    )
    assert workload["align_bytes"] == 512
    assert workload["pattern"] == "sequential"


def test_normal_sizes_keep_mean_and_deviation() -> None:
    sizes = normal_sizes(40, 5)
    total = sum(weight for _, weight in sizes)
    mean = sum(size * weight for size, weight in sizes)
    variance = sum((size - mean) ** 2 * weight for size, weight in sizes)
    assert total == pytest.approx(1.0, abs=1e-9)
    # Rounding up adds half a sector.
    assert mean == pytest.approx(40.5, abs=0.01)
    assert variance**0.5 == pytest.approx(5.0, rel=0.02)
    assert normal_sizes(4, 8)[0][0] == 1
    assert len(normal_sizes(20_000, 4_000)) <= 256


def test_two_flows_share_every_plane_in_ranges_of_their_own(pair: Pair) -> None:
    scenario = pair.load({"Priority_Class": "URGENT"}, {"Average_No_of_Reqs_in_Queue": "2"})
    first, second = (each.flow for each in scenario.flows)
    half = 16 * int(512 * 64 * 16 * (1.0 - 0.28) / 2)
    assert first.sectors == second.sectors == half - half % 16
    assert (first.first_sector, second.first_sector) == (0, first.sectors)
    assert (first.priority, second.priority) == ("urgent", "high")
    host = layer(scenario)["host"]
    assert layer(scenario)["ftl"]["streams"] == 2
    assert host["queue_depth"] == 16
    assert host["device_queue_depth"] == 1024
    assert reasons(scenario, "Priority_Class") == []
    assert layer(scenario)["schedule"]["policy"] == "mqsim-priority-out-of-order"
    device_sectors = int(16 * 512 * 64 * (1 - 0.28)) * 16
    assert second.first_sector + second.sectors <= device_sectors


def test_a_flow_begins_with_a_page_whatever_the_range(pair: Pair) -> None:
    # Half a plane of 512 blocks of 5 pages is 14,684 sectors, 917 pages and 12 sectors.
    one_plane = {"Channel_IDs": "0", "Chip_IDs": "0", "Die_IDs": "0", "Plane_IDs": "0"}
    parts = {"flash": {"Page_No_Per_Block": "5"}, "device": {"Overprovisioning_Ratio": "0.283"}}
    first, second = pair.load(one_plane, one_plane, **parts).flows
    assert first.settings["footprint_bytes"] == int(14_683 * 0.5) * 512
    assert (first.flow.first_sector, first.flow.sectors) == (0, 917 * 16)
    assert (second.flow.first_sector, second.flow.sectors) == (917 * 16, 917 * 16)


def test_flows_on_the_same_part_cut_the_ssd_to_it(pair: Pair) -> None:
    scenario = pair.load({"Channel_IDs": "1", "Die_IDs": "1, 0"})
    assert layer(scenario)["ssd"]["channels"] == 1
    assert layer(scenario)["ssd"]["dies_per_chip"] == 2
    assert scenario.flows[0].flow.sectors == 8 * PLANE_SECTORS - 8 * PLANE_SECTORS % 16
    apart = pair.load({"Channel_IDs": "0", "Chip_IDs": "0"}, {"Channel_IDs": "1", "Chip_IDs": "1"})
    assert layer(apart)["ssd"]["channels"] == 2
    assert len(reasons(apart, "Channel_IDs")) == 2


def test_flows_with_channels_of_their_own_are_reclaim_groups(pair: Pair) -> None:
    full = {"Enabled_Preconditioning": "true"}
    channels = [{"Channel_IDs": ids, "Initial_Occupancy_Percentage": "75"} for ids in ("0", "1", "0", "0,1")]
    apart = pair.load(*channels[:3], device=full)
    assert layer(apart)["ssd"]["channels"] == 2
    assert layer(apart)["fdp"] == {"isolation": "persistently", "handles": 2, "reclaim_groups": 2}
    assert [each.flow.handles for each in apart.flows] == [(1,), (3,), (2,)]
    assert reasons(apart, "Channel_IDs") == []
    unequal = pair.load(channels[3], channels[1], device=full)
    assert len(reasons(unequal, "Channel_IDs")) == 2
    lazy = pair.load({"Channel_IDs": "0"}, {"Channel_IDs": "1"}, device={"Enabled_Preconditioning": "false"})
    assert len(reasons(lazy, "Channel_IDs")) == 2


def test_priorities_that_cannot_act_say_so_with_the_numbers(pair: Pair) -> None:
    flows = ({"Priority_Class": "URGENT"}, {"Priority_Class": "LOW"})
    scenario = pair.load(*flows, device={"Transaction_Scheduling_Policy": "OUT_OF_ORDER"})
    assert layer(scenario)["schedule"]["policy"] == "mqsim-out-of-order"
    said = reasons(scenario, "Priority_Class")
    assert len(said) == 2
    assert "takes 1024 requests at once" in said[0]
    assert "no more than 32 are outstanding" in said[0]


def test_flows_that_mqsim_passes_over_are_named(pair: Pair) -> None:
    scenario = pair.load({"Priority_Class": "URGENT"}, {"Priority_Class": "HIGH"}, {"Priority_Class": "LOW"})
    (said,) = reasons(scenario, "Priority_Class")
    assert "MQSim passes a chip over every second time where only LOW waits" in said


def test_flin_is_refused_by_name(pair: Pair) -> None:
    with pytest.raises(MqsimError, match="FLIN is not modelled; MQSim does not run it either"):
        pair.load(device={"Transaction_Scheduling_Policy": "FLIN"})


def test_cache(pair: Pair) -> None:
    scenario = pair.load({"Device_Level_Data_Caching_Mode": "WRITE_CACHE"})
    got = layer(scenario)
    assert got["cache"] == {
        "mode": "write",
        "capacity_bytes": 1048576,
        "flush": "hot-cold",
        "hot_window_ms": 1000.0,
        "flush_buffer_bytes": 16 * 8192,
    }
    # 100 MT/s of one byte, two a clock: 4 KiB take 13 + 14 + 20,480 ns.
    assert got["dram"]["latency_ns"] == 27
    assert 4096 / got["dram"]["rate_mb_s"] * 1000 == pytest.approx(20_480)
    assert got["dram"] | {"timing": "mqsim", "row_bytes": 8192, "burst_bytes": 1, "precharge_ns": 13} == got["dram"]
    both = pair.load(
        {"Device_Level_Data_Caching_Mode": "READ_CACHE"}, {"Device_Level_Data_Caching_Mode": "WRITE_CACHE"}
    )
    assert layer(both)["cache"]["mode"] == "read-write"
    assert any("different modes" in reason for reason in reasons(both, "Device_Level_Data_Caching_Mode"))
    read_write = pair.load({"Device_Level_Data_Caching_Mode": "WRITE_READ_CACHE"})
    assert layer(read_write)["cache"]["mode"] == "read-write"
    some = pair.load({"Device_Level_Data_Caching_Mode": "READ_CACHE"}, {})
    assert layer(some)["cache"]["mode"] == "read"


def test_mapping_cache(pair: Pair) -> None:
    scenario = pair.load(device={"Ideal_Mapping_Table": "false", "CMT_Capacity": "65536", "CMT_Sharing_Mode": "SHARED"})
    # 16 planes x 512 x 64 pages are 2^19: two numbers of 19 bits and 16 sector bits in 7 bytes.
    got = layer(scenario)["ftl"]
    assert got | {"mapping": "dftl", "cmt_bytes": 65536, "entry_bytes": 7} == got
    ideal = pair.load(device={"CMT_Capacity": "65536"})
    assert "Ideal_Mapping_Table is true" in reasons(ideal, "CMT_Capacity")[0]


def test_preconditioning(pair: Pair) -> None:
    writes = pair.load({"Initial_Occupancy_Percentage": "75"}, device={"Enabled_Preconditioning": "true"})
    assert layer(writes)["precondition"] == {"fill": 0.75, "overwrite": 1.5}
    assert len(reasons(writes, "Enabled_Preconditioning")) == 1
    reads = pair.load(
        {"Initial_Occupancy_Percentage": "75", "Read_Percentage": "100"}, device={"Enabled_Preconditioning": "true"}
    )
    assert layer(reads)["precondition"] == {"fill": 0.75, "overwrite": 0.0}
    off = pair.load({"Initial_Occupancy_Percentage": "75"})
    assert "Enabled_Preconditioning is false" in reasons(off, "Initial_Occupancy_Percentage")[0]


def test_trace(pair: Pair) -> None:
    (pair.folder / "some.trace").write_text("0 0 0 8 1\n", encoding="utf-8")
    scenario = pair.load({"File_Path": "some.trace", "Percentage_To_Be_Executed": "40", "Time_Unit": "MICROSECOND"})
    (read,) = scenario.flows
    path = str(pair.folder / "some.trace")
    wanted = wl.Flow("flow0", wl.trace(path, format="mqsim", wrap=True), "open", time_scale=1000.0)
    assert (replace(read.flow, sectors=None), read.share, read.settings) == (wanted, 0.4, {})
    assert "nanoseconds" in reasons(scenario, "Time_Unit")[0]
    again = pair.load({"File_Path": "some.trace", "Percentage_To_Be_Executed": "40", "Relay_Count": "3"})
    assert isinstance(again.flows[0].flow.workload, wl.Trace)
    assert (dict(again.flows[0].flow.workload.options)["rounds"], again.flows[0].share) == (3, 1.0)
    assert reasons(again, "Percentage_To_Be_Executed")


def test_a_stop_time_ends_traces_too(pair: Pair) -> None:
    scenario = pair.load({"Stop_Time": "1000000"}, {"File_Path": "some.trace"}, {})
    assert layer(scenario)["host"]["duration_s"] == 0.001
    assert "mode" not in layer(scenario)["host"]
    assert reasons(scenario, "File_Path")
    assert reasons(scenario, "Stop_Time")


def test_keys_without_meaning_are_named_with_value_and_reason(pair: Pair) -> None:
    scenario = pair.load(
        {"Intensity": "32768", "Variance_Request_Size": "3", "Bandwidth": "7", "Colour": "blue"},
        device={
            "Static_Wearleveling_Threshold": "100",
            "Preferred_suspend_erase_time_for_read": "700000",
            "Blocks": "5",
        },
        flash={"Page_Metadat_Capacity": "448", "Block_PE_Cycles_Limit": "10000", "Page_Read_Latency_CSB": "5"},
        host={"SATA_Processing_Delay": "400000"},
    )
    shown = {warning.key: str(warning) for warning in scenario.warnings}
    assert set(shown) == {
        "Intensity", "Variance_Request_Size", "Bandwidth", "Colour", "Static_Wearleveling_Threshold",
        "Preferred_suspend_erase_time_for_read", "Blocks", "Page_Metadat_Capacity", "Block_PE_Cycles_Limit",
        "Page_Read_Latency_CSB", "SATA_Processing_Delay",
    }  # fmt: skip
    assert "ssd.xml" in shown["Blocks"]
    assert "Blocks = 5: is no key of MQSim's" in shown["Blocks"]
    assert "Bandwidth" in shown["Intensity"]
    assert "work.xml" in shown["Colour"]
    line = next(warning.line for warning in scenario.warnings if warning.key == "Colour")
    assert "<Colour>" in (pair.folder / "work.xml").read_text(encoding="utf-8").splitlines()[line - 1]


def test_a_clean_pair_has_no_warnings(pair: Pair) -> None:
    assert pair.load().warnings == []


def test_an_absent_device_key_takes_mqsims_own_default(pair: Pair) -> None:
    scenario = pair.load(
        device={"Channel_Transfer_Rate": "DROP", "Flash_Channel_Count": "DROP"}, host={"PCIe_Lane_Bandwidth": "DROP"}
    )
    assert layer(scenario)["channel"]["rate_mb_s"] == pytest.approx(1000 / 3)
    assert layer(scenario)["host"]["link_rate_mb_s"] == pytest.approx(4 * 400 * 128 / 156)
    assert reasons(scenario, "Channel_Transfer_Rate")[0].startswith("is not in the file; MQSim's own default 300")
    assert len(reasons(scenario, "Flash_Channel_Count")) == 1


def test_each_scenario_has_its_own_flows_and_warnings(pair: Pair) -> None:
    text = scenario_xml(flow_xml({"Colour": "blue"})).replace(
        "</MQSim_IO_Scenarios>",
        f"<IO_Scenario>\n{flow_xml({'Read_Percentage': '0'})}</IO_Scenario>\n</MQSim_IO_Scenarios>",
    )
    first, second = pair.load_text(ssd_xml(host={"SATA_Processing_Delay": "1"}), text)
    assert (first.name, second.name) == ("scenario1", "scenario2")
    assert [warning.key for warning in first.warnings] == ["SATA_Processing_Delay", "Colour"]
    assert [warning.key for warning in second.warnings] == ["SATA_Processing_Delay"]
    assert second.flows[0].settings["read_ratio"] == 0.0
