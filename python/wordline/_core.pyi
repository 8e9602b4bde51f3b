"""The Rust extension. Use the package `wordline` instead: it is typed, documented and stable."""

from collections.abc import Callable
from typing import Any, Final, final

__all__ = [
    "Configuration",
    "EraseBench",
    "FlowSource",
    "Simulation",
    "TraceSource",
    "__version__",
    "assignment",
    "ecc_curves",
    "make_ecc_tables",
    "split_preset",
    "ssd_presets",
    "trace_formats",
    "trace_stat",
    "workload_presets",
    "write_trace",
]

__version__: Final[str]

_Columns = dict[str, tuple[str, bytes, list[str]]]
_Progress = Callable[[float | None, int, int], object]

@final
class Configuration:
    def __new__(cls, layers: list[tuple[str, str, bool]]) -> Configuration: ...
    def to_toml(self) -> str: ...
    def origins(self) -> dict[str, tuple[str, int, str]]: ...
    def documentation(self) -> dict[str, str]: ...
    def host_sectors(self) -> int: ...
    def coding(self, invalid: list[str]) -> str: ...

@final
class EraseBench:
    def __new__(cls, config: Configuration, *, blocks: int, errors_of: Configuration | None = None) -> EraseBench: ...
    def latencies(self, pecs: list[float], blocks: int) -> str: ...
    def fail_bits(self) -> str: ...
    def ranges(self) -> str: ...
    def shallow(self, pecs: list[float], shallow_pulses: list[int], blocks: int) -> str: ...
    def margins(self) -> str: ...
    def table(self) -> str: ...
    @staticmethod
    def flags_bytes(capacity_bytes: int, block_bytes: int) -> int: ...
    def erases(self, scheme: str, pecs: list[int]) -> str: ...
    def erases_after_ispe(self, scheme: str, pecs: list[int], blocks: int) -> str: ...
    def lifetime(self, scheme: str) -> str: ...
    def m_rber_in_pieces(self, pec: int, short_pulses: int) -> float: ...
    def program_stress(self) -> float: ...
    def steps(self, hardness: float) -> str: ...

@final
class TraceSource:
    def __new__(
        cls,
        paths: list[str],
        *,
        format: str | None = None,  # noqa: A002 - the word that the command line has
        csv_columns: str | None = None,
        device: str | None = None,
        on_time_back: str | None = None,
        on_zero_length: str | None = None,
        skip: int = 0,
        limit: int | None = None,
        wrap: bool | None = None,
        rounds: int = 1,
    ) -> TraceSource: ...

@final
class FlowSource:
    def __new__(
        cls,
        name: str,
        *,
        trace: TraceSource | None = None,
        workload: Configuration | None = None,
        mode: str = "auto",
        queue_depth: int | None = None,
        weight: int = 1,
        first_sector: int = 0,
        sectors: int | None = None,
        time_scale: float = 1.0,
    ) -> FlowSource: ...

@final
class Simulation:
    def __new__(
        cls,
        config: Configuration,
        flows: list[FlowSource],
        *,
        check: bool = False,
        log_requests: bool = False,
        timeline_ns: tuple[int, int] | None = None,
    ) -> Simulation: ...
    def needs_preconditioning(self) -> bool: ...
    def precondition(self, progress: _Progress | None = None) -> None: ...
    def run(self, progress: _Progress | None = None) -> None: ...
    def document(self) -> str: ...
    def warnings(self) -> list[str]: ...
    def tables(self) -> dict[str, _Columns]: ...

def split_preset(text: str) -> tuple[str | None, int, str]: ...
def assignment(text: str) -> tuple[str, str]: ...
def ssd_presets() -> list[tuple[str, str]]: ...
def workload_presets() -> list[tuple[str, str]]: ...
def trace_stat(
    trace: TraceSource, *, sequential_window: int | None = None, progress: _Progress | None = None
) -> tuple[str, list[str]]: ...
def write_trace(
    path: str,
    to: str,
    *,
    trace: TraceSource | None = None,
    flow: FlowSource | None = None,
    config: Configuration | None = None,
    progress: _Progress | None = None,
) -> int: ...
def trace_formats() -> list[str]: ...
def make_ecc_tables(
    *, seed: int = 1, cores: int = 1, quick: bool = False, progress: _Progress | None = None
) -> tuple[str, str]: ...
def ecc_curves(csv: str | None = None) -> dict[str, Any]: ...
