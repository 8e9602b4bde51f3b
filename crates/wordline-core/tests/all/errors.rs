//! What cannot work is an error with an explanation, and never a hang or a panic.

use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::config::{ConfigErrorKind, Layer, resolve};
use wordline_core::host::{FlowInput, HostRequest, Op};
use wordline_core::{RunOptions, SimError, Ssd};

/// Random overwrites of the whole device.
fn overwrites(count: u64, pages: u64) -> Vec<HostRequest> {
    (0..count).map(|i| write_at(0, below(3, i, Purpose::Precondition, pages))).collect()
}

#[test]
fn blocks_that_go_bad_run_the_device_out_of_space() {
    for policy in ["greedy", "fifo", "random", "cost-benefit"] {
        for copyback in [false, true] {
            let config = one_die(&[
                "precondition.fill=1.0",
                "reliability.grown_bad=0.05",
                &format!("gc.policy={policy}"),
                &format!("gc.copyback={copyback}"),
            ]);
            let requests = overwrites(200_000, config.host_pages());
            let (ssd, outcome) = try_run(&config, vec![closed(16, requests)]);
            let Err(SimError::OutOfSpace(why)) = outcome else { panic!("{policy}: {outcome:?}") };
            assert!(why.contains("plane 0") && why.contains("raise ssd.overprovisioning"), "{why}");
            assert!(log(&ssd).len() > 500, "it lived before: {} requests", log(&ssd).len());
            let bad = ssd.ftl().counters().grown_bad;
            assert!(bad > 3, "{policy}, copyback {copyback}: {bad} bad blocks");
        }
    }
}

/// What shares free groups is a plane, a die or the whole SSD.
#[test]
fn an_ssd_without_room_says_where() {
    for (group, place) in [("block", "plane "), ("planes", "die "), ("superblock", "the SSD has")] {
        let config = one_die(&[
            "ssd.channels=2",
            "ssd.planes_per_die=2",
            "ssd.overprovisioning=0.4",
            "precondition.fill=1.0",
            "reliability.grown_bad=0.05",
            &format!("ftl.group={group}"),
        ]);
        let requests = overwrites(200_000, config.host_pages());
        let (_, outcome) = try_run(&config, vec![closed(16, requests)]);
        let Err(SimError::OutOfSpace(why)) = outcome else { panic!("{group}: {outcome:?}") };
        assert!(why.contains(place), "{why}");
        assert!(
            !why.contains("die 2") && !why.contains("plane 4"),
            "there are two dies of two planes: {why}"
        );
    }
}

#[test]
fn what_does_not_fit_beside_factory_bad_blocks_is_out_of_space_while_filling() {
    let config = one_die(&["precondition.fill=1.0", "reliability.factory_bad=0.4"]);
    let (_, outcome) = try_run(&config, vec![closed(1, reads([0]))]);
    let Err(SimError::OutOfSpace(why)) = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("preconditioning") && why.contains("bad"), "{why}");
}

/// Here GC would come to an end: patience of a few thousand events is less than the pages of a victim take.
#[test]
fn a_run_that_gets_nowhere_ends_and_names_what_waits() {
    let settings = [
        "ssd.pages_per_block=10000",
        "ssd.blocks_per_plane=16",
        "ssd.overprovisioning=0.2",
        "precondition.fill=1.0",
        "precondition.overwrite=1.0",
    ];
    let config = one_die(&settings);
    for (options, patience) in [(CHECKED, 1), (RunOptions::default(), 1), (CHECKED, 1 << 24)] {
        let requests = overwrites(20_000, config.host_pages());
        let mut ssd = Ssd::new(&config, vec![closed(3, requests)], &options);
        ssd.precondition(&config, None, &mut |_| true).unwrap();
        ssd.set_patience(patience);
        let outcome = ssd.run(&mut |_| true);
        if patience > 1 || !options.check {
            // Many events lie between two looks of a run that is not checked.
            assert!(outcome.is_ok(), "{outcome:?}");
            continue;
        }
        let Err(SimError::Stuck(why)) = outcome else { panic!("{outcome:?}") };
        for part in [
            "served nothing of a request",
            "3 requests wait",
            "first a write of flow `flow`",
            "GC goes on in 1 planes",
        ] {
            assert!(why.contains(part), "{part}: {why}");
        }
    }
}

