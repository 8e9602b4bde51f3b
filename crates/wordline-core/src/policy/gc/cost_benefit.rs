//! Cost-benefit: the space won times its age, over the work of moving what is live
//! (Rosenblum and Ousterhout, TOCS 1992: `(1 - u) * age / (1 + u)`).

use super::{DeviceView, GcPolicy, GcView, NoParameters, Policy};
use wordline_cells::geometry::BlockId;

/// Few valid pages and a long time without a write.
#[derive(Clone, Copy, Debug)]
pub struct CostBenefit;

impl Policy for CostBenefit {
    const NAME: &'static str = "cost-benefit";
    const HELP: &'static str = "few valid pages and a long time without a write";
    type Parameters = NoParameters;
}

impl GcPolicy for CostBenefit {
    fn new(_: &NoParameters, _: &DeviceView<'_>) -> CostBenefit {
        CostBenefit
    }

    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId> {
        let pages = u64::from(view.pages_per_block);
        let now = view.blocks.filled();
        let mut best: Option<(u64, u64, BlockId)> = None;
        for (id, block) in view.candidates() {
            let valid = u64::from(block.valid);
            let benefit = (pages - valid) * u64::from(now - block.filled_seq + 1);
            let cost = pages + valid;
            // benefit / cost, compared without dividing; below 2^32 times below 2^17 fits.
            let better = best.is_none_or(|(b, c, _)| benefit * c > b * cost);
            if better {
                best = Some((benefit, cost, id));
            }
        }
        best.map(|(_, _, id)| id)
    }
}
