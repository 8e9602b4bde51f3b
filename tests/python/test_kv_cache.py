"""KV caches of LLM serving: an independent model gives the same hits and bytes, and the drive's side adds up."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.cli import main
from wordline.errors import ConfigError, TraceError
from wordline.kv_cache import MODELS, POLICIES, Counts, KvSettings, Tiers, demand_of, read_traces
from wordline.kv_cache.chat import chat_lines, write_chat
from wordline.kv_cache.layout import JOURNAL, LAYOUTS, MOVED, MOVES, NEW, RESTORES, USED, layout_of
from wordline.kv_cache.plan import plan_of

MOONCAKE = Path(__file__).resolve().parents[3] / "shared" / "traces" / "mooncake_conversation.jsonl"
SMALL = (
    "--model", "16KiB", "--dram", "200MB", "--scale", "1/4", "--drive-writes", "0.1", "--tokens-per-s", "1e6",
)  # fmt: skip
DRIVE = {
    "ssd.channels": 2,
    "ssd.chips_per_channel": 2,
    "ssd.dies_per_chip": 1,
    "ssd.blocks_per_plane": 320,
    "ssd.pages_per_block": 96,
}


def small_model(requests: list[list[int]], dram: int, ssd: int, policy: str, eviction: str) -> Counts:
    """Both tiers as blocks with the time of their last use, or arrival: slow, and written for this test alone."""
    clock = 0
    counts = Counts()
    in_dram: dict[int, int] = {}
    on_ssd: dict[int, int] = {}
    times_used: dict[int, int] = {}

    def oldest(tier: dict[int, int]) -> int:
        return min(tier, key=lambda block: tier[block])

    def put_on_ssd(block: int) -> None:
        counts.written += 1
        on_ssd[block] = clock
        if len(on_ssd) > ssd:
            del on_ssd[oldest(on_ssd)]
            counts.evicted += 1

    for blocks in requests:
        unbroken = [block in in_dram or block in on_ssd for block in blocks]
        hits = unbroken.index(False) if False in unbroken else len(blocks)
        counts.accesses += len(blocks)
        counts.dram_hits += sum(block in in_dram for block in blocks[:hits])
        counts.ssd_hits += sum(block not in in_dram for block in blocks[:hits])
        counts.computed += len(blocks) - hits
        for block in blocks:
            clock += 1
            if block not in in_dram:
                in_dram[block] = clock
                if len(in_dram) > dram:
                    gone = oldest(in_dram)
                    del in_dram[gone]
                    if policy == "on-evict" and gone not in on_ssd:
                        put_on_ssd(gone)
                        clock += 1
            elif eviction == "lru":
                in_dram[block] = clock
            if block in on_ssd:
                if eviction == "lru":
                    on_ssd[block] = clock
            elif policy == "through" or (policy == "second-use" and times_used.get(block, 0) > 0):
                put_on_ssd(block)
            times_used[block] = times_used.get(block, 0) + 1
    return counts


@pytest.mark.parametrize("eviction", ["lru", "fifo"])
@pytest.mark.parametrize("policy", list(POLICIES))
@pytest.mark.parametrize(("dram", "ssd"), [(40, 400), (1, 30), (300, 100), (5000, 9000)])
def test_an_independent_model_counts_the_same(policy: str, eviction: str, dram: int, ssd: int) -> None:
    requests = [json.loads(line)["hash_ids"] for line in chat_lines(250, seed=3)]
    tiers = Tiers(dram, ssd, policy, eviction)
    for blocks in requests:
        tiers.access(tuple(blocks))
    assert tiers.counts == small_model(requests, dram, ssd, policy, eviction)
    assert tiers.counts.accesses == sum(map(len, requests))


def bailian_lines(requests: int, seed: int) -> Iterator[str]:
    """Chats in Qwen-Bailian's form: ids of contents, which come again behind other contents, too."""
    chance = random.Random(seed)  # noqa: S311
    chats: list[list[int]] = []
    for number in range(requests):
        goes_on = bool(chats) and chance.random() < 0.6
        place = chance.randrange(len(chats)) if goes_on else len(chats)
        if not goes_on:
            # One of three system prompts.
            chats.append([chance.randrange(3), 3])
        chats[place] = chats[place] + [chance.randrange(4, 40) for _ in range(chance.randint(1, 6))]
        request = {
            "chat_id": number, "parent_chat_id": place if goes_on else -1, "timestamp": round(0.3 * number, 1),
            "input_length": 16 * len(chats[place]), "output_length": 9, "type": "text", "turn": 1,
            "hash_ids": chats[place],
        }  # fmt: skip
        yield json.dumps(request) + "\n"


