"""Claims of IDA that no run here can decide."""

from __future__ import annotations

from . import closed_form, setups
from .points import LOADS, STEPS_US

USR_1 = "usr_1"


def load_of(name: str, step_us: float) -> float:
    """Returns how busy a workload keeps the baseline's chips where sense times are a step apart, at its fitted rate."""
    usual, wider = (
        closed_form.mean_us(closed_form.plain("tlc", tuple(setups.read_times(each)["nand.read_us"])))
        for each in (setups.LSB_US, step_us)
    )
    return LOADS[name] * wider / usual


def why() -> str:
    """Returns why the widest step under usr_1 has no stationary baseline."""
    widest = max(STEPS_US)
    return (
        f"with the load that Table V needs ({LOADS[USR_1]:g}) and sense times {widest:g} us apart the baseline's chips "
        f"would have to be busy {load_of(USR_1, widest):.2f} of the time: its response time grows with the run, and "
        "the paper states neither load nor length"
    )


UNDECIDABLE = {"ida.fig9.usr_1": why()}
