"""What the commands and scripts of the documentation run on: small traces, MQSim's files, and fewer requests."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    if not {"node_modules", "site"} & set(page.relative_to(ROOT).parts)
)
# Settings that make any command of the documentation quick.
REQUESTS = "workload.requests=400"
QUICK = [REQUESTS, "precondition.overwrite=0.0"]

# Written in the words of MQSim's own format, as small as it can be.
SSDCONFIG = """<?xml version="1.0" encoding="us-ascii"?>
<Execution_Parameter_Set>
  <Host_Parameter_Set><PCIe_Lane_Count>4</PCIe_Lane_Count></Host_Parameter_Set>
  <Device_Parameter_Set>
    <Flash_Channel_Count>2</Flash_Channel_Count>
    <Flash_Parameter_Set><Plane_No_Per_Die>2</Plane_No_Per_Die></Flash_Parameter_Set>
  </Device_Parameter_Set>
</Execution_Parameter_Set>
"""
WORKLOAD = """<?xml version="1.0" encoding="us-ascii"?>
<MQSim_IO_Scenarios>
  <IO_Scenario>
    <IO_Flow_Parameter_Set_Trace_Based>
      <Initial_Occupancy_Percentage>0</Initial_Occupancy_Percentage>
      <File_Path>trace.ascii</File_Path>
      <Percentage_To_Be_Executed>100</Percentage_To_Be_Executed>
      <Relay_Count>1</Relay_Count>
      <Time_Unit>NANOSECOND</Time_Unit>
    </IO_Flow_Parameter_Set_Trace_Based>
  </IO_Scenario>
</MQSim_IO_Scenarios>
"""


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of one language on a page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(page: Path, program: str) -> list[list[str]]:
    """The arguments of every `$ program …` line in a page's console blocks."""
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    return [shlex.split(line)[2:] for line in lines if line.startswith(f"$ {program} ")]


def quick(arguments: list[str]) -> list[str]:
    """The same command with few requests; grids stay grids, in this process."""
    if arguments[0] not in ("run", "compare", "trace"):
        return arguments
    if arguments[:2] == ["trace", "gen"]:
        settings = [REQUESTS]
    elif arguments[0] == "trace" or "--mqsim" in arguments:
        return arguments
    else:
        settings = QUICK
    keys = {setting.partition("=")[0] for setting in settings}
    kept = [item if item.partition("=")[0] not in keys else "" for item in arguments]
    while "" in kept:
        place = kept.index("")
        del kept[place - 1 : place + 1]
    further = ["--jobs", "1"] if arguments[0] == "compare" else []
    return [*kept, *further, *(part for setting in settings for part in ("--set", setting))]


def make(folder: Path) -> None:
    """Puts everything that the pages name into a folder."""
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "out").mkdir()
    (folder / "ssdconfig.xml").write_text(SSDCONFIG, encoding="ascii")
    (folder / "workload.xml").write_text(WORKLOAD, encoding="ascii")
    lines = [f"{i * 1000} 0 {i * 8} 8 {i % 2}\n" for i in range(200)]
    (folder / "trace.ascii").write_text("".join(lines), encoding="ascii")
    rows = [f"{i * 10},{'RW'[i % 2]},{i * 64},16\n" for i in range(200)]
    (folder / "other.csv").write_text("".join(rows), encoding="ascii")
