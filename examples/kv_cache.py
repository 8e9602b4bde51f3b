"""How long does a drive live under the KV cache of an LLM service, by write policy?

Without a trace it makes one of chats up. `python examples/kv_cache.py mooncake_conversation.jsonl` takes a real one.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import wordline as wl
from wordline.kv_cache import MODELS, POLICIES
from wordline.kv_cache.chat import write_chat


def main() -> None:
    """Runs the policies, and prints a row for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("traces", nargs="*", metavar="TRACE", help="Mooncake's or Qwen-Bailian's JSONL")
    parser.add_argument("--ssd", default="datacenter-tlc", help="a preset (default: datacenter-tlc)")
    parser.add_argument("--model", default="llama-3.1-8b", choices=list(MODELS), help="bytes a token")
    parser.add_argument("--requests", type=int, default=1500, help="of the made-up trace (default: 1500)")
    parser.add_argument(
        "--drive-writes", type=float, default=0.02, help="how often the drive is written (default: 0.02)"
    )
    parser.add_argument("--scale", type=float, default=1 / 64, help="the part of the drive (default: 1/64)")
    options = parser.parse_args()
    settings = wl.KvSettings(
        bytes_per_token=MODELS[options.model].bytes_per_token,
        dram_bytes=16_000_000_000,
        drive_writes=options.drive_writes,
    )
    ssd = wl.preset(options.ssd, ssd__scale=options.scale)
    with tempfile.TemporaryDirectory() as folder:
        traces = options.traces or [write_chat(Path(folder) / "chat.jsonl", options.requests)]
        result = wl.kv(ssd, traces, policies=list(POLICIES), settings=settings, progress=True)
    print("write policy   SSD hits   writes GB/s   drive writes/day   life, years   restore p50, p99 ms")
    for each in result.policies:
        side = each.drive
        if side is None:
            continue
        p50, p99 = (
            "-" if time is None else f"{time / 1000:,.0f}" for time in (side.restore_times.p50, side.restore_times.p99)
        )
        life = "-" if each.life_years is None else f"{each.life_years:.2f}"
        rate = each.demand.write_bytes_per_s / 1e9
        print(
            f"{each.settings.policy:<12} {each.demand.ssd_hit_share:>10.1%} {rate:>13.2f} "
            f"{each.drive_writes_a_day:>18.1f} {life:>13} {p50:>12}, {p99}"
        )
    for line in result.notes:
        print(line)


if __name__ == "__main__":
    main()
