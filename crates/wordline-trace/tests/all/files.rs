//! Files as they come: compressed, cut short, empty, missing, in pieces.

use std::io::Write;
use std::path::PathBuf;

use crate::common::{NAME, read, read_with, request};
use wordline_core::host::HostRequest;
use wordline_core::host::Op::{self, Read, Write as W};
use wordline_trace::convert::{Existing, OutputFormat, check_target, convert};
use wordline_trace::{Format, TraceError, TraceOptions};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

/// Large enough to fill several buffers, and not too easy to compress.
fn mqsim(requests: u64) -> String {
    (0..requests).map(|i| format!("{} 0 {} 8 {}\n", i * 1000, i * 2_654_435_761 % 1_000_003, i & 1)).collect()
}

/// A path in cargo's folder for test files.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn compressed_traces_are_known_by_their_bytes() {
    let text = mqsim(50_000);
    let plain = read(text.clone()).unwrap();
    assert_eq!(plain.len(), 50_000);
    assert!(read(gzip(text.as_bytes())).unwrap() == plain);
    assert!(read(zstd(text.as_bytes())).unwrap() == plain);
}

/// A tar archive of files.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, *content).unwrap();
    }
    archive.into_inner().unwrap()
}

#[test]
fn a_tar_of_one_file_is_that_file() {
    let text = mqsim(20_000);
    let plain = read(text.clone()).unwrap();
    let archive = tar(&[("folder/._a.trace", b"attributes"), ("folder/a.trace", text.as_bytes())]);
    for bytes in [
        archive.clone(),
        gzip(&archive),
        zstd(&archive),
        tar(&[("a.trace.gz", &gzip(text.as_bytes()))]),
        gzip(&tar(&[("a.trace.zst", &zstd(text.as_bytes()))])),
        archive[..archive.len() - 1024].to_vec(), // some writers leave the blocks of zeros away
    ] {
        assert!(read(bytes).unwrap() == plain);
    }
    let long_name = "n".repeat(150);
    assert!(read(tar(&[(&long_name, text.as_bytes())])).unwrap() == plain);
}

#[test]
fn a_tar_of_several_files_names_the_second_and_a_cut_one_is_truncated() {
    let text = mqsim(20_000);
    let error = read(tar(&[("a.trace", text.as_bytes()), ("b.trace", b"x")])).unwrap_err().to_string();
    assert!(error.contains("second file, `b.trace`") && error.contains("unpack"), "{error}");
    let error = read(tar(&[])).unwrap_err();
    assert!(matches!(error, TraceError::Io { .. } | TraceError::Empty { .. }), "{error}");
    let whole = tar(&[("a.trace", text.as_bytes())]);
    for cut in [whole.len() / 2, 600] {
        assert!(matches!(read(&whole[..cut]), Err(TraceError::Truncated { .. })), "cut at {cut}");
    }
    let mut damaged = whole;
    damaged[3] ^= 1;
    assert!(read(damaged).unwrap_err().to_string().contains("damaged tar header"));
}

#[test]
fn wrappers_without_end_are_refused() {
    let mut bytes = mqsim(3).into_bytes();
    for _ in 0..9 {
        bytes = gzip(&bytes);
    }
    assert!(read(bytes).unwrap_err().to_string().contains("unpack it first"));
}

#[test]
fn members_and_frames_follow_each_other() {
    let text = mqsim(50_000);
    let (head, tail) = text.as_bytes().split_at(text.len() / 3);
    let plain = read(text.clone()).unwrap();
    assert!(read([gzip(head), gzip(tail)].concat()).unwrap() == plain);
    assert!(read([zstd(head), zstd(tail)].concat()).unwrap() == plain);
}

#[test]
fn a_compressed_file_that_is_cut_names_itself() {
    let text = mqsim(50_000);
    for whole in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
        for cut in [whole.len() - 1, whole.len() / 2, 6] {
            match read(&whole[..cut]) {
                Err(TraceError::Truncated { file, .. }) => assert_eq!(file, NAME),
                other => panic!("cut at {cut} of {}: {:?}", whole.len(), other.map(|r| r.len())),
            }
        }
    }
}

#[test]
fn a_compressed_file_that_is_damaged_is_an_error() {
    let text = mqsim(50_000);
    for mut whole in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
        let middle = whole.len() / 2;
        whole[middle..middle + 64].fill(0x55);
        assert!(read(whole).is_err());
    }
}

