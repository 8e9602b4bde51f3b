"""Why are the slowest requests slow?

    python examples/slowest_requests.py

Keeps a row for each request and looks at the slowest ones: what they were, when, and what came just before them.
The rows are an Arrow table, so DuckDB, polars and pandas read them as they are.
"""

import argparse
from pathlib import Path

import wordline as wl


def main() -> None:
    """Reads the arguments, runs, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=100_000)
    arguments = parser.parse_args()

    config = wl.config(Path(__file__).with_name("small-ssd.toml")).set("workload.requests", arguments.requests)
    result = wl.run(config, wl.workload(), log_requests=True)
    rows = result.requests().to_pandas()
    rows["latency_us"] = (rows["completed_ns"] - rows["arrival_ns"]) / 1000

    slowest = rows.nlargest(10, "latency_us")
    print(slowest[["op", "sector", "arrival_ns", "latency_us"]].to_string(index=False))
    # Writes that complete within the millisecond before a slow request are what it waited for.
    writes = rows[rows["op"] == "write"]
    for _, row in slowest.head(3).iterrows():
        near = writes["completed_ns"].between(row["completed_ns"] - 1_000_000, row["completed_ns"])
        print(f"before the {row['op']} of {row['latency_us']:,.0f} us: {near.sum()} writes completed within 1 ms")


if __name__ == "__main__":
    main()
