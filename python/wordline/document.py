"""The types of a result's document, such as `wordline run --json` prints and `Result.to_dict` returns.

Made by tools/gen_result_form.py from crates/wordline-run/src/result: change that, build, then run it.
"""

from typing import Any, Literal, NotRequired, TypedDict

MEASURED = (
    "requests",
    "window",
    "response_us",
    "flows",
    "namespaces",
    "iops",
    "bandwidth_mb_s",
    "write_amplification",
    "write_amplification_pages",
    "written_bytes",
    "counters",
    "outside",
    "gc",
    "blocks",
    "erase_us",
    "channel_time",
    "die_utilisation",
    "ecc_utilisation",
    "ecc_time_us",
    "read_retry",
    "read_breakdown_us",
    "life",
    "precondition",
    "program",
    "slc",
    "placement",
    "zones",
    "power",
    "reads_checked",
    "simulated_s",
)
"""Fields of a document that are measured; the others say what was run, when, and how certain the numbers are."""
FlowMode = Literal["auto", "closed", "open", "paced"]
Priority = Literal["urgent", "high", "medium", "low"]
VerdictName = Literal["steady", "drifting", "too short"]
Method = Literal["batches", "seeds"]
Intervals = dict[str, Any]
UntilUnit = Literal["requests", "seeds"]


class LoadedState(TypedDict):
    """The file of a state."""

    path: str
    bytes: int
    sha256: str


class Options(TypedDict):
    """What a run was asked to do besides."""

    check: bool
    log_requests: bool
    timeline_us: list[float] | None
    seeds: NotRequired[list[int]]
    load_state: NotRequired[LoadedState]


class HandleRange(TypedDict):
    """A part of a flow whose writes name a placement handle."""

    first_sector: int
    end_sector: int
    handle: int


class FlowNamespace(TypedDict):
    """A namespace: a part of the SSD with sectors and placement handles of its own."""

    name: str
    first_sector: int
    sectors: int
    handles: list[int]


class Reading(TypedDict):
    """How a trace is read; what is left out follows from the format."""

    format: NotRequired[str | None]
    csv_columns: NotRequired[str | None]
    device: NotRequired[str | None]
    event: NotRequired[str | None]
    on_time_back: NotRequired[str | None]
    on_zero_length: NotRequired[str | None]
    time_unit: NotRequired[str | None]
    skip: NotRequired[int | None]
    limit: NotRequired[int | None]
    wrap: NotRequired[bool | None]
    rounds: NotRequired[int | None]


class Fio(TypedDict):
    """A job of a fio job file, for one SSD."""

    file: str
    number: int
    iolog: str | None
    job: dict[str, Any]


class Flow(TypedDict):
    """A flow: a source of requests with its own submission queue, and the settings of its replay."""

    flow: str
    name: str
    source: str
    synthetic: bool
    mode: FlowMode
    queue_depth: int | None
    weight: int
    priority: Priority
    handles: list[int]
    handle_seed: int | None
    handle_ranges: list[HandleRange]
    namespace: FlowNamespace | None
    first_sector: int
    sectors: int | None
    time_scale: float | None
    rest: list[int] | None
    group: int
    lasts_s: float | None
    ramp_s: float | None
    paths: NotRequired[list[str]]
    trace: NotRequired[Reading]
    fio: NotRequired[Fio]
    preset: NotRequired[str | None]
    settings: NotRequired[dict[str, Any]]
    workload: NotRequired[dict[str, Any]]
    live: NotRequired[bool]


class Workload(TypedDict):
    """What was run."""

    name: str
    source: str
    synthetic: bool
    flows: list[Flow]


class ByStatus(TypedDict):
    """Requests by how they ended."""

    success: float
    invalid_field: float
    lba_out_of_range: float
    unrecovered_read_error: float
    aborted_power_loss: float
    aborted_sq_deletion: float
    invalid_opcode: float
    zone_boundary_error: float
    zone_is_full: float
    zone_is_read_only: float
    zone_is_offline: float
    zone_invalid_write: float
    too_many_active_zones: float
    too_many_open_zones: float
    invalid_zone_transition: float


class Requests(TypedDict):
    """Requests of a run."""

    all: float
    read: float
    write: float
    other: float
    flush: float
    close: float
    warmup: float
    lost: float
    beyond_histogram: float
    by_status: ByStatus


