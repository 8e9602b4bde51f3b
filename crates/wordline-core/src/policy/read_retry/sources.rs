//! Sources: where the read voltages of a read go.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{ChipView, DeviceView, FailedSense, PageView, Policy, ReadProgress};
use wordline_cells::ecc::Predictor;
use wordline_cells::read::ReadAt;

/// Where the read voltages of a read go. What a source learns in a run is in its fields.
pub trait Source: Policy {
    /// What it keeps of a page while a command reads it: what it knows or has found out.
    type Memory: Copy + Debug + Default + PartialEq + Serialize + DeserializeOwned;

    /// A bound, not a mechanism: no modifier goes with it.
    fn is_bound() -> bool {
        false
    }

    /// No page ever fails: nothing has to be looked up.
    fn is_ideal() -> bool {
        false
    }

    /// At the beginning of a run.
    fn new(keys: &Self::Parameters, device: &DeviceView<'_>, chip: &ChipView<'_>) -> Self;

    /// What it knows of a page when its command reaches the die.
    fn page(&mut self, _: &PageView<'_>) -> Self::Memory {
        Self::Memory::default()
    }

    /// The first sense of a page is expected to fail: the command is a retry from then on.
    fn expects_failure(&self, _: &Self::Memory) -> bool {
        false
    }

    /// The voltages of sense number `attempt` of a round: an entry of the retry table, or an estimate. `None` if there are
    /// no more. The number of attempts must not depend on the page.
    fn position(&self, attempt: u8, memory: &Self::Memory, table_steps: u8) -> Option<ReadAt>;

    /// A sense has failed, or will: learns from it where the next should read.
    fn estimate(&self, _: &mut Self::Memory, _: &FailedSense<'_>) {}

    /// The page decodes after so many retry senses, whatever its errors.
    fn decodes_anyway(&self, _retries: u8) -> bool {
        false
    }

    /// The die checks the sense that has ended, before its pages cross the channel.
    fn checks_on_die(&self, _: &ReadProgress) -> bool {
        false
    }

    /// The circuit with which the die does so.
    fn predictor(&self) -> Option<&Predictor> {
        None
    }

    /// A page decoded at a step of the table.
    fn learn(&mut self, _: &Self::Memory, _step: u8) {}
}

/// The table of sources: like `policies!`, and of each row a place among [`SourceMemory`].
macro_rules! sources {
    ($(#[$about:meta])* $Names:ident, $Keys:ident [$($module:ident::$Type:ident),+ $(,)?]) => {
        policies! {
            $(#[$about])*
            $Names, $Keys [$($module::$Type),+]

            ask Source {
                /// See [`Source::is_bound`].
                fn is_bound() -> bool;
                /// See [`Source::is_ideal`].
                fn is_ideal() -> bool;
            }

            run SourceRun: Source (device: &DeviceView<'_>, chip: &ChipView<'_>) {
                /// See [`Source::decodes_anyway`].
                fn decodes_anyway(&self, retries: u8) -> bool;
                /// See [`Source::checks_on_die`].
                fn checks_on_die(&self, progress: &ReadProgress) -> bool;
                /// See [`Source::predictor`].
                fn predictor(&self) -> Option<&Predictor>;
            }
        }

        /// What the source keeps of a page while a command reads it; each sees its own.
        #[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct SourceMemory {
            $($module: <$module::$Type as Source>::Memory),+
        }

        impl SourceRun {
            /// See [`Source::page`].
            pub fn page(&mut self, page: &PageView<'_>) -> SourceMemory {
                let mut memory = SourceMemory::default();
                match self { $(Self::$Type(source) => memory.$module = source.page(page)),+ }
                memory
            }

            /// See [`Source::expects_failure`].
            pub fn expects_failure(&self, memory: &SourceMemory) -> bool {
                match self { $(Self::$Type(source) => source.expects_failure(&memory.$module)),+ }
            }

            /// See [`Source::position`].
            #[inline]
            pub fn position(&self, attempt: u8, memory: &SourceMemory, table_steps: u8) -> Option<ReadAt> {
                match self { $(Self::$Type(source) => source.position(attempt, &memory.$module, table_steps)),+ }
            }

            /// See [`Source::estimate`].
            #[inline]
            pub fn estimate(&self, memory: &mut SourceMemory, sense: &FailedSense<'_>) {
                match self { $(Self::$Type(source) => source.estimate(&mut memory.$module, sense)),+ }
            }

            /// See [`Source::learn`].
            #[inline]
            pub fn learn(&mut self, memory: &SourceMemory, step: u8) {
                match self { $(Self::$Type(source) => source.learn(&memory.$module, step)),+ }
            }
        }
    };
}
pub(super) use sources;
