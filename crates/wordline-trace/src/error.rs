//! Everything that can be wrong with a trace, each with its file, its line and its fix.

/// What went wrong with a trace. One variant is one kind of mistake, so that a caller (the Python
/// API has one exception class for each) needs no look into the message.
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
        /// What the operating system, or a decompressor that met corrupt data, says.
        source: std::io::Error,
    },
    /// A line that is not of its format.
    #[error("{file}:{line}: expected {expected}, found {found}")]
    Malformed {
        /// The path as given.
        file: String,
        /// Line number from 1; in a `native` file the record's number.
        line: u64,
        /// What the format wants there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A trace without a request, or none that the options let through.
    #[error("{file}: empty trace: {why}")]
    Empty {
        /// The path as given.
        file: String,
        /// Why nothing is left.
        why: String,
    },
    /// A timestamp below the one before it.
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
        /// The time before it, ns as written in the trace.
        previous_ns: u64,
        /// The option that reads such a trace.
        fix: &'static str,
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
        /// What was seen.
        why: String,
        /// The names of all formats.
        known: String,
    },
    /// A compressed or `native` file that ends before its end mark.
    #[error("{file}: truncated: {why}; copy or download it again")]
    Truncated {
        /// The path as given.
        file: String,
        /// Where it stopped.
        why: String,
    },
    /// An option that has no meaning, or does not fit the others.
    #[error("trace option {option}: {why}")]
    Option {
        /// The option, with its value.
        option: String,
        /// What is wrong and what is allowed.
        why: String,
    },
    /// A file that must not be written.
    #[error("{file}: {what}")]
    Target {
        /// The path as given.
        file: String,
        /// Why, and what to do.
        what: String,
    },
    /// A request that the chosen output format has no way to write.
    #[error("{file}: request {index}: {what}")]
    Unwritable {
        /// The path of the output.
        file: String,
        /// Number of the request from 1.
        index: u64,
        /// What cannot be written, and which format can.
        what: String,
    },
}

impl TraceError {
    /// An error of the operating system on `file`, sorted by what it means for a reader.
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

/// Why no record could be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    Io(std::io::Error),
    Bad(Bad),
    /// The data end here, in the middle of something.
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
    /// The error that a user sees, for line (or record) `line` of `file`.
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

/// What a line parser reports: it knows neither the file nor the line's number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bad {
    pub expected: String,
    pub found: String,
}

impl Bad {
    /// Out of line, and allocating, because a good trace never comes here.
    #[cold]
    pub fn new(expected: impl Into<String>, found: &[u8]) -> Self {
        Self { expected: expected.into(), found: quote(found) }
    }
}

/// A piece of a line as an error shows it: printable, quoted, and not longer than a terminal's line.
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
