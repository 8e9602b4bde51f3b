//! Requests that arrive faster than the SSD serves them.

use wordline_core::Ssd;
use wordline_core::engine::Ns;

/// By how much the SSD may end later than the last arrival, as a share of the time of all arrivals.
const BEHIND_MAX: f64 = 0.05;
/// Fewer requests may just be a burst.
const REQUESTS_MIN: u64 = 1_000;

/// A warning for each flow that arrives by itself, and faster than it is served: its response times grow for as long as it
/// goes on.
pub(crate) fn warnings(ssd: &Ssd) -> impl Iterator<Item = String> {
    let metrics = ssd.metrics();
    ssd.host().flow_names().zip(ssd.host().arrivals()).enumerate().filter_map(
        move |(number, (name, arrivals))| {
            let (began_at, last) = arrivals?;
            let (count, ended) = match metrics.flows.get(number) {
                Some(flow) => (flow.all().count(), flow.time().last_completion),
                None => (metrics.completed_count(), metrics.window.1),
            };
            let (arriving, behind) = (last.saturating_sub(began_at), ended.saturating_sub(last));
            let is_behind = arriving > 0 && behind as f64 > BEHIND_MAX * arriving as f64;
            (is_behind && count >= REQUESTS_MIN).then(|| said(name, arriving, behind))
        },
    )
}

fn said(name: &str, arriving: Ns, behind: Ns) -> String {
    let s = |ns: Ns| ns as f64 / 1e9;
    let percent = behind as f64 / arriving as f64 * 100.0;
    format!(
        "flow `{name}`: requests arrive {percent:.0} % faster than the SSD serves them: those of {:.4} s took {:.4} s more, and \
         response times grow with the length of the run; slow it down with a time scale above 1 (host.time_scale), or replay it \
         with host.mode = \"closed\"",
        s(arriving),
        s(behind)
    )
}
