//! What a result says of namespaces: who waits, and who wears the drive.

use schemars::JsonSchema;
use serde::Serialize;
use wordline_core::config::Config;
use wordline_core::host::Namespace as Asked;
use wordline_core::metrics::{FlowMetrics, Latency};
use wordline_core::{Accounts, Ssd};

use super::handles::HandleBytes;
use super::requests::{ByFlow, FlowRequests, FlowTimes};

/// A namespace: all of its flows together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Namespace {
    /// Its flows.
    pub flows: Vec<String>,
    /// Its requests.
    pub requests: FlowRequests,
    /// Response times.
    pub response_us: FlowTimes,
    /// Bytes that its flows wrote.
    #[schemars(extend("x-unit" = "bytes"))]
    pub host_bytes: u64,
    /// Bytes that the drive programmed for its handles; null where it has none of its own: it names none, or shares one.
    pub written_bytes: Option<HandleBytes>,
}

impl Namespace {
    /// Those of all flows, in the order of their first ones.
    pub(super) fn of_all(config: &Config, ssd: &Ssd, accounts: &Accounts) -> ByFlow<Namespace> {
        let asked: Vec<Option<&Asked>> = ssd.host().namespaces().collect();
        let mut all: Vec<&Asked> = Vec::new();
        for namespace in asked.iter().flatten() {
            if !all.iter().any(|known| known.name == namespace.name) {
                all.push(namespace);
            }
        }
        let each = all.iter().map(|namespace| {
            let members = (0..).zip(&asked).filter(|(_, of)| of.is_some_and(|of| of.name == namespace.name));
            let members: Vec<usize> = members.map(|(flow, _)| flow).collect();
            let others = all.iter().filter(|other| other.name != namespace.name);
            let is_alone =
                others.clone().all(|other| !shares(namespace, other)) && asked.iter().all(Option::is_some);
            let own = (is_alone && !namespace.identifiers.is_empty()).then_some(&namespace.identifiers);
            (namespace.name.clone(), Namespace::of(config, ssd, &members, own.map(|own| (own, accounts))))
        });
        ByFlow(each.collect())
    }

    fn of(config: &Config, ssd: &Ssd, members: &[usize], own: Option<(&Vec<u16>, &Accounts)>) -> Namespace {
        let metrics = ssd.metrics();
        let sum = |part: &dyn Fn(&FlowMetrics) -> Latency, alone: &Latency| {
            let mut sum = Latency::new(config.metrics.digits);
            // A single flow is the whole run.
            match metrics.flows.is_empty() {
                true => sum.add(alone),
                false => members.iter().for_each(|&flow| sum.add(&part(&metrics.flows[flow]))),
            }
            sum
        };
        let all = sum(&FlowMetrics::all, &metrics.all);
        let read = sum(&|flow| flow.read().clone(), metrics.read());
        let write = sum(&|flow| flow.write().clone(), metrics.write());
        let [_, written] = match metrics.flows.is_empty() {
            true => metrics.bytes(),
            false => members
                .iter()
                .map(|&flow| metrics.flows[flow].bytes())
                .fold([0, 0], |sum, each| [sum[0] + each[0], sum[1] + each[1]]),
        };
        let names: Vec<_> = ssd.host().flow_names().collect();
        let spread = |latency: &Latency| latency.summary().spread;
        let unit_bytes = u64::from(ssd.ftl().geometry().page_bytes);
        Namespace {
            flows: members.iter().map(|&flow| names[flow].to_owned()).collect(),
            requests: FlowRequests { all: all.count(), read: read.count(), write: write.count() },
            response_us: FlowTimes { all: spread(&all), read: spread(&read), write: spread(&write) },
            host_bytes: written,
            written_bytes: own.and_then(|(own, accounts)| {
                let counters =
                    own.iter().map(|&identifier| accounts.handles.get(usize::from(identifier) - 1));
                let counters = counters.map(|counters| Some(HandleBytes::of(counters?, unit_bytes)));
                counters.collect::<Option<Vec<_>>>()?.into_iter().reduce(HandleBytes::plus)
            }),
        }
    }
}

/// Whether two namespaces have a handle in common, or one of them may write to any.
fn shares(one: &Asked, other: &Asked) -> bool {
    other.identifiers.is_empty() || one.identifiers.iter().any(|handle| other.identifiers.contains(handle))
}
