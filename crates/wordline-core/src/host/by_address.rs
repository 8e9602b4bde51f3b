//! Which flow's part of the device a page lies in: the flow that has written what is there before the run.

use super::SECTOR_BYTES;
use super::flow::FlowInput;
use crate::flash::{Writer, WrittenPage};
use crate::nand::Lpn;

/// The flow of each page: of several whose parts have it the one with the smallest part, and of equals the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowsByAddress {
    /// First page and flow of each stretch, in order; the first begins at page 0.
    stretches: Vec<(u64, u16)>,
    /// The placement handle of each flow.
    handles: Vec<u16>,
    page_sectors: u32,
}

impl FlowsByAddress {
    /// The parts of flows on a device with pages of so many bytes. What lies in no flow's part counts as the first one's.
    pub(super) fn new<'a>(flows: impl Iterator<Item = &'a FlowInput>, page_bytes: u32) -> FlowsByAddress {
        let page_sectors = page_bytes / SECTOR_BYTES as u32;
        let page = |sector: u64| sector / u64::from(page_sectors);
        let flows: Vec<_> = flows.collect();
        let handles = flows.iter().map(|flow| flow.identifier()).collect();
        let parts: Vec<_> = (0u16..)
            .zip(flows)
            .map(|(flow, input)| {
                let first = input.begins_at();
                (flow, page(first)..=page(first.saturating_add(input.sectors.max(1) - 1)))
            })
            .collect();
        let ends = parts.iter().map(|(_, part)| part.end().saturating_add(1));
        let mut bounds: Vec<u64> =
            parts.iter().map(|(_, part)| *part.start()).chain(ends).chain([0]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let flow_at = |at: u64| {
            let there = parts.iter().filter(|(_, part)| part.contains(&at));
            there.min_by_key(|(_, part)| part.end() - part.start()).map_or(0, |&(flow, _)| flow)
        };
        let mut stretches: Vec<_> = bounds.into_iter().map(|at| (at, flow_at(at))).collect();
        stretches.dedup_by_key(|&mut (_, flow)| flow);
        FlowsByAddress { stretches, handles, page_sectors }
    }

    /// A page, written whole by a request of its flow.
    #[inline]
    #[must_use]
    pub fn page(&self, lpn: Lpn) -> WrittenPage {
        let upto = match self.stretches.len() {
            1 => 1,
            _ => self.stretches.partition_point(|&(first, _)| first <= lpn.into()),
        };
        let flow = self.stretches[upto - 1].1;
        let hint = self.handles.get(usize::from(flow)).copied().unwrap_or_default();
        let writer = Writer { hint, ..Writer::new(flow, self.page_sectors) };
        WrittenPage { writer, ..WrittenPage::from(lpn) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Replay;

    #[test]
    fn a_page_is_of_the_flow_with_the_smallest_part_that_has_it() {
        let flow = |first_sector, sectors| FlowInput {
            first_sector,
            sectors,
            ..FlowInput::new("flow", Box::new(std::iter::empty()), Replay::Open)
        };
        // Parts in pages of 8 sectors: all, 4 to 7, 6 to 9, 6 to 7.
        let flows = [flow(0, u64::MAX), flow(32, 32), flow(48, 32), flow(48, 16)];
        let by_address = FlowsByAddress::new(flows.iter(), 4096);
        let seen: Vec<_> = Lpn::first(12).map(|lpn| by_address.page(lpn).writer.flow).collect();
        assert_eq!(seen, [0, 0, 0, 0, 1, 1, 3, 3, 2, 2, 0, 0]);
        assert_eq!(by_address.page(Lpn::new(5)).writer, Writer::new(1, 8));
        let behind = FlowsByAddress::new([flow(80, 8), flow(160, 8)].iter(), 4096);
        assert_eq!([0, 10, 15, 20, 30].map(|lpn| behind.page(Lpn::new(lpn)).writer.flow), [0, 0, 0, 1, 0]);
    }
}
