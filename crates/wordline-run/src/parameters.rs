//! The keys of a configuration, as JSON.

use serde_json::Value;
use wordline_core::config;
use wordline_core::parameter::Row;

/// Every key in order: its declaration, its default, its allowed values, and its comment.
#[must_use]
pub fn document() -> Value {
    let row = |row: &Row| {
        // Rows are plain text and numbers, whose serialisation cannot fail.
        let mut document = serde_json::to_value(row).unwrap_or_default();
        document["values"] = row.parameter.values().into();
        document["comment"] = row.parameter.comment().into();
        document
    };
    config::parameters().iter().map(row).collect()
}
