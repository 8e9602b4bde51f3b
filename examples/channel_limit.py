"""How far is my SSD from its channels' limit?

    python examples/channel_limit.py
    python examples/channel_limit.py --preset pnar2 --pec 1000 --months 3

Reads in long runs at growing queue depths. The channels' limit is their rate less what crosses beside the data; where
it is not reached, the table says what is in the way: dies, channels, or the host link.
"""

import argparse

import wordline as wl

DEPTHS = [1, 4, 16, 64, 256]


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="datacenter-tlc")
    parser.add_argument("--pec", type=int, default=0, help="P/E cycles of the blocks")
    parser.add_argument("--months", type=float, default=0.0, help="since the data were written")
    parser.add_argument("--requests", type=int, default=20_000)
    arguments = parser.parse_args()

    config = wl.preset(arguments.preset, pec=arguments.pec, retention_months=arguments.months, host_mode="closed")
    config = config.set_all({"read.retry": "baseline", "host.device_queue_depth": max(DEPTHS)})
    ssd, channel = config["ssd"], config["channel"]
    share = ssd["page_bytes"] / (ssd["page_bytes"] + ssd["spare_bytes"])
    limit = ssd["channels"] * channel["rate_mb_s"] * share
    link = config["host.link_rate_mb_s"]
    print(f"{ssd['channels']} channels of {channel['rate_mb_s']:,.0f} MB/s, {share:.0%} of it data: {limit:,.0f} MB/s")
    print(f"{'depth':>5} {'MB/s':>7} {'of the limit':>12}   busy: dies, channels (failed pages), link")
    reads = wl.workload("fio/sequential-read", requests=arguments.requests)
    for depth in DEPTHS:
        result = wl.run(config.set("host.queue_depth", depth), reads)
        times = result.channel_time
        idle, failed = (sum(each[kind] for each in times) / len(times) for kind in ("idle", "uncor"))
        rate = result.bandwidth_mb_s
        used = f"{rate / link:.0%}" if link else "no limit"
        print(
            f"{depth:5} {rate:7,.0f} {rate / limit:12.0%}   {result.die_utilisation['mean']:.0%}, {1 - idle:.0%} "
            f"({failed:.0%}), {used}"
        )


if __name__ == "__main__":
    main()
