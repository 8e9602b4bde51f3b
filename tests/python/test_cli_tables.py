"""Tables on standard output, from made-up documents."""

import io
import re
from collections.abc import Callable

import pytest
from rich.console import Console

import cli_fakes
import wordline as wl
from wordline.cli import talk
from wordline.cli.compare import document_of
from wordline.measured import Agreement, Load, Numbers, Point, Row
from wordline.output import agreement_table, compare_table, numbers, stat_table, table
from wordline.output.console import console
from wordline.output.drive_name import drive_name, scaled
from wordline.output.view import View, columns_named


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def drawn(draw: Callable[[Console], object], file: io.StringIO | None = None) -> str:
    file = file or io.StringIO()
    draw(console(file))
    return file.getvalue()


def row(text: str, label: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(label + " ")]
    return line.removeprefix(label).split()


def test_the_summary_of_a_run_has_its_numbers() -> None:
    text = drawn(lambda c: table.show(cli_fakes.document(), c, "mqsim"))
    assert row(text, "requests") == ["1,000", "700", "300"]
    assert row(text, "IOPS") == ["12,346", "8,000", "4,346"]
    # Ten reads and three writes lie beyond it.
    assert row(text, "p99 us") == ["106.0*", "106.0*", "98,765*"]
    assert "* fewer than 100 requests lie beyond it" in text
    assert row(text, "p99.99 us") == ["-", "-", "-"]
    for label in ("mean us", "p50 us", "p99.9 us", "p99.99 us", "max us"):
        assert len(row(text, label)) == 3
    assert "synthetic" in text.splitlines()[0]
    assert "1.25" in text
    assert "GC of 3 blocks, moved 75 pages, erased 3" in text
    assert "busy 30.0 %" in text
    assert "program 20.0 %" in text


def test_a_trace_is_not_called_synthetic() -> None:
    workload = {"name": "hm_0.csv.gz", "source": "hm_0.csv.gz", "synthetic": False, "flows": []}
    assert "synthetic" not in drawn(lambda c: table.show(cli_fakes.document(workload=workload), c))


def test_a_measurement_of_nothing_is_a_dash() -> None:
    document = cli_fakes.document(requests={"all": 5, "read": 5, "write": 0}, write_amplification=None)
    text = drawn(lambda c: table.show(document, c))
    assert row(text, "p99 us")[2] == "-"
    assert row(text, "WA")[0] == "-"


def test_a_percentile_that_was_asked_for_keeps_its_column_without_a_number() -> None:
    from wordline.output.view import View

    few = {"all": 50, "read": 50, "write": 0}
    points = [({"gc.policy": name}, cli_fakes.document(requests=few)) for name in ("greedy", "fifo")]
    asked = View((("read p99.9 us", ("response_us", "read", "p999")),))
    text = drawn(lambda c: compare_table.show(points, c, view=asked))
    assert "read p99.9 us" in text
    assert row(text, "greedy")[0] == "-"
    assert "- no request lies beyond it" in text


def test_markup_in_a_name_is_shown_as_it_is() -> None:
    workload = {"name": "[bold]x[/bold].csv", "source": "", "synthetic": False, "flows": []}
    assert "[bold]x[/bold].csv" in drawn(lambda c: table.show(cli_fakes.document(workload=workload), c))


def test_tables_are_plain_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured = drawn(lambda c: table.show(cli_fakes.document(), c), Terminal())
    assert "\x1b[" in coloured
    assert "\x1b" not in drawn(lambda c: table.show(cli_fakes.document(), c))


def test_a_table_that_lacks_points_says_so_first() -> None:
    points = [({"gc.policy": "greedy"}, cli_fakes.document())]
    whole, partial = (drawn(lambda c, m=mark: compare_table.show(points, c, m)) for mark in ("", talk.partial(1, 2)))
    assert partial == f"stopped early: 1 of 2 points\n{whole}"


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    text = drawn(lambda c: table.show(cli_fakes.document(), c), Terminal())
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", text)


