//! Tables of other tools that are known by their first line: each is a CSV with a description of its columns.

use super::csv_columns::CsvColumns;
use super::csv_row;
use super::iso_time;

/// The operations of block requests as the kernel abbreviates them (RWBS), with its modifiers for synchronous, metadata,
/// read-ahead and forced.
const RWBS: &str = "read-value=R/RS/RA/RM/RSM/RAM/RF,write-value=W/WS/WM/WSM/WA/WF/WFS/WSF/FW/FWS/FWF/FWFS/FWSM/FWFSM,\
                    trim-value=D/DS/DF,flush-value=F/FS/FF/FFS";

/// A table: its first line, its columns, and the line before its rows.
struct Table {
    is_one: fn(&[u8]) -> bool,
    columns: &'static str,
    begins_after: Option<&'static str>,
    has_rwbs: bool,
}

const TABLES: [Table; 5] = [
    // biosnoop of bcc and of libbpf-tools: times of completion.
    Table {
        is_one: |line| has_words(line, &["TIME(s)", "T", "SECTOR", "BYTES", "LAT(ms)"]),
        columns: "delimiter=space,time-col=TIME(s),op-col=T,offset-col=SECTOR,size-col=BYTES,device-col=DISK,\
                  latency-col=LAT(ms),time-unit=s,latency-unit=ms,offset-unit=sectors",
        begins_after: None,
        has_rwbs: true,
    },
    // iosnoop -ts of perf-tools.
    Table {
        is_one: |line| has_words(line, &["STARTs", "TYPE", "DEV", "BLOCK", "BYTES"]),
        columns: "delimiter=space,time-col=STARTs,op-col=TYPE,offset-col=BLOCK,size-col=BYTES,device-col=DEV,time-unit=s,\
                  offset-unit=sectors",
        begins_after: None,
        has_rwbs: true,
    },
    // `xperf -a dumper` of Windows' event traces: us of completion, and how long that took. The flushes have other columns.
    Table {
        is_one: |line| line.trim_ascii() == b"BeginHeader",
        columns: "time-col=2,op-col=1,offset-col=6,size-col=7,latency-col=8,device-col=9,time-unit=us,header=no,\
                  read-value=DiskRead,write-value=DiskWrite,skip-value=*",
        begins_after: Some("EndHeader"),
        has_rwbs: false,
    },
    Table {
        is_one: |line| {
            let names: Vec<&[u8]> = csv_row::fields(line, b',').collect();
            names.first().is_some_and(|name| name.starts_with(b"Disk"))
                && names.get(1) == Some(&b"TimeStamp".as_slice())
                && names.get(5) == Some(&b"ByteOffset".as_slice())
        },
        columns: "time-col=2,op-col=1,offset-col=6,size-col=7,latency-col=8,device-col=9,time-unit=us,header=yes,\
                  read-value=DiskRead,write-value=DiskWrite,skip-value=*",
        begins_after: None,
        has_rwbs: false,
    },
    // io-tracer of cacheMon: time, pid, command, sector, operation, bytes, latency and others.
    Table {
        is_one: |line| {
            let fields: Vec<&[u8]> = csv_row::fields(line, b',').collect();
            let operations: [&[u8]; 4] = [b"read", b"write", b"flush", b"discard"];
            fields.len() >= 8 && iso_time::parse(fields[0]).is_some() && operations.contains(&fields[4])
        },
        columns: "time-col=1,op-col=5,offset-col=4,size-col=6,time-unit=s,offset-unit=sectors,header=no",
        begins_after: None,
        has_rwbs: false,
    },
];

/// The columns of a table that begins with this line, if it is known.
pub(crate) fn columns(first_line: &[u8]) -> Option<CsvColumns> {
    let table = TABLES.iter().find(|table| (table.is_one)(first_line))?;
    let operations = if table.has_rwbs { format!(",{RWBS}") } else { String::new() };
    let mut columns: CsvColumns =
        format!("{}{operations}", table.columns).parse().expect("a constant, which tests read");
    columns.begins_after = table.begins_after;
    Some(columns)
}

fn has_words(line: &[u8], words: &[&str]) -> bool {
    words.iter().all(|word| csv_row::fields(line, b' ').any(|field| field == word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_descriptions_are_read() {
        let lines = [
            "TIME(s) COMM PID DISK T SECTOR BYTES QUE(ms) LAT(ms)",
            "STARTs ENDs COMM PID TYPE DEV BLOCK BYTES LATms",
            "BeginHeader",
            "DiskWrite, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize",
            "2024-03-02 23:59:59.1,1,a,8,read,512,1,1",
        ];
        assert_eq!(lines.len(), TABLES.len());
        for line in lines {
            assert!(columns(line.as_bytes()).is_some(), "{line}");
        }
        assert!(columns(b"time,op,offset,size").is_none());
    }
}
