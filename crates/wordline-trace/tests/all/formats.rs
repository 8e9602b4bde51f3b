//! Each text format: a good trace, detected, and one malformed line, named.

use crate::common::{NAME, read, read_with, request};
use wordline_core::host::HostRequest;
use wordline_core::host::Op::{Close, Flush, Read, Trim, Write};
use wordline_trace::{CsvColumns, Format, TraceError, TraceOptions};

/// `text` is detected as `format`; `wrong` behind it is line `line`, where `expected` was expected and `found` found.
fn breaks(format: Format, text: &str, wrong: &str, expected: &str, found: &str) {
    let whole = format!("{text}{wrong}\n");
    let reader = TraceOptions::new().read_from(NAME, std::io::Cursor::new(whole.clone())).expect("detected");
    assert_eq!(reader.format(), format);
    check_break(&TraceOptions::new(), text, &whole, wrong, (expected, found));
}

fn check_break(options: &TraceOptions, text: &str, whole: &str, wrong: &str, (e, f): (&str, &str)) {
    let bad_line = text.lines().count() as u64 + 1;
    match read_with(options, whole).expect_err(wrong) {
        TraceError::Malformed { file, line, expected, found } => {
            assert_eq!((file.as_str(), line), (NAME, bad_line), "{wrong}");
            assert!(expected.contains(e), "{wrong}: expected {expected}, not {e}");
            assert_eq!(found, f, "{wrong}");
        }
        other => panic!("{wrong}: {other}"),
    }
}

#[test]
fn msrc() {
    let text =
        "128166372003061629,hm,0,Read,383496192,32768,413\n128166372016382155,hm,0,Write,2822144,4096,5025\n";
    let expected = [request(0, Read, 749_016, 64), request(1_332_052_600, Write, 5512, 8)];
    assert_eq!(read(text).unwrap(), expected);
    let header = format!(
        "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\r\n{}",
        text.replace('\n', "\r\n")
    );
    assert_eq!(read(header).unwrap(), expected);
    breaks(Format::Msrc, text, "128166372016382155,hm,0,Wipe,2822144,4096,5025", "Read or Write", "`Wipe`");
    breaks(Format::Msrc, text, "128166372016382155,hm,0,Read,-5,4096,5025", "offset", "`-5`");
    breaks(Format::Msrc, text, "128166372016382155,hm,0,Read,5", "size", "the end of the line");
    breaks(Format::Msrc, text, "128166372016382155,hm,0,Read,5,512,1,9", "the end of the line", "`1,9`");
    breaks(Format::Msrc, text, "928166372016382155,hm,0,Read,5,512,1", "filetime", "`928166372016382155`");
    breaks(
        Format::Msrc,
        text,
        "128166372016382155,hm,0,Read,5,9999999999999,1",
        "2 TiB",
        "`9999999999999 bytes`",
    );
}

#[test]
fn alibaba() {
    let text = "419,W,8792731648,16384,1577808144360767\n725,R,59110326272,360448,1577808144360813\n";
    let expected = [request(0, Write, 17_173_304, 32), request(46_000, Read, 115_449_856, 704)];
    assert_eq!(read(text).unwrap(), expected);
    assert_eq!(read(format!("device_id,opcode,offset,length,timestamp\n{text}")).unwrap(), expected);
    breaks(Format::Alibaba, text, "419,T,8792731648,16384,1577808144360767", "R or W", "`T`");
    breaks(Format::Alibaba, text, "x,R,8792731648,16384,1577808144360767", "device", "`x`");
}

#[test]
fn systor17() {
    let header = "Timestamp,Response,IOType,LUN,Offset,Size\n";
    let text = "1456095145.133076000,0.000806000,R,0,899056122368,131072\n1456095145.133078000,,,0,4096,4096\n\
                1456095145.133080000,0.1,W,0,4096,4096\n";
    let expected = [request(0, Read, 1_755_968_989, 256), request(4000, Write, 8, 8)];
    assert_eq!(read(text).unwrap(), expected);
    assert_eq!(read(format!("{header}{text}")).unwrap(), expected);
    let mut reader = TraceOptions::new().read_from(NAME, std::io::Cursor::new(text)).unwrap();
    assert_eq!(reader.by_ref().count(), 2);
    assert_eq!(reader.notes().other_commands, 1, "the unanswered request is counted");
    breaks(Format::Systor17, text, "1456095145.2,0.1,X,0,4096,4096", "R, W or nothing", "`X`");
    breaks(Format::Systor17, text, "later,0.1,R,0,4096,4096", "timestamp in s", "`later`");
}

