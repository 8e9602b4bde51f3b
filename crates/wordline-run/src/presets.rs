//! The presets of the source tree, embedded.

use wordline_core::config::Layer;

include!(concat!(env!("OUT_DIR"), "/presets.rs"));

/// The layer of an SSD preset, such as `pnar2`.
#[must_use]
pub fn ssd(name: &str) -> Option<Layer> {
    layer("ssd", SSD, name)
}

/// The layer of a workload preset, such as `ycsb/c`: its `[workload]`, every line where it is in the file.
#[must_use]
pub fn workload(name: &str) -> Option<Layer> {
    let Layer { name, text, has_lines, warns } = layer("workloads", WORKLOADS, name)?;
    // What stands above is what is published of the workload: no keys of a configuration.
    let start = text.find("\n[workload]").map_or(0, |at| at + 1);
    let above = "\n".repeat(text[..start].matches('\n').count());
    Some(Layer { name, text: format!("{above}{}", &text[start..]), has_lines, warns })
}

fn layer(folder: &str, presets: &[(&str, &str)], name: &str) -> Option<Layer> {
    let (name, text) = presets.iter().find(|(known, _)| *known == name)?;
    Some(Layer::preset(&format!("presets/{folder}/{name}.toml"), text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::config::resolve;

    #[test]
    fn every_preset_is_a_layer() {
        for (name, _) in SSD {
            let found = ssd(name).expect("listed");
            resolve(&[found]).unwrap_or_else(|error| panic!("{error}"));
        }
        for (name, _) in WORKLOADS {
            let found = workload(name).expect("listed");
            resolve(&[found]).unwrap_or_else(|error| panic!("{error}"));
        }
        assert!(ssd("no-such").is_none() && workload("no-such").is_none());
    }
}
