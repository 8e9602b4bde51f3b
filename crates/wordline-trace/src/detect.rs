//! Detects the format from the first line that is not blank.

use crate::binary;
use crate::error::{TraceError, quote};
use crate::foreign;
use crate::formats::Format;
use crate::formats::csv_columns::CsvColumns;
use crate::formats::tables;
use crate::input::Lines;

/// A format, with the columns of a table that is known by its first line.
pub(crate) struct Detected {
    pub format: Format,
    pub columns: Option<CsvColumns>,
}

/// The format of the stream in `lines`; consumes nothing.
pub(crate) fn detect(lines: &mut Lines, file: &str) -> Result<Detected, TraceError> {
    let head = lines.peek().map_err(|e| TraceError::from_io(file, e))?;
    if let Some(what) = binary::name(head) {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidData, what);
        return Err(TraceError::Io { file: file.to_owned(), source });
    }
    let mut candidates = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_end);
    let Some(first) = candidates.find(|line| !line.is_empty()) else {
        return Err(TraceError::Empty { file: file.to_owned(), why: "the file holds no line".to_owned() });
    };
    let fitting: Vec<Format> = Format::ALL.into_iter().filter(|f| f.fits(first)).collect();
    if fitting.is_empty() {
        if let Some(columns) = tables::columns(first) {
            return Ok(Detected { format: Format::Csv, columns: Some(columns) });
        }
        if let Some(what) = foreign::name(head) {
            return Err(TraceError::Foreign { file: file.to_owned(), what });
        }
    }
    choose(&fitting, first, file).map(|format| Detected { format, columns: None })
}

fn choose(fitting: &[Format], first_line: &[u8], file: &str) -> Result<Format, TraceError> {
    let line = quote(first_line);
    let why = match fitting {
        [one] => return Ok(*one),
        [] => format!(
            "the first line, {line}, fits no known format (`csv` reads any table that is described by its columns)"
        ),
        several => {
            let names: Vec<_> = several.iter().map(|f| f.name()).collect();
            format!("the first line, {line}, fits {}", names.join(" and "))
        }
    };
    Err(TraceError::UnknownFormat { file: file.to_owned(), why, known: Format::known() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_twice_is_left_to_the_user() {
        let error = choose(&[Format::Mqsim, Format::Disksim], b"0 0 8 8 1", "t").unwrap_err().to_string();
        assert!(error.contains("fits mqsim and disksim"), "{error}");
        assert!(error.contains("vscsi-csv"), "the list of formats is missing: {error}");
    }
}
