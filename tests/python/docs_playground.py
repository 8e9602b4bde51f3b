"""What the commands and scripts of the documentation run on: small traces, MQSim's files, and fewer requests."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import wordline_papers
from mqsim_files import flow_xml, scenario_xml, ssd_xml

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page
    for page in [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").glob("*.md"),
        *(ROOT / "papers").rglob("*.md"),
    ]
    if not {"node_modules", "site"} & set(page.relative_to(ROOT).parts)
)
# Settings that make any command of the documentation quick.
FEW = "400"
REQUESTS = f"workload.requests={FEW}"
QUICK = [REQUESTS, "precondition.overwrite=0.0"]


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of one language on a page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(page: Path, program: str) -> list[list[str]]:
    """The arguments of every `$ program …` line in a page's console blocks."""
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    names = (f"$ {program} ", f"$ .venv/bin/{program} ")
    return [shlex.split(line)[2:] for line in lines if line.startswith(names)]


def quick(arguments: list[str]) -> list[str]:
    """The same command with few requests; grids stay grids, in this process."""
    # A drive that is nearly empty is written in no time.
    arguments = [re.sub(r"^precondition\.fill=0?\.\d+$", "precondition.fill=0.05", item) for item in arguments]
    if arguments[0] == "reproduce":
        # Each study's own test runs it; here it is the command that counts.
        studies = {*wordline_papers.names(), "all"}
        named = ["validation" if name in studies else name for name in arguments[1:] if name != "--quick"]
        return [arguments[0], *named, *(["--quick", "--jobs", "1"] if named else [])]
    if arguments[0] == "sweep":
        return [*arguments, *(part for setting in QUICK for part in ("--set", setting))]
    if arguments[0] == "characterize":
        return [*arguments, "--blocks", "1"]
    if arguments[0] == "table":
        return [*arguments, "--requests", "100", "--depths", "1,8"]
    if arguments[0] == "kv":
        return [*arguments, "--policy", "through", "--drive-writes", "0.003"]
    if arguments[0] not in ("run", "compare", "trace"):
        return arguments
    if arguments[:2] == ["trace", "gen"]:
        settings = [REQUESTS]
    elif arguments[0] == "trace" or "--mqsim" in arguments:
        return arguments
    else:
        settings = QUICK
    # Pages have their own numbers of requests.
    arguments = [FEW if before in ("-n", "--requests") else each for before, each in pairwise(["", *arguments])]
    keys = {setting.partition("=")[0] for setting in settings}
    kept = [item if item.partition("=")[0] not in keys else "" for item in arguments]
    while "" in kept:
        place = kept.index("")
        del kept[place - 1 : place + 1]
    # The playground has the files that pages make for those who have none.
    further = {"compare": ["--jobs", "1"], "trace": ["--force"]}.get(arguments[0], [])
    return [*kept, *further, *(part for setting in settings for part in ("--set", setting))]


def make(folder: Path) -> None:
    """Puts everything that the pages name into a folder."""
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "out").mkdir()
    (folder / "ssdconfig.xml").write_text(ssd_xml(), encoding="ascii")
    (folder / "workload.xml").write_text(scenario_xml(flow_xml({"File_Path": "trace.ascii"})), encoding="ascii")
    lines = [f"{i * 1000} 0 {i * 8} 8 {i % 2}\n" for i in range(200)]
    (folder / "trace.ascii").write_text("".join(lines), encoding="ascii")
    rows = [f"{i * 10},{'RW'[i % 2]},{i * 64},16\n" for i in range(200)]
    (folder / "other.csv").write_text("".join(rows), encoding="ascii")
    (folder / "retry-steps.csv").write_text(retry_steps(), encoding="ascii")
    (folder / "erase-shares.csv").write_text(ERASE_SHARES, encoding="ascii")
    (folder / "erase-blocks.csv").write_text(erase_blocks(), encoding="ascii")
    (folder / "my-chip.toml").symlink_to(ROOT / "presets" / "chips" / "tlc-48l.toml")


ERASE_SHARES = "scheme,pec,latency_ms,percent_of_blocks\nispe,0,3.5,100\nispe,2000,3.5,20\nispe,2000,7,80\n"


def retry_steps() -> str:
    """Retry steps of eight word lines at two P/E counts and ages: more with each."""
    lines = [",1000_3m,1000_12m,3000_3m,3000_12m"]
    lines += [f"{line},{line % 2},{2 + line % 2},{2 + line % 3},{5 + line % 3}" for line in range(8)]
    return "\n".join(lines) + "\n"


def erase_blocks() -> str:
    """Least erase latencies of four blocks at two P/E counts."""
    return "block,pec,latency_ms\n" + "".join(
        f"{block},{pec},{2.0 + 0.5 * block + pec / 1000}\n" for pec in (0, 3000) for block in range(4)
    )
