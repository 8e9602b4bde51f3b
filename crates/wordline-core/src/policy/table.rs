//! What policies have in common: their description, and the table of a slot.
//!
//! A slot lists its policies in one call of [`policies!`], a row each. The macro makes of the rows the enum that a
//! configuration names, its names and help texts, and calls that are decided by a `match`: the compiler sees
//! through them, which it could not with trait objects.

use super::{Counter, DeviceView};
use crate::engine::{LoadError, Loader, Saver};
use crate::parameter::{Section, section};

/// The description of a policy.
pub trait Policy {
    /// Its name in a configuration.
    const NAME: &'static str;
    /// What it does, in one line.
    const HELP: &'static str;
    /// The keys that it adds to the section of its slot, made by `section!`.
    type Parameters: Section;

    /// What must fit together: its keys with each other, and with the device.
    ///
    /// # Errors
    /// What does not fit.
    fn check(_: &Self::Parameters, _: &DeviceView<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// What it counts of its own, where it keeps something in a run.
    const COUNTERS: &'static [Counter] = &[];

    /// What it has counted so far, in that order.
    fn counts(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Writes what the policy has learned and counted in a run; see [`crate::engine::State`]. Nothing where it learns nothing.
    ///
    /// # Errors
    /// What is written to fails.
    fn save(&self, _: &mut Saver<'_>) -> std::io::Result<()> {
        Ok(())
    }

    /// Takes back what [`Policy::save`] wrote.
    ///
    /// # Errors
    /// See [`LoadError`].
    fn load(&mut self, _: &mut Loader<'_>) -> Result<(), LoadError> {
        Ok(())
    }
}

/// Why a policy refuses a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The key whose value is wrong, with its section; `None` where the device lacks what the policy needs.
    pub key: Option<&'static str>,
    /// What is wrong: a sentence of its own with a key, else one that begins with the policy.
    pub why: String,
    /// How to mend it.
    pub fix: String,
}

impl Refusal {
    /// The device lacks what the policy needs.
    #[must_use]
    pub fn of_device(why: &str, fix: &str) -> Refusal {
        Refusal { key: None, why: why.to_owned(), fix: fix.to_owned() }
    }

    /// A key of the policy has a wrong value.
    #[must_use]
    pub fn of_key(key: &'static str, why: String, fix: String) -> Refusal {
        Refusal { key: Some(key), why, fix }
    }
}

section! {
    /// What a policy without keys of its own adds to the configuration: nothing.
    #[derive(Copy)]
    pub struct NoParameters {}
}

/// The table of a slot: the names of its enum and of the struct with the keys of all its policies, and the rows; then the calls that need no more than the name
/// (`ask Trait { fn …; }`), then those of a policy that keeps something in a run, with the type that holds it
/// (`run Holder: Trait (what a policy is made from, beside its keys) { fn …; }`).
macro_rules! policies {
    ($(#[$about:meta])* $Names:ident, $Keys:ident $rows:tt $(ask $Asked:ident $asked:tt)? $(run $Run:ident: $Trait:ident $made:tt $calls:tt)?) => {
        policies!(@names [$(#[$about])*] $Names $Keys $rows);
        policies!(@keys $Names $Keys $rows);
        $(policies!(@ask $Names $Asked $rows $asked);)?
        $(policies!(@run $Names $Keys $rows $Run $Trait $made $calls);)?
    };

    (@names [$($about:tt)*] $Names:ident $Keys:ident [$($module:ident::$Type:ident),+ $(,)?]) => {
        $($about)*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Names {
            $(#[doc = concat!("See `", stringify!($module), ".rs`.")] $Type),+
        }

        impl $Names {
            /// All policies, in the order of the table.
            pub const ALL: &'static [$Names] = &[$($Names::$Type),+];
            /// Their names and what they do, in the same order.
            pub const CHOICES: &'static [$crate::parameter::Choice] = &[$($crate::parameter::Choice::new(
                <$module::$Type as $crate::policy::Policy>::NAME,
                <$module::$Type as $crate::policy::Policy>::HELP,
            )),+];
            const NAMES: &'static [&'static str] =
                &[$(<$module::$Type as $crate::policy::Policy>::NAME),+];

            /// Its name in a configuration.
            #[must_use]
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }

            /// The policy of a name.
            #[must_use]
            pub fn named(name: &str) -> Option<$Names> {
                $crate::parameter::find(Self::CHOICES, name).map(|place| Self::ALL[place])
            }

            /// The keys that it adds to its section.
            #[must_use]
            pub fn parameters(self) -> &'static [$crate::parameter::Parameter] {
                use $crate::parameter::Section;
                match self {
                    $($Names::$Type => <<$module::$Type as $crate::policy::Policy>::Parameters as Section>::PARAMETERS),+
                }
            }

            /// What it counts of its own.
            #[must_use]
            pub fn counters(self) -> &'static [$crate::policy::Counter] {
                match self {
                    $($Names::$Type => <$module::$Type as $crate::policy::Policy>::COUNTERS),+
                }
            }

            /// What must fit together: its keys with each other, and with the device.
            ///
            /// # Errors
            /// What does not fit.
            pub fn check(self, keys: &$Keys, device: &$crate::policy::DeviceView<'_>) -> Result<(), $crate::policy::Refusal> {
                match self {
                    $($Names::$Type => <$module::$Type as $crate::policy::Policy>::check(&keys.$module, device)),+
                }
            }
        }

