//! SSDs that run in checked mode: any list of settings, and those that once showed a fault.

use super::settings::CHOICES;
use crate::common::*;
use wordline_core::config::{Config, ConfigError, Layer, resolve};
use wordline_core::policy::program::RewriteDeadline;

/// An SSD as the list of its settings that are not the plainest, so that a failing one can be read.
#[derive(Clone, Debug)]
pub struct Device {
    pub(super) settings: Vec<String>,
    bad_blocks: bool,
}

impl Device {
    pub(super) fn new(settings: Vec<String>) -> Device {
        let bad_blocks = settings.iter().any(|s| s.contains("_bad=") && !s.ends_with("=0.0"));
        Device { settings, bad_blocks }
    }

    fn of(settings: &[&str]) -> Device {
        Device::new(settings.iter().map(|&setting| setting.to_owned()).collect())
    }

    /// The configuration, which the strategies know to be accepted.
    pub fn config(&self) -> Config {
        self.resolved().unwrap_or_else(|error| panic!("{error}\n{self:?}"))
    }

    fn resolved(&self) -> Result<Config, ConfigError> {
        let plain = CHOICES.iter().map(|(key, choices)| format!("{key}={}", choices[0]));
        let mut all: Vec<String> = plain.chain(self.settings.iter().cloned()).collect();
        if all.iter().any(|s| s.starts_with("read.retry=") && (s.contains("pr2") || s.contains("pnar2"))) {
            all.push("nand.cache_register=true".to_owned());
        }
        // Schemes and fast programs go by what a chip's cells do; so do its reads then.
        let asks_chip = |s: &&String| s.starts_with("erase.scheme=") || *s == "program.policy=ofwar";
        if self.settings.iter().any(|s| asks_chip(&s)) {
            all.push("cells.chip=tlc-48l".to_owned());
            all.push("coding.cell=tlc".to_owned());
        }
        // Two steps take whole wordlines of a cell with more than one bit, in order, and none that are merged.
        if self.settings.iter().any(|s| s == "program.policy=two-step") {
            all.extend(["ssd.pages_per_block=12", "coding.policy=conventional"].map(str::to_owned));
            if !all[CHOICES.len()..].iter().any(|s| s.starts_with("coding.cell=")) {
                all.push("coding.cell=qlc".to_owned());
            }
            if self.settings.iter().any(|s| s == "nand.multiplane=overtaking") {
                all.push("nand.multiplane=any".to_owned());
            }
        }
        let layers = |all: &[String]| -> Vec<Layer> {
            let own = all.iter().map(String::as_str);
            ONE_DIE.iter().copied().chain(own).map(|s| Layer::assignment(s).expect("an assignment")).collect()
        };
        // Groups of several blocks move over planes, and leave no block in place.
        if self.settings.iter().any(|s| s == "ftl.group=superblock") {
            all.push("program.write_streams=0".to_owned());
            if self.settings.iter().any(|s| s == "program.policy=ofwar") {
                all.push("ftl.group=planes".to_owned());
            }
        }
        if self.settings.iter().any(|s| s.starts_with("ftl.group=")) {
            all.extend(["gc.copyback=false", "coding.policy=conventional"].map(str::to_owned));
        }
        // What takes a page for the unit of mapping is refused with smaller ones.
        if self.settings.iter().any(|s| s.starts_with("ftl.unit_bytes=")) {
            let plain = ["gc.copyback=false", "coding.policy=conventional", "program.write_streams=0"];
            all.extend(plain.map(str::to_owned));
            if self.settings.iter().any(|s| s == "program.policy=ofwar") {
                all.push("program.policy=normal".to_owned());
            }
        }
        // So is what programs pages one by one with whole wordlines; the write buffer holds one of each die.
        if self.settings.iter().any(|s| s == "program.policy=ofwar") {
            all.push("program.unit=page".to_owned());
        } else if self.settings.iter().any(|s| s == "program.unit=wordline") {
            let plain = [
                "ssd.pages_per_block=12",
                "gc.copyback=false",
                "coding.policy=conventional",
                "program.write_streams=0",
                "cache.capacity_bytes=2097152",
            ];
            all.extend(plain.map(str::to_owned));
            if self.settings.iter().any(|s| s == "program.policy=two-step") {
                all.push("nand.program_wordline_us=0.0".to_owned());
            }
        }
        // An SLC cache goes without what is refused beside it, and in less space.
        if self.settings.iter().any(|s| s.starts_with("slc.policy=") && !s.ends_with("=off")) {
            let plain = [
                "coding.policy=conventional",
                "program.write_streams=0",
                "gc.frontier=separate",
                "ftl.streams=1",
                "program.unit=page",
            ];
            all.extend(plain.map(str::to_owned));
            if self.settings.iter().any(|s| s == "program.policy=ofwar") {
                all.push("program.policy=normal".to_owned());
            }
            if all.iter().rfind(|s| s.starts_with("coding.cell=")).is_none_or(|s| s.ends_with("=slc")) {
                all.push("coding.cell=tlc".to_owned());
            }
            if self.settings.iter().any(|s| s.starts_with("ftl.unit_bytes=") || s.starts_with("ftl.group=")) {
                all.push("slc.copyback=false".to_owned());
            }
            if resolve(&layers(&all)).is_err_and(|error| error.key == "slc.policy") {
                all.push("slc.dynamic_share=0.5".to_owned());
            }
            if resolve(&layers(&all)).is_err_and(|error| error.key == "ssd.overprovisioning") {
                all.extend(
                    ["slc.static_blocks=1", "ssd.blocks_per_plane=40", "ssd.overprovisioning=0.55"]
                        .map(str::to_owned),
                );
            }
        }
        // So does a journal. Its table takes room.
        if self.settings.iter().any(|s| s == "journal.mode=on") {
            let plain = ["ftl.mapping=flat", "coding.policy=conventional", "program.write_streams=0"];
            all.extend(plain.map(str::to_owned));
            if self.settings.iter().any(|s| s == "program.policy=ofwar") {
                all.push("program.policy=normal".to_owned());
            }
            if resolve(&layers(&all)).is_err_and(|error| error.key == "ssd.overprovisioning") {
                all.extend(["ssd.blocks_per_plane=40", "ssd.overprovisioning=0.55"].map(str::to_owned));
            }
        }
        // A threshold that a full device of this size cannot keep is refused.
        if resolve(&layers(&all)).is_err_and(|error| error.key == "gc.threshold") {
            all.push("gc.threshold=0.05".to_owned());
        }
        let mut config = resolve(&layers(&all))?.config;
        // With no time to keep fast pages their rewrites are forced within the run.
        let keeps = &mut config.program.policies.ofwar;
        if keeps.fast_keeps_h == 0.0
            && let Some(fast) = &config.device.fast_program
        {
            let retention = match keeps.rewrite_deadline {
                RewriteDeadline::Wear => fast.retention_at(config.reliability.pec as f32),
                RewriteDeadline::Rated => fast.rated_retention,
            };
            keeps.rewrite_slack_h = retention.saturating_sub(1_000 * US) as f64 / 3600e9;
        }
        Ok(config)
    }

