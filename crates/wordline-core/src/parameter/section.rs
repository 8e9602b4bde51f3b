//! Keys that are declared together.

use serde::Serialize;
use toml::{Table, Value};

use super::Parameter;

/// One key of the configuration with its default.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The dotted key.
    pub key: String,
    /// Its declaration.
    #[serde(flatten)]
    pub parameter: Parameter,
    /// Its default.
    pub default: Value,
}

/// Keys that are declared together: the configuration, a section of it, or what a policy adds to one.
pub trait Section: Default + Serialize {
    /// The keys of its own.
    const PARAMETERS: &'static [Parameter];

    /// Adds the rows of the sections in it, and of what policies add to it.
    fn parts(prefix: &str, rows: &mut Vec<Row>);

    /// Adds all its rows: its own, then those of its parts. `prefix` is the section with a dot, or empty.
    ///
    /// # Panics
    /// When its default is no table; [`section!`] makes structs, and these are tables.
    fn declare(prefix: &str, rows: &mut Vec<Row>) {
        let defaults = Table::try_from(Self::default()).expect("a struct is a table");
        rows.extend(Self::PARAMETERS.iter().map(|&parameter| Row {
            key: format!("{prefix}{}", parameter.name),
            default: defaults[parameter.name].clone(),
            parameter,
        }));
        Self::parts(prefix, rows);
    }
}

/// Every key, in the order of its declaration.
#[must_use]
pub fn rows_of<S: Section>() -> Vec<Row> {
    let mut rows = Vec::new();
    S::declare("", &mut rows);
    rows
}

/// Makes a struct from the declarations of its keys, with its default and its rows.
///
/// A key is a doc comment, which is its help, then `name: type = default, values;`, where `values` is a
/// [`Parameter`] built from [`words`](super::words):
///
/// ```ignore
/// section! {
///     /// `[gc]`: garbage collection.
///     pub struct GcConfig {
///         /// Blocks that `d-choices` looks at.
///         d: u32 = 8, whole(1, 1024).unit("blocks").source("a paper").when("gc.policy", &["d-choices"]);
///         section name: Type;     // a table in it
///         flatten name: Type;     // keys of a policy, in the same table
///         skip name: Type;        // no key at all
///     }
/// }
/// ```
///
/// A key that is absent has its default. A key that is a word of Rust is written `r#yield`.
macro_rules! section {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[doc = $help:literal])+ $field:ident: $type:ty = $default:expr, $values:expr;)*
            $(section $part:ident: $part_type:ty;)*
            $(flatten $flat:ident: $flat_type:ty;)*
            $(skip $skipped:ident: $skipped_type:ty;)*
        }
    ) => {
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        $(#[$meta])*
        $vis struct $name {
            $($(#[doc = $help])+ pub $field: $type,)*
            $(#[doc = concat!("`[", stringify!($part), "]`.")] pub $part: $part_type,)*
            $(#[doc = "Keys that are declared elsewhere."] #[serde(flatten)] pub $flat: $flat_type,)*
            $(#[doc = "What follows from the keys."] #[serde(skip)] pub $skipped: $skipped_type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    $($part: Default::default(),)*
                    $($flat: Default::default(),)*
                    $($skipped: Default::default(),)*
                }
            }
        }

        impl $crate::parameter::Section for $name {
            const PARAMETERS: &'static [$crate::parameter::Parameter] = {
                #[allow(unused_imports, clippy::wildcard_imports, reason = "a section need not use them all")]
                use $crate::parameter::words::*;
                &[$($values.named($crate::parameter::key(stringify!($field)), concat!($($help),+))),*]
            };

            #[allow(unused_variables, reason = "a section need not have parts")]
            fn parts(prefix: &str, rows: &mut Vec<$crate::parameter::Row>) {
                $(<$part_type as $crate::parameter::Section>::declare(
                    &format!("{prefix}{}.", stringify!($part)),
                    rows,
                );)*
                $(<$flat_type as $crate::parameter::Section>::declare(prefix, rows);)*
            }
        }
    };
}

pub(crate) use section;

/// The key of a field: `r#yield` is `yield`.
#[must_use]
pub const fn key(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}