        impl serde::Serialize for $Names {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $Names {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$Names, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                $Names::named(&name)
                    .ok_or_else(|| serde::de::Error::unknown_variant(&name, $Names::NAMES))
            }
        }
    };

    (@keys $Names:ident $Keys:ident [$($module:ident::$Type:ident),+ $(,)?]) => {
        $crate::parameter::section! {
            #[doc = concat!("The keys of all policies of [`", stringify!($Names), "`].")]
            #[derive(Copy)]
            pub struct $Keys {
                $(flatten $module: <$module::$Type as $crate::policy::Policy>::Parameters;)+
            }
        }
    };

    (@ask $Names:ident $Trait:ident $rows:tt
     { $($(#[$meta:meta])* fn $f:ident ($($a:ident: $t:ty),* $(,)?) $(-> $answer:ty)?;)* }) => {
        impl $Names {
            $(policies!(@by_name $Names $Trait $rows [$(#[$meta])*] $f [$($a: $t),*] ($($a),*) [$(-> $answer)?]);)*
        }
    };
    (@by_name $Names:ident $Trait:ident [$($module:ident::$Type:ident),+ $(,)?] [$($meta:tt)*] $f:ident
     [$($signature:tt)*] $call:tt [$($answer:tt)*]) => {
        $($meta)*
        #[inline]
        #[must_use]
        pub fn $f(self, $($signature)*) $($answer)* {
            match self { $($Names::$Type => <$module::$Type as $Trait>::$f $call),+ }
        }
    };

    (@run $Names:ident $Keys:ident $rows:tt $Run:ident $Trait:ident ($($a:ident: $t:ty),*)
     { $($(#[$meta:meta])* fn $f:ident $arguments:tt $(-> $answer:ty)?;)* }) => {
        policies!(@holder $Names $Keys $rows $Run $Trait [$($a: $t),*] ($($a),*));
        impl $Run {
            $(policies!(@method $rows [$(#[$meta])*] $f $arguments [$(-> $answer)?]);)*
        }
    };
    (@holder $Names:ident $Keys:ident [$($module:ident::$Type:ident),+ $(,)?] $Run:ident $Trait:ident
     [$($signature:tt)*] $call:tt) => {
        #[doc = concat!("A policy of [`", stringify!($Names), "`], with what it keeps in a run.")]
        #[derive(Debug)]
        pub enum $Run {
            $(#[doc = concat!("See `", stringify!($module), ".rs`.")] $Type($module::$Type)),+
        }

        impl $Run {
            /// The policy at the beginning of a run.
            #[must_use]
            pub fn new(policy: $Names, keys: &$Keys, $($signature)*) -> $Run {
                match policy {
                    $($Names::$Type => {
                        let keys = &keys.$module;
                        $Run::$Type(policies!(@make (<$module::$Type as $Trait>::new) keys $call))
                    })+
                }
            }

            /// What the policy has counted of its own.
            #[must_use]
            pub fn counted(&self) -> $crate::policy::Counted {
                match self { $(Self::$Type(policy) => $crate::policy::Counted::of(policy)),+ }
            }
        }

        impl $crate::engine::State for $Run {
            fn save(&self, to: &mut $crate::engine::Saver<'_>) -> std::io::Result<()> {
                match self { $(Self::$Type(policy) => $crate::policy::Policy::save(policy, to)),+ }
            }

            fn load(&mut self, from: &mut $crate::engine::Loader<'_>) -> Result<(), $crate::engine::LoadError> {
                match self { $(Self::$Type(policy) => $crate::policy::Policy::load(policy, from)),+ }
            }
        }
    };
    (@make $new:tt $keys:ident ($($a:ident),*)) => { $new($keys, $($a),*) };
    (@method $rows:tt $meta:tt $f:ident (&self $(, $a:ident: $t:ty)* $(,)?) $answer:tt) => {
        policies!(@by_ref $rows $meta $f [$($a: $t),*] ($($a),*) $answer);
    };
    (@method $rows:tt $meta:tt $f:ident (&mut self $(, $a:ident: $t:ty)* $(,)?) $answer:tt) => {
        policies!(@by_mut $rows $meta $f [$($a: $t),*] ($($a),*) $answer);
    };
    (@by_ref [$($module:ident::$Type:ident),+ $(,)?] [$($meta:tt)*] $f:ident [$($signature:tt)*] $call:tt
     [$($answer:tt)*]) => {
        $($meta)*
        #[inline]
        pub fn $f(&self, $($signature)*) $($answer)* {
            match self { $(Self::$Type(policy) => policy.$f $call),+ }
        }
    };
    (@by_mut [$($module:ident::$Type:ident),+ $(,)?] [$($meta:tt)*] $f:ident [$($signature:tt)*] $call:tt
     [$($answer:tt)*]) => {
        $($meta)*
        #[inline]
        pub fn $f(&mut self, $($signature)*) $($answer)* {
            match self { $(Self::$Type(policy) => policy.$f $call),+ }
        }
    };
}
pub(crate) use policies;
