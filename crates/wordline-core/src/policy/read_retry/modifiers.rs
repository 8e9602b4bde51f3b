//! Modifiers: what changes how the senses of a read follow each other, whatever the source.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{ChipView, DeviceView, PageView, Policy, ReadContext, ReadProgress};
use wordline_cells::read::PrechargeCut;

/// A part of a read-retry policy that `+` joins to a source. What it keeps in a run is in its fields.
pub trait Modifier: Policy {
    /// What it keeps of a command.
    type Memory: Copy + Default + Serialize + DeserializeOwned;

    /// At the beginning of a run.
    fn new(keys: &Self::Parameters, device: &DeviceView<'_>, chip: &ChipView<'_>) -> Self;

    /// A page of a command that has reached the die.
    fn page(&mut self, _: &mut Self::Memory, _: &PageView<'_>) {}

    /// The next sense starts while the pages of the last are on their way.
    fn senses_on(&self, _: &ReadProgress) -> bool {
        false
    }

    /// The timing of the next sense, where it is not the default one. SET FEATURE goes before a sense whose timing is
    /// another than that of the last, and behind the last one of a command.
    fn timing(&self, _: &Self::Memory, _: &ReadProgress, _: &ReadContext<'_>) -> Option<PrechargeCut> {
        None
    }

    /// Everything has been tried: the retry starts again from its first step. Otherwise the data are lost.
    fn starts_again(&self, _: &mut Self::Memory, _: &ReadProgress) -> bool {
        false
    }

    /// Senses beside each reference that follow when everything has been tried, for a decoding with soft decisions; 0
    /// for none. The same throughout a run.
    fn soft_senses(&self) -> u8 {
        0
    }
}

/// The table of modifiers: like `policies!`, and of each row a place among [`Modifiers`] and [`ModifiersRun`].
macro_rules! modifiers {
    ($(#[$about:meta])* $Names:ident, $Keys:ident [$($module:ident::$Type:ident),+ $(,)?]) => {
        policies! { $(#[$about])* $Names, $Keys [$($module::$Type),+] }

        /// What each modifier keeps of a command.
        #[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct Modifiers {
            $($module: <$module::$Type as Modifier>::Memory),+
        }

        /// The modifiers that a run has, with what they keep.
        #[derive(Clone, Debug)]
        pub(super) struct ModifiersRun {
            $($module: Option<$module::$Type>),+
        }

        impl ModifiersRun {
            pub(super) fn new(policy: ReadRetry, keys: &$Keys, device: &DeviceView<'_>, chip: &ChipView<'_>) -> ModifiersRun {
                ModifiersRun {
                    $($module: policy.has($Names::$Type).then(|| {
                        <$module::$Type as Modifier>::new(&keys.$module, device, chip)
                    })),+
                }
            }

            pub(super) fn page(&mut self, memory: &mut Modifiers, page: &PageView<'_>) {
                $(if let Some(modifier) = &mut self.$module {
                    modifier.page(&mut memory.$module, page);
                })+
            }

            pub(super) fn counted(&self) -> Vec<$crate::policy::Counted> {
                let mut all = Vec::new();
                $(all.extend(self.$module.as_ref().map($crate::policy::Counted::of));)+
                all
            }

            #[inline]
            pub(super) fn senses_on(&self, progress: &ReadProgress) -> bool {
                false $(|| self.$module.as_ref().is_some_and(|modifier| modifier.senses_on(progress)))+
            }

            #[inline]
            pub(super) fn timing(&self, progress: &ReadProgress, context: &ReadContext<'_>) -> Option<PrechargeCut> {
                None $(.or_else(|| {
                    let memory = &progress.modifiers.$module;
                    self.$module.as_ref().and_then(|modifier| modifier.timing(memory, progress, context))
                }))+
            }

            pub(super) fn starts_again(&self, memory: &mut Modifiers, progress: &ReadProgress) -> bool {
                false $(| self.$module.as_ref().is_some_and(|modifier| {
                    modifier.starts_again(&mut memory.$module, progress)
                }))+
            }

            pub(super) fn soft_senses(&self) -> u8 {
                0 $(.max(self.$module.as_ref().map_or(0, Modifier::soft_senses)))+
            }
        }

        impl $crate::engine::State for ModifiersRun {
            fn save(&self, to: &mut $crate::engine::Saver<'_>) -> std::io::Result<()> {
                $(self.$module.as_ref().map_or(Ok(()), |modifier| $crate::policy::Policy::save(modifier, to))?;)+
                Ok(())
            }

            fn load(&mut self, from: &mut $crate::engine::Loader<'_>) -> Result<(), $crate::engine::LoadError> {
                $(self.$module.as_mut().map_or(Ok(()), |modifier| $crate::policy::Policy::load(modifier, from))?;)+
                Ok(())
            }
        }
    };
}
pub(super) use modifiers;