#[test]
fn empty_traces_are_an_error_in_every_format() {
    for bytes in [vec![], gzip(b""), zstd(b""), b"\n\n".to_vec()] {
        assert!(matches!(read(bytes), Err(TraceError::Empty { file, .. }) if file == NAME));
    }
    for format in Format::ALL.into_iter().filter(|f| *f != Format::Native) {
        let result = read_with(TraceOptions::new().format(format), "");
        assert!(matches!(result, Err(TraceError::Empty { .. })), "{format}");
    }
    for header in
        ["version,time,op,size,lbn\n", "fio version 3 iolog\n0 a add\n", "time_ns,op,sector,sectors\n"]
    {
        assert!(matches!(read(header), Err(TraceError::Empty { .. })), "{header}");
    }
}

#[test]
fn a_missing_file_and_a_folder_are_named() {
    let missing = scratch("no such trace.csv");
    let error = TraceOptions::new().open(&missing).unwrap_err();
    assert!(
        matches!(&error, TraceError::NotFound { file } if file.ends_with("no such trace.csv")),
        "{error}"
    );
    let error = TraceOptions::new().open(env!("CARGO_TARGET_TMPDIR")).unwrap_err();
    assert!(matches!(error, TraceError::Io { .. }) && error.to_string().contains("directory"), "{error}");
}

#[test]
fn a_line_without_end_is_refused_and_not_swallowed() {
    let error = read_with(TraceOptions::new().format(Format::Mqsim), vec![b'1'; 3 << 20]).unwrap_err();
    assert!(error.to_string().contains("1 MiB"), "{error}");
}

#[test]
fn a_last_line_without_newline_counts() {
    assert_eq!(read("1 0 2 3 1\n2 0 2 3 0").unwrap(), [request(0, Read, 2, 3), request(1, W, 2, 3)]);
}

#[test]
fn pieces_are_read_as_one_trace_and_errors_name_the_piece() {
    let (first, second) = (scratch("piece.1"), scratch("piece.2"));
    std::fs::write(&first, "Timestamp,Response,IOType,LUN,Offset,Size\n10.0,0.1,R,0,0,512\n").unwrap();
    std::fs::write(&second, "Timestamp,Response,IOType,LUN,Offset,Size\n11.0,0.1,W,0,0,512\n").unwrap();
    let both: Vec<_> = TraceOptions::new().open_all([&first, &second]).unwrap().map(Result::unwrap).collect();
    assert_eq!(both, [request(0, Read, 0, 1), request(1_000_000_000, W, 0, 1)]);

    std::fs::write(&second, "Timestamp,Response,IOType,LUN,Offset,Size\n\n11.0,0.1,W\n").unwrap();
    let error =
        TraceOptions::new().open_all([&first, &second]).unwrap().find_map(Result::err).unwrap().to_string();
    assert!(error.contains("piece.2:3:"), "{error}");

    let missing = scratch("piece.3");
    let error = TraceOptions::new().open_all([&first, &missing]).unwrap().find_map(Result::err).unwrap();
    assert!(matches!(error, TraceError::NotFound { .. }), "{error}");
}

#[test]
fn every_output_is_read_back() {
    let text = "5 0 8 8 1\n7005 0 16 4 0\n7005 0 0 1 1\n9005 0 99 1 1\n";
    let expected = read(text).unwrap();
    for (format, name, detected) in [
        (OutputFormat::Native, "back.wlt", Format::Native),
        (OutputFormat::Native, "back.wlt.zst", Format::Native),
        (OutputFormat::Csv, "back.csv.gz", Format::Csv),
        (OutputFormat::Mqsim, "back.trace", Format::Mqsim),
        (OutputFormat::FioIolog, "back.iolog.zst", Format::FioIolog),
    ] {
        let path = scratch(name);
        assert_eq!(convert(expected.iter().copied().map(Ok), &path, format, Existing::Replace).unwrap(), 4);
        let reader = TraceOptions::new().open(&path).unwrap();
        assert_eq!(reader.format(), detected);
        assert_eq!(reader.map(Result::unwrap).collect::<Vec<_>>(), expected, "{name}");
        let magic = std::fs::read(&path).unwrap();
        assert_eq!(magic.starts_with(&[0x1f, 0x8b]), name.ends_with(".gz"), "{name}");
        assert_eq!(magic.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]), name.ends_with(".zst"), "{name}");
    }
}