#[test]
fn tencent_cbs() {
    let text = "1538323200,12910952,128,0,1063\n1538323201,28843144,8,1,1060\n1538323201,16,8,1,1063\n";
    let expected = [
        request(0, Read, 12_910_952, 128),
        request(1_000_000_000, Write, 28_843_144, 8),
        request(1_000_000_000, Write, 16, 8),
    ];
    let mut options = TraceOptions::new();
    options.format(Format::TencentCbs);
    assert_eq!(read_with(&options, text).unwrap(), expected);
    let header = format!("Timestamp,Offset,Size,IOType,VolumeID\n{text}");
    assert_eq!(read(header.clone()).unwrap(), expected);
    options.device("only=1060".parse().unwrap());
    assert_eq!(read_with(&options, text).unwrap(), [request(0, Write, 28_843_144, 8)]);
    // Five columns of numbers could be anything: without a header the format has to be named.
    assert!(matches!(read(text), Err(TraceError::UnknownFormat { .. })));
    breaks(Format::TencentCbs, &header, "1538323202,16,8,2,1063", "0 (read) or 1 (write)", "`2`");
    breaks(Format::TencentCbs, &header, "1538323202,16,8,1", "volume id", "the end of the line");
}

#[test]
fn fiu() {
    let md5 = "531e779a9bd4a8b42ef2d9b6b8f9c24f";
    let text = format!(
        "89966264733000 4892 syslogd 904265560 8 W 6 0 {md5}\n89966264734000 2522 kjournald 283193184 8 R 6 0 {md5}\n\
         89966264735000 7 my app 2 16 8 W 8 1 {md5} {md5}\n"
    );
    let expected =
        [request(0, Write, 904_265_560, 8), request(1000, Read, 283_193_184, 8), request(2000, Write, 16, 8)];
    assert_eq!(read(text.clone()).unwrap(), expected);
    let mut options = TraceOptions::new();
    options.device("only=1".parse().unwrap());
    assert_eq!(read_with(&options, text.clone()).unwrap(), [request(0, Write, 16, 8)]);
    breaks(Format::Fiu, &text, &format!("89966264736000 7 app 16 8 D 6 0 {md5}"), "R or W", "`D`");
    breaks(Format::Fiu, &text, "89966264736000 7 app 16 8 R 6 0", "hash", "the end of the line");
    breaks(Format::Fiu, &text, "89966264736000 7 app x 8 R 6 0 f", "LBA", "`x`");
}

#[test]
fn spc() {
    let text = "0,20941264,8192,W,0.551706\n0,20939840,8192,w,0.554041\n1,3436288,15872,r,1.011732,extra\n\
                0,8,700,W,1.011732\n";
    let expected = [
        request(0, Write, 20_941_264, 16),
        request(2_335_000, Write, 20_939_840, 16),
        request(460_026_000, Read, 3_436_288, 31),
        request(460_026_000, Write, 8, 2),
    ];
    assert_eq!(read(text).unwrap(), expected);
    breaks(Format::Spc, text, "0,1,512,W", "timestamp", "the end of the line");
    breaks(Format::Spc, text, "0,1,512,Q,2.0", "R or W", "`Q`");
}

#[test]
fn mqsim() {
    let text = "100 0 303567 7 0\n  250\t1 55590 6 1  \n\n";
    assert_eq!(read(text).unwrap(), [request(0, Write, 303_567, 7), request(150, Read, 55_590, 6)]);
    breaks(Format::Mqsim, text, "300 0 1 8 2", "0 (write) or 1 (read)", "`2`");
    breaks(Format::Mqsim, text, "300 0 1 8", "0 (write) or 1 (read)", "the end of the line");
    breaks(Format::Mqsim, text, "300.5 0 1 8 1", "time in ns", "`300.5`");
    breaks(Format::Mqsim, text, "300 0 1 4294967296 1", "size", "`4294967296`");
    breaks(Format::Mqsim, text, "300 0 1 8 1 1", "the end of the line", "`1`");
    breaks(Format::Mqsim, text, "# a comment", "time in ns", "`#`");
}

