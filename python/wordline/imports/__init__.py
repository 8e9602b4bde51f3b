"""Configuration files of other simulators, as one of Wordline's: `wordline import FILE`.

`read` reads a script that starts FEMU, a configuration of SimpleSSD, or SSDsim's `page.parameters`. It gives TOML on
top of the base layer, whose comments name the line that each value comes from, and a warning for every key that has no
meaning here, or another one. MQSim's files come in pairs: `wordline run --mqsim` runs them.
"""

from __future__ import annotations

from pathlib import Path

from ..config import config
from ..errors import ImportedFileError
from ..files import read_input
from . import femu, foreign, simplessd, ssdsim
from .settings import Imported, Settings

__all__ = ["Imported", "ImportedFileError", "read"]

SIMULATORS = (femu, simplessd, ssdsim)
GIVE = (
    "give a script that starts FEMU, a .cfg of SimpleSSD or SSDsim's page.parameters; "
    "`wordline run --mqsim` takes MQSim's pairs"
)


def read(path: Path | str) -> Imported:
    """Reads a configuration file of another simulator.

    Raises:
        ImportedFileError: The file cannot be read, is of no simulator that is known here, or has a value that cannot be
            taken. It names file, line, key and fix.
        ConfigError: Wordline does not take the SSD that it describes.
    """
    file = str(path)
    text = _text(Path(path))
    for simulator in SIMULATORS:
        if simulator.is_one(text):
            settings = Settings(file, simulator.NAME, simulator.entries(text, file))
            layer = simulator.read(settings)
            config(text=layer)
            return Imported(simulator.NAME, layer, settings.warnings)
    message, fix = foreign.name(text) or ("is no configuration of a simulator that is known here", GIVE)
    raise ImportedFileError(file, 0, "", message, fix)


def _text(path: Path) -> str:
    try:
        data = read_input(path)
    except OSError as error:
        raise ImportedFileError(str(path), 0, "", error.strerror or "cannot be read", "check the path") from None
    # Comments of these files are in many encodings; keys and values are ASCII.
    return data.decode("utf-8", errors="replace")
