//! What the options of a reader do.

use crate::common::{NAME, read, read_with, request};
use wordline_core::host::Op::{Read, Write};
use wordline_trace::{
    AddressPolicy, DeviceMode, LATEST_ARRIVAL_NS, TimeBack, TraceError, TraceOptions, WithinDevice,
    ZeroLength,
};

fn arrivals(options: &TraceOptions, text: &str) -> Result<Vec<u64>, TraceError> {
    Ok(read_with(options, text)?.iter().map(|r| r.arrival_ns).collect())
}

const BACK: &str = "100 0 0 8 1\n300 0 8 8 1\n200 0 16 8 0\n400 0 24 8 1\n";

#[test]
fn time_that_goes_back_is_an_error_with_its_line() {
    match read(BACK) {
        Err(TraceError::TimeGoesBack { file, line, time_ns, previous_ns, .. }) => {
            assert_eq!((file.as_str(), line, time_ns, previous_ns), (NAME, 3, 200, 300));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn time_that_goes_back_is_clamped_or_sorted_on_request() {
    let mut options = TraceOptions::new();
    let mut reader = options.on_time_back(TimeBack::Clamp).read_from(NAME, BACK.as_bytes()).unwrap();
    assert_eq!(reader.by_ref().map(|r| r.unwrap().arrival_ns).collect::<Vec<_>>(), [0, 200, 200, 300]);
    assert_eq!(reader.notes().clamped, 1);

    let mut reader = options.on_time_back(TimeBack::SortWindow(1)).read_from(NAME, BACK.as_bytes()).unwrap();
    let sorted: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
    let expected = [
        request(0, Read, 0, 8),
        request(100, Write, 16, 8),
        request(200, Read, 8, 8),
        request(300, Read, 24, 8),
    ];
    assert_eq!(sorted, expected);
    assert_eq!(reader.notes().reordered, 1);

    let later = format!("{BACK}500 0 1 1 1\n600 0 1 1 1\n350 0 1 1 1\n");
    match read_with(&options, later) {
        Err(TraceError::TimeGoesBack { line: 7, time_ns: 350, previous_ns: 500, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn msrc_is_sorted_by_default() {
    let text = "128166372000000020,h,0,Read,0,512,5\n128166372000000010,h,0,Read,0,512,5\n";
    assert_eq!(arrivals(&TraceOptions::new(), text).unwrap(), [0, 1000]);
    let strict = arrivals(TraceOptions::new().on_time_back(TimeBack::Error), text);
    assert!(matches!(strict, Err(TraceError::TimeGoesBack { line: 2, .. })));
}

const FIVE: &str = "10 0 0 8 1\n20 1 8 8 0\n30 0 16 8 1\n40 1 24 8 0\n50 2 32 8 1\n";

#[test]
fn skip_limit_and_the_zero_of_time() {
    let mut options = TraceOptions::new();
    assert_eq!(arrivals(&options, FIVE).unwrap(), [0, 10, 20, 30, 40]);
    assert_eq!(arrivals(options.skip(1).limit(2), FIVE).unwrap(), [0, 10]);
    assert_eq!(arrivals(options.keep_time(true), FIVE).unwrap(), [20, 30]);
    assert!(
        matches!(arrivals(options.skip(5), FIVE), Err(TraceError::Empty { why, .. }) if why.contains("skip=5"))
    );
    assert!(matches!(arrivals(options.limit(0), FIVE), Err(TraceError::Option { .. })));
}

#[test]
fn a_limit_stops_before_what_lies_behind_it() {
    assert_eq!(read_with(TraceOptions::new().limit(5), format!("{FIVE}garbage\n")).unwrap().len(), 5);
}

#[test]
fn devices_are_merged_chosen_or_laid_side_by_side() {
    let sectors = |mode: &str| -> Result<Vec<u64>, TraceError> {
        let mode: DeviceMode = mode.parse()?;
        Ok(read_with(TraceOptions::new().device(mode), FIVE)?.iter().map(|r| r.sector).collect())
    };
    assert_eq!(sectors("merge").unwrap(), [0, 8, 16, 24, 32]);
    assert_eq!(sectors("only=1").unwrap(), [8, 24]);
    assert_eq!(sectors("stride=40").unwrap(), [0, 48, 16, 64, 112]);
    assert!(matches!(sectors("only=9"), Err(TraceError::Empty { why, .. }) if why.contains("other devices")));
    assert!(matches!(sectors("stride=39"), Err(TraceError::OutOfRange { line: 5, .. })));
    assert!(matches!(sectors("stride=0"), Err(TraceError::Option { .. })));
    assert!(matches!(sectors("stride=9223372036854775808"), Err(TraceError::OutOfRange { line: 5, .. })));
}

#[test]
fn an_arrival_beyond_the_clock_names_its_line() {
    let text = "5 0 0 8 1\n10 0 0 8 1\n18446744073709551615 0 0 8 1\n18446744073709551615 0 0 8 1\n";
    match read(text) {
        Err(TraceError::OutOfRange { file, line: 3, what }) => {
            assert_eq!(file, NAME);
            assert!(what.contains("18446744073709551610 ns after the start"), "{what}");
        }
        other => panic!("{other:?}"),
    }
    // What counts is the time since the start, wherever a trace's clock has its zero.
    assert_eq!(
        arrivals(&TraceOptions::new(), "18446744073709551614 0 0 8 1\n18446744073709551615 0 0 8 1\n")
            .unwrap(),
        [0, 1]
    );
    let latest = format!("0 0 0 8 1\n{LATEST_ARRIVAL_NS} 0 0 8 1\n");
    assert_eq!(arrivals(&TraceOptions::new(), &latest).unwrap(), [0, LATEST_ARRIVAL_NS]);
}

#[test]
fn a_reader_with_a_thread_of_its_own_gives_the_same() {
    let mut text: String = (0..20_000).map(|i| format!("{} 0 {} 8 {}\n", i * 10, i % 977, i & 1)).collect();
    let both = |text: &str| {
        [false, true].map(|own| {
            let mut reader = TraceOptions::new()
                .own_thread(own)
                .format(wordline_trace::Format::Mqsim)
                .read_from(NAME, std::io::Cursor::new(text.to_owned()))
                .unwrap();
            let mut seen = Vec::new();
            let error = loop {
                match reader.next() {
                    Some(Ok(request)) => seen.push((request, reader.line(), reader.file().to_owned())),
                    Some(Err(error)) => break Some(error.to_string()),
                    None => break None,
                }
            };
            assert!(reader.next().is_none());
            (seen, error, reader.notes())
        })
    };
    let [here, there] = both(&text);
    assert_eq!(here, there);
    assert_eq!((here.0.len(), here.1), (20_000, None));
    text.push_str("200000 0 0 8 9\n");
    let [here, there] = both(&text);
    assert_eq!(here, there);
    assert!(here.0.len() == 20_000 && here.1.is_some());
}

#[test]
fn an_end_beyond_64_bits_is_out_of_range() {
    assert!(matches!(read("0 0 18446744073709551615 8 1\n"), Err(TraceError::OutOfRange { line: 1, .. })));
}

#[test]
fn zero_lengths_are_an_error_unless_skipped() {
    let text = "10 0 0 8 1\n20 0 8 0 0\n30 0 16 8 1\n";
    assert!(matches!(read(text), Err(TraceError::Malformed { line: 2, .. })));
    let mut reader =
        TraceOptions::new().on_zero_length(ZeroLength::Skip).read_from(NAME, text.as_bytes()).unwrap();
    assert_eq!(reader.by_ref().count(), 2);
    assert_eq!(reader.notes().zero_length, 1);
}

#[test]
fn fill_gives_what_the_iterator_gives_and_ends_at_the_error() {
    let text = format!("{FIVE}60 0 0 8 9\n");
    let mut reader = TraceOptions::new().read_from(NAME, std::io::Cursor::new(text)).unwrap();
    let mut out = Vec::new();
    assert_eq!(reader.fill(&mut out, 2).unwrap(), 2);
    assert_eq!(reader.line(), 2);
    assert!(matches!(reader.fill(&mut out, 100), Err(TraceError::Malformed { line: 6, .. })));
    assert_eq!(out, read(FIVE).unwrap());
    assert_eq!(reader.fill(&mut out, 100).unwrap(), 0);
    assert!(reader.next().is_none());
}

#[test]
fn addresses_beyond_the_device_name_their_line_or_wrap() {
    let open = || TraceOptions::new().read_from(NAME, FIVE.as_bytes()).unwrap();
    let mut within = WithinDevice::new(open(), 30, AddressPolicy::Error);
    assert_eq!(within.by_ref().take(3).map(Result::unwrap).count(), 3);
    assert!(matches!(within.next(), Some(Err(TraceError::OutOfRange { file, line: 4, .. })) if file == NAME));
    assert!(within.next().is_none());

    let mut within = WithinDevice::new(open(), 30, AddressPolicy::Wrap);
    assert_eq!(within.by_ref().map(|r| r.unwrap().sector).collect::<Vec<_>>(), [0, 8, 16, 0, 2]);
    assert_eq!(within.wrapped(), 2);
}

#[test]
fn a_reader_can_go_to_another_thread() {
    let reader = TraceOptions::new().read_from(NAME, FIVE.as_bytes()).unwrap();
    assert_eq!(std::thread::spawn(move || reader.count()).join().unwrap(), 5);
}
