"""`wordline explain KEY`, `wordline presets TEXT`, and keys that a policy needs."""

from __future__ import annotations

import json
import re

import pytest

import wordline as wl
from cli_runner import ROOT, wordline
from wordline.cli.numbers import check
from wordline.config import parameters
from wordline.explain.answered import answer_to
from wordline.explain.keys import SHORT, find
from wordline.explain.terms import TERMS
from wordline.needs import NEEDS


def keys_of(word: str) -> list[str]:
    answer = wordline("explain", word, "--json")
    assert answer.code == 0, answer.err
    return [each["key"] for each in json.loads(answer.out)["keys"]]


def test_a_key_says_its_values_and_who_sets_it_and_why() -> None:
    (key,) = json.loads(wordline("explain", "read.retry", "--json").out)["keys"]
    assert {"baseline", "pso", "rif"} <= {each["value"] for each in key["choices"]}
    assert all(each["help"] for each in key["choices"])
    by_preset = {each["preset"]: each for each in key["presets"]}
    assert by_preset["datacenter-tlc"]["value"] == "pso"
    assert "Shim et al." in by_preset["datacenter-tlc"]["why"]
    assert {"key": "nand.on_die_check", "with": "rif"} in key["keys"]
    assert "read.retry = rif needs nand.on_die_check = true" in key["needs"]
    shown = wordline("explain", "gc.d").out
    assert "acts with  gc.policy = d-choices" in shown
    assert "log2 of the 2,048 blocks" in shown


def test_a_part_of_a_name_or_a_value_is_enough() -> None:
    assert keys_of("retention_mont") == ["reliability.retention_months"]
    assert keys_of("pec") == ["reliability.pec"]
    assert keys_of("swift-read") == ["read.retry"]
    assert set(keys_of("wear")) == {"wear.policy", "wear.external", "wear.dynamic", "wear.static_threshold", "slc.wear"}
    assert "nand.erase_us" in keys_of("erase_us")
    assert wordline("explain", "key", "rif").out.startswith("read.retry: ")


def test_a_preset_comes_before_a_value() -> None:
    answer = wordline("explain", "rif", "--key", "read.retry")
    assert answer.code == 0
    assert "`wordline explain key rif`" in answer.err
    assert "preset rif:" in answer.out


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("pnar3", "did you mean `pnar2`?"),
        ("gc.polcy", "did you mean `gc.policy`?"),
        ("xyzzy", "there is no key, value or preset `xyzzy`"),
        ("PM9A3", "`wordline presets PM9A3` lists the presets that name it"),
    ],
)
def test_what_is_not_there_is_said(word: str, said: str) -> None:
    answer = wordline("explain", word)
    assert answer.code == 2
    assert said in answer.err


def test_what_is_not_modelled_is_an_answer() -> None:
    answer = wordline("explain", "energy")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("Energy and power: not modelled.")
    assert "docs/not-modelled.md" in answer.out
    assert json.loads(wordline("explain", "tdp-throttling", "--json").out)["not_modelled"]["why"]


def test_power_is_energy_first_and_then_the_keys_of_a_loss_of_power() -> None:
    out = wordline("explain", "power").out
    assert out.startswith("Energy and power: not modelled.")
    assert "power.cut_at_s" in out
    told = json.loads(wordline("explain", "power", "--json").out)
    assert (told["not_modelled"]["name"], bool(told["keys"])) == ("Energy and power", True)
    assert wordline("explain", "power.cut_at_s").out.startswith("power.cut_at_s: ")
    assert wordline("explain", "power", "consumption").out.startswith("Energy and power: not modelled.")


@pytest.mark.parametrize("words", [("trust",), ("accuracy",), ("how", "far", "can", "I", "trust")])
def test_a_question_of_trust_has_its_page_with_and_without_quotes(words: tuple[str, ...]) -> None:
    answer = wordline("explain", *words)
    assert (answer.code, answer.err) == (0, "")
    assert "--against MEASURED" in answer.out
    assert "docs/validation.md" in answer.out


@pytest.mark.parametrize("word", ["read_retry.first_failure_share", "first_failure_share"])
def test_a_number_of_a_result_comes_before_what_is_not_modelled(word: str) -> None:
    answer = wordline("explain", word)
    assert (answer.code, answer.err) == (0, "")
    assert "not modelled" not in answer.out
    assert "did not decode as they were sensed first" in " ".join(answer.out.split())
    assert "--columns read_retry.first_failure_share" in answer.out
    (column,) = json.loads(wordline("explain", word, "--json").out)["columns"]
    assert (column["column"], column["unit"]) == ("read_retry.first_failure_share", "share")


