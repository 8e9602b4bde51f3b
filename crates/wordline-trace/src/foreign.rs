//! Names text that is known and no trace, with the way to one.

/// Words that all have to be there, with what the file then is.
const KNOWN: &[(&[&str], &str)] = &[
    (
        &["\"fio version\""],
        "fio's JSON output, which has sums and no requests; give the log that write_iolog writes",
    ),
    (
        &["\"fio_version\""],
        "fio's JSON output, which has sums and no requests; give the log that write_iolog writes",
    ),
    (
        &["fio-", "terse"],
        "fio's terse output, which has sums and no requests; give the log that write_iolog writes",
    ),
    (&["\"ph\"", "\"cat\"", "POSIX"], DLIO_CALLS),
    (&["\"dur\"", "\"ts\"", "\"cat\"", "dlio"], DLIO_CALLS),
    (&["\"num_accelerators\""], DLIO_SUMS),
    (&["\"load\"", "\"proc\"", "\"throughput\""], DLIO_SUMS),
    (&["[INFO]", "DLIO"], DLIO_SUMS),
    (&["\"hash_ids\""], "a trace of requests to a language model (Mooncake's form), not to a disk"),
    (
        &["\"schema_version\"", "\"wordline\""],
        "a result of Wordline; the requests.parquet beside it (`--parquet`) is read as a trace",
    ),
    (&["\"traceEvents\""], "a timeline for Chrome's or Perfetto's viewer, which has no requests to a disk"),
    (&["Execution_Parameter_Set"], "MQSim's SSD; `wordline run --mqsim SSD.xml WORKLOAD.xml` runs it"),
    (&["MQSim_IO_Scenarios"], "MQSim's workload; `wordline run --mqsim SSD.xml WORKLOAD.xml` runs it"),
    (&["git-lfs.github.com"], "a pointer of Git LFS instead of the trace; `git lfs pull` gets that"),
    (&["block_rq_issue:"], KERNEL_EVENTS),
    (&["block_rq_complete:"], KERNEL_EVENTS),
    (&["nvme_setup_cmd:"], KERNEL_EVENTS),
    (&["# tracer:"], KERNEL_EVENTS),
    (&["DiskRead,", "IOSize"], WINDOWS_EVENTS),
    (&["File Operation:", "IO Status:"], FILE_CALLS),
    (&["openat("], SYSTEM_CALLS),
    (&["pread64("], SYSTEM_CALLS),
    (&["pwrite64("], SYSTEM_CALLS),
    (&["avg-cpu:"], IOSTAT),
    (&["Device", "r/s", "w/s"], IOSTAT),
    (
        &["bw=", "clat (", "jobs="],
        "the output of fio, which has sums and no requests; give the log that write_iolog writes",
    ),
];
const DLIO_CALLS: &str = "DFTracer's log of DLIO, which has calls to files and no requests to a disk; record these with blktrace \
                          or biosnoop while DLIO runs";
const DLIO_SUMS: &str = "the output of DLIO, which has sums and no requests to a disk; record these with blktrace or biosnoop while \
                         DLIO runs";
const KERNEL_EVENTS: &str = "events of the Linux kernel, as ftrace, perf or trace-cmd print them, which are not read; record with blktrace or \
                             biosnoop, or write time, operation, first sector and sectors of each issue as CSV";
const WINDOWS_EVENTS: &str = "events of Windows, as xperf prints them, which are not read; write TimeStamp, DiskRead or DiskWrite, \
                              ByteOffset and IOSize as CSV in decimal";
const FILE_CALLS: &str = "RocksDB's trace of calls to files, not of requests to a disk; record these with blktrace or biosnoop while it runs";
const SYSTEM_CALLS: &str =
    "a log of system calls, not of requests to a disk; record with blktrace or biosnoop";
const IOSTAT: &str =
    "the output of iostat, which has rates and no requests; record with blktrace or biosnoop";
const FIO_LOG: &str = "one of fio's logs of latencies, IOPS or bandwidth, not of requests; give the log that write_iolog writes, or, \
                       if log_offset=1 was set, describe it with --csv-columns \
                       time-col=1,op-col=3,size-col=4,offset-col=5,time-unit=ms,read-value=0,write-value=1,trim-value=2";
