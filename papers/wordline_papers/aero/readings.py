"""What AERO leaves open, and how the study reads it.

The authors' simulator is their fork of MQSim, github.com/allencho1222/MQSim, with commits of 2023 and 2024.
"""

from __future__ import annotations

from ..at_hand import tables_folder
from ..common_readings import collected
from ..readings import Alternative, Reading
from . import bracket
from .latencies import MEASURED
from .lifetimes import lives
from .published import AEROS
from .system import (
    ANY_LOOP,
    BETWEEN_LOOPS,
    BURST_REQUESTS,
    BUSY_FACTOR,
    BUSY_S,
    HELD_DIES,
    INTENDED,
    IOPS,
    MISPREDICTIONS,
    NOWHERE,
    TAILS,
)

TIMED = (TAILS, HELD_DIES, MISPREDICTIONS)
SUSPENDING = "suspending an ongoing erase operation"
MIDDLE = "the ongoing erase loop can be suspended"
METADATA = "randomly select tested blocks and assign their metadata"
# The public table of ISPE's latencies, if a copy is available.
TABLE = tables_folder() / MEASURED
GAPS = "Avg. Inter Req. Arrival Time"
BENCH = "the chip lab's measurements are no runs of an SSD, and a reading changes only those"
BUSY = {"workload.busy_s": BUSY_S}
MQSIM = {
    "erase.yield": "suspend",
    "nand.erase_suspend_us": 700.0,
    "schedule.suspend_min_remaining_us": 200.0,
    "schedule.suspend_write_limit_us": 0.0,
    "schedule.max_suspends": 16,
}