def test_the_bar_of_a_channel_is_always_as_long() -> None:
    for shares in ({"idle": 1.0}, {"cor": 1 / 3, "write": 1 / 3, "idle": 1 / 3}, {"cor": 0.001, "idle": 0.999}):
        bar = table.channel_bar(shares).plain.split("  ")[0]
        assert len(bar) == table.BAR_CELLS
    letters = table.channel_bar({"cor": 0.25, "write": 0.25, "idle": 0.5}, unicode=False).plain
    assert letters.startswith("#" * 6 + "w" * 6 + "." * 12 + "  # COR 25.0 %")


def points() -> list[compare_table.Point]:
    slow = cli_fakes.document(iops={"all": 6172.8, "read": 1, "write": 1})
    return [({"read.retry": "ideal"}, cli_fakes.document()), ({"read.retry": "baseline"}, slow)]


def test_a_comparison_has_a_row_a_point_against_the_first() -> None:
    lines = drawn(lambda c: compare_table.show(points(), c)).splitlines()
    assert lines[0].split()[:2] == ["read.retry", "IOPS"]
    assert lines[1].split()[:2] == ["ideal", "12,346"]
    assert lines[2].split()[:4] == ["baseline", "6,173", "-50.0", "%"]
    assert "%" not in lines[1]


def ends(low: float | None, high: float | None) -> dict[str, object]:
    """An uncertainty that knows of IOPS alone."""
    return {"level": 0.95, "method": "batches", "count": 60, "values": {"iops": {"all": {"low": low, "high": high}}}}


def test_what_is_unknown_has_another_sign_than_what_is_not_separated() -> None:
    first = cli_fakes.document(uncertainty=ends(12_000.0, 12_700.0))
    others = {
        "far": cli_fakes.document(iops={"all": 20_000.0}, uncertainty=ends(19_500.0, 20_500.0)),
        "near": cli_fakes.document(iops={"all": 12_400.0}, uncertainty=ends(12_100.0, 12_700.0)),
        "short": cli_fakes.document(iops={"all": 99_000.0}, uncertainty=ends(None, None)),
    }
    rows = [({"a.b": name}, each) for name, each in [("first", first), *others.items()]]
    text = drawn(lambda c: compare_table.show(rows, c))
    signs = {line.split()[0]: line.partition("%")[2].split()[:1] for line in text.splitlines()[2:5]}
    assert signs["near"] == ["~"]
    assert "x8.02 ?" in text
    assert all(sign not in next(line for line in text.splitlines() if line.startswith("far ")) for sign in "~?")
    for sign in "~?":
        assert sum(line.startswith(f"{sign} not ") for line in text.splitlines()) == 1
    points_of = document_of(rows, View(), is_partial=False)["points"]
    assert "changes" not in points_of[0]
    told = [each["changes"]["iops.all"] for each in points_of[1:]]
    assert [each["verdict"] for each in told] == ["separated", "not separated", "unknown"]
    assert told[2]["difference"] == {"low": None, "high": None, "by": "independent intervals"}


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_a_comparison_fits_its_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    text = re.sub(r"\x1b\[[0-9;]*m", "", drawn(lambda c: compare_table.show(points(), c), Terminal()))
    assert max(len(line.rstrip()) for line in text.splitlines()) <= columns
    # No number is cut: what has no room is left out whole, and said to be.
    for shown in ("12,346", "6,173", "-50.0 %", "baseline", "read.retry"):
        assert shown in text
    assert text.count("MB/s") == 1


def test_a_comparison_leaves_out_what_no_point_has() -> None:
    reads = cli_fakes.document(requests={"all": 20_000, "read": 20_000, "write": 0}, write_amplification=None)
    header = drawn(lambda c: compare_table.show([({"a.b": 1}, reads), ({"a.b": 2}, reads)], c)).splitlines()[0]
    assert "WA" not in header
    assert "write p99" not in header
    assert "read p99" in header