class Window(TypedDict):
    """The window of all that is measured."""

    start_s: float
    end_s: float


class Spread(TypedDict):
    """Mean, deviation, ends and percentiles of many times, us."""

    mean: float
    std: float
    min: float
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    p9999: float | None
    p99999: float | None
    p999999: float | None
    max: float


class LatencySummary(TypedDict):
    """A spread of many times, and how many they are."""

    mean: float
    std: float
    min: float
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    p9999: float | None
    p99999: float | None
    p999999: float | None
    max: float
    count: float


class ResponseTimes(TypedDict):
    """Response times of a run."""

    all: Spread
    read: Spread
    write: Spread
    flows: dict[str, LatencySummary]


class FlowRequests(TypedDict):
    """Requests of a flow."""

    all: float
    read: float
    write: float


class Rates(TypedDict):
    """A rate by operation; null where it all took no time."""

    all: float | None
    read: float | None
    write: float | None


class FlowTimes(TypedDict):
    """Response times of a flow."""

    all: Spread
    read: Spread
    write: Spread


class FlowResult(TypedDict):
    """One of several flows, over its own time."""

    requests: FlowRequests
    time_s: float
    iops: Rates
    bandwidth_mb_s: Rates
    response_us: FlowTimes


class HandleBytes(TypedDict):
    """Media bytes of a handle, by cause; with those of mixed data they add up to all."""

    media: float
    host: float
    gc: float
    gc_caused: float
    other_moves: float
    mapping: float
    redone: float
    padding: float
    parity: float


class Namespace(TypedDict):
    """A namespace: all of its flows together."""

    flows: list[str]
    requests: FlowRequests
    response_us: FlowTimes
    host_bytes: float
    written_bytes: HandleBytes | None


class MediaBytes(TypedDict):
    """Media bytes written, by cause."""

    host: float
    gc: float
    wear_levelling: float
    refresh: float
    folding: float
    mapping: float
    journal: float
    rewrite: float
    redone: float
    padding: float
    parity: float


class WrittenBytes(TypedDict):
    """Bytes that were written, as NVMe counts them."""

    host: float
    media: float
    erased: float
    by_cause: MediaBytes


class FtlCounters(TypedDict):
    """What the FTL did. Its pages are mapping units (`ftl.unit_bytes`)."""

    user_reads: float
    reads_without_flash: float
    preloaded: float
    user_writes: float
    redone: float
    padding: float
    closed_groups: float
    closed_on_request: float
    paced_writes: float
    parity: float
    parity_rebuilds: float
    parity_rebuild_reads: float
    parity_failed: float
    merge_reads: float
    parked_writes: float
    trimmed: float
    slc_writes: float
    moved: float
    wear_moved: float
    refresh_moved: float
    fold_moved: float
    fast_writes: float
    too_worn_writes: float
    rewrite_hits: float
    rewrites: float
    forced_rewrites: float
    stale_dropped: float
    rewrite_queue_max: float
    queued_max: float
    lost_pages: float
    invalid_handles: float
    erases: float
    gc_jobs: float
    wear_jobs: float
    fold_jobs: float
    refresh_jobs: float
    refresh_valid_pages: float
    refresh_kept_pages: float
    refresh_written_back: float
    adjusted_wordlines: float
    read_reclaim_jobs: float
    read_reclaim_pages: float
    grown_bad: float
    map_hits: float
    map_misses: float
    map_reads: float
    map_writes: float
    journal_writes: float


class ControllerCounters(TypedDict):
    """What the flash controller did."""

    reads: float
    programs: float
    erases: float
    adjusts: float
    senses: float
    block_reads_max: float
    retry_senses: float
    wasted_senses: float
    resets: float
    set_features: float
    fallbacks: float
    first_failures: float
    failed_decodes: float
    soft_decodes: float
    uncorrectable_pages: float
    on_die_checks: float
    needless_on_die_retries: float
    missed_on_die: float
    incomplete_erases: float
    multiplane: float
    suspends: float
    loaded_suspends: float


class CacheCounters(TypedDict):
    """What the cache did."""

    read_hits: float
    read_misses: float
    write_hits: float
    write_misses: float
    flushes: float


class StageCounters(TypedDict):
    """What was counted, by stage."""

    ftl: FtlCounters
    controller: ControllerCounters
    cache: CacheCounters | None
    policy: dict[str, dict[str, float]]


