//! Batches of requests on the way from the pipeline to the reader.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::pipeline::{Pipeline, Placed, ReadNotes};
use crate::error::TraceError;

/// Requests per batch: enough that passing it on costs nothing, few enough to stay in L2.
const BATCH_REQUESTS: usize = 2048;

/// Batches that wait between the threads.
const BATCHES_AHEAD: usize = 4;

/// One batch of the pipeline.
#[derive(Default)]
pub(super) struct Batch {
    pub placed: Vec<Placed>,
    /// Names of the files that were opened for it.
    pub opened: Vec<String>,
    /// What was left out or changed up to the end of the batch.
    pub notes: ReadNotes,
    /// True for the last batch.
    pub is_last: bool,
    /// The error that ends the trace, in the last batch.
    pub error: Option<TraceError>,
}

impl Batch {
    /// Fills the batch with the next requests of `pipeline`.
    fn refill(&mut self, pipeline: &mut Pipeline) {
        self.placed.clear();
        while self.placed.len() < BATCH_REQUESTS {
            match pipeline.next() {
                Ok(Some(placed)) => self.placed.push(placed),
                Ok(None) => {
                    self.is_last = true;
                    break;
                }
                Err(error) => {
                    self.is_last = true;
                    self.error = Some(error);
                    break;
                }
            }
        }
        self.opened = pipeline.take_opened();
        self.notes = pipeline.notes();
    }
}

/// The source of batches.
pub(super) enum Batches {
    Here(Box<Pipeline>),
    Thread(Receiver<Batch>),
}

impl Batches {
    pub fn new(mut pipeline: Pipeline, own_thread: bool) -> Result<Self, TraceError> {
        if !own_thread {
            return Ok(Self::Here(Box::new(pipeline)));
        }
        let file = pipeline.current_file().to_owned();
        let (sender, receiver) = sync_channel(BATCHES_AHEAD);
        let work = move || {
            loop {
                let mut batch = Batch::default();
                batch.refill(&mut pipeline);
                let is_last = batch.is_last;
                // A closed channel means that the reader is gone.
                if sender.send(batch).is_err() || is_last {
                    return;
                }
            }
        };
        match thread::Builder::new().name("trace reader".to_owned()).spawn(work) {
            Ok(_) => Ok(Self::Thread(receiver)),
            Err(source) => Err(TraceError::Io { file, source }),
        }
    }

    /// Replaces `batch` with the next one.
    pub fn next(&mut self, batch: &mut Batch) {
        match self {
            Self::Here(pipeline) => batch.refill(pipeline),
            // The thread ends without a last batch only if it panics; the panic was reported on stderr.
            Self::Thread(receiver) => {
                *batch = receiver.recv().expect("the trace reader's thread goes on to the last batch")
            }
        }
    }
}