def test_numbers_have_few_digits() -> None:
    shown = [numbers.measure(x) for x in (0, 0.1234, 1.234, 12.34, 123.4, 1234.5, None)]
    assert shown == ["0", "0.123", "1.23", "12.3", "123.4", "1,234", "-"]
    assert [numbers.change(x, 100) for x in (100, 88.5, 250, 521, None)] == [
        "+0.0 %",
        "-11.5 %",
        "+150.0 %",
        "x5.21",
        "",
    ]
    assert numbers.change(5, 0) == ""
    assert [numbers.size(x) for x in (0, 512, 4096, 3 * 2**30, None)] == ["0 B", "512 B", "4.0 KiB", "3.0 GiB", "-"]
    assert [numbers.seconds(x) for x in (0, 2e-9, 75e-6, 0.0015, 90.0, 7500.0)] == [
        "0 s",
        "2.00 ns",
        "75.0 us",
        "1.50 ms",
        "90.0 s",
        "2 h 5 min",
    ]


def test_the_statistics_of_a_trace() -> None:
    text = drawn(lambda c: stat_table.show(cli_fakes.STAT, c, "t.csv"))
    assert text.splitlines()[0] == "t.csv"
    assert "4: reads 3, writes 1" in text
    assert "4.0 KiB 75.0 %, 8.0 KiB 25.0 %" in text
    assert "trims" not in text
    assert row(text, "cold reads")[0] == "-"


def test_a_measured_point_has_its_simulated_numbers_below_it() -> None:
    load = Load(1.0, True, 4096, 4096, 1, 1)
    point = Point("a.csv:2", (), (load,), "read", Numbers(iops=1000.0, mean_us=50.0))
    agreement = Agreement("mqsim", [Row(point, Numbers(iops=1100.0, mean_us=530.0, p99_us=900.0))])
    lines = drawn(lambda c: agreement_table.show(agreement, c)).splitlines()
    assert lines[0].split() == ["load", "IOPS", "mean", "us"]
    assert lines[1].split() == ["randread", "4k", "1x1", "measured", "1,000", "50.0"]
    assert lines[2].split() == ["simulated", "1,100", "530.0"]
    assert lines[3].split() == ["ratio", "x1.10", "x10.6"]
    assert "IOPS: error 10.0 % (1 point)" in lines
    assert "mean: 10.6 times more than measured (1 point)" in lines


def test_bytes_of_a_comparison_have_their_unit_in_the_head() -> None:
    first = cli_fakes.document(written_bytes={"by_cause": {"gc": 2_500_000_000}})
    second = cli_fakes.document(written_bytes={"by_cause": {"gc": 5_000_000}})
    points = [({"gc.policy": "greedy"}, first), ({"gc.policy": "fifo"}, second)]
    view = View(columns_named(["written_bytes.by_cause.gc"], [first, second]))
    lines = drawn(lambda c: compare_table.show(points, c, view=view)).splitlines()
    assert lines[0].split() == ["gc.policy", "written_bytes.by_cause.gc", "GB"]
    assert lines[1].split() == ["greedy", "2.50"]
    assert lines[2].split()[:2] == ["fifo", "0.005"]


def test_a_scale_is_a_fraction() -> None:
    assert [numbers.scale_text(scale) for scale in (1 / 256, 1 / 3, 0.3, 1.0)] == ["1/256", "1/3", "0.3", "1"]
    points = [({"ssd.scale": scale}, cli_fakes.document()) for scale in (1 / 256, 1 / 64)]
    lines = drawn(lambda c: compare_table.show(points, c)).splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["ssd.scale", "1/256", "1/64"]


def test_a_title_names_the_ssd_and_the_part_of_it() -> None:
    config = wl.preset("mqsim", scale="1/64")
    assert (drive_name(config), scaled(config), scaled(wl.preset("mqsim"))) == ("mqsim", " at 1/64", "")


def test_the_heading_says_once_that_requests_are_synthetic() -> None:
    both = [wl.workload(f"fio/random-{op}", requests=50) for op in ("read", "write")]
    result = wl.run("mqsim", both, scale="1/64")
    line = table.heading(result.document).plain
    assert line.count("synthetic") == 1
    assert line.count("fio-like") == 2
