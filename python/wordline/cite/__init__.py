"""What a paper that used a run should cite: Wordline, and the works whose techniques and workloads the run used."""

from .bibtex import bibtex
from .works import Work, works_of

__all__ = ["Work", "bibtex", "works_of"]
