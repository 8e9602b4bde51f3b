"""The revision of the Python code between the core and a result."""

__all__ = ["REVISION"]

REVISION = 6
"""Increase it when this code makes another result of the same point: stored points are then run again.

It covers how a point becomes a run, and what is computed from the run's numbers: `sweeps/`, `api.py`, `workload.py`,
`result.py`, `stats/`. The core needs none: the key of a point has a hash of the compiled extension. A `Computation`
has a version of its own. `make verify` finds a revision that was forgotten.
"""
