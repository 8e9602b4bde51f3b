//! `downward` from outside: how long reads take whose number of retry steps is known.

use crate::common::*;

#[test]
fn a_read_starts_where_similar_word_lines_decoded() {
    for steps in 0..=20 {
        let steps_key = format!("reliability.retry_steps={steps}");
        let config =
            one_die(&["precondition.fill=0.5", "read.retry=downward", "ecc.hold_die=true", &steps_key]);
        // 24 pages a block, a layer each: the second block knows what worked in the first.
        let ssd = run(&config, vec![closed(1, reads(0..48))]);
        let read = T_R + T_DMA;
        let expected: Vec<_> =
            (0..48).map(|page| if page < 24 { read * (1 + steps) } else { read }).collect();
        assert_eq!(latencies(&ssd), expected, "{steps} steps");
        assert_eq!(ssd.counted()[0].values, [if steps > 0 { 24 } else { 0 }], "remembered starts");
    }
}

#[test]
fn it_goes_with_every_modifier() {
    for name in ["downward+pr2", "downward+ar2", "downward+pnar2"] {
        let retry = format!("read.retry={name}");
        let settings = [
            "nand.cache_register=true",
            "read.tpre_cut=0.4",
            "reliability.retry_steps=5",
            "ecc.hold_die=true",
            "precondition.fill=0.5",
        ];
        let ssd = run(&one_die(&[&settings[..], &[retry.as_str()]].concat()), vec![closed(1, reads(0..48))]);
        assert_eq!(ssd.controller().counters.uncorrectable_pages, 0, "{name}");
    }
}
