//! A configuration's coding before and after pages of a wordline become invalid, as JSON.

use serde_json::{Value, json};
use wordline_cells::coding::{GrayCoding, Merge};
use wordline_core::config::Config;

use crate::WrongValue;

/// The set of pages with these names (or numbers from 1), one bit each.
fn pages(coding: &GrayCoding, names: &[String]) -> Result<u8, WrongValue> {
    let known = coding.page_names();
    names.iter().try_fold(0, |set, name| {
        let lower = name.trim().to_ascii_lowercase();
        // The lowest and the highest page have these names in every coding.
        let end = match lower.as_str() {
            "lsb" => Some(0),
            "msb" => Some(coding.bits() - 1),
            _ => None,
        };
        let number = lower.parse().ok().filter(|n| (1..=coding.bits()).contains(n)).map(|n: usize| n - 1);
        let page = known.iter().position(|k| *k == lower).or(end).or(number);
        page.map(|page| set | 1 << page)
            .ok_or_else(|| WrongValue(format!("unknown page `{name}`: this coding has {}", known.join(", "))))
    })
}

/// The states, pages and voltage adjustment of a configuration's coding with some pages of a wordline invalid (by name
/// or number from 1). States and read voltages are numbered from 1, as in IDA.
///
/// # Errors
/// If the coding does not have a page; the message lists its pages.
pub fn document(config: &Config, invalid: &[String]) -> Result<Value, WrongValue> {
    let scheme = config.coding.scheme.resolve(config.coding.cell);
    let coding = scheme.gray();
    let invalid = pages(&coding, invalid)?;
    let merge = Merge::new(&coding, invalid);
    let read_us = |senses: usize| senses.checked_sub(1).and_then(|i| config.nand.read_us.get(i));
    let side = |voltages: Vec<usize>| json!({ "senses": voltages.len(), "read_us": read_us(voltages.len()), "read_voltages": voltages });
    let states: Vec<Value> = (0..coding.words().len())
        .map(|state| {
            let target = merge.target(state);
            json!({ "state": state + 1, "word": coding.word(state), "target": target + 1, "kept": target == state })
        })
        .collect();
    let pages: Vec<Value> = coding
        .page_names()
        .iter()
        .enumerate()
        .map(|(page, name)| {
            json!({
                "page": name,
                "valid": merge.survives(page),
                "before": side(coding.read_voltages(page).collect()),
                "after": side(merge.read_voltages(page)),
            })
        })
        .collect();
    let adjustment = merge.ispp_range().map(|(low, high)| {
        let program_us = config.nand.program_us.last().copied().unwrap_or_default();
        json!({
            "from": low + 1,
            "to": high + 1,
            "share_of_msb_program": merge.ispp_share(),
            "adjust_us": merge.ispp_share() * program_us,
        })
    });
    Ok(json!({
        "scheme": scheme.name(), "states": states, "pages": pages, "saves": merge.saves(), "adjustment": adjustment,
    }))
}
