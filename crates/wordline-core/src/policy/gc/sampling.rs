//! The best of some blocks drawn at random: what d-choices, RGA and random have in common.

use super::{GcView, greedy};
use wordline_cells::geometry::BlockId;
use wordline_cells::variation::{Purpose, below};

/// Draws that miss (free, open or fully live blocks) before the policy falls back to greedy, so
/// that a plane with one candidate left still finds it.
const MISSES_MAX: u32 = 64;

/// The best of so many blocks.
pub(super) fn best_of(samples: u32, view: &GcView<'_>) -> Option<BlockId> {
    let first = BlockId::new(view.plane.number() * view.blocks_per_plane * view.apart);
    let (mut best, mut found) = (None::<(u16, BlockId)>, 0);
    for attempt in 0..samples + MISSES_MAX {
        let place = view.draw << 16 | u64::from(attempt);
        let drawn = below(view.seed, place, Purpose::VictimChoice, view.blocks_per_plane.into()) as u32;
        let id = first + drawn * view.apart;
        let block = view.blocks.get(id);
        if !view.is_candidate(block) {
            continue;
        }
        found += 1;
        if best.is_none_or(|(valid, _)| block.valid < valid) {
            best = Some((block.valid, id));
        }
        if found == samples {
            break;
        }
    }
    best.map(|(_, id)| id).or_else(|| greedy::choose(view))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash::BlockTable;
    use wordline_cells::PageOrder;
    use wordline_cells::geometry::{PlaneId, Shape};

    const BLOCKS: u32 = 16;

    /// The live pages of the victims that are chosen among blocks of 0 to 15 live pages of 16.
    fn live_of_victims(samples: u32) -> Vec<u16> {
        let shape = Shape {
            channels: 1,
            chips_per_channel: 1,
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: BLOCKS,
            pages_per_block: 16,
            page_bytes: 4096,
            bits_per_cell: 1,
            page_order: PageOrder::default(),
        };
        let mut blocks = BlockTable::new(&shape);
        for id in 0..BLOCKS {
            (blocks[BlockId::new(id)].next_page, blocks[BlockId::new(id)].programmed) = (16, 16);
            blocks[BlockId::new(id)].valid = id as u16;
            blocks.fill(BlockId::new(id));
        }
        let view = |draw| GcView {
            blocks: &blocks,
            plane: PlaneId::new(0),
            pages_per_block: 16,
            blocks_per_plane: BLOCKS,
            apart: 1,
            seed: 1,
            draw,
            streams: None,
            any: false,
            takes_fixed: false,
        };
        (0..1_000)
            .map(|draw| best_of(samples, &view(draw)).expect("all may be chosen").number() as u16)
            .collect()
    }

    /// The least of `d` numbers from 0 to 15 is `k` or more with probability `(1 - k / 16)^d`: its mean is their sum.
    #[test]
    fn the_victim_is_the_emptiest_of_as_many_blocks_as_are_asked_for() {
        for samples in [1, 2, 4, 10, 100] {
            let victims = live_of_victims(samples);
            let mean = victims.iter().map(|&live| f64::from(live)).sum::<f64>() / victims.len() as f64;
            let expected: f64 = (1..16).map(|k| (1.0 - f64::from(k) / 16.0).powi(samples as i32)).sum();
            assert!((mean - expected).abs() < 0.4, "{samples} samples: {mean}, expected {expected}");
        }
        assert_eq!(live_of_victims(1_000).into_iter().max(), Some(0), "so many find the best");
    }
}
