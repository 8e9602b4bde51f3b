//! Traces of several devices, replayed on one device.

use std::str::FromStr;

use crate::devices::Packed;
use crate::error::TraceError;

/// The handling of a trace's device column. Devices have the numbers of the trace; if the trace has names (`blkparse`,
/// `fio-iolog`, a CSV with names), they count from 0 in the order of their first appearance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceMode {
    /// All requests go to the same addresses, as if there were one device. On the command line `merge`.
    #[default]
    Merge,
    /// Only the requests of this device. On the command line `only=N`.
    Only(u32),
    /// Devices are placed side by side: device `n` starts at sector `n * stride_sectors`. A request that does not end
    /// within its stride is [`TraceError::OutOfRange`]. On the command line `stride=SECTORS`.
    Stride {
        /// Distance between the devices' first sectors, at least 1.
        stride_sectors: u64,
    },
    /// Devices are placed one behind the other, in the order of their numbers, each as large as the trace uses it. The files
    /// are read once more before, to find that out. On the command line `pack`.
    Pack,
}

impl FromStr for DeviceMode {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        let parsed = match text.split_once('=') {
            None if text == "merge" => Some(Self::Merge),
            None if text == "pack" => Some(Self::Pack),
            Some(("only", n)) => n.parse().ok().map(Self::Only),
            Some(("stride", n)) => {
                n.parse().ok().filter(|&n| n > 0).map(|stride_sectors| Self::Stride { stride_sectors })
            }
            _ => None,
        };
        parsed.ok_or_else(|| TraceError::Option {
            option: format!("device={text}"),
            why: "merge, pack, only=N or stride=SECTORS (at least 1)".to_owned(),
        })
    }
}

impl DeviceMode {
    /// The sector on the one device; `Ok(None)` for an unwanted request, `Err` with what is wrong.
    #[inline]
    pub(crate) fn place(
        self,
        packed: &Packed,
        device: u32,
        sector: u64,
        sectors: u32,
    ) -> Result<Option<u64>, String> {
        let end = sector.checked_add(u64::from(sectors));
        match self {
            Self::Only(n) if n != device => Ok(None),
            Self::Merge | Self::Only(_) => match end {
                Some(_) => Ok(Some(sector)),
                None => Err(format!("sector {sector} and {sectors} more do not fit 64 bits")),
            },
            Self::Pack => match packed.first(device).and_then(|first| first.checked_add(sector)) {
                Some(placed) => Ok(Some(placed)),
                None => Err(format!("device {device} was not there before; the file has changed")),
            },
            Self::Stride { stride_sectors } => {
                if end.is_none_or(|end| end > stride_sectors) {
                    return Err(format!(
                        "sectors {sector} to {sector} + {sectors} of device {device} do not fit a stride of \
                         {stride_sectors} sectors; use a larger stride"
                    ));
                }
                let base = u64::from(device).checked_mul(stride_sectors);
                let placed = base.and_then(|base| base.checked_add(sector));
                match placed.filter(|placed| placed.checked_add(u64::from(sectors)).is_some()) {
                    Some(placed) => Ok(Some(placed)),
                    None => Err(format!(
                        "device {device} at a stride of {stride_sectors} sectors lies beyond 64 bits; use a smaller stride"
                    )),
                }
            }
        }
    }
}