@pytest.mark.parametrize("policy", list(POLICIES))
@pytest.mark.parametrize("form", ["mooncake", "bailian"])
def test_a_file_of_each_form_asks_for_what_the_model_counts(form: str, policy: str, tmp_path: Path) -> None:
    lines = list(chat_lines(250, seed=3) if form == "mooncake" else bailian_lines(250, seed=3))
    (tmp_path / "t.jsonl").write_text("".join(lines))
    ids = [json.loads(line)["hash_ids"] for line in lines]
    # A block is its content and all before it. One of Mooncake's hashes says that alone.
    prefixes = [[tuple(each[: place + 1]) for place in range(len(each))] for each in ids] if form == "bailian" else ids
    names: dict[object, int] = {}
    requests = [[names.setdefault(block, len(names)) for block in each] for each in prefixes]
    block_bytes = 1024 * (16 if form == "bailian" else 512)
    settings = KvSettings(policy=policy, bytes_per_token=1024, dram_bytes=40 * block_bytes)
    demand = demand_of(read_traces([tmp_path / "t.jsonl"]), settings, 400 * block_bytes)
    counts = small_model(requests, 40, 400, policy, "lru")
    assert demand.counts == counts
    assert demand.written_bytes == counts.written * block_bytes
    first, last = (json.loads(lines[place])["timestamp"] for place in (0, -1))
    span_s = (last - first) / (1 if form == "bailian" else 1000)
    assert demand.write_bytes_per_s == pytest.approx(counts.written * block_bytes / span_s, rel=1e-9)
    assert 0 < counts.ssd_hits < counts.accesses
    if form == "bailian":
        assert small_model(ids, 40, 400, policy, "lru").ssd_hits != counts.ssd_hits, "contents alone are other blocks"


def test_the_tiers_say_what_is_restored_and_written() -> None:
    tiers = Tiers(2, 10, "through")
    assert tiers.access((1, 2, 3)).steps == [(1, 1, True), (2, 2, True), (3, 3, True)]
    access = tiers.access((1, 2, 9))
    # 1 has left DRAM, and 2 is there; 9 is the first that is computed.
    assert access.restores == [1]
    assert access.steps == [(1, 9, True)]
    # 5 breaks the prefix: what is behind it is computed, though it is on the SSD.
    access = tiers.access((5, 3))
    assert access.restores == []
    assert tiers.counts.computed == 3 + 1 + 2
    assert [step[1] for step in access.steps] == [5]


@pytest.mark.skipif(not MOONCAKE.is_file(), reason="the trace is not there")
@pytest.mark.parametrize(
    ("bytes_per_token", "policy", "gb_s", "ssd_hits"),
    [
        (131_072, "through", 3.51, 0.276),
        (131_072, "second-use", 0.84, 0.148),
        (MODELS["deepseek-v3"].bytes_per_token, "through", 1.87, None),
        (MODELS["llama-3.1-70b"].bytes_per_token, "through", 9.57, None),
    ],
)
@pytest.mark.verify
def test_mooncake_s_hour_writes_what_others_computed(
    bytes_per_token: int, policy: str, gb_s: float, ssd_hits: float | None
) -> None:
    settings = KvSettings(policy=policy, bytes_per_token=bytes_per_token)
    demand = demand_of(read_traces([MOONCAKE]), settings, 3_840_000_000_000)
    assert demand.write_bytes_per_s / 1e9 == pytest.approx(gb_s, abs=0.006)
    if ssd_hits is not None:
        assert demand.ssd_hit_share == pytest.approx(ssd_hits, abs=0.001)


def test_models_have_the_bytes_of_their_layers() -> None:
    kib = {name: model.bytes_per_token / 1024 for name, model in MODELS.items()}
    assert kib == {
        "llama-3.1-8b": 128,
        "llama-3.1-70b": 320,
        "qwen2.5-7b": 56,
        "qwen3-14b": 160,
        "deepseek-v3": 68.625,
    }


