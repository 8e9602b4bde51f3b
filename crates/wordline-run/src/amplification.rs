//! Write amplification.

use wordline_core::metrics::FtlCounters;

/// Programs of user data, of GC, of rewrites and of the mapping table, over those of user data; `None` without any.
#[must_use]
pub fn write_amplification(counters: &FtlCounters) -> Option<f64> {
    // Pages of the mapping table take the path of user data, and are counted with it.
    let user = counters.user_writes - counters.map_writes.min(counters.user_writes);
    (user > 0).then(|| (counters.user_writes + counters.moved + counters.rewrites) as f64 / user as f64)
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
