//! Random SSDs: each setting is drawn from its choices, independently.

use super::devices::Device;
use super::settings::{ALLOCATIONS, CHOICES, JOURNAL_SETTINGS, SETTINGS, SLC_SETTINGS, UNITS};
use proptest::prelude::*;

/// SSDs of the settings that matter most.
pub fn any() -> impl Strategy<Value = Device> {
    accepted(draw_most())
}

/// SSDs whose programs take several mapping units, most of them.
pub fn any_of_units() -> impl Strategy<Value = Device> {
    accepted(draw_units())
}

/// SSDs of superblocks in which one page of each stripe is parity.
pub fn any_of_parity() -> impl Strategy<Value = Device> {
    accepted(draw_parity())
}

/// SSDs with an SLC cache.
pub fn any_of_slc() -> impl Strategy<Value = Device> {
    accepted(draw_slc())
}

/// SSDs with a journal, and what else there is beside it.
pub fn any_of_journal() -> impl Strategy<Value = Device> {
    accepted(draw_journal())
}

/// SSDs of all settings but those of an SLC cache and of a journal.
pub fn any_of_all() -> impl Strategy<Value = Device> {
    accepted(draw_all())
}

/// Those that the configuration accepts.
fn accepted(devices: impl Strategy<Value = Device>) -> impl Strategy<Value = Device> {
    devices.prop_filter("the configuration refuses it", |device| device.refused_for().is_none())
}

/// All kinds, as they are drawn.
pub fn drawn() -> [(&'static str, BoxedStrategy<Device>); 6] {
    [
        ("most", draw_most().boxed()),
        ("units", draw_units().boxed()),
        ("parity", draw_parity().boxed()),
        ("slc", draw_slc().boxed()),
        ("journal", draw_journal().boxed()),
        ("all", draw_all().boxed()),
    ]
}

fn draw_most() -> impl Strategy<Value = Device> {
    drawn_from(&CHOICES[..SETTINGS.len()])
}

fn draw_units() -> impl Strategy<Value = Device> {
    let units = proptest::sample::select(UNITS);
    let pages = proptest::sample::select(&["8192", "16384", "32768"][..]);
    let wait = proptest::sample::select(&["1000.0", "0.0", "20.0"][..]);
    let group = proptest::sample::select(&["block", "planes", "superblock"][..]);
    let program = proptest::sample::select(&["page", "wordline"][..]);
    let limit = proptest::sample::select(&["0", "0", "1", "3"][..]);
    let programs = (program, limit);
    (draw_most(), units, pages, wait, group, programs).prop_map(
        |(device, units, pages, wait, group, programs)| {
            let mut settings: Vec<_> =
                device.settings.into_iter().filter(|s| !s.starts_with("ssd.page_bytes=")).collect();
            // A table of which a few entries are cached: a refresh costs a write of the table for each unit, and never ends.
            if settings.iter().any(|s| s == "ftl.mapping=dftl") {
                settings.retain(|s| !s.starts_with("refresh.period_days="));
            }
            settings.push(format!("ssd.page_bytes={pages}"));
            settings.push(format!("ftl.unit_bytes={units}"));
            settings.push(format!("ftl.unit_wait_us={wait}"));
            if group != "block" {
                settings.push(format!("ftl.group={group}"));
            }
            settings.push(format!("program.unit={}", programs.0));
            settings.push(format!("nand.max_programs={}", programs.1));
            Device::new(settings)
        },
    )
}

fn draw_parity() -> impl Strategy<Value = Device> {
    let base = prop_oneof![draw_units().boxed(), draw_slc().boxed()];
    let channels = proptest::sample::select(&["4", "8"][..]);
    (base, channels, proptest::bool::ANY).prop_map(|(device, channels, is_wide)| {
        let mut settings = device.settings;
        let is_other =
            |s: &String| !["program.policy=ofwar", "ftl.unmapped_read=frontier"].contains(&s.as_str());
        settings.retain(is_other);
        let parity = if is_wide { channels } else { "4" };
        // With as much spare as half of the flash is without.
        settings.extend(["ftl.group=superblock", "ssd.overprovisioning=0.625"].map(str::to_owned));
        settings.extend([format!("ssd.channels={channels}"), format!("ftl.parity={parity}")]);
        Device::new(settings)
    })
}

fn draw_slc() -> impl Strategy<Value = Device> {
    let base = prop_oneof![draw_most().boxed(), draw_units().boxed()];
    let picks: Vec<_> = SLC_SETTINGS.iter().map(|(_, choices)| 0..choices.len()).collect();
    (base, picks).prop_map(|(device, picks)| {
        let mut settings = device.settings;
        let chosen = SLC_SETTINGS.iter().zip(picks);
        settings.extend(chosen.map(|((key, choices), pick)| format!("{key}={}", choices[pick])));
        // A third each, by their seeds.
        let third = settings[0].bytes().map(usize::from).sum::<usize>() % 3;
        settings.push(format!("slc.emptying_share={}", ["0.0", "0.1", "0.5"][third]));
        Device::new(settings)
    })
}

fn draw_journal() -> impl Strategy<Value = Device> {
    let base = prop_oneof![draw_most().boxed(), draw_units().boxed(), draw_slc().boxed()];
    let picks: Vec<_> = JOURNAL_SETTINGS.iter().map(|(_, choices)| 0..choices.len()).collect();
    (base, picks).prop_map(|(device, picks)| {
        let mut settings = device.settings;
        let chosen = JOURNAL_SETTINGS.iter().zip(picks);
        settings.extend(chosen.map(|((key, choices), pick)| format!("{key}={}", choices[pick])));
        Device::new(settings)
    })
}

fn draw_all() -> impl Strategy<Value = Device> {
    drawn_from(&CHOICES)
}

fn drawn_from(choices: &'static [(&str, Vec<String>)]) -> impl Strategy<Value = Device> {
    let picks: Vec<_> = choices.iter().map(|(_, choices)| 0..choices.len()).collect();
    // Half of the settings stay plain, so that a failure shows by few of them.
    let plain = prop::collection::vec(proptest::bool::ANY, choices.len());
    (picks, plain, 0..ALLOCATIONS.len(), 0u32..1000).prop_map(|(picks, used, order, seed)| {
        let mut settings = vec![format!("seed={seed}"), format!("ftl.allocation={}", ALLOCATIONS[order])];
        for (((key, choices), pick), used) in choices.iter().zip(picks).zip(used) {
            if used && pick > 0 {
                settings.push(format!("{key}={}", choices[pick]));
            }
        }
        Device::new(settings)
    })
}
