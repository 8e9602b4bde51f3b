"""What a command writes is no other path of the command, and no file changes that it does not own.

WORDLINE_TREES is the number of random trees.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from output_commands import SLOW, STUDY, TARGET, WRITERS, fill
from wordline import files
from wordline.cli import main, paths
from wordline.cli.app import COMMANDS, GROUPS, MODULES
from wordline.cli.errors import BadInputError
from wordline.cli.grouped import spread, use_of
from wordline.output import manifest

RUN = ("run", "ssd.toml", "--workload", "fio/random-read", "--set", "workload.requests=50")
TREES = int(os.environ.get("WORDLINE_TREES", "15"))


def commands() -> Iterator[tuple[str, Callable[..., None]]]:
    """Every command with its function."""
    for name in COMMANDS:
        module = MODULES.get(name, name)
        yield name, getattr(import_module(f"wordline.cli.{module}"), module)
    for group in GROUPS:
        for each in import_module(f"wordline.cli.{group}_group").group({}).registered_commands:
            yield f"{group} {each.name}", each.callback
    yield "reproduce", import_module("wordline_papers.cli.reproduce").reproduce


TEXTS = {
    "1/N", "ADDRESS:PORT", "COLUMN=PATTERN", "FIG,…", "FORMAT", "FROM_US:TO_US", "GOAL", "KEY", "KEY=VALUE",
    "KEY=VALUE,...", "KIND,KIND,…", "LETTER", "LIST", "MODE", "N,N", "N,N,…", "NAME", "NAME=VALUE", "NAMES",
    "NAME|BYTES", "P,P,…", "PAGES", "POLICY", "SHARE", "SHARES", "SIZE", "SIZE,SIZE,…", "SLOT=POLICY", "SPEC", "STUDY",
    "TEXT", "TIME", "UNIT", "X", "[PAPER|STUDY]...|all|readings [STUDY]...", "eio|ignore", "flush|end",
}  # fmt: skip
"""What options that take a text call it, where it is no path: an option that is called otherwise declares one."""


def may_be_a_path(parameter: Parameter) -> bool:
    """An option takes a path, or a text of a kind that may be one."""
    kind = str(getattr(parameter.annotation, "__origin__", parameter.annotation))
    names = [name for each in getattr(parameter.annotation, "__metadata__", ()) if (name := each_name(each))]
    return "Path" in kind or ("str" in kind and not (names and set(names) <= TEXTS))


def each_name(about: object) -> str | None:
    return getattr(about, "metavar", None)


def test_every_path_of_every_command_says_how_it_is_used() -> None:
    of_paths = []
    for name, function in commands():
        for each in signature(spread(function)).parameters.values():
            use = use_of(each)
            assert use is not None or not may_be_a_path(each), f"{name}: {each.name}"
            if use is not None:
                of_paths.append((name, use[0], use[1].use.name))
    assert ("run", "--out", "FILL") in of_paths
    assert ("run", "--save-state", "WRITE") in of_paths
    assert ("explain read", "--plot", "WRITE") in of_paths
    assert ("reproduce", "--cache", "KEEP") in of_paths
    assert len({name for name, *_ in of_paths}) > 15


def overlaps(command: Callable[..., None]) -> Iterator[tuple[str, str, paths.Use]]:
    """Each output of a command with each other path of it; a folder that keeps files may lie with what is read."""
    uses = {each.name: use for each in signature(command).parameters.values() if (use := use_of(each)) is not None}
    for one, two in itertools.permutations(uses, 2):
        (option, written), (other_option, other) = uses[one], uses[two]
        may_share = written.over == other_option or other.over == option
        if written.use is not paths.Use.READ and not may_share and not {written.use, other.use} <= READ_AND_KEPT:
            yield one, two, written.use


READ_AND_KEPT = {paths.Use.READ, paths.Use.KEEP}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with inputs of all kinds."""
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("WORDLINE_CACHE", str(tmp_path / "cache"))
    fill(place)
    return place


def snapshot(root: Path) -> dict[str, object]:
    """Everything below a folder: its content, the end of a link, and the mode."""
    return {
        str(path.relative_to(root)): (path.readlink() if path.is_symlink() else content(path), path.lstat().st_mode)
        for path in sorted(root.rglob("*"))
    }


