"""Policies in Python: the same choice gives the same run, a wrong one is an error, their source identifies the run."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import wordline as wl
from api_helpers import reproducible, small
from cli_runner import wordline
from wordline.errors import PolicyError, StateError

KEYS = {
    "gc.policy": "greedy",
    "ssd.overprovisioning": 0.2,
    "precondition.fill": 1.0,
    "precondition.overwrite": 1.0,
    "workload.read_ratio": 0.2,
}
SOURCE = '''
class Greedy:
    """The fewest valid pages, the longest full among equals."""

    def choose(self, view):
        if view.block.size == 0:
            return None
        return view.block[(view.valid << 32 | view.filled).argmin()]
'''


class Greedy:
    """The fewest valid pages, the longest full among equals."""

    def choose(self, view):  # noqa: ANN001, ANN201 - as a user writes it
        if view.block.size == 0:
            return None
        return view.block[(view.valid << 32 | view.filled).argmin()]


class Weighted(Greedy):
    """One with a setting."""

    def __init__(self, weight: float) -> None:
        self.weight = weight


class Alternating(Greedy):
    """One that learns: every other victim is the oldest."""

    def __init__(self) -> None:
        self.asked = 0

    def choose(self, view):  # noqa: ANN001, ANN201
        self.asked += 1
        return super().choose(view) if self.asked % 2 else view.block[view.filled.argmin()]


class Saving(Alternating):
    """The same, with its state."""

    def save(self) -> int:
        return self.asked

    def load(self, saved: int) -> None:
        self.asked = saved


class Drawing(Greedy):
    """One that draws."""

    def choose(self, view):  # noqa: ANN001, ANN201
        return view.random.choice(view.block.tolist())


def config(**settings: object) -> wl.Config:
    return small().set_all({**KEYS, **settings})


def measured(result: wl.Result) -> str:
    """What a run measured, without what it was asked for."""
    document = json.loads(reproducible(result))
    return json.dumps({key: document[key] for key in document if key not in ("config_hash", "warnings")})


def ran(policy: object, slot: str = "gc", requests: int = 1500, **settings: object) -> wl.Result:
    return wl.run(config(**settings), requests=requests, policies={slot: policy})


@pytest.fixture(scope="module")
def greedy() -> wl.Result:
    return wl.run(config(), requests=1500)


def test_greedy_in_python_gives_the_same_run(greedy: wl.Result) -> None:
    assert greedy.document["gc"]["jobs"] > 20
    result = ran(Greedy())
    assert measured(result) == measured(greedy)
    assert result.config["gc.policy"] == "external"
    (warning,) = (each for each in result.warnings if "in Python" in each)
    assert warning.startswith(f"gc.policy: the policy {__name__}:Greedy is in Python, for trying out")
    assert measured(ran(Greedy)) == measured(greedy), "a class"
    assert measured(ran(Alternating())) != measured(greedy), "another choice shows"


def test_draws_follow_the_seed() -> None:
    one, same = ran(Drawing()), ran(Drawing())
    assert measured(one) == measured(same)
    assert measured(ran(Drawing(), seed=2)) != measured(one)


def test_each_run_begins_with_the_object_as_it_was_given() -> None:
    policy = Saving()
    assert measured(ran(policy)) == measured(ran(policy))
    assert policy.asked == 0


def test_source_and_settings_are_part_of_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def name(policy: object) -> str:
        return str(ran(policy, requests=1).config["gc.external"])

    assert name(Weighted(1.0)) == name(Weighted(1.0)) != name(Weighted(2.0))
    assert name(Weighted(1.0)) != name(Greedy())
    file = tmp_path / "mine.py"
    file.write_text(SOURCE)
    before = name(f"{file}:Greedy")
    file.write_text(SOURCE.replace("argmin", "argmax"))
    assert name(f"{file}:Greedy") != before
    # Another process, which imports what was named with its hash, does not run another source.
    monkeypatch.setattr("wordline.python_policies.binding._objects", {})
    with pytest.raises(PolicyError, match="not the policy that was named"):
        ran(before)


def test_what_was_typed_has_a_hash_of_what_it_was_compiled_to() -> None:
    def name(source: str) -> str:
        typed: dict[str, type] = {}
        exec(source, typed)  # noqa: S102 - as an interpreter does
        return str(ran(typed["Greedy"], requests=1).config["gc.external"])

    assert name(SOURCE) == name(SOURCE) != name(SOURCE.replace("argmin", "argmax"))


def test_errors_name_the_line_of_the_policy() -> None:
    class Failing(Greedy):
        def choose(self, view):  # noqa: ANN001, ANN202
            return view.block[len(view.missing)]

    with pytest.raises(PolicyError) as caught:
        ran(Failing())
    first, *below = str(caught.value).splitlines()
    line = Failing.choose.__code__.co_firstlineno + 1
    assert first.startswith(f"{__file__}:{line}: the gc policy ")
    assert "failed in choose: AttributeError" in first
    assert caught.value.line == line
    assert "view.missing" in "\n".join(below)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value), "it comes back from other processes"


@pytest.mark.parametrize("answer", [-1, 10**30, "3", 2.5, True])
def test_a_victim_that_is_not_allowed_is_named(answer: object) -> None:
    class Wrong(Greedy):
        def __init__(self) -> None:
            self.answer = answer

        def choose(self, view):  # noqa: ANN001, ANN202
            assert 1 not in view.block or not isinstance(self.answer, bool)
            return self.answer

    with pytest.raises(PolicyError) as caught:
        ran(Wrong())
    assert f"returned {answer!r} from choose; return one of the " in str(caught.value) or isinstance(answer, bool)


def test_what_cannot_be_a_policy_is_refused() -> None:
    for policies, message in (
        ({"gc": object()}, r"has no method choose\(\)"),
        ({"read_retry": Greedy()}, "`read_retry`: no slot for a policy in Python; there are gc,"),
        ({"gc": "Greedy"}, "write MODULE:NAME or FILE.py:NAME"),
        ({"gc": "no_such_module:Greedy"}, "no_such_module cannot be imported: ModuleNotFoundError"),
        ({"gc": "json:Greedy"}, "json has no Greedy"),
        ({"gc": "no_such.py:Greedy"}, "no_such.py cannot be imported: no such file"),
        ({"gc": Weighted(object())}, "Weighted.weight is a object"),  # type: ignore[arg-type]
    ):
        with pytest.raises(PolicyError, match=message):
            wl.run(config(), requests=1, policies=policies)
    with pytest.raises(PolicyError, match=r"`gc.external` names no policy"):
        wl.run(config(**{"gc.policy": "external"}), requests=1)
    with pytest.raises(PolicyError, match="TypeError"):
        ran(Weighted, requests=1)


def test_its_state_goes_with_the_drive(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    first = wl.run(config(), requests=700, policies={"gc": Saving()}, save_state=whole)
    assert first.document["gc"]["jobs"] > 5
    # The drive of a run: what the policy has learned is there.
    one = wl.run(config(), requests=701, policies={"gc": Saving()}, load_state=whole)
    assert one.document["requests"]["all"] == 701
    with pytest.raises(StateError, match=r"gc.external was .*Saving.* and is .*Greedy"):
        wl.run(config(), requests=701, policies={"gc": Greedy()}, load_state=whole)
    with pytest.raises(StateError, match=r"gc.external was .*Saving.* and is \"\""):
        wl.run(config(), requests=701, load_state=whole)
    with pytest.raises(StateError, match=r"Alternating has learned something in asked and cannot save it"):
        wl.run(config(), requests=700, policies={"gc": Alternating()}, save_state=tmp_path / "none")
    assert not (tmp_path / "none").exists()
    # A policy that learns nothing needs no methods for it.
    wl.run(config(), requests=700, policies={"gc": Greedy()}, save_state=tmp_path / "greedy")


class Gap:
    """As `gap` in Rust."""

    def __init__(self, threshold: int) -> None:
        self.threshold = threshold

    def choose(self, view):  # noqa: ANN001, ANN201
        if view.block.size == 0 or view.used_pec.max() - view.pec.min() <= self.threshold:
            return None
        return view.block[view.pec.argmin()]


class Reads:
    """As `reads` in Rust."""

    def looks_every(self) -> int:
        return 1_000_000

    def is_due(self, view) -> bool:  # noqa: ANN001
        return view.reads >= 5


class Idle:
    """As `idle` in Rust."""

    def takes(self, writer) -> bool:  # noqa: ANN001
        return writer.sectors < 256

    def idle_after(self) -> int:
        return 1_000_000_000

    def folds(self, view) -> bool:  # noqa: ANN001
        return (view.is_idle and view.full > 0) or (view.is_short and view.full_dynamic > 0)


class ByFlow:
    """As `flow` in Rust."""

    def host(self, page) -> int:  # noqa: ANN001
        return page.flow % page.streams


@pytest.mark.parametrize(
    ("slot", "policy", "python", "rust"),
    [
        ("wear_levelling", Gap(2), {}, {"wear.static_threshold": 2}),
        ("folding", Idle(), {}, {"slc.policy": "idle", "slc.around_bytes": 131_072}),
        ("placement", ByFlow(), {"ftl.streams": 2}, {"ftl.streams": 2}),
    ],
)
def test_every_slot_gives_what_rust_gives(
    slot: str, policy: object, python: dict[str, object], rust: dict[str, object]
) -> None:
    assert measured(ran(policy, slot, **python)) == measured(wl.run(config(**rust), requests=1500))


def test_refresh_in_python_rewrites_what_is_due() -> None:
    class Never(Reads):
        def looks_every(self) -> None:  # type: ignore[override]
            return None

    many, none = (ran(policy, "refresh", **{"workload.read_ratio": 0.9}) for policy in (Reads(), Never()))
    assert many.document["counters"]["ftl"]["refresh_jobs"] > 0 == none.document["counters"]["ftl"]["refresh_jobs"]


def test_sweeps_and_the_command_line_import_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(SOURCE)
    ssd = config(**{"gc.external": f"{file}:Greedy"})
    points = wl.compare(ssd, None, {"gc.policy": ["greedy", "external"]}, requests=800, jobs=2)
    one, other = (measured(each.result) for each in points)
    assert one == other
    (tmp_path / "ssd.toml").write_text(config().to_toml())
    answer = wordline("run", "ssd.toml", "-n", "800", "--policy", "gc=mine.py:Greedy", "--json", cwd=tmp_path)
    assert answer.code == 0, answer.err
    assert "the policy mine.py:Greedy is in Python" in answer.err
    assert json.loads(answer.out)["gc"] == points[0].result.document["gc"]
    file.write_text(SOURCE.replace("view.valid", "view.live"))
    answer = wordline("run", "ssd.toml", "-n", "800", "--policy", "gc=mine.py:Greedy", cwd=tmp_path)
    assert answer.code == 2
    assert "mine.py:8: the gc policy mine.py:Greedy failed in choose: AttributeError" in answer.err
    assert "Traceback" not in answer.err
    answer = wordline("run", "ssd.toml", "--policy", "gc=mine.py:Greedier", cwd=tmp_path)
    assert (answer.code, "mine.py has no Greedier" in answer.err) == (2, True)


def test_columns_are_read_only_and_wide() -> None:
    seen = []

    class Looking(Greedy):
        def begin(self, device) -> None:  # noqa: ANN001
            assert (device.channels, device.planes, device.pages_per_block) == (2, 2, 64)

        def choose(self, view):  # noqa: ANN001, ANN202
            seen.append(view.block.size)
            for column in (view.block, view.valid, view.filled, view.stream):
                assert column.dtype == np.int64
                assert column.size == view.block.size
                assert not column.flags.writeable
            assert (view.valid < view.pages_per_block).all()
            assert (view.filled <= view.now).all()
            return super().choose(view)

    ran(Looking)
    assert len(seen) > 20


class Interrupted(Greedy):
    """One during which Ctrl-C comes."""

    def choose(self, view):  # noqa: ANN001, ANN201
        if view.now > 200:
            raise KeyboardInterrupt
        return super().choose(view)


def test_an_interruption_leaves_what_was_measured_and_no_state(tmp_path: Path) -> None:
    # It comes while the host writes, not before.
    ssd = config(**{"precondition.overwrite": 0.0})
    policies = {"gc": Interrupted()}
    with pytest.raises(KeyboardInterrupt):
        wl.run(ssd, requests=50_000, policies=policies)
    part = wl.run(ssd, requests=50_000, policies=policies, keep_partial=True)
    assert part.document["partial"]
    assert 0 < part.document["requests"]["all"] < 50_000
    with pytest.raises(StateError, match="Ctrl-C came while a policy in Python was asked"):
        wl.run(ssd, requests=50_000, policies=policies, save_state=tmp_path / "state")
    assert list(tmp_path.iterdir()) == []