/// The least over-provisioning that a configuration may have, in blocks of a plane, is enough to live on.
#[test]
fn the_tightest_device_that_is_allowed_works() {
    for blocks in [16, 64, 200] {
        for (needed, settings) in [
            (3.0, &["precondition.fill=1.0"][..]),
            (3.0, &["precondition.fill=1.0", "gc.policy=fifo"]),
            (4.0, &["precondition.fill=1.0", "gc.copyback=true", "ftl.streams=2"]),
            (4.0, &["precondition.fill=1.0", "wear.static_threshold=2"]),
            (3.0, &["precondition.fill=1.0", "refresh.period_days=0.00005"]),
            (3.0, &["precondition.fill=lazy"]),
            (4.0, &["precondition.fill=lazy", "wear.static_threshold=1", "gc.threshold=0.2"]),
            (3.0, &["precondition.fill=0.5", "ftl.allocation=dynamic", "ssd.channels=2"]),
            (4.0, &["precondition.fill=lazy", "ftl.mapping=dftl", "ftl.cmt_bytes=4096"]),
        ] {
            let with_spare = |spare: f64| {
                let blocks_per_plane = format!("ssd.blocks_per_plane={blocks}");
                let overprovisioning = format!("ssd.overprovisioning={}", spare / f64::from(blocks));
                let least = &["gc.threshold=0.0", "gc.hard_threshold=0.0"][..];
                let all = [ONE_DIE, least, settings, &[&blocks_per_plane[..], &overprovisioning]].concat();
                let layers: Vec<Layer> = all.iter().map(|s| Layer::assignment(s).unwrap()).collect();
                resolve(&layers).map(|resolved| resolved.config)
            };
            let refused = with_spare(needed - 0.01).expect_err("too little");
            assert_eq!(refused.key, "ssd.overprovisioning", "{refused}");
            let config = with_spare(needed + 1e-6).unwrap_or_else(|error| panic!("{error}"));
            let pages = config.host_pages();
            let mut requests = reads((0..pages).map(|i| i * 5 % pages));
            requests.extend(overwrites(3_000, pages));
            let count = requests.len();
            let (ssd, outcome) = try_run(&config, vec![closed(8, requests)]);
            outcome.unwrap_or_else(|error| panic!("{blocks} blocks, {settings:?}: {error}"));
            assert_eq!(log(&ssd).len(), count);
        }
    }
}

#[test]
fn a_request_beyond_the_device_says_which_and_where() {
    let config = one_die(&[]);
    let beyond = HostRequest::new(0, Op::Read, config.host_sectors() - 3, 8);
    let (_, outcome) = try_run(&config, vec![closed(1, [request(Op::Read, 0, 1), beyond])]);
    let Err(SimError::Request(why)) = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("request 2 of flow") && why.contains("host.wrap"), "{why}");
    assert!(why.contains(&config.host_sectors().to_string()), "{why}");
}

