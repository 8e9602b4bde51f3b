//! The logs of what jobs of fio submitted (`write_iolog`).

use std::collections::BTreeMap;

use wordline_core::host::HostRequest;
use wordline_trace::TraceError;
use wordline_trace::convert::{Existing, OutputFormat, convert};

use crate::Run;

impl Run {
    /// Writes what was submitted as fio's logs, one for each file that jobs name; returns the files. Clones share the log of
    /// their job. A log without a request is not written. `existing` says what becomes of a file that is there.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_iologs(&self, existing: Existing) -> Result<Vec<String>, TraceError> {
        let began_at = self.ssd.began_at();
        let mut logs: BTreeMap<&str, Vec<HostRequest>> = BTreeMap::new();
        for (flow, request) in self.ssd.host().submissions() {
            if let Some(file) = self.flows[usize::from(*flow)].iolog() {
                let arrival_ns = request.arrival_ns.saturating_sub(began_at);
                // As fio, which writes no placement into its log.
                logs.entry(file).or_default().push(HostRequest { arrival_ns, hint: 0, ..*request });
            }
        }
        let mut written = Vec::with_capacity(logs.len());
        for (file, requests) in logs {
            convert(requests.into_iter().map(Ok), file, OutputFormat::FioIolog, existing)?;
            written.push(file.to_owned());
        }
        Ok(written)
    }
}
