"""Configurations of FEMU, SimpleSSD and SSDsim: what they become, and what is named that has no meaning here."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.errors import ImportedFileError
from wordline.imports import read

FEMU = """\
#!/bin/bash
secsz=512
secs_per_pg=8
pgs_per_blk=64
blks_per_pl=32
pls_per_lun=1
luns_per_ch=2
nchs=4
ssd_size=48
pg_rd_lat=40000
pg_wr_lat=200000
blk_er_lat=2000000
ch_xfer_lat={transfer}
FEMU_OPTIONS="-device femu"
FEMU_OPTIONS=${{FEMU_OPTIONS}}",devsz_mb=${{ssd_size}},namespaces=1,femu_mode={mode}"
FEMU_OPTIONS=${{FEMU_OPTIONS}}",secsz=${{secsz}},secs_per_pg=${{secs_per_pg}},pgs_per_blk=${{pgs_per_blk}}"
FEMU_OPTIONS=${{FEMU_OPTIONS}}",blks_per_pl=${{blks_per_pl}},pls_per_lun=${{pls_per_lun}},luns_per_ch=${{luns_per_ch}}"
FEMU_OPTIONS=${{FEMU_OPTIONS}}",nchs=${{nchs}},pg_rd_lat=${{pg_rd_lat}},pg_wr_lat=${{pg_wr_lat}}"
FEMU_OPTIONS=${{FEMU_OPTIONS}}",blk_er_lat=${{blk_er_lat}},ch_xfer_lat=${{ch_xfer_lat}}"
FEMU_OPTIONS=${{FEMU_OPTIONS}}",gc_thres_pcent=75,gc_thres_pcent_high=95,fw_cpu_ns=100"
./qemu-system-x86_64 -drive file=a.qcow2,if=none,cache=none ${{FEMU_OPTIONS}}
"""
SIMPLESSD = """\
[cpu]
ClockSpeed = 400000000
[nvme]
PCIEGeneration = 2
PCIELane = 4
[pal]
Channel = 2
Package = 2
Die = 1
Plane = 2
Block = 64
Page = 32
PageSize = 16384
EnableMultiPlaneOperation = 1
NANDType = {cell}
LSBRead = 40000000
LSBWrite = 500000000
CSBRead = 50000000
CSBWrite = 900000000
MSBRead = 65000000
MSBWrite = 1300000000
Erase = 3500000000
DMASpeed = 400   # MT/s
DMAWidth = 8
SuperblockSize = C
PageAllocation = CWDP
[ftl]
OverProvisioningRatio = 0.25
EvictPolicy = 1
GCThreshold = 0.05
FillRatio = 0.5
InvalidPageRatio = 0.1
[icl]
CacheSize = 1048576
EnableReadCache = 0
EnableWriteCache = 1
EnableReadPrefetch = 1
"""
SSDSIM = """\
#parameter file
dram capacity = 131072;     #the unit is B
chip number[0] = 2;
chip number[1] = {chips};
channel number = 2;
chip number = 4;
die number = 2;
plane number = 2;
block number = 64;
page number = 64;
subpage page = 4;
page capacity = 4096;
t_PROG = 200000;             #the unit is ns
t_BERS = 1500000;
t_WC = 25;
t_R = 20000;
t_RC = 25;
flash supply voltage=3.3;
overprovide=0.10;
gc threshold=0.30;
gc hard threshold=0.10;
allocation=1;
static_allocation=2;
"""


def config_of(text: str, folder: Path) -> wl.Config:
    path = folder / "file"
    path.write_text(text)
    return wl.config(text=read(path).toml)


def test_femus_device_has_its_shape_and_times(tmp_path: Path) -> None:
    config = config_of(FEMU.format(transfer=0, mode=1), tmp_path)
    shape = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "blocks_per_plane", "pages_per_block")
    assert [config[f"ssd.{key}"] for key in shape] == [4, 2, 1, 1, 32, 64]
    assert config["ssd.overprovisioning"] == pytest.approx(1 - 48 / 64)
    assert (config["gc.threshold"], config["gc.hard_threshold"]) == (0.25, 0.05)
    # Nothing but the flash takes time.
    result = wl.run(config.set("host.queue_depth", 1), wl.workload(requests=100, read_block_bytes=4096, read_ratio=1.0))
    assert result.read.mean == pytest.approx(40.0)


def test_femus_transfer_of_a_page_takes_its_time(tmp_path: Path) -> None:
    config = config_of(FEMU.format(transfer=10_000, mode=1), tmp_path)
    result = wl.run(config.set("host.queue_depth", 1), wl.workload(requests=100, read_block_bytes=4096, read_ratio=1.0))
    assert result.read.mean == pytest.approx(50.0)


GEOMETRY = "secsz=512,secs_per_pg=8,pgs_per_blk=256,blks_per_pl=256,pls_per_lun=1,luns_per_ch=8,nchs=8"


def femu(options: str, before: str = "") -> str:
    return f"{before}qemu-system-x86_64 -device femu,{options}\n"


def test_what_femus_script_leaves_out_has_femus_defaults(tmp_path: Path) -> None:
    short = config_of(femu("devsz_mb=8192,femu_mode=1"), tmp_path)
    assert short.hash == config_of(femu(f"devsz_mb=8192,femu_mode=1,{GEOMETRY}"), tmp_path).hash
    # 16,384 MiB of flash.
    assert short["ssd.overprovisioning"] == pytest.approx(0.5)
    path = tmp_path / "short.sh"
    path.write_text(femu("devsz_mb=16384,femu_mode=1"))
    with pytest.raises(ImportedFileError, match=r"devsz_mb: leaves 0.0% of 16,384 MiB of flash as spare; set op_pcent"):
        read(path)
    assert config_of(femu("op_pcent=10,femu_mode=1"), tmp_path)["ssd.overprovisioning"] == pytest.approx(1 - 100 / 110)


def test_femus_lines_are_superblocks_and_its_handles_are_handles(tmp_path: Path) -> None:
    path = tmp_path / "fdp.sh"
    subsystem = 'DEV="-device femu-subsys,id=s0,nqn=n0,fdp=on,fdp.nruh=4,fdp.nrg=2,fdp.nru=256"\n'
    path.write_text(femu(f"devsz_mb=12288,femu_mode=1,{GEOMETRY},subsys=s0", subsystem))
    imported = read(path)
    config = wl.config(text=imported.toml)
    assert config["ftl.group"] == "superblock"
    assert [config[f"fdp.{key}"] for key in ("isolation", "handles", "reclaim_groups")] == ["initially", 4, 2]
    said = "\n".join(imported.warnings)
    assert "fdp.nru = 256: a reclaim unit is a superblock here" in said
    assert "one block of every LUN" not in said
    run = wl.run(config.set("ssd.blocks_per_plane", 24), wl.workload(requests=200))
    assert run.document["requests"]["all"] == 200


@pytest.mark.parametrize("subsystem", ["", "DEV='-device femu-subsys,fdp=off,fdp.nruh=4'\n"])
def test_femu_without_placement_has_no_handles(subsystem: str, tmp_path: Path) -> None:
    assert config_of(femu("devsz_mb=8192,femu_mode=1", subsystem), tmp_path)["fdp.isolation"] == "off"


def test_assignments_of_one_line_are_all_read(tmp_path: Path) -> None:
    shape = "channels=4; luns=2;export planes=1\n"
    options = "devsz_mb=256,femu_mode=1,nchs=${channels},luns_per_ch=${luns},pls_per_lun=${planes}"
    config = config_of(femu(options, shape), tmp_path)
    assert [config[f"ssd.{key}"] for key in ("channels", "chips_per_channel", "planes_per_die")] == [4, 2, 1]


def test_a_key_that_comes_twice_is_named(tmp_path: Path) -> None:
    path = tmp_path / "two.sh"
    path.write_text(femu("devsz_mb=4096,femu_mode=1 -device femu,devsz_mb=8192,femu_mode=1"))
    said = "\n".join(read(path).warnings)
    assert "devsz_mb = 8192: counts instead of 4096 in line 1; the file may have several drives" in said
    assert "femu_mode = 1: counts" not in said


def test_femus_mapping_cache_acts_with_its_scheme_alone(tmp_path: Path) -> None:
    assert config_of(femu("devsz_mb=8192,femu_mode=1,mapping_cache_mb=2"), tmp_path)["ftl.mapping"] == "flat"
    cached = config_of(femu("devsz_mb=8192,femu_mode=1,mapping=dftl,mapping_cache_mb=2"), tmp_path)
    assert (cached["ftl.mapping"], cached["ftl.cmt_bytes"]) == ("dftl", 2 << 20)
    assert config_of(femu("devsz_mb=8192,femu_mode=1,mapping=dftl"), tmp_path)["ftl.cmt_bytes"] == 4 << 20


@pytest.mark.parametrize(
    ("size", "group"), [("CWDP", "superblock"), ("CWP", "superblock"), ("C", "block"), ("", "block")]
)
def test_simplessds_superblocks(size: str, group: str, tmp_path: Path) -> None:
    text = SIMPLESSD.format(cell=1).replace("SuperblockSize = C", f"SuperblockSize = {size}")
    assert config_of(text, tmp_path)["ftl.group"] == group


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("#define NS_SSD_TYPE_0 SSD_TYPE_NVM\n#define NAND_CHANNELS (8)\n", "NVMeVirt's ssd_config.h"),
        ("#ifndef X\n#define X 1\n", "C header"),
        ("<Execution_Parameter_Set>", "wordline run --mqsim"),
        ('{"fio version" : "fio-3.33"}', "fio's JSON"),
        ("[global]\nrw=read\n[a]\n", "wordline run SSD JOB.fio"),
        ("[ssd]\nchannels = 8\n", "wordline run FILE.toml"),
    ],
)
def test_what_is_not_imported_is_named(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(ImportedFileError) as raised:
        read(path)
    assert named in str(raised.value)


@pytest.mark.parametrize(("cell", "read_us"), [(0, [40.0]), (1, [40.0, 65.0]), (2, [40.0, 50.0, 65.0, 65.0])])
def test_simplessds_device(cell: int, read_us: list[float], tmp_path: Path) -> None:
    config = config_of(SIMPLESSD.format(cell=cell), tmp_path)
    assert config["nand.read_us"] == read_us
    assert config["coding.cell"] == ("slc", "mlc", "tlc")[cell]
    assert config["channel.rate_mb_s"] == 400.0
    assert config["gc.policy"] == "cost-benefit"
    assert (config["precondition.fill"], config["precondition.overwrite"]) == (0.5, 0.1)
    assert (config["cache.mode"], config["cache.capacity_bytes"]) == ("write", 1 << 20)
    assert config["host.link_rate_mb_s"] == pytest.approx(3938.46, rel=1e-4)
    assert wl.run(config, wl.workload(requests=200), check=True).read.count > 0


def test_ssdsims_device(tmp_path: Path) -> None:
    config = config_of(SSDSIM.format(chips=2), tmp_path)
    assert (config["ssd.channels"], config["ssd.chips_per_channel"]) == (2, 2)
    assert (config["nand.read_us"], config["nand.program_us"], config["nand.erase_us"]) == ([20.0], [200.0], 1500.0)
    assert (config["channel.rate_mb_s"], config["channel.read_command_ns"]) == (40.0, 175)
    assert config["ftl.allocation"] == "CPWD"
    assert config["gc.threshold"] == 0.1
    assert wl.run(config, wl.workload(requests=200), check=True).read.count > 0


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (FEMU.format(transfer=0, mode=1), ["fw_cpu_ns = 100: firmware takes no time here"]),
        (SIMPLESSD.format(cell=1), [":2: cpu.ClockSpeed", "pal.SuperblockSize", "icl.EnableReadPrefetch"]),
        (SSDSIM.format(chips=2), ["subpage page = 4", "flash supply voltage", "gc threshold = 0.30"]),
    ],
)
def test_what_has_no_meaning_is_named_with_its_line(text: str, named: list[str], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    answer = wordline("import", path, "--out", tmp_path / "ssd.toml")
    assert answer.code == 0
    assert answer.out == ""
    for each in named:
        assert each in answer.err
    # The keys of a device that is none, and what is set, are not.
    assert "drive" not in answer.err
    assert "pgs_per_blk" not in answer.err
    run = wordline("run", tmp_path / "ssd.toml", "--set", "workload.requests=100", "--json")
    assert run.code == 0, run.err


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("hello\n", None, "no configuration of a simulator"),
        (FEMU.format(transfer=0, mode=3), "femu_mode", "zoned"),
        (FEMU.format(transfer="fast", mode=1), "ch_xfer_lat", "not a number"),
        (FEMU.format(transfer=0, mode=1).replace("ssd_size=48", "ssd_size=4800"), "devsz_mb", "spare"),
        (SIMPLESSD.format(cell=7), "pal.NANDType", "out of range"),
        (SSDSIM.format(chips=3), "chip number[0]", "all have as many"),
    ],
)
def test_a_mistake_is_named(text: str, key: str | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(ImportedFileError) as raised:
        read(path)
    assert raised.value.key == key
    assert said in str(raised.value)
    answer = wordline("import", path)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    answer = wordline("import", tmp_path / "nothing.cfg")
    assert answer.code == 2
    assert "nothing.cfg" in answer.err
