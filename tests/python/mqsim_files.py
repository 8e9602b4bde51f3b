"""Pairs of MQSim files that tests write: an SSD, and scenarios of flows."""

from __future__ import annotations

from pathlib import Path

from wordline.mqsim import Scenario, load

HOST = {"PCIe_Lane_Bandwidth": "1.0", "PCIe_Lane_Count": "4"}
DEVICE = {
    "Enabled_Preconditioning": "false",
    "HostInterface_Type": "NVME",
    "Queue_Fetch_Size": "512",
    "Memory_Type": "FLASH",
    "Caching_Mechanism": "ADVANCED",
    "Data_Cache_Sharing_Mode": "SHARED",
    "Data_Cache_Capacity": "1048576",
    "Data_Cache_DRAM_Data_Rate": "100",
    "Data_Cache_DRAM_Data_Busrt_Size": "1",
    "Data_Cache_DRAM_tRCD": "13",
    "Data_Cache_DRAM_tCL": "14",
    "Data_Cache_DRAM_tRP": "13",
    "Data_Cache_DRAM_Row_Size": "8192",
    "Address_Mapping": "PAGE_LEVEL",
    "Ideal_Mapping_Table": "true",
    "Plane_Allocation_Scheme": "PDWC",
    "Transaction_Scheduling_Policy": "PRIORITY_OUT_OF_ORDER",
    "Overprovisioning_Ratio": "0.28",
    "GC_Exec_Threshold": "0.05",
    "GC_Block_Selection_Policy": "GREEDY",
    "Use_Copyback_for_GC": "false",
    "Preemptible_GC_Enabled": "true",
    "GC_Hard_Threshold": "0.005",
    "Flash_Channel_Count": "2",
    "Flash_Channel_Width": "1",
    "Channel_Transfer_Rate": "333",
    "Chip_No_Per_Channel": "2",
    "Flash_Comm_Protocol": "NVDDR2",
}
FLASH = {
    "Flash_Technology": "MLC",
    "Page_Read_Latency_LSB": "75000",
    "Page_Read_Latency_MSB": "80000",
    "Page_Program_Latency_LSB": "750000",
    "Page_Program_Latency_MSB": "900000",
    "Block_Erase_Latency": "3800000",
    "Die_No_Per_Chip": "2",
    "Plane_No_Per_Die": "2",
    "Block_No_Per_Plane": "512",
    "Page_No_Per_Block": "64",
    "Page_Capacity": "8192",
}
COMMON = {
    "Priority_Class": "HIGH",
    "Device_Level_Data_Caching_Mode": "TURNED_OFF",
    "Channel_IDs": "0,1",
    "Chip_IDs": "0,1",
    "Die_IDs": "0,1",
    "Plane_IDs": "0,1",
}
SYNTHETIC = COMMON | {
    "Working_Set_Percentage": "50",
    "Synthetic_Generator_Type": "QUEUE_DEPTH",
    "Read_Percentage": "70",
    "Address_Distribution": "RANDOM_UNIFORM",
    "Generated_Aligned_Addresses": "true",
    "Address_Alignment_Unit": "16",
    "Request_Size_Distribution": "FIXED",
    "Average_Request_Size": "8",
    "Seed": "798",
    "Average_No_of_Reqs_in_Queue": "16",
    "Stop_Time": "0",
    "Total_Requests_To_Generate": "1000",
}
TRACE = COMMON | {
    "File_Path": "missing.trace",
    "Percentage_To_Be_Executed": "100",
    "Relay_Count": "1",
    "Time_Unit": "NANOSECOND",
}
# 2 x 2 x 2 x 2 planes of 512 blocks of 64 pages of 16 sectors, 72 % of each plane's.
PLANE_SECTORS = int(512 * 64 * 16 * (1 - 0.28))
Keys = dict[str, str]


def lines(keys: Keys) -> str:
    return "".join(f"<{key}>{value}</{key}>\n" for key, value in keys.items() if value != "DROP")


def ssd_xml(device: Keys | None = None, flash: Keys | None = None, host: Keys | None = None) -> str:
    return (
        "<Execution_Parameter_Set>\n"
        f"<Host_Parameter_Set>\n{lines(HOST | (host or {}))}</Host_Parameter_Set>\n"
        f"<Device_Parameter_Set>\n{lines(DEVICE | (device or {}))}"
        f"<Flash_Parameter_Set>\n{lines(FLASH | (flash or {}))}</Flash_Parameter_Set>\n"
        "</Device_Parameter_Set>\n</Execution_Parameter_Set>\n"
    )


def flow_xml(changes: Keys | None = None) -> str:
    changes = changes or {}
    kind, keys = ("Trace_Based", TRACE) if "File_Path" in changes else ("Synthetic", SYNTHETIC)
    tag = f"IO_Flow_Parameter_Set_{kind}"
    return f"<{tag}>\n{lines(keys | changes)}</{tag}>\n"


def scenario_xml(*flows: str) -> str:
    return f"<MQSim_IO_Scenarios>\n<IO_Scenario>\n{''.join(flows)}</IO_Scenario>\n</MQSim_IO_Scenarios>\n"


class Pair:
    """Writes a pair of files and reads it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, *flows: Keys, **parts: Keys) -> Scenario:
        (scenario,) = self.load_text(ssd_xml(**parts), scenario_xml(*(flow_xml(flow) for flow in flows or ({},))))
        return scenario

    def load_text(self, ssd: str, workload: str) -> list[Scenario]:
        (self.folder / "ssd.xml").write_text(ssd, encoding="utf-8")
        (self.folder / "work.xml").write_text(workload, encoding="utf-8")
        return load(self.folder / "ssd.xml", self.folder / "work.xml")