class Part(TypedDict):
    """A part of a run that is not measured."""

    time_s: float
    written_bytes: WrittenBytes
    counters: StageCounters


class Outside(TypedDict):
    """What came before and after the window."""

    warmup: Part
    remainder: Part


class GarbageCollection(TypedDict):
    """Garbage collection."""

    jobs: float
    moved_pages: float
    erases: float


class Blocks(TypedDict):
    """Blocks of the SSD."""

    all: float
    in_use_before_refresh: float
    in_use_at_start: float
    in_use: float
    planes: float
    gc_begins_below: float
    merged: float


class ChannelShares(TypedDict):
    """What a channel did, as shares of the window that add up to 1."""

    idle: float
    cor: float
    uncor: float
    eccwait: float
    write: float


class ChannelTime(TypedDict):
    """The activity of the channels."""

    mean: ChannelShares
    channels: list[ChannelShares]


class DieUtilisation(TypedDict):
    """The activity of the dies, as shares of the window."""

    mean: float
    min: float | None
    max: float | None
    read: float
    program: float
    erase: float


class ReadRetry(TypedDict):
    """Retry steps of all page reads."""

    reads_by_steps: list[float]
    mean_steps: float
    first_failure_share: float


class ReadBreakdown(TypedDict):
    """The time of the mean page read of a user, by part."""

    queue: float
    array: float
    channel_wait: float
    transfer: float
    total: float


class LifeRequests(TypedDict):
    """Requests of one kind."""

    count: float
    bytes: float


class AgingBytes(TypedDict):
    """Bytes that preconditioning wrote, which are in no other number of the drive's life."""

    host: float
    media: float
    erased: float


class Life(TypedDict):
    """The drive since it was new: all runs that went on with its state, from their beginning to rest."""

    time_s: float
    host_bytes: float
    media_bytes: float
    erased_bytes: float
    media_read_bytes: float
    reads: LifeRequests
    writes: LifeRequests
    uncorrectable_pages: float
    rebuilt_pages: float
    power_losses: float
    shutdowns: float
    pec: list[float]
    aging: AgingBytes


class TimedAging(TypedDict):
    """The second stage of aging: the workload as it runs, until write amplification and free blocks are level."""

    is_level: bool
    drive_writes: float
    untimed_write_amplification: float
    write_amplification: float | None
    rest_bytes: float


class FlatAmplification(TypedDict):
    """How overwrites until the drive is at equilibrium have ended."""

    is_flat: bool
    drive_writes: float
    write_amplification: float | None
    spread: float | None
    change: float | None
    rounds: float
    round_drive_writes: float
    old_share: float
    drive_writes_left: float | None
    timed: TimedAging | None


class Precondition(TypedDict):
    """What preconditioning wrote."""

    host_pages: float
    moved_pages: float
    erases: float
    steady: FlatAmplification | None


class FastPrograms(TypedDict):
    """Fast programs of the chip, and what they left to do."""

    fast_time_share: float
    fast_retention_days: float
    rated_fast_retention_days: float
    fast_pages_left: float


class SlcCache(TypedDict):
    """The SLC cache, as it is now."""

    static_blocks: float
    blocks_in_use: float
    pec_in_slc_mode: float
    pec_in_own_mode: float


class Handle(TypedDict):
    """One handle."""

    handle: float
    reclaim_group: float
    placement_identifier: float
    is_persistent: bool
    is_used: bool
    write_amplification: float | None
    written_bytes: HandleBytes
    available_bytes: float
    time_left_s: float | None


class FdpEvents(TypedDict):
    """Events of NVMe's FDP log, counted."""

    not_fully_written: float
    time_limit_exceeded: float
    reset_modified: float
    invalid_placement_identifier: float
    media_reallocated: float
    implicitly_modified: float


class FdpEvent(TypedDict):
    """One event of NVMe's FDP log."""

    at_s: float
    type: float
    placement_identifier: int | None
    moved_bytes: int | None
    sector: int | None


class Placement(TypedDict):
    """Placement handles: what a host with Flexible Data Placement (FDP) or write hints names with a write."""

    isolation: str | None
    reclaim_groups: float
    reclaim_unit_bytes: float
    time_limit_s: float | None
    handles: list[Handle]
    mixed: HandleBytes
    events: FdpEvents
    event_log: list[FdpEvent]


