"""Namespaces: parts of the SSD with sectors and handles of their own, and what tenants see of each other."""

from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.errors import FlowError

EXAMPLES = Path(__file__).parents[2] / "examples"


def tenants(**settings: Any) -> Any:  # noqa: ANN401 - a document
    config = wl.config(EXAMPLES / "namespaces-drive.toml").set_all(
        {key.replace("__", "."): value for key, value in settings.items()}
    )
    return wl.run(config, wl.flows(EXAMPLES / "namespaces.toml"), requests=4_000, check=True).document


def test_a_neighbour_with_channels_of_its_own_slows_no_read() -> None:
    apart = tenants()
    shared = tenants(fdp__reclaim_groups=1, fdp__handles=2)
    for document in (apart, shared):
        spaces = document["namespaces"]
        assert list(spaces) == ["loud", "quiet"]
        assert spaces["quiet"]["flows"] == ["reader"]
        # Who wears: the reader nothing.
        assert spaces["quiet"]["written_bytes"]["media"] == 0
        assert spaces["loud"]["written_bytes"]["media"] > spaces["loud"]["host_bytes"] > 0
        assert spaces["loud"]["written_bytes"]["media"] == document["written_bytes"]["media"]
    # Who waits: the reader, where it shares channels.
    waits = [document["namespaces"]["quiet"]["response_us"]["read"]["p99"] for document in (apart, shared)]
    assert 2 * waits[0] < waits[1]


def flows(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "flows.toml"
    path.write_text(text)
    return path


FLOW = '[[flow]]\nworkload = "fio/random-write"\nnamespace = "a"\n'


def test_handles_and_sectors_of_a_namespace_are_those_of_the_drive_behind_it(tmp_path: Path) -> None:
    config = wl.config(EXAMPLES / "namespaces-drive.toml").set_all(
        {"precondition.fill": 0.0, "precondition.overwrite": 0.0, "fdp.handles": 2}
    )
    space = '[[namespace]]\nname = "{}"\nsize = "25%"\n{}\n'
    text = (
        space.format("z", "handles = [1]")
        + space.format("a", "reclaim_group = 2")
        + FLOW
        + "handle = 2\nrequests = 50\n"
    )
    result = wl.run(config, wl.flows(flows(tmp_path, text)), check=True)
    written = [each["written_bytes"]["host"] for each in result.document["placement"]["handles"]]
    # The second handle of the second group.
    assert [bool(each) for each in written] == [False, False, False, True]
    (flow,) = result.document["workload"]["flows"]
    assert flow["namespace"]["handles"] == [3, 4]
    assert flow["namespace"]["first_sector"] == config.host_bytes // 4 // 512


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FLOW, "'a' is no namespace of the file; write"),
        ('[[namespace]]\nname = "a"\n' + FLOW, "size: is missing"),
        ('[[namespace]]\nname = "a"\nsize = "10%"\nhandle = 2\n' + FLOW, "handle: is no entry of a namespace"),
        ('[[namespace]]\nname = "a"\nsize = "10%"\nhandles = [0]\n' + FLOW, "is no list of handles"),
        ('[[namespace]]\nname = "a"\nsize = "10%"\nreclaim_group = 3\n' + FLOW, "3, and the SSD has 2"),
        ('[[namespace]]\nname = "a"\nsize = "120%"\n' + FLOW, "the SSD has"),
        (2 * '[[namespace]]\nname = "a"\nsize = "10%"\n' + FLOW, "comes twice"),
        ('[[namespace]]\nname = "a"\nsize = "10%"\n' + FLOW + 'size = "20%"\n', "its namespace has|no size|ends at"),
    ],
)
def test_what_is_wrong_with_a_namespace_is_said(tmp_path: Path, text: str, message: str) -> None:
    config = wl.config(EXAMPLES / "namespaces-drive.toml")
    if 'size = "20%"' in text:
        text = text.replace('size = "20%"', "size = 99_999_744")
    with pytest.raises(FlowError, match=message):
        wl.flows(flows(tmp_path, text)).flows(config)


def test_a_handle_that_a_namespace_does_not_have_is_refused(tmp_path: Path) -> None:
    text = '[[namespace]]\nname = "a"\nsize = "10%"\nhandles = [1]\n' + FLOW + "handle = 2\n"
    answer = wordline("run", EXAMPLES / "namespaces-drive.toml", flows(tmp_path, text))
    assert answer.code == 2
    assert "handle 2, but namespace `a` has 1" in answer.err


def test_a_handle_that_the_namespace_lacks_is_an_event_and_goes_to_its_first(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    # The second tenant has one handle; its write with handle 2 is not one of the SSD's second handle.
    rows = [f"{1000 * place},W,{8 * place},8,{handle}" for place, handle in enumerate([1, 2, 2, 1])]
    trace.write_text("\n".join(["time_ns,op,sector,sectors,handle", *rows, ""]))
    text = (
        '[[namespace]]\nname = "a"\nsize = "50%"\nhandles = [1, 2]\n'
        '[[namespace]]\nname = "b"\nsize = "25%"\nhandles = [3]\n'
        '[[flow]]\nname = "t"\nnamespace = "b"\ntrace = "t.csv"\n'
    )
    config = wl.config(EXAMPLES / "cachelib-drive.toml").set_all(
        {"fdp.handles": 3, "precondition.fill": 0.0, "precondition.overwrite": 0.0}
    )
    document = wl.run(config, wl.flows(flows(tmp_path, text)), check=True).document
    placement = document["placement"]
    assert placement is not None
    assert placement["events"]["invalid_placement_identifier"] == 2
    written = [each["written_bytes"]["host"] for each in placement["handles"]]
    assert written[:2] == [0, 0]
    assert written[2] > 0
