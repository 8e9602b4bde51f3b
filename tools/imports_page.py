"""Writes docs/validation/imports.md: what was fed to Wordline and to the program it comes from, and what both made.

python3 tools/imports_page.py --fio PATH --femu SCRIPT --simplessd CFG --ssdsim page.parameters

fio 3.33 has to be installed. PATH holds fio's sources, whose examples are run. The other files are those that the
simulators ship: FEMU's run-blackbox.sh, SimpleSSD's config/sample.cfg, SSDsim's page.parameters.
"""
# ruff: noqa: INP001

import argparse
import bz2
import gzip
import lzma
import os
import re
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))

HEAD = """\
# What others' files become

Files of other programs are read as those programs read them. This page shows what was fed to both, and what both made.
It is made by a command, which needs fio 3.33, its sources, and the configurations that the simulators ship:

```sh
python3 tools/imports_page.py --fio PATH --femu run-blackbox.sh --simplessd sample.cfg --ssdsim page.parameters
```

The tests check the same cases, those with fio where it is installed, and those with its examples where `WORDLINE_FIO`
names its sources.
"""


DIFFERS = "**differs**"


def is_equal(check: Callable[..., None], *arguments: object) -> bool:
    """Whether a check of the tests holds."""
    try:
        check(*arguments)
    except AssertionError:
        return False
    return True


def main() -> None:
    """Writes the page."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("fio", "femu", "simplessd", "ssdsim"):
        options.add_argument(f"--{name}", type=Path, required=True)
    given = options.parse_args()
    os.environ["WORDLINE_FIO"] = str(given.fio)
    parts = [HEAD, *jobs(), *examples(), *units(), *traces(), *configurations(given)]
    page = ROOT / "docs" / "validation" / "imports.md"
    text = "\n".join(parts)
    rows = sum(line.startswith("| ") for line in text.splitlines())
    change = "as it was" if page.is_file() and page.read_text(encoding="utf-8") == text else "changed"
    page.write_text(text, encoding="utf-8")
    print(f"{page.relative_to(ROOT)}: {rows} rows, {text.count(DIFFERS)} of them differ; the page is {change}")


def table(*columns: str) -> str:
    """The head of a table."""
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"


def jobs() -> Iterator[str]:
    """Fio's jobs."""
    from fio_programs import assert_alike, fios, ours
    from test_fio_jobs import EXACT, RANDOM, places_of

    yield (
        "## Jobs of fio\n\nSource: fio 3.33 with its `null` engine, whose log (`write_iolog`) is compared with ours. "
        "Requests are reads, writes, trims and flushes.\n"
    )
    yield table("job", "requests here", "fio's", "the same")
    with tempfile.TemporaryDirectory() as folder:
        for name, job in {**EXACT, **RANDOM}.items():
            mine, theirs = ours(job, Path(folder)), fios(job, Path(folder))
            if name in EXACT:
                same = "each" if mine == theirs else DIFFERS
            else:
                same = "shares and places" if is_equal(assert_alike, mine, theirs, places_of(name)) else DIFFERS
            yield f"| `{'; '.join(job.splitlines())}` | {len(mine):,} | {len(theirs):,} | {same} |"
    yield ""


def examples() -> Iterator[str]:
    """Fio's examples."""
    import pytest

    from test_fio_examples import TABLE, test_an_example_has_its_verdict, test_an_example_makes_fios_requests

    verdicts = TABLE["examples"]
    run = sum(verdict == "runs" for verdict in verdicts.values())
    yield (
        f"## fio's examples\n\nSource: the {len(verdicts)} job files in `examples/` of fio's sources. {run} run, and "
        f"make the requests that fio makes; {len(verdicts) - run} are refused, each by the option that is shown.\n"
    )
    yield table("file", "here")
    with tempfile.TemporaryDirectory() as folder:
        for file, verdict in verdicts.items():
            with pytest.MonkeyPatch.context() as environment:
                holds = is_equal(test_an_example_has_its_verdict, file, verdict, environment) and (
                    verdict != "runs" or is_equal(test_an_example_makes_fios_requests, file, Path(folder), environment)
                )
            shown = "runs" if verdict == "runs" else f"refused: `{verdict}`"
            yield f"| `{file}` | {shown if holds else DIFFERS} |"
    yield ""


def units() -> Iterator[str]:
    """Traces whose unit of time has to be found."""
    import wordline as wl
    from test_trace_detection import mqsim, vscsi

    cases = (
        ("vscsiStats' CSV, a request each 2.5 ms", vscsi(2500.0), "7.4975 s, in us"),
        ("the same header as libCacheSim writes it, a request each 2.4 s", vscsi(2.4), "7197 s, in s"),
        ("DiskSim's layout, a request each 0.5 ms", mqsim("0.5"), "0.2495 s, in ms"),
        ("the same layout with decimal seconds", mqsim("0.0005"), "0.2495 s, in s"),
        ("MQSim's layout, a request each 0.1 ms", mqsim("100000"), "0.0499 s, in ns"),
        ("MQSim's layout, a request each unit of a clock that nobody named", mqsim("1"), "unknown"),
    )
    yield (
        "## Units of time\n\nSource: files made for this page in the layouts that are named, with times in a unit that "
        "is known.\n"
    )
    yield table("fed", "written", "here")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace"
        for what, text, written in cases:
            path.write_text(text)
            try:
                statistics = wl.trace(path).stat()
            except wl.errors.TraceError:
                yield f"| {what} | {written} | exit code 2, names `--time-unit` |"
                continue
            reasons = any("times are taken" in warning for warning in statistics["warnings"])
            yield f"| {what} | {written} | {statistics['duration_s']:.6g} s{', and says why' if reasons else ''} |"
    yield ""


