//! Slot `placement`. Python counts the streams of the host from 0.

use pyo3::prelude::*;
use wordline_core::flash::{StreamId, StreamTable};
use wordline_core::policy::placement::{self, ExternalPlacement, HostPage, MovedPage};

use super::asked::Asked;

/// What a placement policy sees of a page that the host writes.
#[pyclass(frozen, get_all, module = "wordline._core")]
pub struct HostPageView {
    /// Number of streams of the host: `host` returns a number below it.
    streams: usize,
    /// The logical page (mapping unit).
    lpn: u64,
    /// Number of the request's flow, from 0.
    flow: u16,
    /// Its placement handle or write hint; 0: none.
    handle: u16,
    /// Its sectors of 512 bytes, up to 65,535.
    sectors: u16,
    /// The stream of the block that holds the page now; None: no block does, or one that does not hold data of one stream.
    present: Option<usize>,
}

/// What a placement policy sees of a page that moves.
#[pyclass(frozen, get_all, module = "wordline._core")]
pub struct MovedPageView {
    /// Number of streams of the host: `moved` returns a number below it, or None for where the page goes by default.
    streams: usize,
    /// The logical page (mapping unit).
    lpn: u64,
    /// The stream of the host that it leaves; None: blocks of moved data.
    present: Option<usize>,
    /// Why it moves: gc, wear, refresh, rewrite, fold or reset.
    reason: &'static str,
}

fn host_of(streams: &StreamTable, id: StreamId) -> Option<usize> {
    streams.host_of(id).map(usize::from)
}

fn name_of(reason: placement::Reason) -> &'static str {
    match reason {
        placement::Reason::Gc => "gc",
        placement::Reason::Wear => "wear",
        placement::Reason::Refresh => "refresh",
        placement::Reason::Rewrite => "rewrite",
        placement::Reason::Fold => "fold",
        placement::Reason::Reset => "reset",
    }
}

/// A stream of the host, by its number.
fn stream(answer: &Bound<'_, PyAny>, streams: &StreamTable) -> Result<StreamId, String> {
    let number = answer.call_method0("__index__").and_then(|number| number.extract::<usize>()).ok();
    number
        .and_then(|number| streams.hosts().get(number).copied())
        .ok_or_else(|| format!("a stream from 0 to {}", streams.hosts().len() - 1))
}

impl ExternalPlacement for Asked {
    fn host(&mut self, page: &HostPage<'_>, present: &dyn Fn() -> Option<StreamId>) -> StreamId {
        let streams = page.streams;
        let shown = HostPageView {
            streams: streams.hosts().len(),
            lpn: page.lpn.into(),
            flow: page.writer.flow,
            handle: page.writer.hint,
            sectors: page.writer.sectors,
            present: present().and_then(|id| host_of(streams, id)),
        };
        let named =
            self.ask("host", |py| Ok(Py::new(py, shown)?.into_any()), |answer| stream(answer, streams));
        named.unwrap_or(streams.hosts()[0])
    }

    fn moved(&mut self, page: &MovedPage<'_>) -> StreamId {
        let streams = page.streams;
        let shown = MovedPageView {
            streams: streams.hosts().len(),
            lpn: page.lpn.into(),
            present: host_of(streams, page.from),
            reason: name_of(page.reason),
        };
        let read = |answer: &Bound<'_, PyAny>| {
            if answer.is_none() {
                Ok(page.usual)
            } else {
                stream(answer, streams).map_err(|said| said + ", or None")
            }
        };
        self.ask("moved", |py| Ok(Py::new(py, shown)?.into_any()), read).unwrap_or(page.usual)
    }
}