#[test]
fn disksim() {
    let text = "5265.313 0 6357144 8 0\n5265.703000 0 6307768 8 3\n5297.450 0 33701824 64 b\n";
    let expected = [
        request(0, Write, 6_357_144, 8),
        request(390_000, Read, 6_307_768, 8),
        request(32_137_000, Read, 33_701_824, 64),
    ];
    assert_eq!(read(text).unwrap(), expected);
    breaks(Format::Disksim, text, "5298.0 0 1 8 read", "hexadecimal", "`read`");
    breaks(Format::Disksim, text, "5298.0.1 0 1 8 1", "time in ms", "`5298.0.1`");
}

#[test]
fn vscsi_csv() {
    let text = "version,time,op,size,lbn\n1,100,2a,512,42932745\n1,102,28,4096,8\n1,103,12,36,0\n1,104,8a,1024,16\n\
                1,105,88,512,1\n1,106,42,4096,8\n1,107,35,0,0\n1,108,28,0,5\n";
    let expected = [
        request(0, Write, 42_932_745, 1),
        request(2000, Read, 8, 8),
        request(4000, Write, 16, 2),
        request(5000, Read, 1, 1),
        request(6000, Trim, 8, 8),
        request(7000, Flush, 0, 0),
    ];
    assert_eq!(read(text).unwrap(), expected);
    breaks(Format::VscsiCsv, text, "1,109,zz,512,1", "operation code", "`zz`");
    breaks(Format::VscsiCsv, text, "1,109,128,512,1", "one byte", "`128`");
    breaks(Format::VscsiCsv, text, "1,109,28,512", "block number", "the end of the line");
}

#[test]
fn blkparse() {
    let text = "  8,16   3        4     0.000011950  3645  I   R 4938888 + 256 [java]\n\
                  8,16   3        5     0.000026421  3645  D   R 4938888 + 256 [java]\n\
                  8,16   3        6     0.000030000  3645  P   N [java]\n\
                  8,0    1        1     0.000031421     0  D  WS 100 + 8 [jbd2/sdb-8]\n\
                  8,16   3        8     0.000032421  3645  D   D 200 + 8 [fstrim]\n\
                  8,16   3        9     0.000033421  3645  D  FN [kworker]\n\
                  8,16   3       10     0.000034421  3645  D FWFSM 300 + 8 [kworker]\n\
                  8,16   3       11     0.000035421  3645  D   R 36 (12 00 00 00 24 00 ..) [smartd]\n\
                  8,16   3       12     0.000036421  3645  C   R 4938888 + 256 [0]\n\
                  8,16   3       13     0.000037421  3645  D  RA 400 + 8 [java]\n";
    let summary = "CPU0 (8,16):\n Reads Queued:           0,        0KiB\t Writes Queued:           0,        0KiB\n\n\
                   Total (8,16):\n Reads Queued: 0\nThroughput (R/W): 0KiB/s / 0KiB/s\nEvents (8,16): 29662 entries\n";
    let expected = [
        request(0, Read, 4_938_888, 256),
        request(5000, Write, 100, 8),
        request(6000, Trim, 200, 8),
        request(7000, Flush, 0, 0),
        HostRequest { fua: true, ..request(8000, Write, 300, 8) },
        request(11_000, Read, 400, 8),
    ];
    assert_eq!(read(text).unwrap(), expected);
    assert_eq!(read(format!("{text}{summary}")).unwrap(), expected);
    breaks(Format::Blkparse, text, "  8,16   3  14  0.000040000  3645  D   R 400 - 8 [java]", "`+`", "`-`");
    breaks(
        Format::Blkparse,
        text,
        "  8,16   3  14  0.000040000  3645  D   R",
        "a sector",
        "the end of the line",
    );
}