READINGS = (
    Reading(
        "suspension",
        "Which erase may a read suspend?",
        (TAILS, MISPREDICTIONS),
        "intended",
        (
            Alternative("intended", MIDDLE, "section 7.3",
                why="a loop that is not the last, with 700 us or more left, which begins again; 100 us; off while "
                "a write is 64 ms old: the authors' simulator, as its conditions of August 2023 are meant",
                settings=INTENDED),
            Alternative("between loops", SUSPENDING, "section 7.1",
                why="so Kim et al. (ATC '19), cited there, and the authors' simulator as committed, by what looks "
                "like a mistake",
                settings=BETWEEN_LOOPS),
            Alternative("any loop, going on", MIDDLE, "section 7.3",
                why="the last too; 100 us, off while a write is 64 ms old: the authors' simulator the day before",
                settings=ANY_LOOP),
            Alternative("any loop, going on, with MQSim's times", MIDDLE, "section 7.3",
                why="700 us; 200 us or more left and at most 16 times an erase, the defaults here", settings=MQSIM),
            Alternative("any loop, going on, once an erase", MIDDLE, "section 7.3",
                why="so, and reads pass between loops as well", settings={**MQSIM, "schedule.max_suspends": 1}),
        ),
        "The words of section 7.3 support a suspension within a loop. They do not say which loop, or how it goes on; "
        "the default takes that from the authors' simulator.",
    ),
    Reading(
        "no-suspension",
        "What does a read wait for without suspension?",
        (HELD_DIES,),
        "the whole erase",
        (
            Alternative("the whole erase", "when we disable the erase suspension scheme", "section 7.3",
                why="one command in the authors' simulator", settings=NOWHERE),
            Alternative("the loop that has begun", "wait for the completion of the entire ongoing erase loop",
                "section 7.3", settings=BETWEEN_LOOPS),
        ),
        "The words are those of the second; with it Fig. 15 would show the same erases with suspension and without.",
    ),
    Reading(
        "wear",
        "Which scheme has worn the blocks?",
        (*TIMED, IOPS),
        "each its own",
        (
            Alternative("each its own", "92% of the blocks can be erased within two erase loops", "section 7.3",
                why="only blocks worn by AERO do; so are the authors' block models",
                settings={"reliability.worn_by": "scheme"}),
            Alternative("ISPE for all", "erasing the block with the default tEP in every erase loop", "section 5.1",
                settings={"reliability.worn_by": "ispe"}),
        ),
    ),
    Reading(
        "erase-times",
        "Where do erase times come from?",
        TIMED,
        "the device model",
        (
            Alternative("the device model", "by simply looking up the metadata", "section 7.1",
                why="fitted to the authors' block models", settings={"cells.erase_table": ""}),
            Alternative("the measured blocks", METADATA, "section 7.1",
                why="ISPE's latencies by P/E cycles, from the authors' public table; what other schemes need follows "
                "from them in the model",
                settings={"cells.erase_table": str(TABLE)},
                file=TABLE),
        ),
        "The text supports the measured blocks; the model stands for them.",
    ),
    Reading(
        "read-temperature",
        "How hot are the chips when M_RBER is read?",
        (lives,),
        "85 C",
        (
            Alternative("85 C", "under 1-year retention at 30", "section 7.2",
                why="that is the temperature of the retention; errors are fewest at 85 C"),
            Alternative("30 C", "under 1-year retention at 30", "section 7.2", missing=BENCH),
        ),
        "The paper does not say how hot the chips were when they were read.",
    ),
    Reading(
        "mispredictions",
        "Which predictions are wrong?",
        (lives, MISPREDICTIONS),
        "each with the same chance",
        (
            Alternative("each with the same chance", "each erase-latency prediction of Aero as an independent trial",
                "section 7.4", why="an erase of several predictions may have several"),
            Alternative("at most one an erase", "performs an additional 0.5-ms EP step for each misprediction",
                "section 7.4", missing="a scheme does not know of the wrong predictions before"),
        ),
    ),
    Reading(
        "misprediction-pulse",
        "Where does a wrong prediction add its 0.5 ms?",
        (MISPREDICTIONS,),
        "in a pulse of its own",
        (
            Alternative("in a pulse of its own", "it repeats an additional EP step", "section 6",
                why="after the verify that found it", settings={"erase.mispredict_pulse": "apart"}),
            Alternative("in the predicted pulse", "performs an additional 0.5-ms EP step for each misprediction",
                "section 7.4", why="so the authors' simulator: the erase is 0.5 ms longer, then cut into its loops",
                settings={"erase.mispredict_pulse": "longer"}),
        ),
    ),
    Reading(
        "shallow-flag",
        "Does a block that got no shorter remainder skip shallow erasure from then on?",
        (*TIMED, IOPS),
        "yes",
        (
            Alternative("yes", "skip shallow erasure for the block in future", "section 6",
                why="erases then begin with a pulse of 3.5 ms; if it is the last, no read stops it",
                settings={"erase.shallow_flag": "sticky"}),
            Alternative("no", why="the authors' simulator has no flag: an erase of AERO is cut into 1, 2.5, 3.5 ms",
                is_of_authors=True, settings={"erase.shallow_flag": "none"}),
        ),
        "The text has the flag, the authors' simulator has none.",
        touches=lambda point: point.settings.get("erase.scheme") in AEROS,
        seen="after runs with the flag, whose tails it explains",
    ),
    Reading(
        "i-ispe-after-a-failure",
        "With which loop does i-ISPE begin after an erase whose first loop failed?",
        (lives, *TIMED),
        "with the same again",
        (
            Alternative("with the same again", "if the block has been completely erased by EP(n)", "section 7.1",
                why="a loop behind one that failed has not erased the block by itself; in the authors' block models "
                "91 % of the blocks take two loops at 2,500 cycles, 6 % one, 3 % three"),
            Alternative("with the last one", "in the most-recent erase operation", "section 7.1",
                why="on the bench three blocks in ten then take one loop at 2,500 cycles, and "
                "i-ISPE lives 0.45 times as long as ISPE",
                missing="the scheme has one rule"),
        ),
        "Chosen for the authors' distribution of loops, which the second cannot give. With it i-ISPE's lifetime, which "
        "was 0.47 of ISPE's, is 0.82 (paper: 0.75).",
        seen="chosen for the distribution of loops of the authors' block models",
    ),
    Reading(
        "weak-ecc",
        "Which pulses may be left out where only 40 or 50 bits can be corrected?",
        (lives,),
        "those of a table profiled for it",
        (
            Alternative("those of a table profiled for it", "while reducing the reliability requirement",
                "section 7.4"),
            Alternative("those of Table 1 whose blocks stay below it", "while reducing the reliability requirement",
                "section 7.4", missing=BENCH),
        ),
    ),
    Reading(
        "lazy-erase",
        "When does the last loop of an erase run?",
        TIMED,
        "after the others",
        (
            Alternative("after the others", "service user I/O requests with a higher priority", "section 7.1",
                settings={"erase.last_loop": "at-once"}),
            Alternative("at the first write to the block", "", "",
                why="`true_lazy_erase` of the authors' simulator; the paper does not mention it", is_of_authors=True,
                settings={"erase.last_loop": "at-first-write"}),
        ),
    ),
    Reading(
        "arrivals",
        "How do requests bunch?",
        TIMED,
        "in bursts",
        (
            Alternative("in bursts", GAPS, "Table 3",
                why=f"{BURST_REQUESTS} requests at a time, as in 106 traced volumes (CloudPhysics)",
                settings={"workload.arrival": "bursts"}),
            Alternative("in two exponential phases", GAPS, "Table 3", why="as the look-alikes do elsewhere",
                settings={"workload.arrival": "hyper-exponential"}),
            Alternative("at random", GAPS, "Table 3", settings={"workload.arrival": "exponential"}),
        ),
        "The paper replays the traces' own times and prints means only.",
        is_scenario=True,
        seen="bursts were settled after runs without them",
    ),
    Reading(
        "busy-times",
        "Are there busy and idle minutes?",
        TIMED,
        "25 times as busy for 45 s, no faster than a server's disks",
        (
            Alternative("25 times as busy for 45 s, no faster than a server's disks", GAPS, "Table 3",
                why="as the write rate that reads meet in a traced disk (vscsiStats), in windows of 10 s to 10 min; "
                "MSR Cambridge no faster than 1,000 requests a second as recorded (36 volumes on 179 disks), which "
                "prxy, proj and usr would exceed",
                settings=BUSY),
            Alternative("25 times as busy for 45 s", GAPS, "Table 3",
                why="all workloads; replayed ten times as fast, prxy's writes then queue in the SSD",
                settings={**BUSY, "workload.busy_factor": BUSY_FACTOR}),
            Alternative("5 times as busy for 45 s", GAPS, "Table 3",
                why="as in its windows of ten minutes alone", settings={**BUSY, "workload.busy_factor": 5.0}),
            Alternative("25 times as busy for five minutes", GAPS, "Table 3",
                why="in half hours as the upper quarter of 103 volumes (CloudPhysics)",
                settings={"workload.busy_s": 300.0}),
            Alternative("none", GAPS, "Table 3", settings={**BUSY, "workload.busy_factor": 1.0}),
        ),
        "The paper replays the traces' own times and prints means only. The parameter is from other traces and was not "
        "fitted to a claim.",
        is_scenario=True,
        seen="after runs without busy times",
    ),
    Reading(
        "steady-state",
        "What has been written before the run?",
        (*TIMED, IOPS),
        "every page, then half of them at random",
        (
            Alternative("every page, then half of them at random", "GC policy: greedy", "Table 2",
                why="collection has begun in every plane", settings={"precondition.overwrite": 0.5}),
            Alternative("every page", "Overprovisioning ratio: 20%", "Table 2",
                settings={"precondition.overwrite": 0.0}),
            Alternative("every page, then all of them at random", "GC policy: greedy", "Table 2",
                settings={"precondition.overwrite": 1.0}),
            Alternative("every page, then those that the workload writes", "GC policy: greedy", "Table 2",
                why="as much as half of the pages; GC then moves none, as footprints are assumed; in full 20 of 51",
                settings={"precondition.overwrite": 0.5, "precondition.shape": "workload"}),
        ),
        is_scenario=True,
    ),
    Reading(
        "iops-suspension",
        "Do reads stop erase loops in Table 4's closed loop?",
        (IOPS,),
        "no, they pass between loops",
        (
            Alternative("no, they pass between loops", SUSPENDING, "section 7.1",
                why="a read always waits there, and loops that begin again would take time that Table 4 does not show",
                settings=BETWEEN_LOOPS),
            Alternative("yes, as in the tails", MIDDLE, "section 7.3", settings=INTENDED),
        ),
        "Chosen after i-ISPE gained 0.63 % with the second, where the paper has 0.1 %.",
        seen="chosen after i-ISPE had gained 0.63 % with the second, where the paper has 0.1 %",
    ),
    Reading(
        "iops-depth",
        "How many requests are in flight for Table 4's IOPS?",
        (IOPS,),
        "32",
        (
            Alternative("32", "I/O throughput (IOPS, input/output operations per second)", "section 7.3",
                settings={"host.queue_depth": 32}),
            Alternative("8", "I/O throughput (IOPS, input/output operations per second)", "section 7.3",
                settings={"host.queue_depth": 8}),
            Alternative("512", "I/O throughput (IOPS, input/output operations per second)", "section 7.3",
                why="the limit of the authors' simulator", settings={"host.queue_depth": 512}),
        ),
        is_scenario=True,
    ),
    collected(*TIMED, IOPS),
    bracket.READING,
)  # fmt: skip
