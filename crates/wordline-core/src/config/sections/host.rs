//! The host: queues and the link.

use crate::parameter::{choices, section};

choices! {
    /// How a workload is replayed.
    pub enum HostMode {
        /// Open where requests carry times
        Auto = "auto",
        /// By queue depth
        Closed = "closed",
        /// By timestamps
        Open = "open",
    }
}

choices! {
    /// How submission queues share the device.
    pub enum Arbitration {
        /// In turn
        RoundRobin = "round-robin",
        /// By the weight of their flows
        Weighted = "weighted",
    }
}

choices! {
    /// How the host is connected.
    pub enum LinkKind {
        /// Data both ways at once
        Nvme = "nvme",
        /// 32 commands at most, one at a time on the wire
        Sata = "sata",
    }
}

section! {
    /// `[host]`: queues and the link.
    pub struct HostConfig {
        /// How the workload is replayed.
        mode: HostMode = HostMode::Auto, word(HostMode::CHOICES);
        /// Outstanding requests of a closed loop.
        queue_depth: u32 = 32, whole(1, 65_535).unless("host.mode", &["open"]);
        /// Requests that the device works on at once, over all flows; over SATA at most 32.
        device_queue_depth: u32 = 65_535, whole(1, 1 << 20);
        /// Arrival times are multiplied by this; 0.1 = ten times as fast.
        time_scale: f64 = 1.0, above(0.0, 1e9).unless("host.mode", &["closed"]);
        /// Whose request the device takes next.
        arbitration: Arbitration = Arbitration::RoundRobin, word(Arbitration::CHOICES);
        /// How the host is connected.
        link: LinkKind = LinkKind::Nvme, word(LinkKind::CHOICES);
        /// Host link, each way; 0 = no time at all.
        link_rate_mb_s: f64 = 0.0, rate().when("host.link", &["nvme"]);
        /// Bits on the wire, ten for each byte.
        sata_gbit_s: f64 = 6.0, number(1.5, 6.0).unit("Gb/s").source("Serial ATA 3.0").when("host.link", &["sata"]);
        /// Time of each frame besides its bits: until the other side is ready, and has checked it.
        sata_handshake_ns: u64 = 1000, delay().when("host.link", &["sata"])
            .source("assumed: drives read some 560 MB/s in order, of 600");
        /// Processors that the jobs (flows) share; 0 = each has one of its own. A job keeps one until it has nothing to do.
        cores: u32 = 0, whole(0, 1024);
        /// Time that a job's processor takes to submit a request, one after the other: part of its latency (fio's slat).
        job_ns: u64 = 0, delay();
        /// Time that it takes for a completion once it has seen it, before the next request: no part of a latency.
        reap_ns: u64 = 0, delay();
        /// Time that a processor takes to turn to another job than the one that had it last.
        switch_ns: u64 = 0, delay().unless("host.cores", &["0"]);
        /// From the doorbell until the device has the command.
        submit_ns: u64 = 0, delay();
        /// From the last byte until the host sees the completion.
        complete_ns: u64 = 0, delay();
        /// Link time of a data request from device to host before write data.
        link_request_ns: u64 = 0, delay().when("host.link", &["nvme"]);
        /// Addresses beyond the device wrap around (else: an error).
        wrap: bool = false, truth();
        /// Stop submitting after this much simulated time; 0 = when the workload ends.
        duration_s: f64 = 0.0, number(0.0, 1e9).unit("s");
        /// Requests at the start that are simulated but not counted.
        warmup_requests: u64 = 0, whole(0, 1_000_000_000_000_000).unit("requests");
    }
}
