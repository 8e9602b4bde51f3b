//! Namespaces (NVM Express Base Specification 2.1, section 3.2.1): parts of the device with sectors and placement handles of their own. A flow
//! counts both within its namespace; from here on a request has those of the device.

use super::HostRequest;

/// A namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Namespace {
    /// Its name in results.
    pub name: String,
    /// Where its sector 0 lies on the device.
    pub first_sector: u64,
    /// Its sectors.
    pub sectors: u64,
    /// The device's placement identifiers, counted from 1, that its handles stand for, in their order; where there are none, its handles
    /// are those of the device.
    pub identifiers: Vec<u16>,
}

impl Namespace {
    /// The device's identifier for a handle of the namespace. A request without a handle goes to the first, and so does one whose handle
    /// the namespace does not have.
    #[must_use]
    pub fn identifier(&self, handle: u16) -> u16 {
        let Some(&first) = self.identifiers.first() else { return handle };
        let place = usize::from(handle).saturating_sub(1);
        self.identifiers.get(place).copied().unwrap_or(first)
    }

    /// True if the namespace has handles, and not this one.
    fn lacks(&self, handle: u16) -> bool {
        !self.identifiers.is_empty() && usize::from(handle) > self.identifiers.len()
    }

    /// The request as the device gets it.
    pub(super) fn translate(&self, request: &mut HostRequest) {
        if request.op.has_address() {
            request.sector += self.first_sector;
        }
        if request.op.writes() && self.lacks(request.hint) {
            request.lacks_handle();
        } else if request.op.writes() || !request.op.has_address() && request.hint != 0 {
            request.hint = self.identifier(request.hint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{LACKING, Op};

    #[test]
    fn sectors_and_handles_are_those_of_the_device_behind_it() {
        let namespace = Namespace { first_sector: 100, identifiers: vec![5, 3], ..Namespace::default() };
        let of = |op, hint| {
            let mut request = HostRequest { hint, ..HostRequest::new(0, op, 7, 1) };
            namespace.translate(&mut request);
            (request.sector, request.hint)
        };
        assert_eq!(
            [0, 1, 2, 9].map(|hint| of(Op::Write, hint)),
            [(107, 5), (107, 5), (107, 3), (107, LACKING | 9)]
        );
        assert_eq!((of(Op::Read, 0), of(Op::Close, 0), of(Op::Close, 2)), ((107, 0), (7, 0), (7, 3)));
        assert_eq!(Namespace::default().identifier(4), 4);
    }
}
