"""Several flows by name: files with [[flow]], `--flow`, `-w` twice; and the words that all commands share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from test_cli_run import SMALL
from wordline.errors import WordlineError

TENANTS = """\
[[flow]]
name = "oltp"
workload = "fio/random-mix"
requests = "1k"
queue_depth = 4
size = "25%"

[[flow]]
name = "backup"
workload = "fio/sequential-read"
requests = 200
offset = "50%"
"""
JOB = "[a]\nfilename=/dev/nvme0n1\nrw=randread\nbs=4k\nnumber_ios=100\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(SMALL)
    (tmp_path / "tenants.toml").write_text(TENANTS)
    (tmp_path / "job.fio").write_text(JOB)
    return tmp_path


def test_flows_of_a_file_run_together(folder: Path) -> None:
    answer = wordline("run", "small.toml", "tenants.toml", "--json", cwd=folder)
    assert answer.code == 0, answer.err
    result = json.loads(answer.out)
    assert {name: each["requests"]["all"] for name, each in result["flows"].items()} == {"oltp": 1000, "backup": 200}
    flows = wl.flows(folder / "tenants.toml").flows(wl.config(folder / "small.toml"))
    config = wl.config(folder / "small.toml")
    sectors, page = config.host_bytes // 512, config["ssd.page_bytes"] // 512
    quarter, half = sectors // 4 // page * page, sectors // 2 // page * page
    assert (flows[0].queue_depth, flows[0].sectors, flows[1].first_sector) == (4, quarter, half)
    again = wordline("run", "small.toml", "-w", "tenants.toml", "--json", cwd=folder)
    assert json.loads(again.out)["response_us"] == result["response_us"]


def test_flows_of_a_file_need_an_ssd_to_be_listed(folder: Path) -> None:
    job = folder / "job.fio"
    job.write_text("[a]\nrw=randread\nsize=2m\n[b]\nrw=randwrite\nsize=1m\n")
    for file in (wl.flows(folder / "tenants.toml"), wl.fio(job)):
        with pytest.raises(TypeError, match=r"iterate over \.flows\(ssd\)"):
            list(file)
        by_name, by_config = file.flows("mqsim"), file.flows(wl.preset("mqsim"))
        assert [flow.name for flow in by_name] == [flow.name for flow in by_config]
        assert len(by_name) > 1
    with pytest.raises(WordlineError, match="mqsim"):
        wl.fio(job).flows("mqsm")


def test_options_are_flows_too(folder: Path) -> None:
    one = "workload=fio/random-mix,requests=1k,queue_depth=4,size=25%,name=oltp"
    two = "workload=fio/sequential-read,requests=200,offset=50%,name=backup"
    by_options = wordline("run", "small.toml", "--flow", one, "--flow", two, "--json", cwd=folder)
    by_file = wordline("run", "small.toml", "tenants.toml", "--json", cwd=folder)
    assert json.loads(by_options.out)["response_us"] == json.loads(by_file.out)["response_us"]
    names = ("-w", "fio/random-read", "-w", "fio/random-write", "-n", "100")
    twice = json.loads(wordline("run", "small.toml", *names, "--json", cwd=folder).out)
    assert list(twice["flows"]) == ["fio/random-read", "fio/random-write"]
    assert twice["requests"]["all"] == 200


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[[flow]]\nqueue_dept = 1\n",
            "tenants.toml:2: queue_dept: is no entry of a flow; did you mean `queue_depth`?",
        ),
        ("[[flow]]\nname = 'a'\n", "tenants.toml:1: workload: is missing"),
        (
            "[[flow]]\nworkload = 'fio/random-read'\n\nsize = '5 parsec'\n",
            "tenants.toml:4: size: '5 parsec' is no size",
        ),
        ("[[flow]]\nworkload = 'fio/random-read'\nsize = '9TB'\n", "tenants.toml:3: size: ends at byte"),
        ("[[flow]]\nworkload = 'fio/random-reed'\n", "did you mean `fio/random-read`?"),
        ("[ssd]\nchannels = 1\n", "tenants.toml:1: ssd: is no entry of a file of flows"),
        ("[[flow]]\nname = \n", "tenants.toml:2: not valid TOML"),
        ("", "there is no table of a flow"),
    ],
)
def test_mistakes_name_their_line(folder: Path, text: str, said: str) -> None:
    (folder / "tenants.toml").write_text(text)
    with pytest.raises(wl.errors.FlowError) as caught:
        wl.run(wl.config(folder / "small.toml"), wl.flows(folder / "tenants.toml"))
    assert said in str(caught.value)


def test_a_mistake_ends_the_command(folder: Path) -> None:
    for options in (
        ("--flow", "queue_depth"),
        ("--flow", "name=a,name=b"),
        ("-w", "tenants.toml", "-w", "fio/random-read"),
        ("--flow", "workload=fio/random-read", "-w", "fio/random-read"),
        ("-w", "job.fio", "-n", "5"),
        ("-n", "1x"),
        ("-n", "0"),
    ):
        answer = wordline("run", "small.toml", *options, cwd=folder)
        assert answer.code == 2, options


def test_comparisons_and_studies_take_files_of_flows(folder: Path) -> None:
    grid = ("--set", "gc.policy=greedy,fifo", "--jobs", "1", "--json")
    answer = wordline("compare", "small.toml", "job.fio", *grid, cwd=folder)
    assert answer.code == 0, answer.err
    assert [each["result"]["requests"]["read"] for each in json.loads(answer.out)["points"]] == [100, 100]
    (folder / "study.toml").write_text(
        'ssd = "small.toml"\nsteady = true\n[set]\nprecondition.overwrite_max = 0.1\n'
        '[grid]\nworkload = ["job.fio", "tenants.toml"]\n'
    )
    answer = wordline("sweep", "study.toml", "--cache", "kept", "--jobs", "1", "--json", cwd=folder)
    assert answer.code == 0, answer.err
    points = json.loads(answer.out)["points"]
    assert [each["set"]["workload"] for each in points] == ["job.fio", "tenants.toml"]
    assert [each["result"]["requests"]["all"] for each in points] == [100, 1200]
    assert all(each["result"]["precondition"]["steady"] for each in points)


def test_python_has_the_words_of_the_command_line() -> None:
    small = {"scale": "1/256", "seed": 3, "requests": "1k"}
    result = wl.run("mqsim", "fio/random-read", **small)  # type: ignore[arg-type]
    assert (result.seed, result.config["ssd.scale"], result.document["requests"]["all"]) == (3, 1 / 256, 1000)
    grid = {"host.queue_depth": [1, 2]}
    results = wl.compare("mqsim", "fio/random-read", grid, jobs=1, **small)  # type: ignore[arg-type]
    assert [each.result.seed for each in results if each.result] == [3, 3]
    assert {each.document["requests"]["all"] for each in results} == {1000}
    seeds = wl.replicate("mqsim", "fio/random-read", seeds=2, jobs=1, **small)  # type: ignore[arg-type]
    assert seeds.document["uncertainty"]["seeds"] == [3, 4]
    with pytest.raises(wl.errors.WorkloadError, match="10k"):
        wl.run("mqsim", "fio/random-read", requests="ten")


def test_shares_begin_and_end_with_whole_mapping_units(tmp_path: Path) -> None:
    path = tmp_path / "halves.toml"
    # 45 % of this drive is no multiple of a page: a write of a page would take two.
    path.write_text(
        '[[flow]]\nname = "a"\noffset = "45%"\nsize = "33%"\nread_ratio = 0.0\npattern = "random"\nrequests = 50\n'
    )
    config = wl.preset("mqsim", ssd__scale="1/64")
    (flow,) = wl.flows(path).flows(config)
    unit = config["ssd.page_bytes"] // 512
    assert (flow.first_sector % unit, (flow.sectors or 0) % unit) == (0, 0)
    assert flow.first_sector * 512 == pytest.approx(0.45 * config.host_bytes, rel=1e-3)
