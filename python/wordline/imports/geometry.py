"""What the simulators have in common: the shape of an SSD, and what none of them models."""

from __future__ import annotations

from ..output.layer import Layer
from .settings import Settings

PAGE_BYTES = (4096, 8192, 16_384, 32_768)
# Times that none of these simulators has; Wordline's own defaults are those of MQSim.
NO_COMMANDS = (
    "read_command_ns", "read_command_plane_ns", "program_command_ns", "program_command_plane_ns", "erase_command_ns",
    "erase_command_plane_ns",
)  # fmt: skip


def page_bytes(settings: Settings, layer: Layer, given_bytes: int, key: str) -> int:
    """Sets the size of a page, the nearest one that Wordline has; returns it."""
    size = next((size for size in PAGE_BYTES if size >= given_bytes), PAGE_BYTES[-1])
    layer.set("ssd.page_bytes", size, settings.where(key))
    if size != given_bytes:
        settings.warn(
            key,
            f"a page of {given_bytes:,} bytes is {size:,} here (4,096, 8,192, 16,384 or 32,768), and the capacity "
            "changes",
        )
    return size


def no_command_times(layer: Layer, origin: str) -> None:
    """Sets the times of commands on the channel to zero."""
    for name in NO_COMMANDS:
        layer.set(f"channel.{name}", 0, origin)


def one_latency(
    layer: Layer, read_us: float, program_us: float, erase_us: float, origins: tuple[str, str, str]
) -> None:
    """Sets the times of flash whose pages are all alike."""
    layer.set("coding.cell", "slc", "one latency for all pages")
    layer.set("coding.scheme", "slc", "one latency for all pages")
    layer.set("nand.read_us", [read_us], origins[0])
    layer.set("nand.program_us", [program_us], origins[1])
    layer.set("nand.erase_us", erase_us, origins[2])
