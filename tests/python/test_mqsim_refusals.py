"""Broken or unknown parts of MQSim's XML pairs become errors that name the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqsim_files import (
    SYNTHETIC,
    Keys,
    Pair,
    flow_xml,
    scenario_xml,
    ssd_xml,
)
from wordline.mqsim import MqsimError, load


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def refused(pair: Pair, *flows: Keys, **parts: Keys) -> MqsimError:
    with pytest.raises(MqsimError) as caught:
        pair.load(*flows, **parts)
    return caught.value


@pytest.mark.parametrize("key", [key for key in SYNTHETIC if key not in ("Stop_Time", "Total_Requests_To_Generate")])
def test_a_missing_key_of_a_flow_is_an_error(pair: Pair, key: str) -> None:
    error = refused(pair, {key: "DROP"})
    assert error.key == key
    assert error.file.endswith("work.xml")
    assert f"add <{key}>" in error.fix
    assert str(error).startswith(f"{error.file}:{error.line}: {key}: is missing; ")


def test_requests_are_needed_only_without_a_stop_time(pair: Pair) -> None:
    assert refused(pair, {"Total_Requests_To_Generate": "DROP"}).key == "Total_Requests_To_Generate"
    assert pair.load({"Total_Requests_To_Generate": "DROP", "Stop_Time": "5"}).flows[0].duration_s == 5e-9


@pytest.mark.parametrize(
    ("flow", "key", "fix"),
    [
        ({"Read_Percentage": "101"}, "Read_Percentage", "from 0 to 100"),
        ({"Read_Percentage": "most"}, "Read_Percentage", "from 0 to 100"),
        ({"Address_Distribution": "ZIPF"}, "Address_Distribution", "RANDOM_UNIFORM"),
        ({"Channel_IDs": "0,2"}, "Channel_IDs", "larger SSD"),
        ({"Channel_IDs": ""}, "Channel_IDs", "0,1,2"),
        ({"Average_Request_Size": "70000"}, "Average_Request_Size", "from 1 to 65535"),
        ({"Synthetic_Generator_Type": "BANDWIDTH", "Bandwidth": "4095"}, "Bandwidth", "4096 bytes/s"),
        ({"Synthetic_Generator_Type": "BANDWIDTH"}, "Bandwidth", "add <Bandwidth>"),
        ({"Synthetic_Generator_Type": "BANDWIDTH", "Intensity": "9"}, "Intensity", "rename it to Bandwidth"),
        ({"Device_Level_Data_Caching_Mode": "ON"}, "Device_Level_Data_Caching_Mode", "WRITE_CACHE"),
        ({"File_Path": "DROP"}, "File_Path", "add <File_Path>"),
    ],
)
def test_a_bad_flow_is_an_error(pair: Pair, flow: Keys, key: str, fix: str) -> None:
    error = refused(pair, flow)
    assert error.key == key
    assert fix in error.fix
    assert error.line > 0


@pytest.mark.parametrize(
    ("parts", "key", "fix"),
    [
        ({"device": {"Plane_Allocation_Scheme": "CCDP"}}, "Plane_Allocation_Scheme", "CWDP"),
        ({"device": {"Address_Mapping": "HYBRID"}}, "Address_Mapping", "PAGE_LEVEL"),
        ({"device": {"Transaction_Scheduling_Policy": "FLIN"}}, "Transaction_Scheduling_Policy", "OUT_OF_ORDER"),
        ({"device": {"Overprovisioning_Ratio": "7"}}, "Overprovisioning_Ratio", "from 0 to 0.9"),
        ({"device": {"Overprovisioning_Ratio": "nan"}}, "Overprovisioning_Ratio", "from 0 to 0.9"),
        ({"flash": {"Page_Capacity": "12288"}}, "Page_Capacity", "8192"),
        ({"flash": {"Flash_Technology": "QLC"}}, "Flash_Technology", "TLC"),
        ({"host": {"PCIe_Lane_Count": "0"}}, "PCIe_Lane_Count", "from 1 to 64"),
    ],
)
def test_a_bad_device_is_an_error(pair: Pair, parts: dict[str, Keys], key: str, fix: str) -> None:
    error = refused(pair, **parts)
    assert error.key == key
    assert fix in error.fix
    assert error.file.endswith("ssd.xml")


def test_broken_files(pair: Pair, tmp_path: Path) -> None:
    def message(ssd: str, workload: str) -> str:
        with pytest.raises(MqsimError) as caught:
            pair.load_text(ssd, workload)
        return str(caught.value)

    good_ssd, good_work = ssd_xml(), scenario_xml(flow_xml())
    cut = good_ssd.replace("</Host_Parameter_Set>", "")
    assert f"ssd.xml:{cut[: cut.index('</Execution')].count(chr(10)) + 1}: not valid XML" in message(cut, good_work)
    assert "not valid XML" in message("", good_work)
    assert "Execution_Parameter_Set" in message(good_work, good_work)
    assert "MQSim_IO_Scenarios" in message(good_ssd, good_ssd)
    assert "Device_Parameter_Set" in message(
        "<Execution_Parameter_Set><Host_Parameter_Set/></Execution_Parameter_Set>", good_work
    )
    assert "has no scenario" in message(good_ssd, "<MQSim_IO_Scenarios/>")
    assert "has no flow" in message(good_ssd, scenario_xml())
    assert "is no kind of flow" in message(good_ssd, scenario_xml("<IO_Flow/>"))
    assert "DOCTYPE" in message(good_ssd, '<!DOCTYPE x [<!ENTITY e "e">]><x>&e;</x>')
    with pytest.raises(MqsimError, match=r"nowhere\.xml: No such file"):
        load(tmp_path / "nowhere.xml", tmp_path / "work.xml")
