//! One pass over a trace.

use std::collections::BTreeMap;

use wordline_core::host::{HostRequest, Op, SECTOR_BYTES};

use super::pages::PageMap;
use super::{InterArrival, PAGE_BYTES, Second, SizeCount, StatOptions, TraceStat};
use crate::error::TraceError;
use crate::log_histogram::LogHistogram;

const PAGE_SECTORS: u64 = PAGE_BYTES / SECTOR_BYTES;

/// Takes requests one by one, in order, and computes their [`TraceStat`].
pub struct StatCollector {
    counts: [u64; Op::COUNT],
    sectors: [u64; Op::COUNT],
    sizes: BTreeMap<u32, (u64, u64)>,
    gaps: LogHistogram,
    first_ns: Option<u64>,
    last_ns: u64,
    pages: PageMap,
    capacity_sectors: u64,
    ends: Vec<u64>,
    window: usize,
    oldest_end: usize,
    sequential: u64,
    aligned: u64,
    seconds: Vec<Second>,
}

impl StatCollector {
    /// Builds an empty collector.
    ///
    /// # Errors
    /// [`TraceError::Option`] if the window of sequential requests is not 1 to 1024.
    pub fn new(options: &StatOptions) -> Result<Self, TraceError> {
        let window = options.sequential_window;
        if !(1..=1024).contains(&window) {
            let option = format!("sequential-window={window}");
            return Err(TraceError::Option { option, why: "1 to 1024".to_owned() });
        }
        Ok(Self {
            counts: [0; Op::COUNT],
            sectors: [0; Op::COUNT],
            sizes: BTreeMap::new(),
            gaps: LogHistogram::new(),
            first_ns: None,
            last_ns: 0,
            pages: PageMap::default(),
            capacity_sectors: 0,
            ends: Vec::with_capacity(window),
            window,
            oldest_end: 0,
            sequential: 0,
            aligned: 0,
            seconds: Vec::new(),
        })
    }

    /// Adds the next request; its arrival must not be before the last one's.
    pub fn add(&mut self, request: &HostRequest) {
        if self.first_ns.is_some() {
            self.gaps.add(request.arrival_ns.saturating_sub(self.last_ns));
        }
        self.first_ns.get_or_insert(request.arrival_ns);
        self.last_ns = request.arrival_ns;
        let kind = request.op.counts_as() as usize;
        self.counts[kind] += 1;
        self.sectors[kind] += u64::from(request.sectors);
        let end = request.sector.saturating_add(u64::from(request.sectors));
        match request.op {
            Op::Read | Op::Write | Op::Append if request.sectors > 0 => {
                self.capacity_sectors = self.capacity_sectors.max(end);
                self.add_data(request, end);
            }
            Op::Trim => self.capacity_sectors = self.capacity_sectors.max(end),
            _ => {}
        }
    }

    fn add_data(&mut self, request: &HostRequest, end: u64) {
        let is_read = request.op == Op::Read;
        let by_size = self.sizes.entry(request.sectors).or_default();
        *(if is_read { &mut by_size.0 } else { &mut by_size.1 }) += 1;
        let (first_page, last_page) = (request.sector / PAGE_SECTORS, (end - 1) / PAGE_SECTORS);
        if is_read {
            self.pages.read(first_page, last_page);
        } else {
            self.pages.write(first_page, last_page);
        }
        self.aligned +=
            u64::from(request.sector.is_multiple_of(PAGE_SECTORS) && end.is_multiple_of(PAGE_SECTORS));
        self.sequential += u64::from(self.ends.contains(&request.sector));
        if self.ends.len() < self.window {
            self.ends.push(end);
        } else {
            self.ends[self.oldest_end] = end;
            self.oldest_end = (self.oldest_end + 1) % self.window;
        }
        let second = request.arrival_ns / 1_000_000_000;
        if self.seconds.last().is_none_or(|s| s.second != second) {
            self.seconds.push(Second { second, reads: 0, writes: 0, bytes: 0 });
        }
        let now = self.seconds.last_mut().expect("just made sure");
        now.reads += u64::from(is_read);
        now.writes += u64::from(!is_read);
        now.bytes += u64::from(request.sectors) * SECTOR_BYTES;
    }

    /// The statistics of all requests so far.
    pub fn finish(&self) -> TraceStat {
        let count = |op| self.counts[op as usize];
        let bytes = |op| self.sectors[op as usize] * SECTOR_BYTES;
        let requests: u64 = self.counts.iter().sum();
        let (reads, writes) = (count(Op::Read), count(Op::Write));
        let pages = self.pages.count();
        let duration_ns = self.last_ns - self.first_ns.unwrap_or(0);
        TraceStat {
            requests,
            reads,
            writes,
            trims: count(Op::Trim),
            flushes: count(Op::Flush),
            closes: count(Op::Close),
            devices: u64::from(requests > 0),
            read_ratio: ratio(reads, reads + writes),
            read_bytes: bytes(Op::Read),
            write_bytes: bytes(Op::Write),
            trim_bytes: bytes(Op::Trim),
            mean_bytes: ratio(bytes(Op::Read) + bytes(Op::Write), reads + writes),
            mean_read_bytes: ratio(bytes(Op::Read), reads),
            mean_write_bytes: ratio(bytes(Op::Write), writes),
            sizes: self.sizes.iter().map(size_count).collect(),
            duration_s: duration_ns as f64 / 1e9,
            mean_iops: (duration_ns > 0).then(|| requests as f64 / (duration_ns as f64 / 1e9)),
            inter_arrival: (requests > 1).then(|| self.inter_arrival(duration_ns, requests - 1)),
            footprint_bytes: pages.touched * PAGE_BYTES,
            read_footprint_bytes: pages.read * PAGE_BYTES,
            write_footprint_bytes: pages.written * PAGE_BYTES,
            capacity_sectors: self.capacity_sectors,
            cold_ratio: ratio(pages.cold_reads, reads),
            sequential_ratio: ratio(self.sequential, reads + writes),
            aligned_ratio: ratio(self.aligned, reads + writes),
            seconds: self.seconds.clone(),
        }
    }

    fn inter_arrival(&self, duration_ns: u64, gaps: u64) -> InterArrival {
        let permille_us = |p| self.gaps.permille(p) as f64 / 1e3;
        InterArrival {
            mean_us: duration_ns as f64 / gaps as f64 / 1e3,
            p50_us: permille_us(500),
            p90_us: permille_us(900),
            p99_us: permille_us(990),
            p999_us: permille_us(999),
            max_us: self.gaps.max() as f64 / 1e3,
        }
    }
}

impl TraceStat {
    /// The statistics of a whole trace.
    ///
    /// # Errors
    /// The first error of the trace; [`TraceError::Option`] as in [`StatCollector::new`].
    pub fn of(
        trace: impl IntoIterator<Item = Result<HostRequest, TraceError>>,
        options: &StatOptions,
    ) -> Result<Self, TraceError> {
        let mut collector = StatCollector::new(options)?;
        for request in trace {
            collector.add(&request?);
        }
        Ok(collector.finish())
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn size_count((&sectors, &(reads, writes)): (&u32, &(u64, u64))) -> SizeCount {
    SizeCount { bytes: u64::from(sectors) * SECTOR_BYTES, reads, writes }
}
