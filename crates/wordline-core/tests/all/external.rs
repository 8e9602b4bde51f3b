//! Policies of the calling program: one that does what a built-in one does gives the same run, and its state goes with the drive.

use std::io;

use crate::common::*;
use wordline_cells::geometry::BlockId;
use wordline_core::config::Config;
use wordline_core::engine::{LoadError, Loader, Saver};
use wordline_core::host::FlowInput;
use wordline_core::policy::gc::{ExternalGc, GcView};
use wordline_core::policy::wear_levelling::{ExternalWear, WearView};
use wordline_core::policy::{External, Maker};

/// Greedy until it has chosen so many victims, then the oldest block: what it has learned decides.
#[derive(Debug)]
struct Counting {
    victims: u64,
    greedy: u64,
}

impl External for Counting {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&self.victims)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.victims = from.value()?;
        Ok(())
    }
}

impl ExternalGc for Counting {
    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId> {
        self.victims += 1;
        let is_greedy = self.victims <= self.greedy;
        let key = |valid: u16, filled: u32| if is_greedy { (valid, filled) } else { (0, filled) };
        view.candidates().min_by_key(|(_, block)| key(block.valid, block.filled_seq)).map(|(id, _)| id)
    }
}

impl ExternalWear for Counting {
    fn choose(&mut self, view: &WearView<'_>) -> Option<BlockId> {
        let most = view.in_use().map(|(id, _)| view.pec(id)).max()?;
        let (least, block) = view.candidates().map(|(id, _)| (view.pec(id), id)).min()?;
        (most - least > 2).then_some(block)
    }
}

/// Data, most of which then stays, and writes over the rest that are collected.
fn writing() -> Vec<FlowInput> {
    let scattered =
        |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40;
    let writes =
        (0..6_000_u64).map(move |i| write_at(i * 900 * US, if i < 1_000 { i } else { scattered(i) % 300 }));
    vec![open(writes)]
}

fn external(greedy: u64) -> Config {
    let mut config = one_die(&["gc.policy=external", "gc.external=here"]);
    config
        .externals
        .give(Maker::new(move |_| Box::new(Counting { victims: 0, greedy }) as Box<dyn ExternalGc>));
    config
}

#[test]
fn a_policy_that_does_the_same_gives_the_same_run() {
    let greedy = run(&one_die(&[]), writing());
    assert!(greedy.ftl().counters().gc_jobs > 100);
    assert!(log(&run(&external(u64::MAX), writing())) == log(&greedy));
    assert!(log(&run(&external(50), writing())) != log(&greedy), "another choice shows");
    let gap = run(&one_die(&["wear.static_threshold=2"]), writing());
    let mut config = one_die(&["wear.policy=external"]);
    let wear = Maker::new(|_| Box::new(Counting { victims: 0, greedy: 0 }) as Box<dyn ExternalWear>);
    config.externals.give(wear);
    assert!(log(&run(&config, writing())) == log(&gap));
    assert!(gap.ftl().counters().wear_jobs > 0);
}

#[test]
fn what_it_has_learned_goes_with_a_state() {
    let config = external(50);
    for at in [0, 2_000_000 * US, 4_000_000 * US] {
        assert_goes_on(&config, writing, &CHECKED, at);
    }
}

#[test]
fn a_configuration_says_which_policies_it_asks_for() {
    let config = one_die(&["gc.policy=external", "gc.external=here", "refresh.policy=age+external"]);
    let wanted: Vec<_> =
        config.wanted_externals().iter().map(|each| (each.slot, each.key, each.name.to_owned())).collect();
    let of = |slot, key, name: &str| (slot, key, name.to_owned());
    assert_eq!(wanted, [of("gc", "gc.external", "here"), of("refresh", "refresh.external", "")]);
    assert!(external(0).wanted_externals().iter().all(|each| each.is_given));
    assert!(one_die(&[]).wanted_externals().is_empty());
}
