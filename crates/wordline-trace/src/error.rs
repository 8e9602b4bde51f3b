//! All errors of a trace, each with file, line and fix.

/// An error of a trace. Each variant is one kind of mistake, so callers need not parse the message (the Python API has
/// one exception class for each).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// There is no such file.
    #[error("{file}: no such file")]
    NotFound {
        /// The path as given.
        file: String,
    },
    /// The operating system could not read or write the file.
    #[error("{file}: {source}")]
    Io {
        /// The path as given.
        file: String,
        /// Message of the operating system, or of a decompressor for corrupt data.
        source: std::io::Error,
    },
    /// A line that does not match its format.
    #[error("{file}:{line}: expected {expected}, found {found}")]
    Malformed {
        /// The path as given.
        file: String,
        /// Line number from 1; in a `native` file the record number.
        line: u64,
        /// What the format expects there.
        expected: String,
        /// What the line contains.
        found: String,
    },
    /// A trace without a request, or without one that the options select.
    #[error("{file}: empty trace: {why}")]
    Empty {
        /// The path as given.
        file: String,
        /// Why no request is left.
        why: String,
    },
    /// A timestamp below the previous one.
    #[error(
        "{file}:{line}: time goes back, from {previous_ns} ns to {time_ns} ns on the trace's clock; {fix}"
    )]
    TimeGoesBack {
        /// The path as given.
        file: String,
        /// Line number from 1.
        line: u64,
        /// The later request's time, ns as written in the trace.
        time_ns: u64,
        /// The time of the previous request, ns as written in the trace.
        previous_ns: u64,
        /// The option for such a trace.
        fix: String,
    },
    /// An address or a length that the device, or a request, cannot hold.
    #[error("{file}:{line}: {what}")]
    OutOfRange {
        /// The path as given.
        file: String,
        /// Line number from 1.
        line: u64,
        /// The value, its limit and the fix.
        what: String,
    },
    /// No format, or more than one, fits the first lines.
    #[error("{file}: {why}; name one with the format option: {known}")]
    UnknownFormat {
        /// The path as given.
        file: String,
        /// What the first line shows.
        why: String,
        /// The names of all formats.
        known: String,
    },
    /// A file that is known and no trace.
    #[error("{file}: {what}")]
    Foreign {
        /// The path as given.
        file: String,
        /// What it is, and what to give instead.
        what: &'static str,
    },
    /// A compressed or `native` file that ends before its end mark.
    #[error("{file}: truncated: {why}; copy or download it again")]
    Truncated {
        /// The path as given.
        file: String,
        /// Where the data end.
        why: String,
    },
    /// An option with an invalid value, or one that conflicts with others.
    #[error("trace option {option}: {why}")]
    Option {
        /// The option, with its value.
        option: String,
        /// What is wrong, and the allowed values.
        why: String,
    },
    /// A file that must not be written.
    #[error("{file}: {what}")]
    Target {
        /// The path as given.
        file: String,
        /// The reason and the fix.
        what: String,
    },
    /// A request that the chosen output format cannot represent.
    #[error("{file}: request {index}: {what}")]
    Unwritable {
        /// The path of the output.
        file: String,
        /// Number of the request from 1.
        index: u64,
        /// What cannot be written, and a format that can.
        what: String,
    },
}

impl TraceError {
    /// Converts an error of the operating system on `file` to the variant that fits a reader.
    pub(crate) fn from_io(file: &str, source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::NotFound => Self::NotFound { file: file.to_owned() },
            std::io::ErrorKind::UnexpectedEof => Self::Truncated {
                file: file.to_owned(),
                why: "the data end inside a compressed block".to_owned(),
            },
            _ => Self::Io { file: file.to_owned(), source },
        }
    }
}

/// Why a record could not be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    Io(std::io::Error),
    Bad(Bad),
    /// The data end in the middle of a record.
    Truncated(&'static str),
}

impl From<std::io::Error> for ReadError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Bad> for ReadError {
    fn from(bad: Bad) -> Self {
        Self::Bad(bad)
    }
}

impl ReadError {
    /// Adds the name of the file and the number of the line (or record).
    #[cold]
    pub fn named(self, file: &str, line: u64) -> TraceError {
        match self {
            Self::Io(error) => TraceError::from_io(file, error),
            Self::Bad(Bad { expected, found }) => {
                TraceError::Malformed { file: file.to_owned(), line, expected, found }
            }
            Self::Truncated(place) => TraceError::Truncated {
                file: file.to_owned(),
                why: format!("the data end in record {line}, {place}"),
            },
        }
    }
}

/// The error of a line parser, which knows neither the file nor the line number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bad {
    pub expected: String,
    pub found: String,
}

impl Bad {
    /// Out of line, and allocating, because a good trace never gets here.
    #[cold]
    pub fn new(expected: impl Into<String>, found: &[u8]) -> Self {
        Self { expected: expected.into(), found: quote(found) }
    }
}

/// A piece of a line for an error message: printable, quoted, and at most one terminal line long.
pub(crate) fn quote(text: &[u8]) -> String {
    const SHOWN_BYTES: usize = 60;
    if text.is_empty() {
        return "the end of the line".to_owned();
    }
    let mut out = String::from("`");
    for &byte in text.iter().take(SHOWN_BYTES) {
        out.extend(std::ascii::escape_default(byte).map(char::from));
    }
    out.push_str(if text.len() > SHOWN_BYTES { "…`" } else { "`" });
    out
}
