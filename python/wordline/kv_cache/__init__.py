"""A KV cache of LLM serving on a simulated SSD: what it asks of the drive, and how long the drive lives."""

from .models import MODELS, Model
from .plan import Demand, demand_of
from .result import Asked, DriveSide, Endurance, KvResult, PolicyResult, Restore
from .run import kv
from .settings import KvSettings
from .tiers import EVICTIONS, POLICIES, Access, Counts, Tiers
from .traces import FORMATS, KvRequest, KvTrace, read_traces

__all__ = [
    "EVICTIONS",
    "FORMATS",
    "MODELS",
    "POLICIES",
    "Access",
    "Asked",
    "Counts",
    "Demand",
    "DriveSide",
    "Endurance",
    "KvRequest",
    "KvResult",
    "KvSettings",
    "KvTrace",
    "Model",
    "PolicyResult",
    "Restore",
    "Tiers",
    "demand_of",
    "kv",
    "read_traces",
]