#[test]
fn fio_iolog() {
    let v2 = "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda read 0 4096\n/dev/sda wait 100 0\n\
              /dev/sda write 4096 512\n/dev/sda wait 50 0\n/dev/sda trim 0 4096\n/dev/sda datasync 0 0\n/dev/sda close\n";
    let v3 = "fio version 3 iolog\n2 /dev/sda add\n872 /dev/sda open\n878 /dev/sda read 0 4096\n978 /dev/sda write 4096 512\n\
              1028 /dev/sda trim 0 4096\n1028 /dev/sda sync 0 0\n1029 /dev/sda close\n";
    let expected = [
        request(0, Read, 0, 8),
        request(100_000, Write, 8, 1),
        request(150_000, Trim, 0, 8),
        request(150_000, Flush, 0, 0),
    ];
    assert_eq!(read(v2).unwrap(), expected);
    assert_eq!(read(v3).unwrap(), expected);
    breaks(Format::FioIolog, v2, "/dev/sda erase 0 4096", "read, write, trim", "`erase`");
    breaks(Format::FioIolog, v3, "/dev/sda read 0 4096", "time in us", "`/dev/sda`");
    breaks(Format::FioIolog, v3, "2000 /dev/sda wait 0 4096", "read, write, trim", "`wait`");
    breaks(Format::FioIolog, v3, "2000 /dev/sda read 0", "length", "the end of the line");
}

fn csv(columns: &str) -> TraceOptions {
    let mut options = TraceOptions::new();
    options.csv_columns(columns.parse::<CsvColumns>().unwrap_or_else(|e| panic!("{e}")));
    options
}

#[test]
fn csv_by_numbers_names_and_units() {
    let text = "ts;kind;lba;len;dev\n10;rd;8;2;0\n12.5;wr;16;1;3\n13;tr;16;1;3\n13;fl;;;3\n";
    let rest = "offset-unit=sectors,size-unit=4k,read-value=rd,write-value=wr/WR,trim-value=tr,flush-value=fl,delimiter=;";
    let expected = [
        request(0, Read, 8, 16),
        request(2_500_000, Write, 16, 8),
        request(3_000_000, Trim, 16, 8),
        request(3_000_000, Flush, 0, 0),
    ];
    for columns in [
        format!("time-col=1,op-col=2,offset-col=3,size-col=4,device-col=5,time-unit=ms,{rest}"),
        format!("time-col=ts,op-col=kind,offset-col=LBA,size-col=len,device-col=dev,time-unit=ms,{rest}"),
    ] {
        assert_eq!(read_with(&csv(&columns), text).unwrap(), expected);
        let whole = format!("{text}14;xx;8;2;0\n");
        check_break(&csv(&columns), text, &whole, "xx", ("read-value", "`xx`"));
        let whole = format!("{text}14;rd;8;;0\n");
        check_break(&csv(&columns), text, &whole, "short", ("size", "the end of the line"));
    }
}

#[test]
fn csv_without_values_reads_the_usual_letters() {
    let options = csv("time-col=1,op-col=2,offset-col=3,size-col=4,delimiter=,,header=no,time-unit=s");
    let text = "1,Read,512,512\n1,w,1024,512\n1,UNMAP,0,512\n1,flush,,\n";
    let expected =
        [request(0, Read, 1, 1), request(0, Write, 2, 1), request(0, Trim, 0, 1), request(0, Flush, 0, 0)];
    assert_eq!(read_with(&options, text).unwrap(), expected);
    check_break(&options, text, &format!("{text}1,28,0,512\n"), "28", ("R or W", "`28`"));
}

/// In traces of files, `close` is another thing.
#[test]
fn a_csv_of_others_says_what_closes_open_groups() {
    let columns = "time-col=1,op-col=2,offset-col=3,size-col=4,header=no,time-unit=ns";
    let text = "1,w,512,512\n";
    check_break(&csv(columns), text, &format!("{text}2,close,,\n"), "close", ("R or W", "`close`"));
    let options = csv(&format!("{columns},write-value=w,close-value=ruhu"));
    let expected = [request(0, Write, 1, 1), request(1, Close, 0, 0)];
    assert_eq!(read_with(&options, "1,w,512,512\n2,ruhu,,\n").unwrap(), expected);
}

#[test]
fn csv_of_blanks() {
    let options = csv("time-col=1,op-col=3,offset-col=4,size-col=5,delimiter=space,time-unit=ns");
    assert_eq!(read_with(&options, " 5   x R\t512  512\n").unwrap(), [request(0, Read, 1, 1)]);
}

