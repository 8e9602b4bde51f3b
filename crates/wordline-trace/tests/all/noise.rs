//! No input makes a reader panic, and what it lets through keeps the promises of `HostRequest`.

use crate::common::read_with;
use proptest::prelude::*;
use wordline_trace::{Format, TraceOptions};

/// Lines near to those of the formats: their letters, their separators, their numbers, some at the limits.
fn nearly_a_line() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        4 => (0..2000u64).prop_map(|n| n.to_string()),
        1 => prop::sample::select(vec!["18446744073709551615", "9223372036854775807", "4294967296", "-1", "1e5", "0"])
            .prop_map(str::to_owned),
        3 => prop::sample::select(vec!["R", "W", "Read", "Write", "D", "F", "C", "+", "[x]", "", "8,16", "1.5", "2a", "read", "sync"])
            .prop_map(str::to_owned),
    ];
    let separator = prop::sample::select(vec![",", " ", "\t", "  "]);
    (separator, prop::collection::vec(field, 0..11)).prop_map(|(s, fields)| fields.join(s))
}

proptest! {
    #[test]
    fn any_lines_in_any_format(lines in prop::collection::vec(nearly_a_line(), 1..8), noise in any::<Vec<u8>>()) {
        for format in Format::ALL {
            let mut options = TraceOptions::new();
            options.format(format);
            let header = if format == Format::FioIolog { "fio version 3 iolog\n" } else { "" };
            let text = format!("{header}{}\n", lines.join("\n"));
            for bytes in [text.into_bytes(), noise.clone()] {
                let Ok(requests) = read_with(&options, bytes) else { continue };
                prop_assert!(requests.is_sorted_by_key(|r| r.arrival_ns));
                for r in requests {
                    prop_assert_eq!(r.sectors > 0, r.op.has_address());
                    prop_assert!(r.sector.checked_add(u64::from(r.sectors)).is_some());
                }
            }
        }
        let _ = read_with(&TraceOptions::new(), noise);
    }
}
