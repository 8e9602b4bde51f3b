//! `two-step`: a wordline is programmed in two steps, so that its neighbour disturbs only a rough state (8-16 for QLC, 4-8
//! for TLC, 2-4 for MLC).
//!
//! The first step stores all page types but the last one, in half as many states; the second step makes each of them two.
//! It follows the first step of the next wordline (`page_order.rs` of `wordline-cells`). Until then reads find the rough
//! states (`read/between_steps.rs` there). `nand.program_us` has a time for each page type: the first ones share the time of
//! the first step, the last one has that of the second.

use super::{DeviceView, NoParameters, Policy, ProgramPolicy, Refusal};
use wordline_cells::PageOrder;

/// Two steps a wordline.
#[derive(Clone, Copy, Debug)]
pub struct TwoStep;

impl Policy for TwoStep {
    const NAME: &'static str = "two-step";
    const HELP: &'static str =
        "all page types of a wordline but the last, and the last one after the next wordline's others";
    type Parameters = NoParameters;

    fn check(_: &NoParameters, device: &DeviceView<'_>) -> Result<(), Refusal> {
        let refuse = |why: &str, fix: &str| Err(Refusal::of_device(why, fix));
        let bits = device.geometry.bits_per_cell;
        if bits < 2 {
            return refuse(
                "programs the bits of a cell in two steps, and a cell has one bit",
                "set coding.cell = \"mlc\", \"tlc\" or \"qlc\", or program.policy = \"normal\"",
            );
        }
        let pages = device.geometry.pages_per_block;
        if !pages.is_multiple_of(bits) {
            return Err(Refusal::of_device(
                &format!("needs whole wordlines, and {pages} pages of {bits} a wordline are none"),
                &format!(
                    "set ssd.pages_per_block to a multiple of {bits}, such as {}",
                    pages.next_multiple_of(bits)
                ),
            ));
        }
        // The last bit must tell apart the two states that each rough state becomes.
        let last = bits as usize - 1;
        if !device.coding.read_voltages(last).eq((1..1 << bits).step_by(2)) {
            return refuse(
                "programs the last page type of a wordline by itself, and in this coding the others have no states of their own",
                "set coding.scheme = \"auto\" (1, 2, 4, … senses), or program.policy = \"normal\"",
            );
        }
        if !device.programs_in_order {
            return refuse(
                "programs the pages of a block in order",
                "set nand.multiplane = \"same-page\", \"any\" or \"off\", or program.policy = \"normal\"",
            );
        }
        if device.merges_wordlines {
            return refuse(
                "spreads the pages of a wordline over its block, and coding.policy = \"ida\" refreshes a wordline at once",
                "set coding.policy = \"conventional\", or program.policy = \"normal\"",
            );
        }
        if device.has_read_model && !device.knows_reads_between_steps {
            return refuse(
                "asks the chip what reads find between the two steps, and the chip has no [read.between_steps]",
                "add it to the chip's file, as in presets/chips/qlc.toml, or set program.policy = \"normal\"",
            );
        }
        Ok(())
    }
}

impl ProgramPolicy for TwoStep {
    fn page_order() -> PageOrder {
        PageOrder::TwoStep
    }
}
