"""Files of other simulators and tools that are known and not imported, with what to do instead."""

from __future__ import annotations

__all__ = ["name"]

BY_HAND = "write its geometry and times into a .toml: `wordline explain ssd`, `nand` and `ftl` list the keys"
# Words that all have to be there, what the file is, and what to do.
KNOWN: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("Execution_Parameter_Set",), "is MQSim's ssdconfig.xml", "`wordline run --mqsim SSD.xml WORKLOAD.xml` runs it"),
    (("MQSim_IO_Scenarios",), "is MQSim's workload", "`wordline run --mqsim SSD.xml WORKLOAD.xml` runs it"),
    (("NS_SSD_TYPE",), "is NVMeVirt's ssd_config.h, which is not imported", BY_HAND),
    (("NAND_CHANNELS", "LUNS_PER_NAND_CH"), "is NVMeVirt's ssd_config.h, which is not imported", BY_HAND),
    (("disksim_",), "is a parameter file of DiskSim, which is not imported", BY_HAND),
    (('"fio version"',), "is fio's JSON output: results, and no SSD", "`wordline run SSD JOB.fio` runs its job file"),
    (("[global]", "rw="), "is a job file of fio: a workload, and no SSD", "`wordline run SSD JOB.fio` runs it"),
    (("schema_version", "wordline"), "is a result of Wordline", "`wordline rerun FOLDER` repeats its run"),
    (("[ssd]",), "is a configuration of Wordline already", "`wordline run FILE.toml` runs it"),
)


def name(text: str) -> tuple[str, str] | None:
    """Returns what a file is and what to do with it; None if it is not known."""
    for words, what, fix in KNOWN:
        if all(word in text for word in words):
            return what, fix
    if any(line.startswith(("#define ", "#ifndef ")) for line in text.splitlines()):
        return "is a C header of settings, which is not imported", BY_HAND
    return None
