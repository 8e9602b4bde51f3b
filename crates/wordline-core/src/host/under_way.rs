//! A request between its submission and its completion.

use serde::{Deserialize, Serialize};

use super::request::HostRequest;
use crate::engine::Ns;
use crate::flash::{Priority, Writer};

/// A request between submission and completion.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Request {
    /// What was asked.
    pub request: HostRequest,
    /// Its flow.
    pub flow: u16,
    /// How urgent it is.
    pub priority: Priority,
    /// How far it has come.
    pub way: OnItsWay,
    /// Page operations that are not done, once the device has begun it.
    pub pages_left: u32,
    /// When the device took it.
    pub submitted: Ns,
}

impl Request {
    /// What goes with its data, which come behind so many requests to close.
    #[inline]
    #[must_use]
    pub fn writer(&self, closes: u8) -> Writer {
        let HostRequest { hint, fua, sectors, .. } = self.request;
        Writer { hint, fua, closes, ..Writer::new(self.flow, sectors) }
    }
}

/// How far a request has come on its way to the device, what it waits for there, and how far on its way back. Where neither the host's nor
/// the controller's processor takes time, it only has to cross the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnItsWay {
    /// Its job has submitted it.
    Submitted,
    /// It has come to the link.
    Sent,
    /// It has crossed the link.
    Arrived,
    /// The controller's processor is done with it: the device begins it.
    Processed,
    /// The write cache brings to flash what it waits for before its own part begins: a flush before the journal, a request to
    /// close before the groups.
    Emptying,
    /// The host has the answer, which waits for its job.
    Answered,
    /// Its job has seen it complete.
    Seen,
}