    /// The key for which the configuration refuses it, if it does.
    pub fn refused_for(&self) -> Option<String> {
        self.resolved().err().map(|error| error.key)
    }

    /// Bad blocks may eat up the over-provisioning of so small a device; so may a mapping table of which a
    /// handful of entries is cached: each page that GC moves then costs a write of the table. Levelling and refresh that are
    /// always due move pages for ever.
    pub fn may_run_out(&self) -> bool {
        let has = |start: &str| self.settings.iter().any(|setting| setting.starts_with(start));
        let is_thrashing = has("ftl.cmt_bytes=") || has("ftl.entry_bytes=") || has("gc.threshold=");
        // More units have more entries.
        let is_thrashing = is_thrashing || has("ftl.unit_bytes=");
        let is_always_due = has("wear.static_threshold=") && has("refresh.period_days=");
        self.bad_blocks || has("ftl.mapping=dftl") && (is_thrashing || is_always_due)
    }

    /// What a long life may come to. Of a mapping table that is cached in part, each page that GC moves may cost a write, and
    /// no batch saves it where the pages of a victim lie in as many pages of the table. So a victim that is half live wins
    /// nothing, and with no more than half of over-provisioning, as all these devices have, GC may meet only such.
    pub fn may_run_out_in_the_end(&self) -> bool {
        self.may_run_out() || self.settings.iter().any(|setting| setting == "ftl.mapping=dftl")
    }