def content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def test_no_output_of_any_command_is_another_path_of_it(here: Path) -> None:
    """What a command does is never reached: its paths are compared before."""
    (here / "d").mkdir()
    (here / "d" / "t.csv").write_text("mine\n")
    manifest.write(here / "d")
    (here / "hard").hardlink_to(here / "d" / "t.csv")
    (here / "link").symlink_to("d")
    before, refused = snapshot(here), set()
    for name, function in commands():
        command = spread(function)
        for written, other, use in overlaps(command):
            # A folder that is filled holds the other one; a file is the other one, by other names.
            for place in ("d", "link") if use in (paths.Use.FILL, paths.Use.KEEP) else ("hard", "link/t.csv"):
                words = {written: place, other: "d/t.csv"}
                with pytest.raises((BadInputError, OSError)) as error:
                    command(**{option: Path(path) for option, path in words.items()})
                assert "t.csv" in str(error.value), (name, words)
                assert snapshot(here) == before, (name, words)
                refused.add(name)
    # All that write to more than standard output.
    assert refused >= {"run", "serve", "compare", "fit", "sweep", "pts", "kv", "table", "import", "characterize"}
    assert refused >= {"explain waits", "trace stat", "trace convert", "trace gen"}


def linked(name: str, to: str) -> Callable[[Path], None]:
    return lambda here: (here / name).symlink_to(to)


def hard_linked(name: str, to: str) -> Callable[[Path], None]:
    return lambda here: (here / name).hardlink_to(here / to)


def moved_into(folder: str, *names: str) -> Callable[[Path], None]:
    """Puts files into a folder that looks like a result, whose list names them."""

    def move(here: Path) -> None:
        (here / folder).mkdir()
        for name in names:
            shutil.move(here / name, here / folder)
        manifest.write(here / folder)

    return move


def nothing(here: Path) -> None:
    del here