def traces() -> Iterator[str]:
    """Traces as they lie about."""
    import wordline as wl

    rows = b"".join(b"%d,%s,%d,8\n" % (7 * n, (b"RD_IN", b"RD_OUT")[n % 2], 8 * (n // 2)) for n in range(400))
    mqsim = b"".join(b"%d 0 %d 8 1\n" % (1000 * n, 8 * n) for n in range(200))
    back = b"".join(b"%d 0 %d 8 1\n" % (1000 * (n ^ 3), 8 * n) for n in range(200))
    blktrace = struct.pack("<IIQQIIIIIHH", 0x65617407, 1, 0, 8, 4096, 1 | 1 << 16, 1, 0, 0, 0, 0)
    vscsi = b"".join(struct.pack("<IIIHHQQ", n, 4096, 1, 0x28, 1 << 8, 8 * n, 1000 * n) for n in range(9))
    columns = (
        "time-col=1,op-col=2,offset-col=3,size-col=4,time-unit=us,offset-unit=sectors,size-unit=sectors,"
        "read-value=RD_IN,write-value=WR_IN,skip-value=RD_OUT/WR_OUT"
    )
    cases: tuple[tuple[str, bytes, str, dict[str, Any]], ...] = (
        ("MQSim's layout", mqsim, "200", {}),
        ("the same, packed by gzip", gzip.compress(mqsim), "200", {}),
        ("the same, packed by bzip2", bz2.compress(mqsim), "200", {}),
        ("the same, packed by xz", lzma.compress(mqsim), "200", {}),
        ("hfplayer's raw CSV, a row when a read goes in and one when it is out", rows, "200", {"csv_columns": columns}),
        ("MQSim's layout, each four requests in the order 3, 2, 1, 0", back, "200", {"format": "mqsim"}),
        (
            "the same, with the window that the error names",
            back,
            "200",
            {"format": "mqsim", "on_time_back": "sort-window=3"},
        ),
        ("blktrace's binary output", 9 * blktrace, "9", {}),
        ("vscsiStats' binary output", vscsi, "9", {}),
    )
    yield "## Traces as they lie about\n\nSource: files made for this page in the layouts that are named.\n"
    yield table("fed", "requests in it", "here")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace"
        for what, content, written, options in cases:
            path.write_bytes(content)
            try:
                outcome = f"{wl.trace(path, **options).stat()['requests']}"
            except wl.errors.TraceError as error:
                message = re.sub(r"^\S+: ", "", str(error).replace(str(path), "trace")).replace("`", "")
                outcome = f"exit code 2: {message}"
            yield f"| {what} | {written} | {outcome} |"
    yield (
        "\nPairs of files of MQSim are [on a page of their own](mqsim.md), as is "
        "[what is checked against published formulas](../validation.md).\n"
    )


def configurations(given: argparse.Namespace) -> Iterator[str]:
    """Configurations of other simulators."""
    import wordline as wl
    from wordline.imports import read

    yield (
        "## Configurations\n\nSource: the files that the simulators ship. One read of 4 KiB at a time on an empty SSD; "
        "theirs follows from the file: array, then transfer.\n"
    )
    yield table("file", "capacity of the flash here", "a lone read here", "theirs", "keys without a counterpart")
    theirs = {
        "femu": "40 us (`pg_rd_lat`; a transfer takes no time)",
        "simplessd": "half of 40, half of 65 us, + 4 KiB at 400 MB/s: 62.7 us",
        "ssdsim": "20 us + 7 x 25 ns + 4 KiB x 25 ns: 122.6 us",
    }
    work = wl.workload(requests=4000, read_ratio=1.0, read_block_bytes=4096, align_bytes=4096)
    for name, expected in theirs.items():
        path = getattr(given, name)
        imported = read(path)
        config = wl.config(text=imported.toml).set_all(
            {"host.queue_depth": 1, "cache.mode": "off", "host.link_rate_mb_s": 0.0}
        )
        flash = config.host_bytes / (1 - config["ssd.overprovisioning"]) / 2**30
        mean = wl.run(config, work).read.mean
        shown = f"{flash:.3g} GiB | {mean:.4g} us | {expected} | {len(imported.warnings)} kinds"
        yield f"| {imported.simulator}, `{path.name}` | {shown} |"
    yield ""


if __name__ == "__main__":
    main()