    /// A device on which moving pages once made more work than it did: with one cached entry of the mapping
    /// table every move costs a write of the table, and levelling and refresh keep moving.
    pub fn that_fed_itself() -> Device {
        Device::of(&[
            "seed=985",
            "ftl.allocation=DPWC",
            "ssd.channels=2",
            "ssd.dies_per_chip=2",
            "ssd.page_bytes=16384",
            "ssd.overprovisioning=0.38",
            "nand.multiplane=same-page",
            "channel.rate_mb_s=0.0",
            "ecc.engine=pipelined",
            "ftl.transfer=page",
            "ftl.mapping=dftl",
            "ftl.cmt_bytes=8",
            "ftl.streams=2",
            "gc.copyback=true",
            "wear.dynamic=false",
            "wear.static_threshold=4",
            "refresh.period_days=0.00002",
            "cache.mode=write",
            "read.retry=baseline",
            "program.suspend=true",
            "precondition.overwrite=1.5",
        ])
    }

    /// A device on which levelling once did not end: swaps free no room, and the host waited for it.
    pub fn that_only_levelled() -> Device {
        Device::of(&[
            "seed=557",
            "ftl.allocation=DWPC",
            "ssd.blocks_per_plane=24",
            "ssd.page_bytes=16384",
            "ssd.overprovisioning=0.44",
            "coding.cell=tlc",
            "nand.multiplane=overtaking",
            "nand.resume_us=5.0",
            "gc.moves_in_flight=100",
            "wear.static_threshold=1",
            "erase.mispredict_rate=0.3",
            "reliability.pec=700",
            "program.suspend=true",
            "channel.data_out_ns=250",
        ])
    }

    /// A device on which refreshes in place (IDA) and the host once took all free blocks of a plane between them.
    pub fn that_merged_the_last_block() -> Device {
        Device::of(&[
            "seed=860",
            "ftl.allocation=WPDC",
            "ssd.channels=2",
            "ssd.dies_per_chip=2",
            "ssd.planes_per_die=4",
            "ssd.page_bytes=16384",
            "nand.program_suspend_us=20.0",
            "channel.rate_mb_s=0.0",
            "host.link_rate_mb_s=300.0",
            "gc.policy=random",
            "gc.moves_in_flight=1",
            "wear.dynamic=false",
            "refresh.period_days=0.00002",
            "coding.policy=ida",
            "coding.ida_error_rate=0.8",
            "read.retry=predictive+pr2+ar2+soft",
            "read.shorten_first=true",
            "erase.scheme=aero",
            "reliability.worn_by=scheme",
            "program.suspend=true",
            "precondition.fill=1.0",
            "precondition.overwrite=1.5",
            "ecc.code=ldpc",
            "ecc.max_iterations=2",
            "reliability.temperature_c=55.0",
        ])
    }

    /// A device on which GC cached the mapping entry of a page whose trim waited for the mapping table.
    pub fn that_forgot_a_later_write() -> Device {
        Device::of(&[
            "seed=51",
            "ssd.page_bytes=16384",
            "ssd.overprovisioning=0.44",
            "ftl.mapping=dftl",
            "ftl.cmt_bytes=64",
            "gc.policy=d-choices",
            "gc.threshold=0.4",
            "gc.moves_in_flight=1",
            "wear.static_threshold=1",
            "schedule.policy=fifo",
            "program.write_streams=3",
        ])
    }

    /// A drive whose last room is GC's while a program of the host waits for more units.
    pub fn that_lost_a_write() -> Device {
        let mut device = Device::of(&[
            "seed=0",
            "ftl.allocation=CWDP",
            "ssd.channels=2",
            "host.device_queue_depth=3",
            "gc.frontier=shared",
            "wear.static_threshold=1",
            "reliability.grown_bad=0.01",
            "ssd.page_bytes=8192",
            "ftl.unit_bytes=4096",
            "ftl.unit_wait_us=1000.0",
            "program.unit=page",
            "nand.max_programs=0",
            "journal.mode=on",
            "journal.entry_bytes=16",
            "journal.share=0.5",
            "journal.timeout_ms=0.0",
            "journal.load=changed",
            "power.protected=false",
        ]);
        device.bad_blocks = true;
        device
    }

    /// A small drive whose groups that were to be closed left GC no room.
    pub fn that_waited_for_ever() -> Device {
        Device::of(&[
            "seed=0",
            "ftl.allocation=CWDP",
            "cache.mode=write",
            "ssd.page_bytes=8192",
            "ftl.unit_bytes=0",
            "ftl.unit_wait_us=1000.0",
            "program.unit=wordline",
            "nand.max_programs=0",
        ])
    }

