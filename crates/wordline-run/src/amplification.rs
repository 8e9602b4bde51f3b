//! Write amplification.

use wordline_core::metrics::FtlCounters;

/// Programmed pages per page that the user wrote; `None` before the first one.
#[must_use]
pub fn write_amplification(counters: &FtlCounters) -> Option<f64> {
    let user = counters.user_programs();
    (user > 0).then(|| counters.programs() as f64 / user as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_that_the_user_did_not_write_amplifies() {
        let user = FtlCounters { user_writes: 100, ..FtlCounters::default() };
        assert_eq!(write_amplification(&user), Some(1.0));
        assert_eq!(write_amplification(&FtlCounters { moved: 50, ..user }), Some(1.5));
        assert_eq!(write_amplification(&FtlCounters { rewrites: 25, ..user }), Some(1.25));
        // 20 of the 100 are pages of the mapping table.
        assert_eq!(write_amplification(&FtlCounters { map_writes: 20, ..user }), Some(1.25));
        assert_eq!(write_amplification(&FtlCounters { user_writes: 0, ..user }), None);
    }
}