def lines_of(*changes: dict[str, object]) -> str:
    line = {"timestamp": 0, "input_length": 700, "output_length": 5, "hash_ids": [1, 2]}
    return "".join(
        json.dumps({name: value for name, value in (line | each).items() if value is not None}) + "\n"
        for each in changes
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hash_ids": None}, "has no hash_ids"),
        ({"timestamp": None}, "has no timestamp"),
        ({"hash_ids": [1, "a"]}, 'hash_ids[1] is "a"; hashes are whole numbers'),
        ({"hash_ids": [1, True]}, "hash_ids[1] is true"),
        ({"hash_ids": [7, 7]}, "hash_ids has a hash twice"),
        ({"hash_ids": [1, 2, 3, 4]}, "4 hash_ids for 700 tokens in blocks of 512"),
        ({"hash_ids": 5}, "hash_ids is 5; give a list"),
        ({"input_length": "many"}, 'input_length is "many"'),
        ({"input_length": 0}, "input_length is 0"),
        ({"timestamp": "soon"}, 'timestamp is "soon"; give ms'),
        ({"timestamp": -1}, "timestamp is -1"),
        ({"timestamp": float("nan")}, "timestamp is NaN"),
    ],
)
def test_a_line_that_does_not_match_is_told(tmp_path: Path, change: dict[str, object], said: str) -> None:
    trace = tmp_path / "t.jsonl"
    trace.write_text(lines_of({}, change), encoding="utf-8")
    with pytest.raises(TraceError) as error:
        read_traces([trace])
    assert str(error.value).startswith(f"{trace}:2: {said}")
    assert error.value.line == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "1: is no text"),
        (b"[1]\n", "1: is no JSON object"),
        (b"{\n", "1: is no JSON; "),
        (b"\n\n", " there is no request in it"),
        (lines_of({"timestamp": 5}, {"timestamp": 4}).encode(), "2: timestamp goes back"),
        (lines_of({}, {"chat_id": 1}).encode(), "2: has a chat_id, as Qwen-Bailian's traces, and"),
    ],
)
def test_a_file_that_is_no_trace_is_told(tmp_path: Path, content: bytes, said: str) -> None:
    trace = tmp_path / "t.jsonl"
    trace.write_bytes(content)
    with pytest.raises(TraceError) as error:
        read_traces([trace])
    assert str(error.value).startswith(f"{trace}:{said}")
    assert "\n" not in str(error.value)
    with pytest.raises(TraceError, match="there is no such file"):
        read_traces([tmp_path / "none.jsonl"])


