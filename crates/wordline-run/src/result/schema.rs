//! The JSON Schema (2020-12) of a result.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use serde_json::{Map, Value, json};

use super::{Document, Measured, SCHEMA_VERSION};

/// The schema of [`Document`].
#[must_use]
pub fn schema() -> Value {
    let settings = || SchemaSettings::draft2020_12().for_serialize();
    let of_counts = settings().into_generator().into_root_schema_for::<Measured>();
    let mut schema = settings().into_generator().into_root_schema_for::<Document>();
    means(&mut schema, of_counts.as_value());
    plain(&mut schema);
    let mut ordered = Map::from_iter([
        ("$schema".to_owned(), schema.remove("$schema").unwrap_or_default()),
        ("$id".to_owned(), json!(format!("urn:wordline:schema:result:{SCHEMA_VERSION}"))),
        ("title".to_owned(), schema.remove("title").unwrap_or_default()),
        ("description".to_owned(), schema.remove("description").unwrap_or_default()),
    ]);
    ordered.extend(schema.as_object().cloned().unwrap_or_default());
    Value::Object(ordered)
}

/// Of several seeds a count is the mean over them, so that it need not be whole: those of [`Measured`] and of what it is made of.
fn means(schema: &mut Schema, measured: &Value) {
    let Some(root) = schema.as_object_mut() else { return };
    let names: Vec<String> =
        measured["properties"].as_object().into_iter().flat_map(Map::keys).cloned().collect();
    let parts: Vec<String> = measured["$defs"].as_object().into_iter().flat_map(Map::keys).cloned().collect();
    for (place, names) in [("properties", names), ("$defs", parts)] {
        let Some(place) = root.get_mut(place).and_then(Value::as_object_mut) else { continue };
        for name in names {
            place.get_mut(&name).into_iter().for_each(fractions);
        }
    }
}

/// Lets whole numbers be fractions, wherever they are.
fn fractions(place: &mut Value) {
    match place {
        Value::Object(fields) => {
            if fields.get("type").is_some_and(|kind| kind == "integer") {
                fields.insert("type".to_owned(), json!("number"));
            }
            fields.values_mut().for_each(fractions);
        }
        Value::Array(items) => items.iter_mut().for_each(fractions),
        _ => {}
    }
}

/// An object has no other fields than those that are named; a description is one line. Formats and limits of Rust's types say
/// nothing to a reader.
fn plain(schema: &mut Schema) {
    for name in ["format", "minimum", "maximum"] {
        schema.remove(name);
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    transform_subschemas(&mut plain, schema);
}
