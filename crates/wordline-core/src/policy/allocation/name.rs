//! Names of policies: `dynamic`, or the letters of an order, as in `CWDP`.

use serde::{Deserialize, Serialize};

use super::{AllocationKeys, AllocationName, Allocator, DeviceView, Order};

/// A policy of the slot, with the order that a configuration spells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Allocation {
    /// Which policy.
    pub policy: AllocationName,
    /// The order of [`AllocationName::InOrder`]; the default one with other policies.
    order: Order,
}

impl Allocation {
    /// The default: `CWDP`.
    pub const CWDP: Allocation = Allocation { policy: AllocationName::InOrder, order: Order::CWDP };

    /// The policy at the beginning of a run.
    #[must_use]
    pub fn begin(self, keys: &AllocationKeys, device: &DeviceView<'_>) -> Allocator {
        Allocator::new(self.policy, keys, device, self.order)
    }
}

impl TryFrom<String> for Allocation {
    type Error = String;

    fn try_from(name: String) -> Result<Allocation, String> {
        if let Some(order) = Order::parse(&name) {
            return Ok(Allocation { policy: AllocationName::InOrder, order });
        }
        if let Some(policy) = AllocationName::named(&name) {
            return Ok(Allocation { policy, order: Order::CWDP });
        }
        let others = AllocationName::ALL.iter().filter(|&&policy| policy != AllocationName::InOrder);
        let others: Vec<_> = others.map(|policy| format!("\"{}\"", policy.name())).collect();
        Err(format!(
            "\"{name}\" is no allocation order; write the letters C, W, D, P in the order in which consecutive pages \
             spread, or {}",
            others.join(", ")
        ))
    }
}

impl From<Allocation> for String {
    fn from(Allocation { policy, order }: Allocation) -> String {
        match policy {
            AllocationName::InOrder => order.letters(),
            other => other.name().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_orders_come_back_as_they_went_in() {
        for name in ["CWDP", "PDWC", "WCPD", "dynamic"] {
            assert_eq!(String::from(Allocation::try_from(name.to_owned()).unwrap()), name);
        }
        assert_eq!(Allocation::try_from("CWDP".to_owned()), Ok(Allocation::CWDP));
    }

    #[test]
    fn nonsense_is_no_order() {
        for text in ["CWD", "CCWD", "CWDX", "cwdp", "CWDPC", ""] {
            let why = Allocation::try_from(text.to_owned()).unwrap_err();
            assert!(why.contains("C, W, D, P") && why.contains("\"dynamic\""), "{why}");
        }
    }
}
