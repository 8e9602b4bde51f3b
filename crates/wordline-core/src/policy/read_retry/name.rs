//! Names of policies: parts joined by `+`, as in `pso+pnar2`.

use super::{ReadRetry, Voltages};

/// The words for where the voltages go. Words may be written with `-` or `_`.
const VOLTAGES: [(&str, Voltages); 8] = [
    ("ideal", Voltages::Ideal),
    ("one_step", Voltages::OneStep),
    ("baseline", Voltages::Regular),
    ("predictive", Voltages::Predictive),
    ("pso", Voltages::Pso),
    ("sentinel", Voltages::Sentinel),
    ("swift_read", Voltages::SwiftRead),
    ("rif", Voltages::Rif),
];

/// What a name may be made of, for messages.
const HELP: &str = "a policy is one of ideal, one_step, baseline, predictive, pso, sentinel, swift_read, rif, \
                    or a way to retry, pr2, ar2 or pnar2 (both); `+` joins a way to any of baseline, predictive, \
                    pso, sentinel, swift_read and rif, as in pso+pnar2";

impl TryFrom<String> for ReadRetry {
    type Error = String;

    fn try_from(name: String) -> Result<ReadRetry, String> {
        let fail = |why: String| Err(format!("{why}; {HELP}"));
        let mut voltages = None;
        let (mut pipelined, mut shortened) = (false, false);
        for part in name.split('+') {
            let word = part.trim().replace('-', "_");
            let way = match word.as_str() {
                "pr2" => (true, false),
                "ar2" => (false, true),
                "pnar2" => (true, true),
                _ => {
                    let Some(&(_, found)) = VOLTAGES.iter().find(|(known, _)| *known == word) else {
                        return fail(format!("there is no read-retry policy \"{part}\""));
                    };
                    if voltages.is_some() {
                        return fail(format!("\"{name}\" says twice where the read voltages go"));
                    }
                    voltages = Some(found);
                    continue;
                }
            };
            if way.0 && pipelined || way.1 && shortened {
                return fail(format!("\"{name}\" names a way to retry twice"));
            }
            pipelined |= way.0;
            shortened |= way.1;
        }
        let voltages = voltages.unwrap_or(Voltages::Regular);
        if matches!(voltages, Voltages::Ideal | Voltages::OneStep) && (pipelined || shortened) {
            return fail(format!("\"{name}\" joins a bound, ideal or one_step, with a way to retry"));
        }
        Ok(ReadRetry { voltages, pipelined, shortened })
    }
}

impl From<ReadRetry> for String {
    /// The shortest name.
    fn from(retry: ReadRetry) -> String {
        let way = match (retry.pipelined, retry.shortened) {
            (false, false) => "",
            (true, false) => "pr2",
            (false, true) => "ar2",
            (true, true) => "pnar2",
        };
        let word = VOLTAGES.iter().find(|(_, v)| *v == retry.voltages).map_or("", |(word, _)| word);
        match (retry.voltages, way) {
            (_, "") => word.to_owned(),
            (Voltages::Regular, _) => way.to_owned(),
            _ => format!("{word}+{way}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str) -> Result<ReadRetry, String> {
        ReadRetry::try_from(name.to_owned())
    }

    #[test]
    fn names_come_back_as_they_went_in() {
        for name in [
            "ideal",
            "one_step",
            "baseline",
            "pr2",
            "ar2",
            "pnar2",
            "predictive",
            "predictive+pnar2",
            "pso",
            "pso+pr2",
            "pso+ar2",
            "pso+pnar2",
            "sentinel",
            "sentinel+pnar2",
            "swift_read",
            "swift_read+ar2",
            "rif",
            "rif+ar2",
            "rif+pnar2",
        ] {
            assert_eq!(String::from(parse(name).unwrap()), name);
        }
        assert_eq!(parse("swift-read+pr2+ar2"), parse("swift_read + pnar2"));
        assert_eq!(parse("baseline+pr2"), parse("pr2"));
    }

    #[test]
    fn what_cannot_be_joined_says_what_can() {
        for (name, why) in [
            ("pr3", "no read-retry policy \"pr3\""),
            ("", "no read-retry policy \"\""),
            ("pso+rif", "twice where"),
            ("pnar2+ar2", "way to retry twice"),
            ("ideal+pr2", "joins a bound"),
            ("one-step+ar2", "joins a bound"),
        ] {
            let error = parse(name).unwrap_err();
            assert!(error.contains(why) && error.contains("pso+pnar2"), "{name}: {error}");
        }
    }
}