    /// A device on which a partial write was placed before an earlier one of its page, which waited for room in another plane.
    pub fn that_placed_a_later_write_first() -> Device {
        Device::of(&[
            "seed=20",
            "ftl.allocation=PCWD",
            "ssd.channels=2",
            "ssd.dies_per_chip=2",
            "ssd.overprovisioning=0.44",
            "ftl.coalesce=false",
            "gc.policy=rga",
            "program.policy=ofwar",
            "ssd.page_bytes=16384",
            "ftl.unit_bytes=4096",
            "ftl.unit_wait_us=1000.0",
            "program.unit=page",
            "nand.max_programs=0",
            "journal.mode=on",
            "journal.entry_bytes=16",
            "journal.share=0.5",
            "journal.timeout_ms=0.3",
            "journal.load=changed",
            "power.protected=true",
        ])
    }

    /// A dynamic SLC cache and a journal without backup power: folding once took the room that it won.
    pub fn that_folded_in_vain() -> Device {
        Device::of(&[
            "seed=0",
            "ftl.allocation=CWDP",
            "slc.policy=idle",
            "slc.dynamic_share=0.5",
            "slc.static_blocks=0.0",
            "slc.victim=fifo",
            "slc.idle_ms=0.05",
            "slc.fold_above=0.2",
            "slc.around_bytes=0",
            "slc.copyback=false",
            "slc.erase_us=2000.0",
            "slc.emptying_share=0.1",
            "journal.mode=on",
            "journal.entry_bytes=16",
            "journal.share=0.5",
            "journal.timeout_ms=0.3",
            "journal.load=changed",
            "power.protected=false",
        ])
    }

    /// Two planes, one of which once filled up while the other had room.
    pub fn that_filled_one_plane() -> Device {
        Device::of(&[
            "seed=203",
            "ftl.allocation=WDPC",
            "ssd.chips_per_channel=2",
            "ftl.entry_bytes=64",
            "precondition.overwrite=1.5",
            "ssd.page_bytes=8192",
            "ftl.unit_bytes=512",
            "ftl.unit_wait_us=1000.0",
            "program.unit=wordline",
            "nand.max_programs=1",
            "journal.mode=on",
            "journal.entry_bytes=64",
            "journal.share=3.0",
            "journal.timeout_ms=0.0",
            "journal.load=changed",
            "power.protected=true",
        ])
    }

    /// Groups of as many units as a block of a table can have, and parity beside them.
    pub fn of_the_largest_groups() -> Device {
        Device::of(&[
            "ssd.channels=8",
            "ssd.planes_per_die=4",
            "ssd.pages_per_block=32",
            "ssd.page_bytes=32768",
            "ftl.unit_bytes=512",
            "ftl.group=superblock",
            "ssd.overprovisioning=0.625",
            "ftl.parity=4",
        ])
    }

    /// Programs of two steps, the second of which waits in its queue again.
    pub fn of_two_steps() -> Device {
        Device::of(&[
            "seed=0",
            "ftl.allocation=CDPW",
            "ssd.channels=2",
            "ssd.chips_per_channel=2",
            "ssd.planes_per_die=3",
            "ssd.page_bytes=32768",
            "ssd.overprovisioning=0.44",
            "nand.multiplane=same-page",
            "channel.order=data-first",
            "host.submit_ns=700",
            "schedule.max_read_burst=3",
            "read.retry=baseline+pr2+ar2+soft",
            "program.policy=two-step",
            "precondition.fill=1.0",
        ])
    }

    /// Victims are taken at random, and each unit that moves takes more than its own room: with this share of spare there is none.
    pub fn that_moves_in_vain(more: &[&str]) -> Device {
        let base = [
            "seed=2",
            "ftl.allocation=CWDP",
            "ftl.entry_bytes=64",
            "gc.policy=random",
            "gc.victims=any",
            "precondition.overwrite=1.5",
            "ssd.page_bytes=8192",
            "ftl.unit_bytes=512",
            "ftl.unit_wait_us=1000.0",
            "program.unit=page",
            "nand.max_programs=0",
            "journal.mode=on",
            "journal.entry_bytes=64",
            "journal.share=0.25",
            "journal.timeout_ms=0.0",
            "journal.load=changed",
            "power.protected=true",
        ];
        Device::of(&[&base, more].concat())
    }

