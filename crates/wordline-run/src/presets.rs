//! The presets of the source tree, embedded.

use wordline_core::config::Layer;

include!(concat!(env!("OUT_DIR"), "/presets.rs"));

/// The layer of an SSD preset, such as `pnar2`.
#[must_use]
pub fn ssd(name: &str) -> Option<Layer> {
    layer("ssd", SSD, name)
}

/// The layer of a workload preset, such as `ycsb/c`: its `[workload]`, with the line numbers of the file.
#[must_use]
pub fn workload(name: &str) -> Option<Layer> {
    let Layer { name, text, has_lines, warns } = layer("workloads", WORKLOADS, name)?;
    // The part above holds published values of the workload, not configuration keys.
    let start = text.find("\n[workload]").map_or(0, |at| at + 1);
    let above = "\n".repeat(text[..start].matches('\n').count());
    Some(Layer { name, text: format!("{above}{}", &text[start..]), has_lines, warns })
}

/// A file that names the preset it is based on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The preset's name.
    pub name: String,
    /// The line with the name, from 1.
    pub line: usize,
    /// The file without that line; all other lines keep their numbers.
    pub rest: String,
}

/// Removes `preset = "name"` from the top of a file, if it is there. The resolver reports TOML that does not parse.
#[must_use]
pub fn split(text: &str) -> Option<Split> {
    let document = text.parse::<toml_edit::Document<String>>().ok()?;
    let (key, item) = document.as_table().get_key_value("preset")?;
    let (name, from, to) = (item.as_str()?, key.span()?, item.span()?);
    let blank: String = text[from.start..to.end].chars().filter(|&c| c == '\n').collect();
    let rest = format!("{}{blank}{}", &text[..from.start], &text[to.end..]);
    Some(Split { name: name.to_owned(), line: text[..from.start].matches('\n').count() + 1, rest })
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

    #[test]
    fn a_file_is_split_from_its_preset_line_by_line() {
        let found = split("# mine\npreset = \"pnar2\" # base\n[ssd]\n").expect("it names one");
        assert_eq!((found.name.as_str(), found.line), ("pnar2", 2));
        assert_eq!(found.rest, "# mine\n # base\n[ssd]\n");
        for text in ["", "[ssd]\npreset = \"x\"\n", "preset = 3\n", "preset = \n"] {
            assert_eq!(split(text), None, "{text:?}");
        }
    }
}