@pytest.mark.parametrize("damage", ["cut", "changed", "plain"])
def test_a_compressed_file_that_is_damaged_is_told(tmp_path: Path, damage: str) -> None:
    text = "".join(lines_of({"timestamp": place}) for place in range(5000)).encode()
    packed = gzip.compress(text)
    content = {
        "cut": packed[: len(packed) // 2],
        "changed": packed[:10] + b"\xff" * 40 + packed[50:],
        "plain": text,
    }[damage]
    trace = tmp_path / "t.jsonl.gz"
    trace.write_bytes(content)
    with pytest.raises(TraceError) as error:
        read_traces([trace])
    line = error.value.line
    assert line is not None
    assert (line == 1) == (damage != "cut")
    fix = "name without .gz" if damage == "plain" else "fetch it again"
    assert str(error.value).startswith(f"{trace}:{line}: ")
    assert fix in str(error.value)


def test_bailian_s_blocks_are_chained_and_its_times_are_seconds(tmp_path: Path) -> None:
    def line(at_s: float, ids: list[int]) -> str:
        request = {
            "chat_id": 1, "parent_chat_id": -1, "timestamp": at_s, "input_length": 16 * len(ids), "output_length": 3,
            "type": "text", "turn": 1, "hash_ids": ids,
        }  # fmt: skip
        return json.dumps(request) + "\n"

    text = line(5.0, [10, 11, 12]) + line(6.25, [20, 11, 12]) + line(7.0, [10, 11, 13, 13])
    trace = tmp_path / "q.jsonl.gz"
    trace.write_bytes(gzip.compress(text.encode()))
    read = read_traces([trace])
    assert (read.format, read.block_tokens, read.span_ns) == ("bailian", 16, 2_000_000_000)
    # One content behind another predecessor is another block, also behind itself.
    assert [each.blocks for each in read.requests] == [(0, 1, 2), (3, 4, 5), (0, 1, 6, 7)]
    assert [each.at_ns for each in read.requests] == [0, 1_250_000_000, 2_000_000_000]
    # A second file is another service: none of its blocks is one of the first.
    both = read_traces([trace, trace])
    assert both.distinct_blocks == 16
    assert [each.at_ns for each in both.requests] == sorted(2 * [0, 1_250_000_000, 2_000_000_000])


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_no_two_blocks_share_a_place(layout: str) -> None:
    block, drive, command = 1 << 20, 200 << 20, 1 << 18
    places = layout_of(layout, drive, block, command, 8 << 20)
    most = int(0.9 * 200) if layout == "bucket" else places.blocks
    most = min(most, places.blocks)
    there: list[int] = []
    moved = 0
    for number in range(1500):
        if len(there) == most:
            for work in places.drop(there.pop((number * 37) % most)):
                assert all(offset + length <= drive for _, offset, length, _ in work.ops)
        for work in places.store(number, NEW):
            moved += sum(length for op, _, length, _ in work.ops if op == 1) if work.pool == MOVES else 0
            assert all(0 < length <= (8 << 20) and offset + length <= drive for _, offset, length, _ in work.ops)
        there.append(number)
    taken: set[int] = set()
    for each in there:
        work = places.restore(each)
        assert work.pool == RESTORES
        assert sum(length for _, _, length, _ in work.ops) == block
        assert all(length <= command for _, _, length, _ in work.ops)
        sectors = {sector for _, offset, length, _ in work.ops for sector in range(offset, offset + length, 4096)}
        assert not sectors & taken
        taken |= sectors
    assert (moved > 0) == (layout == "bucket")


def test_a_folder_is_no_trace(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"cannot be read \(is a directory\); name a JSONL file"):
        read_traces([tmp_path])


def test_each_kind_of_data_has_its_handle(tmp_path: Path) -> None:
    trace = read_traces([write_chat(tmp_path / "chat.jsonl", 400)])
    drive = 20 << 30
    kinds = {}
    for layout in LAYOUTS:
        settings = KvSettings(layout=layout, dram_bytes=0, drive_writes=3.0, bucket_bytes=1 << 30, placement="fdp-pi")
        demand = demand_of(trace, settings, drive)
        plan = plan_of(trace, settings, demand, drive // 16, drive)
        assert len(plan.handle) == len(plan.op)
        kinds[layout] = {handle for op, handle in zip(plan.op, plan.handle, strict=True) if op == 1}
        assert {handle for op, handle in zip(plan.op, plan.handle, strict=True) if op != 1} == {0}
        plain = plan_of(trace, replace(settings, placement="plain"), demand, drive // 16, drive)
        assert set(plain.handle) == {0}
        assert plain.offset == plan.offset
    assert kinds == {"slot": {NEW, USED}, "file": {NEW, USED, JOURNAL}, "bucket": {NEW, USED, MOVED}}


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_a_plan_has_the_bytes_of_the_cache(tmp_path: Path, layout: str) -> None:
    trace = read_traces([write_chat(tmp_path / "chat.jsonl", 400)])
    drive = 40 << 30
    settings = KvSettings(layout=layout, dram_bytes=2 << 30, drive_writes=15.0, bucket_bytes=1 << 30)
    demand = demand_of(trace, settings, drive)
    plan = plan_of(trace, settings, demand, drive // 16, drive)
    assert plan.written_bytes >= 15 * (drive // 16)
    assert list(plan.at) == sorted(plan.at)
    assert all(after <= place for place, after in enumerate(plan.after))
    # Each pass writes as many blocks as one alone: the trace has new ones each time.
    restored = sum(len(places) for _, places in plan.restores)
    assert plan.passes > 1
    for done, once in ((plan.stored, demand.counts.written), (restored, demand.counts.ssd_hits)):
        assert (plan.passes - 1) * once <= done <= plan.passes * once
    # Blocks, and so times, are a sixteenth, but for what is rounded to 4 KiB.
    assert 16 <= plan.factor < 16.2
    assert (plan.layout_share > 0) == (layout != "slot")


def config() -> wl.Config:
    return wl.preset("datacenter-tlc").set_all(DRIVE)


def test_the_drive_s_side_adds_up(tmp_path: Path) -> None:
    trace = write_chat(tmp_path / "chat.jsonl", 300)
    settings = KvSettings(bytes_per_token=16_384, dram_bytes=200_000_000, drive_writes=0.6, tokens_per_s=1e6)
    result = wl.kv(config().set("ssd.scale", 0.25), trace, policies=["through", "second-use"], settings=settings)
    for each in result.policies:
        side = each.drive
        assert side is not None
        assert side.failed == 0
        assert side.drive_writes >= 0.6
        assert side.write_amplification is not None
        # The write buffer holds a little of what the window wrote.
        assert 0.9 < side.write_amplification < 4
        assert side.restores, "the cache restores"
        assert side.served_write_gb_s <= side.demanded_write_gb_s * 1.0001
        assert all(restore.time_ms > 0 for restore in side.restores)
    through, second = result.policies
    assert through.drive_writes_a_day > second.drive_writes_a_day
    assert through.life_years is not None
    # The preset says one drive write a day, over five years.
    assert through.life_years == pytest.approx(5.0 / through.drive_writes_a_day)
    assert through.endurance.pec is not None
    assert through.cells_years is not None
    cycles_a_year = through.endurance.pec / through.cells_years
    flash_writes = through.bytes_a_day * 365 * (through.drive.write_amplification or 0) / through.endurance.flash_bytes
    assert cycles_a_year == pytest.approx(flash_writes)
    other = replace(settings, rated_dwpd=3.0)
    rated = wl.kv(config(), trace, settings=other, flash=False)["through"]
    assert rated.life_years == pytest.approx(3 * through.life_years)
    assert rated.cells_years is None
    again = wl.kv(config().set("ssd.scale", 0.25), trace, policies=["through", "second-use"], settings=settings)
    assert again.to_dict() == result.to_dict()
    # Bytes alone need no flash, and are the same.
    bytes_only = wl.kv(config(), trace, policies=["through"], settings=settings, flash=False)
    assert bytes_only["through"].demand == through.demand
    assert bytes_only["through"].drive is None


def test_handles_reach_the_drive(tmp_path: Path) -> None:
    """The journal has a handle of its own, and so blocks of flash of its own."""
    trace = write_chat(tmp_path / "chat.jsonl", 200)
    settings = KvSettings(
        bytes_per_token=16_384, dram_bytes=200_000_000, drive_writes=0.3, tokens_per_s=1e6, layout="file"
    )
    part = config().set("ssd.scale", 0.25)
    plain, apart = (
        wl.kv(part, trace, settings=replace(settings, placement=name))["through"] for name in ("plain", "fdp-pi")
    )
    assert plain.drive is not None
    assert apart.drive is not None
    assert plain.drive.restores != apart.drive.restores
    assert plain.demand == apart.demand


def test_more_drives_restore_faster(tmp_path: Path) -> None:
    trace = write_chat(tmp_path / "chat.jsonl", 200)
    part = config().set("ssd.scale", 0.5)
    means = []
    for drives in (1, 2):
        # The same bytes, so the same requests.
        settings = KvSettings(bytes_per_token=16_384, dram_bytes=0, drive_writes=0.2 / drives, tokens_per_s=1e6)
        side = wl.kv(part, trace, settings=settings, drives=drives, chunk_bytes=1 << 16)["through"].drive
        assert side is not None
        means.append(side.restore_times.mean or 0.0)
    assert 0 < means[1] < 0.75 * means[0]


def test_the_command_prints_the_answer_first_and_saves_it(tmp_path: Path) -> None:
    trace, out = write_chat(tmp_path / "chat.jsonl", 150), tmp_path / "out"
    ssd = tmp_path / "ssd.toml"
    ssd.write_text('preset = "datacenter-tlc"\n[ssd]\n' + "".join(f"{k[4:]} = {v}\n" for k, v in DRIVE.items()))
    answer = wordline("kv", ssd, trace, *SMALL, "--out", out)
    assert answer.code == 0, answer.err
    assert answer.out.startswith("through: the drive reaches its rated writes after ")
    assert "writes GB/s, asked / served" in answer.out
    assert "restores GB/s, asked / served" in answer.out
    assert {path.name for path in out.iterdir()} >= {"kv.json", "policies.csv", "restores.csv", "life.png"}
    printed = wordline("kv", ssd, trace, *SMALL, "--json")
    document = json.loads(printed.out)
    assert document == json.loads((out / "kv.json").read_text())
    assert [each["policy"] for each in document["policies"]] == list(POLICIES)
    assert document["policies"][0]["drive"]["restore_ms"]["p50"] > 0
    only = json.loads(wordline("kv", ssd, trace, *SMALL, "--bytes-only", "--policy", "through", "--json").out)
    assert only["policies"][0]["cache"] == document["policies"][0]["cache"]


def test_a_folder_is_repeated_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Figures take longer than all else.
    monkeypatch.setattr("wordline.extras.is_there", lambda _: False)
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    asked = ["kv", "datacenter-tlc", str(write_chat(tmp_path / "chat.jsonl", 150)), "--bytes-only", "--dram", "64GB"]

    def out_of(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main(list(arguments)) == code
        return capsys.readouterr().out

    out_of(*asked, "--out", one)
    out_of(*asked, "--out", other, "--policy", "second-use", "--eviction", "fifo")
    again = out_of("rerun", one)
    assert again.startswith("every number is the same: ")
    assert again.endswith(" of 3 runs\n")
    differing = json.loads(out_of("diff", one, other, "--json"))
    assert {path.partition(".")[0] for path in differing["numbers"]} == {"second-use"}
    assert "second-use.cache.ssd_hits" in differing["numbers"]
    # One number that somebody changed is found.
    saved = json.loads(Path(one, "kv.json").read_text())
    saved["policies"][1]["cache"]["written"] += 1
    Path(one, "kv.json").write_text(json.dumps(saved))
    changed = out_of("rerun", one, code=1)
    assert "policy=on-evict: 1 of " in changed
    assert "cache.written" in changed
    for command in (("run", one), ("lifetime", one), ("diff", one, str(tmp_path))):
        assert main(list(command)) == 2
        assert "kv" in capsys.readouterr().err.lower()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "gpt-9"], "bytes per token = gpt-9: give a model (llama-3.1-8b"),
        (["--dram", "lots"], "--dram lots: give a size"),
        (["--policy", "never"], "policy = never: take through, on-evict, second-use"),
        (["--policy", "through", "--policy", "through"], "policies: give one or more, each once"),
        (["--layout", "heap"], "layout = heap: take slot, file, bucket"),
        (["--fill", "2"], "fill = 2.0: give 0.01 to 1"),
        (["--command", "5000"], "command_bytes = 5000: give a multiple of 4096"),
        (["--command", "100"], "command_bytes = 100: give 4,096 to 1,073,741,824"),
        (["--bucket", "1GiB"], "--bucket has no effect with --layout slot\n  hint: give --layout bucket"),
        (["--bytes-only", "--placement", "fdp-ii"], "--placement has no effect with --bytes-only"),
        (["--bytes-only", "--threads", "8"], "--threads has no effect with --bytes-only"),
        (["--threads", "0"], "threads = 0: give 1 to 4,096"),
        (["--drive-writes", "0"], "drive_writes = 0.0"),
        (["--model", "2000000KiB"], "bytes per token = 2000000KiB"),
        (["--block-tokens", "16"], "hash_ids for"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    tmp_path: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = write_chat(tmp_path / "chat.jsonl", 5)
    assert main(["kv", "datacenter-tlc", str(trace), *arguments]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.out == ""


def test_a_drive_that_is_smaller_than_a_block_is_refused(tmp_path: Path) -> None:
    trace = read_traces([write_chat(tmp_path / "chat.jsonl", 5)])
    with pytest.raises(
        ConfigError, match="a block has 67,108,864 bytes, and the cache may take 1,000,000 of the drive"
    ):
        demand_of(trace, KvSettings(), 1_000_000)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "there is no SSD"),
        (["datacenter-tlc"], "there is no trace"),
        (["datacenter-tlc", "none.jsonl"], "none.jsonl: there is no such file"),
    ],
)
def test_the_command_says_what_it_needs(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kv", *arguments]) == 2
    assert said in capsys.readouterr().err