const FIO_JOB: &str = "a job file of fio; `wordline run SSD JOB.fio` runs it";
const WEB_PAGE: &str = "a web page instead of the trace; download it again";
const HEADER: &str = "a C header, such as the settings of NVMeVirt or another simulator, and no trace";
const JSON: &str = "JSON of no form that is known here, and no trace; write its requests as CSV";

/// What a text of no format is that begins with these bytes; `None` if it is not known.
pub(crate) fn name(head: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(&head[..head.len().min(8192)]);
    let first = text.lines().find(|line| !line.trim().is_empty())?.trim();
    if let Some((_, what)) = KNOWN.iter().find(|(words, _)| words.iter().all(|word| text.contains(word))) {
        return Some(what);
    }
    if is_log_of_fio(first) {
        return Some(FIO_LOG);
    }
    let lower = first.to_ascii_lowercase();
    if lower.starts_with("<!doctype html") || lower.starts_with("<html") {
        return Some(WEB_PAGE);
    }
    if first.starts_with('[')
        && text.lines().any(|line| ["rw=", "readwrite=", "ioengine="].iter().any(|key| line.starts_with(key)))
    {
        return Some(FIO_JOB);
    }
    if text.lines().any(|line| line.starts_with("#define ") || line.starts_with("#ifndef ")) {
        return Some(HEADER);
    }
    (first.starts_with('{') || first.starts_with("[{") || first == "[").then_some(JSON)
}

/// `time, value, direction, bytes`, and perhaps an offset and a priority.
fn is_log_of_fio(line: &str) -> bool {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let is_number = |field: &&str| {
        let digits = field.strip_prefix("0x").unwrap_or(field);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    (4..=7).contains(&fields.len())
        && line.contains(", ")
        && fields.iter().all(is_number)
        && ["0", "1", "2"].contains(&fields[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_named() {
        for (text, said) in [
            ("{\n  \"fio version\" : \"fio-3.33\",\n", "fio's JSON"),
            ("0, 5423, 0, 4096, 0\n1, 5000, 1, 4096, 0\n", "write_iolog"),
            ("12, 5423, 0, 4096, 8192, 0x0004\n", "log_offset"),
            (
                "[\n{\"id\":0,\"name\":\"read\",\"cat\":\"POSIX\",\"pid\":1,\"ts\":5,\"dur\":2,\"ph\":\"X\"}\n",
                "DLIO",
            ),
            ("{\"num_accelerators\": 8, \"metric\": {}}", "DLIO"),
            ("#ifndef _SSD_CONFIG_H\n#define _SSD_CONFIG_H\n", "C header"),
            ("[job]\nrw=randread\n", "wordline run"),
            ("<!DOCTYPE html>\n<html>", "web page"),
            ("{\"timestamp\": 27482, \"input_length\": 6955, \"hash_ids\": [1]}\n", "language model"),
            (
                "  fio-12 [002] d..1. 100.0001: block_rq_issue: 259,0 W 4096 () 2048 + 8 [fio]\n",
                "Linux kernel",
            ),
            ("# tracer: nop\n#\n", "Linux kernel"),
            ("  DiskRead,  TimeStamp, Process Name ( PID), ByteOffset,     IOSize\n", "Windows"),
            ("Access Time : 15, File Operation: Read, IO Status: OK, Length: 4096\n", "RocksDB"),
            ("12:00:01.000001 pread64(3, \"...\", 4096, 8192) = 4096\n", "system calls"),
            ("Device            r/s     rkB/s     w/s\n", "iostat"),
            ("{\"a\": 1}", "JSON"),
        ] {
            let what = name(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            assert!(what.contains(said), "{text}: {what}");
        }
    }

    #[test]
    fn what_may_be_a_table_is_not() {
        for text in ["time,op,offset,size\n", "1,2,3,4\n", "5, 6, 7, 8\n", "", "\n\n"] {
            assert_eq!(name(text.as_bytes()), None, "{text}");
        }
    }
}