@pytest.mark.parametrize(
    ("prepare", "words", "said"),
    [
        (nothing, (*RUN, "--out", "."), ".: is the working folder"),
        (nothing, (*RUN, "--out", ".."), "..: holds the working folder"),
        (nothing, ("run", "ssd.toml", "--trace", "t.csv", "--report", "t.csv"), "is t.csv, which --trace names"),
        (nothing, ("run", "ssd.toml", "job.fio", "--report", "job.fio"), "is job.fio, which the command names"),
        (nothing, (*RUN, "--report", "ssd.toml"), "--report ssd.toml: is ssd.toml, which the command names"),
        (nothing, (*RUN, "--save-state", "ssd.toml"), "--save-state ssd.toml: is ssd.toml, which the command names"),
        (nothing, (*RUN, "--save-state", "x", "--report", "x"), "is x, which --save-state names"),
        (nothing, (*RUN, "--save-state", "out/x", "--out", "out"), "--out out: holds out/x, which --save-state names"),
        (nothing, (*RUN, "--report", "out/x", "--out", "out"), "holds out/x, which --report names"),
        (nothing, (*RUN, "--out", "x", "--report", "x"), "--out x: is x, which --report names"),
        (nothing, ("run", "--mqsim", "ssd.xml", "work.xml", "--out", "ssd.xml"), "ssd.xml: exists and is no folder"),
        (linked("link", "t.csv"), ("run", "ssd.toml", "--trace", "t.csv", "--report", "link"), "is t.csv"),
        (hard_linked("link", "t.csv"), ("run", "ssd.toml", "--trace", "t.csv", "--report", "link"), "is t.csv"),
        (linked("link", "."), (*RUN, "--report", "link/ssd.toml"), "is ssd.toml"),
        (
            moved_into("d", "t.csv"),
            ("run", "ssd.toml", "--trace", "d/t.csv", "--out", "d"),
            "--out d: holds d/t.csv, which --trace names",
        ),
        (moved_into("d", "ssd.toml"), ("run", "d/ssd.toml", "--out", "d"), "holds d/ssd.toml, which the command names"),
        (
            moved_into("d", "ssd.toml"),
            ("compare", "d/ssd.toml", "--set", "host.queue_depth=1,2", "--out", "d"),
            "holds d/ssd.toml",
        ),
        (moved_into("d", "study.toml"), ("sweep", "d/study.toml", "--out", "d"), "holds d/study.toml"),
        (moved_into("d", "t.csv"), ("sweep", "other.toml", "--out", "d"), "holds d/t.csv, which other.toml names"),
        (moved_into("d", "ssd.toml"), ("sweep", "third.toml", "--out", "d"), "d/ssd.toml, which third.toml names"),
        (nothing, ("sweep", "study.toml", "--report", "t.csv"), "is t.csv, which study.toml names"),
        (nothing, ("sweep", "study.toml", "--out", "c/x", "--cache", "c"), "--cache c: holds c/x, which --out names"),
        (nothing, ("sweep", "study.toml", "--out", "c", "--cache", "c/x"), "--out c: holds c/x, which --cache names"),
        (nothing, ("sweep", "study.toml", "--out", "../cache"), "cache, which the cache names"),
        (moved_into("d", "work.xml"), ("run", "--mqsim", "ssd.xml", "d/work.xml", "--out", "d"), "holds d/work.xml"),
        (nothing, ("import", "femu.sh", "--out", "femu.sh"), "--out femu.sh: is femu.sh, which the command names"),
        (nothing, ("trace", "convert", "t.csv", "t.csv", "--force"), "t.csv: is t.csv, which the command names"),
        (nothing, ("trace", "gen", "fio/random-read", "ssd.toml", "--ssd", "ssd.toml", "--force"), "is ssd.toml"),
        (nothing, ("trace", "stat", "t.data.csv", "--plot", "t.svg"), "is t.data.csv"),
        (moved_into("d", "ssd.toml"), ("characterize", "d/ssd.toml", "--out", "d"), "holds d/ssd.toml"),
        (moved_into("d", "t.csv"), ("run", "ssd.toml", "--flow", "trace=d/t.csv", "--out", "d"), "t.csv, which --flow"),
        (moved_into("d", "t.csv"), ("kv", "ssd.toml", "d/t.csv", "--out", "d"), "holds d/t.csv"),
        (moved_into("d", "ssd.toml"), ("table", "d/ssd.toml", "--out", "d"), "holds d/ssd.toml"),
        (moved_into("d", "ssd.toml"), ("pts", "d/ssd.toml", "--out", "d"), "holds d/ssd.toml"),
        (nothing, ("fit", "t.csv", "--out", "t.csv"), "--out t.csv: is t.csv, which the command names"),
        (nothing, ("fit", "t.csv", "--base", "ssd.toml", "--out", "ssd.toml"), "is ssd.toml, which --base names"),
        (moved_into("d", "t.csv"), ("compare", "ssd.toml", "--against", "d/t.csv", "--out", "d"), "holds d/t.csv"),
        (nothing, ("explain", "waits", "ssd.toml", "--trace", "t.data.csv", "--plot", "t.svg"), "is t.data.csv"),
        (nothing, ("serve", "ssd.toml", "--store", "s", "--record", "s"), "--record s: is s, which --store names"),
        (nothing, ("serve", "ssd.toml", "--store", "s", "--record", "s.state"), "--record s.state: is s.state"),
        (nothing, ("serve", "ssd.toml", "--store", "d/s", "--out", "d"), "--out d: holds d/s, which --store names"),
        (nothing, ("serve", "ssd.toml", "--socket", "ssd.toml"), "--socket ssd.toml: is ssd.toml"),
        (
            moved_into("d", "t.csv"),
            ("run", "ssd.toml", "replay.fio", "--out", "d"),
            "holds d/t.csv, which replay.fio names",
        ),
    ],
)  # fmt: skip
def test_what_is_written_is_no_other_path_of_the_command(
    here: Path,
    prepare: Callable[[Path], None],
    words: tuple[str, ...],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (here / "other.toml").write_text(STUDY.replace("t.csv", "d/t.csv"))
    (here / "third.toml").write_text(STUDY.replace("ssd.toml", "d/ssd.toml"))
    (here / "replay.fio").write_text("[job]\nread_iolog=d/t.csv\nfilename=/dev/x\n")
    shutil.copyfile(here / "t.csv", here / "t.data.csv")
    prepare(here)
    before = snapshot(here.parent)
    assert main([*words]) == 2
    message = capsys.readouterr().err
    assert said in message
    assert "name another" in message or "name a folder" in message or "exists" in message
    assert snapshot(here.parent) == before


def test_a_run_goes_on_and_saves_over_its_own_state(here: Path) -> None:
    assert main([*RUN, "--save-state", "state"]) == 0
    assert main([*RUN, "--load-state", "state", "--save-state", "state", "--go-on"]) == 0
    assert (here / "state").exists()


def test_a_device_is_no_file_of_anybody(here: Path) -> None:
    assert main([*RUN, "--report", os.devnull, "--save-state", "state"]) == 0
    assert (here / "state").exists()


def written_paths(name: str) -> dict[str, paths.Declared]:
    """The options of a command that write, and how."""
    shape = signature(spread(dict(commands())[name]))
    uses = [use for each in shape.parameters.values() if (use := use_of(each)) is not None]
    return {option: declared for option, declared in uses if declared.use is not paths.Use.READ}


def test_a_command_is_at_hand_for_each_option_that_writes() -> None:
    """A session of `serve` does not end by itself: its paths are compared above, its files tested elsewhere."""
    writing = {(name, option) for name, _ in commands() for option in written_paths(name)}
    assert {each for each in writing if each[0] != "serve"} == set(WRITERS)


class Drawn(NamedTuple):
    """A random command with random targets."""

    words: tuple[str, ...]
    targets: tuple[tuple[paths.Declared, str], ...]


def drawn(chance: random.Random, place: Path) -> Drawn:
    names = [str(path.relative_to(place)) for path in place.rglob("*")]
    free = [*names, *("new", "deep/new", "first", "points/0001/../../x", "other", "first/other") * (len(names) // 4)]
    target = chance.choice([*free, ".", "..", "dir", "link"])
    # Those of seconds are left to long hunts.
    slow = {"ldpc"} if TREES > 100 else SLOW
    name, option = chance.choice([each for each in WRITERS if each[0] not in slow])
    inputs = {
        "t.csv": chance.choice(["t.csv", "dir/t.csv", "d/t.csv", "hard"]),
        "ssd.toml": chance.choice(["ssd.toml", "link/ssd.toml", "first"]),
    }
    words = [inputs.get(word, word).replace(TARGET, target) for word in WRITERS[name, option]]
    declared = written_paths(name)
    suffix = ".svg" if option == "--plot" else ""
    targets = [(declared[option], target + suffix)]
    others = [each for each in declared if each.startswith("--") and each not in words]
    if others and chance.random() < 0.3:
        second, further = chance.choice(others), chance.choice(free)
        words += [second, further]
        targets.append((declared[second], further))
    # What a command writes if nobody says where.
    targets += [(paths.FILLS, word) for word in ("swept", "papers") if word in words]
    # Each study has a folder of its own.
    if name == "reproduce":
        targets += [(paths.FILLS, f"{value}/validation") for use, value in targets if use.use is paths.Use.FILL]
    return Drawn(tuple(words), tuple(targets))


NAMES = (
    "result.json", "sweep.json", "run.toml", "thesis.tex", ".git/HEAD", "points/0001/result.json", "wordline.sha256",
    "dir/notes", "dir/result.json", "dir/deep/state", ".new.0123abcd.partial/new/mine", "config.toml", "t.csv.svg",
    "new.data.csv", "lock", "other", "dir/new.svg",
)  # fmt: skip


def grow(place: Path, chance: random.Random) -> None:
    """Puts inputs, results, and files of a user that look like either into a folder."""
    fill(place)
    first = ("run", "ssd.toml", "--workload", "fio/random-read", "--set", "workload.requests=20", "--out", "first")
    assert main([*first]) == 0
    for name in chance.sample(NAMES, chance.randint(0, 6)):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(chance.choice(["", "{}", "mine", f"{'0' * 64}  mine\n"]))
    for name in ("dir", "d"):
        (place / name).mkdir(exist_ok=True)
        shutil.copyfile(place / "t.csv", place / name / "t.csv")
    if chance.random() < 0.5:
        manifest.write(place / "d")
    if chance.random() < 0.3:
        shutil.copytree(place / "first", place / "dir" / "second")
    if chance.random() < 0.3:
        (place / "first" / "notes").write_text("mine")
    if chance.random() < 0.2:
        (place / "first" / "result.json").write_text("mine")
    (place / "link").symlink_to(chance.choice([".", "dir", "first", "../tree", "nowhere", "t.csv"]))
    (place / "hard").hardlink_to(place / "t.csv")


def owned(place: Path, targets: tuple[tuple[paths.Declared, str], ...]) -> set[Path]:
    """The files that a command may change: those that an output names, and those that a result lists."""
    may: set[Path] = set()
    for declared, value in targets:
        path = Path(os.path.realpath(place / value))
        if declared.use is paths.Use.WRITE:
            may |= {path, *(Path(os.path.realpath(each)) for each in declared.beside(place / value))}
        elif declared.use is paths.Use.FILL and (listed := manifest._listed(path)) is not None:
            may |= {path / name for name in (*listed, manifest.MANIFEST)}
    return may


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(3))
def test_no_file_changes_that_is_not_listed(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORDLINE_CACHE", str(tmp_path / "cache"))
    codes = []
    for number in range(TREES // 3):
        chance = random.Random(1000 * number + part)  # noqa: S311
        place = tmp_path / str(number) / "tree"
        place.mkdir(parents=True)
        monkeypatch.chdir(place)
        grow(place, chance)
        for _ in range(2):
            words, targets = drawn(chance, place)
            before = {path: content(path) for path in place.parent.rglob("*") if is_plain(path)}
            links = {path: path.readlink() for path in place.parent.rglob("*") if path.is_symlink()}
            may = owned(place, targets)
            code = main([*words])
            said = capsys.readouterr().err
            codes.append(code)
            assert code in (0, 2), (words, said)
            assert "fault of Wordline" not in said, words
            for path, text in before.items():
                if path not in may:
                    assert path.is_file(), (words, path)
                    assert path.read_bytes() == text, (words, path)
            assert {path: path.readlink() for path in links if path.is_symlink()} == links, words
            partial = set(place.parent.rglob("*.partial")) - {parent for path in before for parent in path.parents}
            assert not partial, words
        shutil.rmtree(place.parent, ignore_errors=True)
    assert 0.2 < codes.count(0) / len(codes) < 0.8


@pytest.mark.parametrize("words", [words for (_, option), words in WRITERS.items() if option == "--plot"])
def test_a_figure_of_an_unknown_format_is_refused_before_the_work(
    words: tuple[str, ...], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(here.iterdir())
    assert main([*words[:-1], "figure.doc"]) == 2
    assert "--plot figure.doc: not a format of figures" in capsys.readouterr().err
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("option", ["--report", "--save-state"])
def test_a_file_that_cannot_be_written_is_refused_before_the_run(
    here: Path, option: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # To the superuser every folder is open.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != here and bool(mode))
    assert main([*RUN, option, "x"]) == 2
    assert f"{option} x: no permission to write in {here}" in capsys.readouterr().err


def test_what_a_command_declares_ends_with_it(here: Path) -> None:
    assert main([*RUN, "--report", "x"]) == 0
    assert main([*RUN, "--save-state", "x"]) == 0
    assert [str(place) for place in paths._places if place.is_written] == ["--save-state x"]
    assert (here / "x").exists()


def test_names_that_differ_in_case_alone_are_one_where_the_system_ignores_it(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del here
    monkeypatch.setattr(files, "IGNORES_CASE", True)
    assert main([*RUN, "--out", "Out", "--report", "oUT/x"]) == 2
    assert "--out Out: holds oUT/x" in capsys.readouterr().err


def test_a_declared_folder_is_compared_with_links_resolved(here: Path) -> None:
    paths.begin()
    (here / "link").symlink_to("d")
    paths.declare("--out", Path("link"), paths.FILLS)
    with pytest.raises(Exception, match="holds d/x"):
        paths.declare("--report", Path("d/x"), paths.WRITES)


def test_a_text_that_is_no_path_is_nothing(here: Path) -> None:
    del here
    paths.begin()
    for value in ("-", "mqsim", "x" * 5000):
        paths.declare("--trace", value, paths.READS)
    names: Any = [place.shown for place in paths._places]
    assert names == []