class ZonesByState(TypedDict):
    """Zones by state."""

    empty: float
    implicitly_opened: float
    explicitly_opened: float
    closed: float
    full: float
    read_only: float
    offline: float


class Zones(TypedDict):
    """The zones of a drive, and the commands for them that were counted."""

    count: float
    by_state: ZonesByState
    opened: float
    closed: float
    finish_us: LatencySummary
    reset_us: LatencySummary


class PowerCutResult(TypedDict):
    """What a power cut hit."""

    interrupted_requests: float
    waiting_requests: float
    programs_cut_off: float
    queued_pages: float
    fast_pages: float
    lost_cache_pages: float
    lost_bytes: float
    dumped_pages: float
    dumped_bytes: float
    dump_s: float


class PowerUpResult(TypedDict):
    """What the SSD did until it held no fast page and no changed mapping."""

    rewritten_pages: float
    lost_pages: float
    map_writes: float
    replay_reads: float
    replay_ms: float
    time_s: float


class Power(TypedDict):
    """Power events of a run; each is null where it did not happen."""

    cut: PowerCutResult | None
    power_up: PowerUpResult | None
    shutdown: PowerUpResult | None


class Verdict(TypedDict):
    """Whether a number has reached its steady state."""

    verdict: VerdictName
    reason: str
    warmup_requests: NotRequired[float]
    drift: NotRequired[float | None]
    is_balanced: NotRequired[bool]


class Steady(TypedDict):
    """Whether a run has reached its steady state; null where there is nothing to judge."""

    response_us: Verdict | None
    write_amplification: Verdict | None


class Uncertainty(TypedDict):
    """Intervals of confidence."""

    level: float
    method: Method
    count: int
    seeds: NotRequired[list[int]]
    values: Intervals | None


class GoalState(TypedDict):
    """How far a goal is met."""

    goal: str
    path: str
    value: float | None
    reached_share: float | None
    is_met: bool


class Checkpoint(TypedDict):
    """A checkpoint."""

    requests: NotRequired[int]
    seeds: NotRequired[int]
    reached_shares: list[float | None]


class Until(TypedDict):
    """A run that was made longer until its goals were met."""

    goals: list[GoalState]
    is_met: bool
    unit: UntilUnit
    limit: int
    checkpoints: list[Checkpoint]


class Lateness(TypedDict):
    """By how much answers came late, us of wall time."""

    mean_us: float
    p50_us: float
    p99_us: float
    p999_us: float
    max_us: float
    share_of_response: float


class WallSession(TypedDict):
    """A session that has ended. Its wall times differ from run to run."""

    clients: int
    requests: int
    wall_s: float
    slow_down: float
    lateness: Lateness | None
    power_was_cut: bool
    unanswered: int
    store_failure: str | None
    record_failure: str | None


class Document(TypedDict):
    """What `wordline run --json`, `result.json` and `Result.to_dict()` hold."""

    schema_version: int
    wordline: str
    config_hash: str
    options: Options
    workload: Workload
    seed: float
    requests: Requests
    window: Window
    response_us: ResponseTimes
    flows: dict[str, FlowResult]
    namespaces: dict[str, Namespace]
    iops: Rates
    bandwidth_mb_s: Rates
    write_amplification: float | None
    write_amplification_pages: float | None
    written_bytes: WrittenBytes
    counters: StageCounters
    outside: Outside
    gc: GarbageCollection
    blocks: Blocks
    erase_us: LatencySummary
    channel_time: ChannelTime
    die_utilisation: DieUtilisation
    ecc_utilisation: float
    ecc_time_us: list[float]
    read_retry: ReadRetry
    read_breakdown_us: ReadBreakdown
    life: Life
    precondition: Precondition
    program: FastPrograms | None
    slc: SlcCache | None
    placement: Placement | None
    zones: Zones | None
    power: Power | None
    stand_in: str | None
    checked: bool
    reads_checked: float
    simulated_s: float
    wall_s: float
    wall_requests_per_s: float
    wall_precondition_s: float
    warnings: list[str]
    steady: Steady
    uncertainty: Uncertainty
    partial: NotRequired[bool]
    until: NotRequired[Until]
    wall_session: NotRequired[WallSession]
