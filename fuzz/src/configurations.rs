//! Whatever the bytes, the reader of configurations gives a configuration or an error: it does not panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wordline_core::config::{Layer, resolve};

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = resolve(&[Layer::file("fuzz", text)]);
    }
});
