//! Windowed greedy: the least live data among the blocks that have been full for longest
//! (Hu, Eleftheriou, Haas, Iliadis and Pletka, SYSTOR 2009).

use super::{DeviceView, GcPolicy, GcView, Policy};
use crate::parameter::section;
use wordline_cells::geometry::BlockId;

section! {
    /// The keys of `windowed-greedy`.
    #[derive(Copy)]
    pub struct Keys {
        /// Blocks of the window: 1 = `fifo`, all = `greedy`.
        window: u32 = 64, whole(1, 1 << 20).unit("blocks").when("gc.policy", &["windowed-greedy"]);
    }
}

/// The fewest valid pages of the `window` blocks that have been full for longest.
#[derive(Clone, Copy, Debug)]
pub struct WindowedGreedy {
    window: usize,
}

impl Policy for WindowedGreedy {
    const NAME: &'static str = "windowed-greedy";
    const HELP: &'static str =
        "the fewest valid pages of the `window` blocks that have been full for longest";
    type Parameters = Keys;
}

impl GcPolicy for WindowedGreedy {
    fn new(keys: &Keys, _: &DeviceView<'_>) -> WindowedGreedy {
        WindowedGreedy { window: keys.window as usize }
    }

    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId> {
        let mut by_age: Vec<(u32, u16, BlockId)> =
            view.candidates().map(|(id, block)| (block.filled_seq, block.valid, id)).collect();
        if by_age.len() > self.window {
            by_age.select_nth_unstable(self.window - 1);
            by_age.truncate(self.window);
        }
        by_age.into_iter().min_by_key(|&(age, valid, _)| (valid, age)).map(|(_, _, id)| id)
    }
}
