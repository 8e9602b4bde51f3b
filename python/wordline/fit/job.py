"""The job that measures what a fit needs: 20 minutes on a drive of one's own."""

from __future__ import annotations

__all__ = ["JOB"]

DEPTHS = (1, 2, 4, 8, 16, 32, 64)
SECONDS, RAMP_SECONDS = 15, 3
HEAD = """; Points for `wordline fit`: about 20 minutes. IT OVERWRITES THE DRIVE.
; Set the drive:   export DRIVE=/dev/nvme0n1
; Fill it first:   fio --name=fill --filename=$DRIVE --rw=write --bs=1m --iodepth=32 --ioengine=libaio --direct=1
; Measure:         fio measure.fio --output-format=json+ --output=measured.json
; Measure again:   fio measure.fio --output-format=json+ --output=again.json   (says how well the numbers repeat)
; Fit:             wordline fit measured.json again.json --out my-drive.toml
;
; Reads of a drive that was not filled do not reach its flash. Leave the machine alone meanwhile.
[global]
filename=${DRIVE}
ioengine=libaio
direct=1
norandommap
time_based
"""


def section(name: str, **options: object) -> str:
    """Returns a section of a job file that begins when the one before is complete."""
    return f"\n[{name}]\nstonewall\n" + "".join(f"{key}={value}\n" for key, value in options.items())


def sections() -> str:
    """Returns the points: depths, the same in several jobs, block sizes; reads first, then writes."""
    times = {"runtime": f"{SECONDS}s", "ramp_time": f"{RAMP_SECONDS}s", "group_reporting": 1}
    parts = []
    for op in ("read", "write"):
        for depth in DEPTHS:
            parts.append(section(f"{op}-4k-{depth}", rw=f"rand{op}", bs="4k", iodepth=depth, **times))
        for jobs in (4, 16):
            name = f"{op}-4k-1x{jobs}"
            parts.append(section(name, rw=f"rand{op}", bs="4k", iodepth=1, numjobs=jobs, **times))
        for depth in (16, 64):
            name = f"{op}-4k-{depth}x4"
            parts.append(section(name, rw=f"rand{op}", bs="4k", iodepth=depth, numjobs=4, **times))
        for block in ("16k", "64k", "128k"):
            for depth in (1, 16):
                parts.append(section(f"{op}-{block}-{depth}", rw=f"rand{op}", bs=block, iodepth=depth, **times))
    parts += [
        section(f"mix-4k-{depth}", rw="randrw", rwmixread=70, bs="4k", iodepth=depth, **times) for depth in (1, 16)
    ]
    return "".join(parts)


JOB = HEAD + sections()
"""The job file, with the commands in its head."""
