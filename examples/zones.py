"""What does a reset cost a reader? Appends fill two zones, then one is reset while the other is read.

python examples/zones.py
"""

from __future__ import annotations

import wordline as wl

APPEND = 128 << 10


def main() -> None:
    """Fills two zones, resets one, and reads the other meanwhile."""
    config = wl.preset("wd-zn540-1tb").set("ssd.scale", "1/64")
    drive = wl.open(config)
    size, capacity = config.zones.size_bytes, config.zones.capacity_bytes

    # Appends name a zone; the answer says where the drive has put them.
    for zone in (0, 1):
        for _ in range(4):
            drive.submit(drive.now_ns, [("append", zone * size, APPEND)])
            for _, _, status, offset in drive.advance(offsets=True):
                print(f"{status}: {APPEND >> 10} KiB are at byte {offset:,}")

    # A write that is not at the write pointer ends with the status of NVMe, and the run goes on.
    drive.submit(drive.now_ns, [("write", capacity - APPEND, APPEND)])
    print("a write at the end of the zone:", drive.advance()[0][2])

    drive.submit(drive.now_ns, [("zone-finish", 0, 0)])
    ((_, done, _),) = drive.advance()
    print(f"a finish of 1,076.5 MiB takes {done / 1e6:,.0f} ms")

    # A reader, one read at a time, beside the reset.
    began = drive.now_ns
    (reset,) = drive.submit(began, [("zone-reset", 0, 0)])
    slowest, busy = 0, True
    while busy:
        (read,) = drive.submit(drive.now_ns, [("read", size, 4096)])
        at, done = drive.now_ns, {}
        while read not in done:
            done |= {job: done_ns for job, done_ns, _ in drive.advance(drive.next_event())}
        slowest = max(slowest, done[read] - at)
        busy = reset not in done and drive.under_way > 0
    print(f"the slowest read beside the reset took {slowest / 1e6:.1f} ms")
    print("zones 0 and 1:", *(zone.state for zone in drive.zones()[:2]))


if __name__ == "__main__":
    main()
