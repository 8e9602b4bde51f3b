//! What a check of a configuration says.

/// What is wrong with a value, and how to mend it.
pub(super) struct Problem {
    pub key: &'static str,
    pub message: String,
    pub fix: String,
}

pub(super) fn problem(key: &'static str, message: String, fix: &str) -> Result<(), Problem> {
    Err(Problem { key, message, fix: fix.to_owned() })
}