#[test]
fn csv_descriptions_that_make_no_sense_name_the_key() {
    for (columns, named) in [
        ("", "time-col"),
        ("time-col=1,op-col=2,offset-col=3", "size-col"),
        ("time-col=0", "time-col=0"),
        ("time-unit=min", "time-unit=min"),
        ("offset-unit=0", "offset-unit=0"),
        ("delimiter=ab", "delimiter=ab"),
        ("header=maybe", "header=maybe"),
        ("tme-col=1", "tme-col=1"),
        ("time-col", "time-col"),
        ("time-col=a,op-col=2,offset-col=3,size-col=4,header=no", "header=no"),
    ] {
        match columns.parse::<CsvColumns>() {
            Err(error @ TraceError::Option { .. }) => assert!(error.to_string().contains(named), "{error}"),
            other => panic!("{columns}: {other:?}"),
        }
    }
}

#[test]
fn a_csv_needs_a_description_unless_wordline_wrote_it() {
    let own = "time_ns,op,sector,sectors\n5,R,1,2\n6,T,3,4\n6,F,0,0\n7,C,0,0\n";
    let expected =
        [request(0, Read, 1, 2), request(1, Trim, 3, 4), request(1, Flush, 0, 0), request(2, Close, 0, 0)];
    assert_eq!(read_with(TraceOptions::new().format(Format::Csv), own).unwrap(), expected);
    let short = "time_ns,op,sector,sectors\n5,R,1,2\n6,F\n7,C,,\n";
    assert_eq!(
        read_with(TraceOptions::new().format(Format::Csv), short).unwrap()[1..],
        [request(1, Flush, 0, 0), request(2, Close, 0, 0)]
    );
    let forced = "time_ns,op,sector,sectors\n5,WF,1,2\n6,W,3,4\n";
    let expected = [HostRequest { fua: true, ..request(0, Write, 1, 2) }, request(1, Write, 3, 4)];
    assert_eq!(read_with(TraceOptions::new().format(Format::Csv), forced).unwrap(), expected);
    // Handles are a column that came later; empty is none.
    let handles = "time_ns,op,sector,sectors,handle\n5,W,1,2,3\n6,W,3,4,0\n6,W,3,4\n7,C,0,0,3\n";
    let hints: Vec<_> = read_with(TraceOptions::new().format(Format::Csv), handles).unwrap();
    assert_eq!(hints.iter().map(|request| request.hint).collect::<Vec<_>>(), [3, 0, 0, 3]);
    breaks(Format::Csv, handles, "8,W,8,8,65536", "a placement handle", "`65536`");
    breaks(Format::Csv, handles, "8,W,8,8,a", "a placement handle", "`a`");
    // An operation of the whole SSD has no sectors, so a line that names some means something else.
    for (line, e, f) in [
        ("8,C,8,8", "sector", "`8`"),
        ("8,F,0,8", "number of sectors", "`8`"),
        ("8,C,abc,0", "sector", "`abc`"),
    ] {
        breaks(Format::Csv, own, line, e, f);
    }
    let error = read_with(TraceOptions::new().format(Format::Csv), "t,op,lba,n\n5,R,1,2\n").unwrap_err();
    assert!(matches!(&error, TraceError::Option { option, .. } if option == "format=csv"), "{error}");
}

#[test]
fn a_named_column_must_be_in_the_header() {
    let options = csv("time-col=ts,op-col=op,offset-col=lba,size-col=len");
    let error = read_with(&options, "time,op,lba,len\n1,R,0,512\n").unwrap_err().to_string();
    assert!(error.starts_with("memory.trace:1:") && error.contains("`ts`"), "{error}");
}

#[test]
fn what_no_format_fits_lists_the_formats() {
    for text in ["hello world\n", "1,2,3,4,5\n", "0 0 1 8 7\n"] {
        match read(text) {
            Err(error @ TraceError::UnknownFormat { .. }) => {
                let message = error.to_string();
                assert!(Format::ALL.iter().all(|f| message.contains(f.name())), "{message}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let error = read("\u{0}\u{1}\u{2}").unwrap_err().to_string();
    assert!(error.contains("binary data"), "{error}");
    let error = "msr".parse::<Format>().unwrap_err().to_string();
    assert!(error.contains("msrc"), "{error}");
}
