"""Every error becomes a message and an exit code, in one place."""

import errno

import pytest
import typer

from wordline import errors
from wordline.cli.errors import BadInputError, ClosedPipeError
from wordline.cli.guard import guarded


@pytest.mark.parametrize(
    ("problem", "code", "said"),
    [
        (errors.OutOfSpaceError("the SSD is out of space: why"), 1, "wordline: error: the SSD is out of space: why\n"),
        (errors.StuckError("the run gets nowhere: why"), 1, "wordline: error: the run gets nowhere: why\n"),
        (errors.CheckError("check failed: x"), 1, "wordline: error: check failed: x\n"),
        (
            errors.OutOfRangeError("a.toml:3: too much; take less"),
            2,
            "wordline: error: a.toml:3: too much; take less\n",
        ),
        (
            errors.MqsimError("w.xml", 3, "Seed", "is odd", "even it"),
            2,
            "wordline: error: w.xml:3: Seed: is odd; even it\n",
        ),
        (
            typer.BadParameter("'abc' is not a valid int range.", param_hint="'--jobs'"),
            2,
            "wordline: error: Invalid value for '--jobs': 'abc' is not a whole number\n  hint: see `wordline --help`\n",
        ),
        (BadInputError("no", "yes"), 2, "wordline: error: no\n  hint: yes\n"),
        (PermissionError(errno.EACCES, "Permission denied", "out"), 2, "wordline: error: out: Permission denied\n"),
        (KeyboardInterrupt(), 130, "wordline: interrupted\n"),
    ],
)
def test_each_kind_of_mistake(capsys: pytest.CaptureFixture[str], problem: BaseException, code: int, said: str) -> None:
    def run() -> None:
        raise problem

    assert guarded(run) == code
    assert capsys.readouterr() == ("", said)


def test_a_fault_of_our_own_keeps_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: {}["x"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("Traceback")
    assert said.endswith("wordline: error: KeyError: 'x'\n  hint: this is a fault of Wordline; please report it\n")


def test_nobody_who_reads_is_no_fault(capfd: pytest.CaptureFixture[str]) -> None:
    def run() -> None:
        raise ClosedPipeError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wordline.cli.talk.drop_output", lambda: None)
        assert guarded(run) == 141
    assert capfd.readouterr() == ("", "")


def test_success_is_zero_and_an_exit_code_is_kept() -> None:
    assert guarded(lambda: None) == 0
    assert guarded(lambda: 3) == 3
