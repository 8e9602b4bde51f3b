//! Names of policies: parts joined by `+`, as in `pso+pnar2`.

use serde::{Deserialize, Serialize};

use super::{DeviceView, ModifierName, Refusal, RetryKeys, SourceName};
use crate::parameter::Choice;

/// A policy of the slot: a source and modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReadRetry {
    /// Where the read voltages go.
    pub source: SourceName,
    /// A bit for each modifier, in the order of their table.
    modifiers: u32,
}

/// Where the voltages of modifiers go that are named alone: PR2/AR2 change the regular read-retry.
const DEFAULT_SOURCE: SourceName = SourceName::Baseline;

/// Modifiers that have a name together: PnAR2 is PR2 and AR2 (PR2/AR2, Section 7.2).
const TOGETHER: [(&str, &[ModifierName]); 1] = [("pnar2", &[ModifierName::Pr2, ModifierName::Ar2])];

impl ReadRetry {
    /// The policy under which no page ever fails.
    pub const IDEAL: ReadRetry = ReadRetry { source: SourceName::Ideal, modifiers: 0 };
    /// Names that stand for several modifiers.
    pub const TOGETHER: &'static [Choice] = &[Choice::new("pnar2", "pr2 and ar2")];

    /// True where the policy has a modifier.
    #[must_use]
    pub fn has(self, modifier: ModifierName) -> bool {
        self.modifiers >> modifier as u32 & 1 == 1
    }

    /// True for the policy under which no page ever fails: nothing has to be looked up for it.
    #[must_use]
    pub fn is_ideal(self) -> bool {
        self.source.is_ideal()
    }

    /// What must fit together: the keys of its parts with each other, and with the device.
    ///
    /// # Errors
    /// What does not fit.
    pub fn check(self, keys: &RetryKeys, device: &DeviceView<'_>) -> Result<(), Refusal> {
        self.source.check(&keys.sources, device)?;
        let modifiers = ModifierName::ALL.iter().filter(|&&modifier| self.has(modifier));
        modifiers.into_iter().try_for_each(|modifier| modifier.check(&keys.modifiers, device))
    }
}

/// What a name may be made of, for messages.
fn help() -> String {
    let listed = |names: Vec<&str>| names.join(", ");
    let of = |bound: bool| {
        let sources = SourceName::ALL.iter().filter(move |source| source.is_bound() == bound);
        listed(sources.map(|source| source.name()).collect())
    };
    let modifiers = ModifierName::ALL.iter().map(|modifier| modifier.name());
    let modifiers = listed(modifiers.chain(TOGETHER.iter().map(|(name, _)| *name)).collect());
    format!(
        "a policy is a bound ({}), a source ({}), modifiers ({modifiers}), or a source and modifiers joined by `+`, \
         as in pso+pnar2",
        of(true),
        of(false)
    )
}

/// The modifiers that a word stands for.
fn modifiers_of(word: &str) -> Option<u32> {
    let bits = |modifiers: &[ModifierName]| modifiers.iter().fold(0, |bits, &each| bits | 1 << each as u32);
    let together = TOGETHER.iter().find(|(name, _)| *name == word).map(|(_, modifiers)| bits(modifiers));
    together.or_else(|| ModifierName::named(word).map(|modifier| bits(&[modifier])))
}

impl TryFrom<String> for ReadRetry {
    type Error = String;

    fn try_from(name: String) -> Result<ReadRetry, String> {
        let fail = |why: String| Err(format!("{why}; {}", help()));
        let (mut source, mut modifiers) = (None, 0);
        for part in name.split('+') {
            let word = part.trim();
            if let Some(found) = modifiers_of(word) {
                if modifiers & found != 0 {
                    return fail(format!("\"{name}\" names a modifier twice"));
                }
                modifiers |= found;
                continue;
            }
            let Some(found) = SourceName::named(word) else {
                return fail(format!("there is no read-retry policy \"{part}\""));
            };
            if source.replace(found).is_some() {
                return fail(format!("\"{name}\" says twice where the read voltages go"));
            }
        }
        let source = source.unwrap_or(DEFAULT_SOURCE);
        if source.is_bound() && modifiers != 0 {
            return fail(format!("\"{name}\" joins a bound, {}, with a modifier", source.name()));
        }
        Ok(ReadRetry { source, modifiers })
    }
}

impl From<ReadRetry> for String {
    /// The shortest name.
    fn from(retry: ReadRetry) -> String {
        let mut words = Vec::new();
        if retry.source != DEFAULT_SOURCE || retry.modifiers == 0 {
            words.push(retry.source.name());
        }
        let mut left = retry.modifiers;
        for (name, _) in TOGETHER {
            let bits = modifiers_of(name).unwrap_or(0);
            if left & bits == bits {
                words.push(name);
                left &= !bits;
            }
        }
        let modifiers = ModifierName::ALL.iter().filter(|&&modifier| left >> modifier as u32 & 1 == 1);
        words.extend(modifiers.map(|modifier| modifier.name()));
        words.join("+")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str) -> Result<ReadRetry, String> {
        ReadRetry::try_from(name.to_owned())
    }

    #[test]
    fn names_come_back_as_they_went_in() {
        for name in [
            "ideal",
            "one_step",
            "baseline",
            "pr2",
            "ar2",
            "pnar2",
            "predictive",
            "predictive+pnar2",
            "pso",
            "pso+pr2",
            "pso+ar2",
            "pso+pnar2",
            "sentinel",
            "sentinel+pnar2",
            "swift_read",
            "swift_read+ar2",
            "rif",
            "rif+ar2",
            "rif+pnar2",
            "soft",
            "pnar2+soft",
            "rif+pnar2+soft",
        ] {
            assert_eq!(String::from(parse(name).unwrap()), name);
        }
        assert_eq!(parse("swift-read+pr2+ar2"), parse("swift_read + pnar2"));
        assert_eq!(parse("baseline+pr2"), parse("pr2"));
        assert_eq!(parse("baseline+soft"), parse("soft"));
    }

    #[test]
    fn what_cannot_be_joined_says_what_can() {
        for (name, why) in [
            ("pr3", "no read-retry policy \"pr3\""),
            ("", "no read-retry policy \"\""),
            ("pso+rif", "twice where"),
            ("pnar2+ar2", "a modifier twice"),
            ("ideal+pr2", "joins a bound"),
            ("one-step+ar2", "joins a bound"),
        ] {
            let error = parse(name).unwrap_err();
            assert!(error.contains(why) && error.contains("pso+pnar2"), "{name}: {error}");
        }
    }
}