    /// One plane or two with little room, and one feature at a time that moves data about.
    pub fn tight_ones() -> Vec<Device> {
        let base = [
            "ssd.blocks_per_plane=24",
            "ssd.pages_per_block=8",
            "ssd.page_bytes=8192",
            "ssd.overprovisioning=0.22",
            "ssd.planes_per_die=2",
            "nand.multiplane=same-page",
            "precondition.fill=1.0",
            "precondition.overwrite=2.0",
        ];
        let features: [&[&str]; 33] = [
            &[],
            &["gc.policy=fifo", "gc.preemptible=false"],
            &["gc.policy=cost-benefit", "gc.copyback=true"],
            &["gc.policy=random", "gc.moves_in_flight=1"],
            &["gc.threshold=0.15", "wear.static_threshold=2"],
            &["refresh.period_days=0.00001"],
            &["refresh.period_days=0.00001", "coding.policy=ida"],
            &["refresh.at_start=before", "coding.policy=ida", "coding.cell=tlc", "coding.ida_error_rate=0.5"],
            &["refresh.at_start=during", "coding.policy=ida", "coding.cell=qlc", "gc.moves_in_flight=1"],
            &[
                "refresh.period_days=0.000005",
                "coding.policy=ida",
                "coding.cell=tlc",
                "coding.ida_adjust_time=ispp-range",
                "ftl.mapping=dftl",
                "program.suspend=true",
                "nand.cache_register=true",
            ],
            &["ftl.mapping=dftl", "ftl.cmt_bytes=64"],
            &["ftl.mapping=dftl", "ftl.cmt_bytes=8", "gc.copyback=true"],
            &["ftl.coalesce=false", "ftl.transfer=page"],
            &["program.suspend=true", "erase.yield=suspend", "schedule.suspend_min_remaining_us=0.0"],
            &["program.suspend=true", "erase.yield=suspend", "nand.cache_register=true"],
            &["cache.mode=write", "cache.capacity_bytes=40000", "cache.flush=eager"],
            &["cache.mode=read-write", "cache.capacity_bytes=300000", "cache.flush=watermark"],
            &["ssd.channels=2", "ssd.dies_per_chip=2", "schedule.unit=chip", "nand.multiplane=any"],
            &["ssd.channels=3", "ftl.allocation=dynamic"],
            &["reliability.grown_bad=0.003", "gc.threshold=0.15"],
            &["read.retry=pnar2", "reliability.retry_steps=4", "ecc.engine=serial", "ecc.decode_us=90.0"],
            &["read.retry=pso+pr2", "reliability.retry_steps=7", "read.pipeline_first=true"],
            &[
                "read.retry=rif+pnar2",
                "reliability.retry_steps=2",
                "ecc.engine=pipelined",
                "ecc.hold_die=true",
            ],
            &["erase.scheme=aero", "reliability.pec=2000", "erase.yield=suspend", "nand.multiplane=any"],
            &["erase.scheme=i-ispe", "reliability.pec=3000", "erase.yield=loop"],
            &["read.retry=sentinel+ar2", "reliability.retry_steps=2", "program.suspend=true"],
            &[
                "program.policy=ofwar",
                "program.fast_keeps_h=1.0",
                "program.fast_write_threshold=3",
                "program.rewrite_threshold=4",
            ],
            &[
                "program.policy=ofwar",
                "program.fast_keeps_h=1.0",
                "program.write_streams=1",
                "program.fast_write_threshold=1",
                "ftl.allocation=dynamic",
                "gc.copyback=true",
            ],
            &["program.write_streams=1", "ssd.channels=2"],
            &["program.policy=two-step", "coding.cell=qlc", "gc.copyback=true", "program.suspend=true"],
            &["program.policy=two-step", "erase.scheme=aero", "read.retry=pnar2", "reliability.pec=2000"],
            &[
                "erase.last_loop=at-first-write",
                "erase.scheme=aero",
                "erase.yield=restart",
                "gc.copyback=true",
            ],
            &[
                "erase.last_loop=at-first-write",
                "erase.scheme=ispe",
                "reliability.pec=3000",
                "program.suspend=true",
            ],
        ];
        features
            .into_iter()
            .map(|more| Device::new(base.iter().chain(more).map(|&s| s.to_owned()).collect()))
            .collect()
    }
}