def test_a_key_and_a_topic_stay_what_they_are_beside_numbers_of_a_result() -> None:
    assert wordline("explain", "UBER").out.startswith("Failures of whole parts")
    assert wordline("explain", "gc.policy").out.startswith("gc.policy: ")
    assert "response_us.read.p99" in wordline("explain", "read.p99").out
    assert "--columns flows.cache.iops.all" in wordline("explain", "flows.cache.iops.all").out


def test_the_help_lists_its_topics() -> None:
    shown = wordline("explain", "--help").out
    assert all(f"\n  {topic} " in shown for topic in ("config", "key", "coding", "read", "erase", "limits"))


def test_presets_are_found_by_text() -> None:
    found = json.loads(wordline("presets", "980", "--json").out)
    names = {each["name"] for each in found}
    assert "consumer-tlc" in names
    assert "mqsim" not in names
    assert {each["name"] for each in json.loads(wordline("presets", "qlc", "--json").out)} >= {"consumer-qlc"}
    assert wordline("presets", "zzz").code == 2


def test_a_policy_gets_in_its_rows_what_it_needs() -> None:
    grid = {"read.retry": ["baseline", "rif"]}
    results = wl.compare("pnar2", "fio/random-read", grid, jobs=1, scale="1/64", requests=50)
    assert [each.result.config["nand.on_die_check"] for each in results if each.result] == [False, True]
    assert "read.retry = rif needs nand.on_die_check = true, which its rows have" in results.notes
    mine = wl.preset("pnar2").assign("nand.on_die_check=false")
    with pytest.raises(wl.errors.WordlineError, match="needs a die that checks"):
        wl.compare(mine, "fio/random-read", grid, jobs=1, scale="1/64", requests=50)


def test_each_need_is_one() -> None:
    for need in NEEDS:
        with pytest.raises(wl.errors.WordlineError):
            wl.preset("pnar2").set_all({need.needs: not need.value, need.key: need.word})
        wl.preset("pnar2").set_all({need.needs: need.value, need.key: need.word})


def test_a_single_run_gets_what_its_policy_needs() -> None:
    run = ("run", "pnar2", "-w", "ycsb/c", "-n", "50", "--scale", "1/64")
    answer = wordline(*run, "--set", "read.retry=rif", "--json")
    assert answer.code == 0
    assert "\nread.retry = rif needs nand.on_die_check = true, which is set" in f"\n{answer.err}", "a note"
    refused = wordline(*run, "--set", "read.retry=rif", "--set", "nand.on_die_check=false")
    assert refused.code == 2
    assert "needs a die that checks" in refused.err


@pytest.mark.parametrize(
    ("word", "command", "page"),
    [
        ("TBW", "wordline lifetime DIR", "lifetime.md"),
        ("write amplification", "--columns wa", "certainty.md"),
        ("tail latency", "explain waits", "read-waits.md"),
        ("garbage collection", "--set gc.policy=", "questions.md"),
        ("IOPS", "explain limits", "drives.md"),
        ("wa", "--columns wa", "certainty.md"),
        ("p99.9", "--columns read.p99.9", "read-waits.md"),
    ],
)
def test_a_question_that_no_key_answers_has_its_command(word: str, command: str, page: str) -> None:
    answer = wordline("explain", word)
    assert (answer.code, answer.err) == (0, "")
    assert command in answer.out
    assert page in answer.out
    assert command in json.loads(wordline("explain", word, "--json").out)["answer"]["command"]


@pytest.mark.parametrize(("key", "told"), [("workload.load=60%", "--load 60%"), ("energy.model=1", "not modelled")])
def test_a_key_that_does_not_exist_is_refused_with_the_answer_to_its_question(key: str, told: str) -> None:
    answer = wordline("run", "mqsim", "-w", "fio/random-read", "--set", key)
    assert answer.code == 2
    error, hint = answer.err.splitlines()
    assert "unknown key" in error
    assert told in hint


def test_a_question_comes_before_keys_that_have_its_word_in_their_name() -> None:
    out = wordline("explain", "latency").out
    assert "read-waits.md" in out
    assert "dram.latency_ns" in out


def test_an_abbreviation_is_the_key_that_it_means() -> None:
    assert all(find(word) == [key] for word, key in SHORT.items())
    assert wordline("explain", "OP").out.startswith("ssd.overprovisioning: ")


@pytest.mark.parametrize(
    ("words", "listed"), [(("waf",), "wordline --help"), (("trace", "waf"), "wordline trace --help")]
)
def test_a_word_that_is_no_command_leads_to_its_explanation(words: tuple[str, ...], listed: str) -> None:
    answer = wordline(*words)
    assert answer.code == 2
    assert f"hint: `{listed}` lists the commands; `wordline explain waf` says what a word means" in answer.err


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("read retry", "read.retry"),
        ("retries", "read.retry"),
        ("Read-Retries", "read.retry"),
        ("P/E cycles", "reliability.pec"),
        ("load", "host.queue_depth"),
        ("headroom", "workload.inter_arrival_us"),
        ("mapping tables", "ftl.mapping"),
        ("wear leveling", "wear.policy"),
        ("when do retries begin", "read.retry"),
        ("how long does my drive last", "reliability.pec"),
        ("years", "reliability.pec"),
    ],
)
def test_a_term_of_the_field_leads_to_keys_columns_and_a_page(words: str, key: str) -> None:
    answer = wordline("explain", words)
    assert (answer.code, answer.err.count("error")) == (0, 0), answer.err
    assert key in answer.out
    assert "\nColumns: " in answer.out
    assert ".md explains it." in answer.out


