"""fio's job files as flows: `wordline run SSD job.fio`, and `wordline.fio("job.fio")`.

Sections become flows with the requests that fio would make. Warnings name options that have no meaning for a simulated
SSD; an option that cannot be followed is an error with its line.
"""

from .jobs import FioFile, fio

__all__ = ["FioFile", "fio"]
