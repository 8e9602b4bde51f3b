"""Each kind of mistake has its own class; `str(error)` is one line that says where, what, and how to fix it.

All derive from `WordlineError`. The Rust core raises these classes through one mapping, and this package raises them.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "BugError",
    "BuildError",
    "CheckError",
    "ConfigError",
    "ConfigFileError",
    "EccTableError",
    "EmptyTraceError",
    "EventsError",
    "FioError",
    "FlowError",
    "GoalError",
    "ImportedFileError",
    "InputFileError",
    "MalformedTraceError",
    "MissingExtraError",
    "MqsimError",
    "OutOfRangeError",
    "OutOfSpaceError",
    "PointFailedError",
    "PolicyError",
    "ProcessKilledError",
    "RecordError",
    "RequestError",
    "ServeError",
    "StateError",
    "StorageFullError",
    "StuckError",
    "StudyError",
    "SyntaxError_",
    "TimeGoesBackError",
    "TimeLimitError",
    "TraceError",
    "TraceIoError",
    "TraceNotFoundError",
    "TraceOptionError",
    "TraceOutOfRangeError",
    "TraceTargetError",
    "TraceUnwritableError",
    "TruncatedTraceError",
    "UnknownFormatError",
    "UnknownKeyError",
    "UnknownPresetError",
    "UnknownWorkloadError",
    "ViewError",
    "WordlineError",
    "WorkloadError",
    "WrongValueError",
]


class WordlineError(Exception):
    """Any mistake that Wordline finds.

    Attributes:
        file: File, preset or option with the mistake, if any.
        line: Line in it, from 1, if it has lines.
        key: Dotted configuration key, if the mistake concerns one.
    """

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, key: str | None = None
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.key = key


class ConfigError(WordlineError):
    """An invalid configuration."""


class UnknownKeyError(ConfigError):
    """A key that does not exist; the message names the nearest one."""


class UnknownPresetError(ConfigError):
    """A preset that does not exist; the message names the nearest one."""


class WrongValueError(ConfigError):
    """A value of the wrong type, with a unit in it, or a word that is not a choice."""


class OutOfRangeError(ConfigError):
    """A number outside its range, or keys that conflict (a geometry, for example)."""


class SyntaxError_(ConfigError):  # noqa: N801, N818 - `SyntaxError` is Python's
    """Text that is not TOML."""


class ConfigFileError(ConfigError):
    """A configuration file that does not exist or cannot be read."""


class TraceError(WordlineError):
    """Any error of a trace."""


class TraceNotFoundError(TraceError):
    """A trace file that does not exist."""


class TraceIoError(TraceError):
    """The operating system or a decompressor could not read or write the file."""


class MalformedTraceError(TraceError):
    """A line that does not match its format: file, line, what was expected and what was found."""


class EmptyTraceError(TraceError):
    """A trace without a request, or without one that the options select."""


class TimeGoesBackError(TraceError):
    """A timestamp below the previous one."""


class UnknownFormatError(TraceError):
    """The first lines fit no trace format, or more than one."""


class TruncatedTraceError(TraceError):
    """A compressed or native trace that ends before its end mark."""


class TraceOutOfRangeError(TraceError):
    """An address or a length that does not fit the SSD."""


class TraceOptionError(TraceError):
    """An invalid option for reading a trace."""


class TraceTargetError(TraceError):
    """A file that must not be written: it exists already, or it is the input."""


class TraceUnwritableError(TraceError):
    """A request that the output format cannot represent."""


class WorkloadError(WordlineError):
    """A synthetic workload or a flow that cannot be made."""


class UnknownWorkloadError(WorkloadError):
    """A named workload that does not exist; the message names the nearest one."""


class EccTableError(WordlineError):
    """A file that is not a table of the decoder; the message names the line."""


class OutOfSpaceError(WordlineError):
    """The SSD ran out of space; the message says why."""


class StuckError(WordlineError):
    """A run that gets nowhere, although something goes on; the message names what waits and what goes on."""


class RequestError(WordlineError):
    """A request that the SSD cannot serve."""


class TimeLimitError(WordlineError):
    """An arrival, or the run itself, is later than the 146 years that a run can simulate."""


class BugError(WordlineError):
    """A fault in Wordline, not in the input: please report it with what you ran."""


class CheckError(WordlineError):
    """Checked mode found a contradiction in the simulator: please report it."""


class GoalError(WordlineError):
    """An invalid precision goal, such as `--until "read.p99"`."""


class EventsError(WordlineError):
    """An event stream that cannot be made: a column that does not exist, or what does not go with it."""


class PolicyError(WordlineError):
    """A policy in Python that cannot be used, fails, or returns what is not allowed; its traceback follows the line."""


class StateError(WordlineError):
    """The state of a run that cannot be saved, is damaged, or belongs to another version, SSD or run."""


class StorageFullError(WordlineError):
    """A trace, or the state of a run, does not fit on its disk. Nothing half-written is left."""


class RecordError(WordlineError):
    """The record of a run that does not exist, is damaged, or no longer matches its files."""


class ServeError(WordlineError):
    """A server that cannot start: its socket, its store, its record, or an invalid setting."""


class MissingExtraError(WordlineError, ImportError):
    """A package is missing that only some commands need.

    Attributes:
        extras: The extras that install the missing packages.
    """

    def __init__(self, what: str, packages: Sequence[str], extras: Sequence[str]) -> None:
        verb = "is" if len(packages) == 1 else "are"
        names = " and ".join(packages)
        super().__init__(
            f"{what} needs {names}, which {verb} not installed; pip install 'wordline[{','.join(extras)}]'"
        )
        self._made_of = (what, tuple(packages), tuple(extras))

    @property
    def extras(self) -> tuple[str, ...]:
        """The extras that install the missing packages."""
        return self._made_of[2]

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, tuple[str, ...], tuple[str, ...]]]:
        return (type(self), self._made_of)


class StudyError(WordlineError):
    """An invalid study, sweep or claim."""


class PointFailedError(StudyError):
    """Points of a study failed; the message names each, and why."""


class BuildError(StudyError):
    """A worker on another machine runs another build of Wordline."""


class ProcessKilledError(StudyError):
    """The process of a point was killed repeatedly."""


class InputFileError(WordlineError):
    """A file of another program that cannot be read or is invalid.

    Attributes:
        message: What is wrong.
        fix: How to fix it.
    """

    def __init__(self, file: str, line: int, key: str, message: str, fix: str) -> None:
        place = f"{file}:{line}" if line else file
        named = f" {key}:" if key else ""
        super().__init__(f"{place}:{named} {message}; {fix}", file=file, line=line or None, key=key or None)
        self.message = message
        self.fix = fix

    def __reduce__(self) -> tuple[type[InputFileError], tuple[str, int, str, str, str]]:
        return (type(self), (self.file or "", self.line or 0, self.key or "", self.message, self.fix))


class FioError(InputFileError):
    """A fio job file that cannot be read or run; `key` is the option."""


class FlowError(InputFileError):
    """A file of flows, or an option `--flow`, that cannot be read or run; `key` is the entry."""


class ImportedFileError(InputFileError):
    """A configuration file of another simulator that cannot be read or taken."""


class MqsimError(InputFileError):
    """An MQSim file that cannot be read or is invalid."""


class ViewError(WordlineError):
    """A comparison is to show a number, a key or a row that it does not have."""