#[test]
fn a_workload_that_fails_is_passed_on() {
    let items = [Ok(read_at(0, 1)), Err("trace.csv:7: expected a number".into())];
    let flow = FlowInput { source: Box::new(items.into_iter()), ..closed(1, []) };
    let (_, outcome) = try_run(&one_die(&[]), vec![flow]);
    let Err(error @ SimError::Workload(_)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(error.to_string(), "trace.csv:7: expected a number");
}

#[test]
fn a_caller_may_stop_a_run() {
    let config = one_die(&["ssd.channels=8"]);
    let flows = vec![closed(64, reads((0..400_000).map(|i| i % 5_000)))];
    let (ssd, outcome) = try_run_within(1, &config, flows, &CHECKED);
    assert!(matches!(outcome, Err(SimError::Stopped)), "{outcome:?}");
    let progress = ssd.progress();
    assert!(progress.submitted > 0 && progress.submitted < 400_000, "{progress:?}");
}

#[test]
fn geometries_that_do_not_fit_name_the_key_and_the_fix() {
    for (settings, key) in [
        (&["ssd.channels=0"][..], "ssd.channels"),
        (&["ssd.channels=65"], "ssd.channels"),
        (&["ssd.planes_per_die=9"], "ssd.planes_per_die"),
        (&["ssd.chips_per_channel=16", "ssd.dies_per_chip=8"], "ssd.chips_per_channel"),
        (&["ssd.page_bytes=12288"], "ssd.page_bytes"),
        (&["ssd.page_bytes=2048"], "ssd.page_bytes"),
        (&["ssd.spare_bytes=99999"], "ssd.spare_bytes"),
        (&["ssd.pages_per_block=2"], "ssd.pages_per_block"),
        (&["ssd.pages_per_block=70000"], "ssd.pages_per_block"),
        (&["ssd.blocks_per_plane=3"], "ssd.blocks_per_plane"),
        (&["ssd.blocks_per_plane=1048576", "ssd.pages_per_block=65535"], "ssd.blocks_per_plane"),
        (&["ssd.overprovisioning=0.95"], "ssd.overprovisioning"),
        (&["ssd.overprovisioning=-0.1"], "ssd.overprovisioning"),
        (&["ssd.overprovisioning=0.01"], "ssd.overprovisioning"),
        (&["ssd.overprovisioning=0.035", "ftl.streams=3"], "ssd.overprovisioning"),
        (&["coding.cell=tlc", "nand.read_us=[50.0]"], "nand.read_us"),
        (&["coding.cell=tlc", "nand.program_us=[1.0,2.0]"], "nand.program_us"),
        (&["coding.cell=tlc", "coding.scheme=mlc-1-2"], "coding.scheme"),
        (&["nand.read_us=[0.0,1.0]"], "nand.read_us"),
        (&["nand.erase_us=-1.0"], "nand.erase_us"),
        (&["nand.erase_us=nan"], "nand.erase_us"),
        (&["gc.threshold=0.1", "gc.hard_threshold=0.2"], "gc.threshold"),
        (&["precondition.fill=1.5"], "precondition.fill"),
        (&["host.queue_depth=0"], "host.queue_depth"),
    ] {
        let base = ["ssd.blocks_per_plane=128"];
        let layers: Vec<Layer> = base.iter().chain(settings).map(|s| Layer::assignment(s).unwrap()).collect();
        let Err(error) = resolve(&layers) else { panic!("{settings:?} was accepted") };
        assert_eq!((error.kind, error.key.as_str()), (ConfigErrorKind::OutOfRange, key), "{error}");
        assert!(!error.fix.is_empty() && error.to_string().contains(&error.fix), "{error}");
    }
}

#[test]
fn names_that_are_none_say_what_is_taken() {
    for (settings, why) in [
        ("ftl.allocation=CWDX", "C, W, D, P"),
        ("refresh.policy=age+age", "twice"),
        ("refresh.policy=never", "age"),
        ("wear.policy=never", "gap"),
    ] {
        let error = resolve(&[Layer::assignment(settings).unwrap()]).unwrap_err();
        assert_eq!(error.kind, ConfigErrorKind::WrongValue, "{error}");
        assert!(settings.starts_with(&error.key) && error.to_string().contains(why), "{error}");
    }
}

#[test]
fn a_table_of_states_that_is_no_gray_coding_names_state_line_and_fix() {
    let text = "[coding]\ncell = \"mlc\"\nscheme = [\"11\", \"10\", \"01\", \"00\"]\n";
    let error = resolve(&[Layer::file("mine.toml", text)]).unwrap_err();
    assert_eq!((error.key.as_str(), error.line), ("coding.scheme", 3));
    assert!(error.to_string().contains("S2 `10` and S3 `01` differ in 2 bits"), "{error}");
    assert!(error.to_string().contains("S3 may be `00`"), "{error}");
    let text = text.replace("\"01\", \"00\"", "\"00\", \"01\"");
    assert!(resolve(&[Layer::file("mine.toml", &text)]).is_ok());
}

#[test]
fn read_retries_that_a_device_cannot_do_are_refused_with_the_fix() {
    for (settings, why, fix) in [
        (&["read.retry=rif"][..], "needs a die that checks", "nand.on_die_check = true"),
        (&["read.retry=pso+pr2"], "CACHE READ", "nand.cache_register = true"),
        (&["read.retry=pnar2"], "CACHE READ", "nand.cache_register = true"),
        (&["read.retry=ar2"], "RPT", "cells.chip"),
        (&["nand.cache_register=true", "read.retry=pnar2"], "RPT", "read.tpre_cut"),
        (&["read.retry=pnar3"], "\"pnar3\" is not one of its words", "did you mean `pnar2`?"),
        (&["read.retry=ideal+pr2"], "joins a bound", "it takes"),
    ] {
        let layers: Vec<Layer> = settings.iter().map(|s| Layer::assignment(s).unwrap()).collect();
        let error = resolve(&layers).expect_err("refused");
        assert_eq!(error.key, "read.retry");
        assert!(error.message.contains(why) && error.fix.contains(fix), "{error}");
        assert_eq!(error.source, layers[layers.len() - 1].name);
    }
}

/// The SSD looks for fast pages that are due many times in their retention. Cells that keep nothing must not make that
/// every nanosecond.
#[test]
fn a_fast_step_that_leaves_no_retention_is_refused_or_looked_after_at_leisure() {
    let refused = |chip: &str, step: &str, deadline: &str| {
        let chip = format!("cells.chip={chip}");
        let step = format!("program.fast_dvpp={step}");
        let deadline = format!("program.rewrite_deadline={deadline}");
        let all = [ONE_DIE, &["program.policy=ofwar", &chip, &step, &deadline]].concat();
        let layers: Vec<Layer> = all.iter().map(|s| Layer::assignment(s).unwrap()).collect();
        let config = match resolve(&layers) {
            Ok(resolved) => resolved.config,
            Err(error) => return Some(error),
        };
        // Nothing to do but to wait: twenty reads, a second apart.
        let requests: Vec<_> = (0..20).map(|i| read_at(i * 1_000_000 * US, i)).collect();
        let (ssd, outcome) = try_run_within(2, &config, vec![open(requests)], &CHECKED);
        outcome.unwrap_or_else(|error| panic!("{all:?}: {error}"));
        assert_eq!(log(&ssd).len(), 20);
        None
    };
    for chip in ["mlc-ofwar", "tlc-48l"] {
        for (step, by_wear, by_rated) in
            [("2.0", false, false), ("2.4", false, true), ("2.5", true, true), ("3.0", true, true)]
        {
            for (deadline, is_refused) in [("wear", by_wear), ("rated", by_rated)] {
                let error = refused(chip, step, deadline);
                assert_eq!(error.is_some(), is_refused, "{chip}, {step}, {deadline}: {error:?}");
                if let Some(error) = error {
                    assert_eq!(error.key, "program.fast_dvpp");
                    let of_step = format!("= {} leaves", step.trim_end_matches(".0"));
                    assert!(error.message.contains(&of_step) && error.fix.contains("lower"), "{error}");
                    assert_eq!(error.fix.contains("wear"), !by_wear, "{error}");
                }
            }
        }
    }
}
