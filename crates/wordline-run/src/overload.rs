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

/// A time in the unit that suits it.
fn time_text(seconds: f64) -> String {
    match seconds {
        0.1.. => format!("{seconds:.2} s"),
        1e-4.. => format!("{:.2} ms", seconds * 1e3),
        _ => format!("{:.2} us", seconds * 1e6),
    }
}

fn said(name: &str, arriving: Ns, behind: Ns) -> String {
    let s = |ns: Ns| ns as f64 / 1e9;
    let percent = behind as f64 / arriving as f64 * 100.0;
    format!(
        "flow `{name}`: the load is {percent:.0} % more than the SSD serves: what arrived in {} took {}, and response times grow \
         with the length of the run; slow it down with a time scale above 1 (host.time_scale), or replay it with \
         host.mode = \"closed\"",
        time_text(s(arriving)),
        time_text(s(arriving) + s(behind))
    )
}
