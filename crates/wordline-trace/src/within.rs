//! Handles addresses that the simulated device does not have.

use std::str::FromStr;

use wordline_core::host::HostRequest;

use crate::error::TraceError;
use crate::reader::TraceReader;

/// What to do with a request that is not within the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressPolicy {
    /// [`TraceError::OutOfRange`]. On the command line `error`.
    #[default]
    Error,
    /// It starts at its first sector modulo the capacity; if it then crosses the end, it starts at sector 0. A request
    /// is never split or shortened, so one longer than the device stays an error. On the command line `wrap`.
    Wrap,
}

impl FromStr for AddressPolicy {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        match text {
            "error" => Ok(Self::Error),
            "wrap" => Ok(Self::Wrap),
            _ => {
                Err(TraceError::Option { option: format!("address={text}"), why: "error or wrap".to_owned() })
            }
        }
    }
}

impl AddressPolicy {
    /// Returns `request` as a device of `capacity_sectors` gets it, or what is wrong with it.
    ///
    /// # Errors
    /// A sentence with the address, the capacity and the fix.
    #[inline]
    pub fn apply(self, mut request: HostRequest, capacity_sectors: u64) -> Result<HostRequest, String> {
        let length = u64::from(request.sectors);
        let fits = |sector: u64| sector.checked_add(length).is_some_and(|end| end <= capacity_sectors);
        if !request.op.has_address() || fits(request.sector) {
            return Ok(request);
        }
        if self == Self::Wrap && length <= capacity_sectors {
            let sector = request.sector % capacity_sectors;
            request.sector = if fits(sector) { sector } else { 0 };
            return Ok(request);
        }
        let fix = match self {
            Self::Error => "use --wrap (in Python wrap=True), or a larger device",
            Self::Wrap => "it is longer than the device: use a larger one",
        };
        let HostRequest { sector, sectors, .. } = request;
        Err(format!(
            "sectors {sector} to {sector} + {sectors} lie beyond the device's {capacity_sectors} sectors; {fix}"
        ))
    }
}

/// Gives the location of the last returned item.
pub trait Located {
    /// File and line for an error message.
    fn location(&self) -> (String, u64);
}

impl Located for TraceReader {
    fn location(&self) -> (String, u64) {
        (self.file().to_owned(), self.line())
    }
}

/// A trace whose addresses all lie within a device. See [`AddressPolicy`].
#[derive(Debug)]
pub struct WithinDevice<I> {
    inner: I,
    capacity_sectors: u64,
    policy: AddressPolicy,
    wrapped: u64,
    ended: bool,
}

impl<I> WithinDevice<I> {
    /// Keeps `inner` within `capacity_sectors`.
    pub fn new(inner: I, capacity_sectors: u64, policy: AddressPolicy) -> Self {
        Self { inner, capacity_sectors, policy, wrapped: 0, ended: false }
    }

    /// The number of requests that were moved so far.
    pub fn wrapped(&self) -> u64 {
        self.wrapped
    }

    /// The trace inside.
    pub fn inner(&self) -> &I {
        &self.inner
    }
}

impl<I: Iterator<Item = Result<HostRequest, TraceError>> + Located> Iterator for WithinDevice<I> {
    type Item = Result<HostRequest, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let request = match self.inner.next()? {
            Ok(request) => request,
            error => return Some(error),
        };
        match self.policy.apply(request, self.capacity_sectors) {
            Ok(placed) => {
                self.wrapped += u64::from(placed.sector != request.sector);
                Some(Ok(placed))
            }
            Err(what) => {
                self.ended = true;
                let (file, line) = self.inner.location();
                Some(Err(TraceError::OutOfRange { file, line, what }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::host::Op;

    fn request(sector: u64, sectors: u32) -> HostRequest {
        HostRequest::new(0, Op::Write, sector, sectors)
    }

    #[test]
    fn a_request_wraps_whole() {
        let place =
            |sector, sectors| AddressPolicy::Wrap.apply(request(sector, sectors), 100).map(|r| r.sector);
        assert_eq!(place(92, 8), Ok(92));
        assert_eq!(place(192, 8), Ok(92));
        assert_eq!(place(193, 8), Ok(0));
        assert_eq!(place(u64::MAX, 8), Ok(u64::MAX % 100));
        assert!(place(0, 101).is_err());
    }

    #[test]
    fn without_wrapping_the_last_sector_is_the_limit() {
        assert!(AddressPolicy::Error.apply(request(92, 8), 100).is_ok());
        let error = AddressPolicy::Error.apply(request(93, 8), 100).unwrap_err();
        assert!(error.contains("100 sectors") && error.contains("--wrap"), "{error}");
    }
}