def test_keys_are_found_by_several_words_in_any_order_and_number() -> None:
    assert find("queue depths")[0] == "host.queue_depth"
    assert find("depth of the device queue")[0] == "host.device_queue_depth"
    assert find("page size")[0] == "ssd.page_bytes"
    assert "gc.policy" in find("picks victims")
    assert find("queue of nonsense") == []


def test_a_folder_that_is_not_there_is_no_term() -> None:
    answer = wordline("explain", "out/nothing")
    assert (answer.code, "no such file" in answer.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("run", "pnar2", "-w", "ycsb/c", "--pec", "9"), "a key of the configuration: --set reliability.pec=VALUE"),
        (("run", "pnar2", "-w", "ycsb/c", "--against", "m.json"), "an option of `wordline compare`; see"),
        (("lifetime", "out", "--steady"), "an option of `wordline run` and `wordline serve`; see"),
        (("run", "pnar2", "nowhere/steady.fio"), "`wordline examples` writes steady.fio"),
        (("run", "pnar2", "-w", "ycsb/c", "--lifetime"), "then wordline lifetime DIR"),
        (("run", "pnar2", "-w", "ycsb/c", "--set", "op=7%"), "such a key is ssd.overprovisioning"),
        (("run", "pnar2", "-w", "ycsb/c", "--set", "nand.read_latency_us=9"), "the nearest key is nand.read_us"),
        (("run", "pnar2", "-w", "ycsb/c", "--set", "gc=fifo"), "such a key is gc.policy, "),
        (("run", "pnar2", "nowhere/tenants.toml"), "`wordline examples` writes tenants.toml"),
        (("run", "pnar2", "-w", "ycsb/c", "--set", "ssd.overprovisioning=7"), "7 % is 0.07, or 7%"),
        (("run", "pnar2", "-w", "ycsb"), "`wordline workloads ycsb` lists"),
        (("run", "PM9A3", "-w", "ycsb/c"), "lists the presets that name it: datacenter-tlc"),
        (("presets", "Samsung 990"), "`wordline presets Samsung` lists what has `Samsung`"),
        (("presets", "PM1733"), "`wordline fit` makes a preset"),
        (("explain", "cachelib"), "`wordline workloads cachelib`"),
        (("explain", "nand.read_latency"), "did you mean `nand.read_us`?"),
        (("lifetime", "datacenter-tlc"), "as `wordline run … --out DIR`"),
    ],
)
def test_a_guess_is_refused_with_what_is_meant(words: tuple[str, ...], hint: str) -> None:
    answer = wordline(*words)
    assert (answer.code, answer.out) == (2, "")
    assert hint in answer.err


def test_a_section_that_is_a_term_has_its_page_and_all_its_keys() -> None:
    out = wordline("explain", "fdp").out
    assert "docs/how-to/fdp.md explains it." in out
    assert "fdp.unit_superblocks" in out


def test_answers_name_files_pages_keys_and_columns_that_exist() -> None:
    for each in TERMS:
        assert all((ROOT / file).is_file() for file in re.findall(r"examples/[\w.-]+", each.command)), each.command
        assert set(each.keys) <= set(parameters()), each.name
        for column in each.columns:
            check(column)
        assert (ROOT / "docs" / each.page).is_file()
        assert all(answer_to(word) is each for word in each.words)


def test_workloads_are_found_by_a_text() -> None:
    found = {each["name"] for each in json.loads(wordline("workloads", "zipf", "--json").out)}
    assert found
    assert all("zipf" in name for name in found)
    refused = wordline("workloads", "xyzzy")
    assert (refused.code, "`wordline workloads` lists all" in refused.err) == (2, True)


def test_a_part_of_a_presets_name_is_enough_for_a_suggestion() -> None:
    answer = wordline("run", "980pro", "-w", "fio/random-read")
    assert (answer.code, "did you mean `samsung-980-pro-1tb`?" in answer.err) == (2, True)


@pytest.mark.parametrize("word", ["over-provisioning", "over provisioning", "Over_Provisioning"])
def test_a_key_is_found_however_its_word_is_parted(word: str) -> None:
    assert wordline("explain", word).out.startswith("ssd.overprovisioning: ")
