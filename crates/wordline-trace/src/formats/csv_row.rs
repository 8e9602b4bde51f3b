//! The fields of a row of a table.

use std::ops::Range;

/// Fields that a request is made of.
pub(super) const PICKED: usize = 7;

/// The wanted fields of a row.
pub(super) struct Row<'a> {
    /// In the order in which they were asked for; empty where the row is shorter.
    pub picked: [&'a [u8]; PICKED],
    /// Number of all fields.
    pub fields: usize,
}

/// Picks the fields at these places, counted without those of `left_out`.
#[inline]
pub(super) fn pick<'a>(
    line: &'a [u8],
    delimiter: u8,
    places: &[usize; PICKED],
    left_out: Range<usize>,
) -> Row<'a> {
    let mut row = Row { picked: [b"".as_slice(); PICKED], fields: 0 };
    for field in fields(line, delimiter) {
        let at = row.fields;
        row.fields += 1;
        if left_out.contains(&at) {
            continue;
        }
        let at = if at < left_out.start { at } else { at - left_out.len() };
        for (wanted, picked) in places.iter().zip(&mut row.picked) {
            if *wanted == at {
                *picked = field;
            }
        }
    }
    row
}

/// All fields of a row, without the blanks and the quotes around them. A blank as the delimiter stands for any run of them.
pub(super) fn fields(line: &[u8], delimiter: u8) -> impl Iterator<Item = &[u8]> {
    let runs = delimiter == b' ';
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let mut line = rest?;
        if runs {
            line = line.trim_ascii_start();
            if line.is_empty() {
                return None;
            }
        }
        if line.trim_ascii_start().first() == Some(&b'"')
            && let Some((field, behind)) = quoted(line.trim_ascii_start(), delimiter)
        {
            rest = behind;
            return Some(field);
        }
        let is_end = |&byte: &u8| byte == delimiter || runs && byte == b'\t';
        let end = line.iter().position(is_end);
        rest = end.map(|end| &line[end + 1..]);
        Some(line[..end.unwrap_or(line.len())].trim_ascii())
    })
}

/// A field in double quotes, and what follows its delimiter; `None` if the quotes are part of a longer word.
fn quoted(line: &[u8], delimiter: u8) -> Option<(&[u8], Option<&[u8]>)> {
    let length = line[1..].iter().position(|&byte| byte == b'"')?;
    let field = line[1..=length].trim_ascii();
    let behind = &line[length + 2..];
    let next = behind.iter().position(|byte| !byte.is_ascii_whitespace() || *byte == delimiter);
    match next {
        None => Some((field, None)),
        Some(at) if behind[at] == delimiter => Some((field, Some(&behind[at + 1..]))),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(line: &str, delimiter: u8) -> Vec<String> {
        fields(line.as_bytes(), delimiter).map(|field| String::from_utf8_lossy(field).into_owned()).collect()
    }

    #[test]
    fn fields_lose_blanks_and_quotes() {
        assert_eq!(all("a, b ,\"c, d\",\" e \",", b','), ["a", "b", "c, d", "e", ""]);
        assert_eq!(all("  a\t b   \"c d\" e ", b' '), ["a", "b", "c d", "e"]);
        assert_eq!(all("5\",x", b','), ["5\"", "x"]);
        assert_eq!(all("\"a\"b,c", b','), ["\"a\"b", "c"]);
        assert_eq!(all("", b','), [""]);
    }

    #[test]
    fn places_are_counted_without_what_is_left_out() {
        let row = pick(b"0 web content 7 8", b' ', &[0, 2, 3, 9, 9, 9, 9], 1..2);
        assert_eq!(row.fields, 5);
        assert_eq!(row.picked[..4], [b"0".as_slice(), b"7", b"8", b""]);
    }
}