/// MQSim and fio know no request to close open groups, and it is not left out quietly.
#[test]
fn what_a_format_cannot_say_is_refused() {
    let all = [Read, W, Op::Trim, Op::Flush, Op::Close]
        .map(|op| HostRequest::new(0, op, 0, u32::from(op.has_address())));
    for (format, known) in [
        (OutputFormat::Native, 5),
        (OutputFormat::Csv, 5),
        (OutputFormat::FioIolog, 4),
        (OutputFormat::Mqsim, 2),
    ] {
        for (at, &request) in (0..).zip(&all) {
            let path = scratch("one.trace");
            match convert([Ok(request)], &path, format, Existing::Replace) {
                Ok(_) if at < known => {
                    let back = TraceOptions::new().open(&path).unwrap();
                    assert_eq!(back.map(Result::unwrap).collect::<Vec<_>>(), [request], "{format:?}");
                }
                Err(error) if at >= known => assert!(error.to_string().contains("native"), "{error}"),
                other => panic!("{format:?}, {:?}: {other:?}", request.op),
            }
        }
    }
}

#[test]
fn a_conversion_that_fails_leaves_nothing_behind() {
    let path = scratch("half.trace");
    let _ = std::fs::remove_file(&path); // of an earlier run
    let trace = read("fio version 3 iolog\n1 d write 0 512\n2 d trim 0 512\n").unwrap();
    let error = convert(trace.into_iter().map(Ok), &path, OutputFormat::Mqsim, Existing::Keep).unwrap_err();
    assert!(matches!(error, TraceError::Unwritable { index: 2, .. }), "{error}");
    assert!(!path.exists() && leftovers("half.trace").is_empty());

    std::fs::write(&path, "kept").unwrap();
    let broken = TraceOptions::new().read_from(NAME, "1 0 2 3 1\nx".as_bytes()).unwrap();
    let result = convert(broken, &path, OutputFormat::Csv, Existing::Replace);
    assert!(matches!(result, Err(TraceError::Malformed { line: 2, .. })));
    assert_eq!(std::fs::read(&path).unwrap(), b"kept");
    assert_eq!(leftovers("half.trace"), [path.file_name().unwrap()]);
}

/// The files whose names begin with `name`.
fn leftovers(name: &str) -> Vec<std::ffi::OsString> {
    let files =
        std::fs::read_dir(env!("CARGO_TARGET_TMPDIR")).unwrap().map(|entry| entry.unwrap().file_name());
    files.filter(|file| file.to_string_lossy().starts_with(name)).collect()
}

#[test]
fn a_file_that_is_there_is_kept_unless_the_user_says_otherwise() {
    let path = scratch("precious.csv");
    std::fs::write(&path, "precious").unwrap();
    let write = |existing| convert([Ok(request(0, Read, 0, 1))], &path, OutputFormat::Csv, existing);
    let error = write(Existing::Keep).unwrap_err();
    assert!(matches!(error, TraceError::Target { .. }) && error.to_string().contains("--force"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    assert_eq!(write(Existing::Replace).unwrap(), 1);
    assert_eq!(std::fs::read(&path).unwrap(), b"time_ns,op,sector,sectors,handle\n0,R,0,1,0\n");
}

#[test]
fn the_input_is_never_the_target() {
    let path = scratch("input.trace");
    std::fs::write(&path, "1 0 2 3 1\n").unwrap();
    let beside = path.parent().unwrap().join(".").join("input.trace");
    let error = check_target(&beside, [&path], Existing::Replace).unwrap_err().to_string();
    assert!(error.contains("the input itself"), "{error}");
    check_target(&scratch("another.trace"), [&path], Existing::Keep).unwrap();
    check_target("-".as_ref(), ["-"], Existing::Keep).unwrap();
}

#[cfg(unix)]
#[test]
fn a_device_is_written_to_and_not_replaced() {
    let count = convert([Ok(request(0, Read, 0, 1))], "/dev/null", OutputFormat::Native, Existing::Keep);
    assert_eq!(count.unwrap(), 1);
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}
