//! Reads typed blocks back, and checks them against `docs/blocks.schema.json`.
use json::Json;
use maintext_core::embed::{Embed, Medium};
use serde_json::Value;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/blocks.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
});

/// The reader of JSON that keeps the order of members, which the library does not export.
#[path = "../../../src/json.rs"]
mod json;

/// Returns the offsets of a block.
fn range(block: &Json) -> Option<(usize, usize)> {
    Some((block.number("start")? as usize, block.number("end")? as usize))
}

/// Returns the text of typed blocks, in the order of their fields.
pub fn read_blocks(json: &str) -> Result<String, String> {
    let blocks: Json = serde_json::from_str(json).map_err(|e| e.to_string())?;
    let mut out = String::new();
    read(&blocks, &mut out);
    Ok(out)
}

fn read(json: &Json, out: &mut String) {
    match json {
        Json::Array(items) => items.iter().for_each(|i| read(i, out)),
        Json::Object(fields) => {
            for (key, value) in fields {
                match (&**key, value) {
                    ("blocks" | "items" | "rows", _) => read(value, out),
                    (
                        "text" | "tex" | "caption" | "summary" | "title" | "marker" | "author" | "date_text",
                        Json::Text(text),
                    ) => {
                        out.push_str(text);
                        out.push('\n');
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Checks the schema, the Markdown of each text, and that offsets point to the text and lie within the offsets of the enclosing block.
pub fn check_blocks(json: &str, source: &str) -> Result<(), String> {
    let value: Value = serde_json::from_str(json).map_err(|e| format!("{e}: {json}"))?;
    conforms(&value, &SCHEMA).map_err(|e| format!("{e}: {json}"))?;
    let blocks: Json = serde_json::from_str(json).map_err(|e| e.to_string())?;
    let mut media = Vec::new();
    embedded(&value, &mut media);
    check_object(&blocks, (0, source.len()), source, &media)
}

/// Collects the embedded parts.
fn embedded(value: &Value, out: &mut Vec<Embed>) {
    match value {
        Value::Array(items) => items.iter().for_each(|v| embedded(v, out)),
        Value::Object(fields) => {
            if let (Some(address), Some(title)) = (fields.get("src"), fields.get("title")) {
                let text = |v: &Value| v.as_str().unwrap_or("").to_owned();
                out.push(Embed { medium: Medium::Other, address: text(address), title: text(title) });
            }
            fields.values().for_each(|v| embedded(v, out));
        }
        _ => {}
    }
}

fn check_object(json: &Json, around: (usize, usize), source: &str, media: &[Embed]) -> Result<(), String> {
    match json {
        Json::Array(items) => items.iter().try_for_each(|i| check_object(i, around, source, media)),
        Json::Object(fields) => {
            let range = range(json).unwrap_or(around);
            if range.0 < around.0 || range.1 > around.1 || range.0 > range.1 {
                return Err(format!("{range:?} is outside of {around:?}"));
            }
            let text = json.str("text").unwrap_or("");
            if let Some(markdown) = json.str("markdown") {
                let read = super::read_markdown_without(markdown, true, media);
                if super::words(&read) != super::words(text) {
                    return Err(format!("the Markdown {markdown:?} has other words than {text:?}"));
                }
            }
            let slice = source.get(range.0..range.1).ok_or_else(|| format!("{range:?} cuts a character"))?;
            if json.get("formulas").is_none() && json.str("type") != Some("math") {
                contains(slice, text)?;
            }
            let inner = fields.iter().filter(|f| matches!(&*f.0, "blocks" | "items" | "rows"));
            inner.map(|f| &f.1).try_for_each(|f| check_object(f, range, source, media))
        }
        _ => Ok(()),
    }
}

/// Checks that the source has the letters and digits of a text, in any order: parsers move text out of tables.
fn contains(source: &str, text: &str) -> Result<(), String> {
    let mut counts = std::collections::HashMap::new();
    source.chars().for_each(|c| *counts.entry(c).or_insert(0usize) += 1);
    for c in text.chars().filter(|c| c.is_alphanumeric()) {
        match counts.get_mut(&c) {
            Some(count) if *count > 0 => *count -= 1,
            _ => return Err(format!("{c:?} of {text:?} is not in {source:?}")),
        }
    }
    Ok(())
}

/// Checks a value against the part of JSON Schema that ours uses.
fn conforms(value: &Value, schema: &Value) -> Result<(), String> {
    let mut known = Vec::new();
    conforms_to(value, schema, &mut known)?;
    let closed = schema["unevaluatedProperties"] == false || schema["additionalProperties"] == false;
    match value.as_object().and_then(|o| o.keys().find(|k| closed && !known.contains(k))) {
        Some(key) => Err(format!("unknown field {key}")),
        None => Ok(()),
    }
}

fn conforms_to<'v>(value: &'v Value, schema: &Value, known: &mut Vec<&'v String>) -> Result<(), String> {
    const KEYWORDS: [&str; 18] = [
        "$schema",
        "title",
        "description",
        "$defs",
        "$ref",
        "type",
        "const",
        "enum",
        "oneOf",
        "items",
        "minItems",
        "minimum",
        "maximum",
        "required",
        "properties",
        "dependentRequired",
        "unevaluatedProperties",
        "additionalProperties",
    ];
    for (keyword, rule) in schema.as_object().ok_or("a schema is an object")? {
        assert!(KEYWORDS.contains(&keyword.as_str()), "add {keyword} to this check");
        let names = || rule.as_array().into_iter().flatten().filter_map(Value::as_str);
        let good = match keyword.as_str() {
            "$ref" => {
                let name = rule.as_str().and_then(|r| r.strip_prefix("#/$defs/")).ok_or("no such reference")?;
                let target = SCHEMA["$defs"].get(name).unwrap_or_else(|| panic!("no schema {name}"));
                if target["unevaluatedProperties"] == false {
                    conforms(value, target)?;
                } else {
                    conforms_to(value, target, known)?;
                }
                true
            }
            "type" => names().chain(rule.as_str()).any(|name| match name {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_u64(),
                "number" => value.is_number(),
                "null" => value.is_null(),
                _ => panic!("type {name}"),
            }),
            "const" => value == rule,
            "enum" => rule.as_array().is_some_and(|values| values.contains(value)),
            "oneOf" => {
                let all: Vec<_> = rule.as_array().into_iter().flatten().map(|s| conforms(value, s)).collect();
                match all.iter().filter(|r| r.is_ok()).count() {
                    1 => true,
                    0 => return Err(closest(all, rule, value)),
                    _ => false,
                }
            }
            "items" => match value.as_array() {
                Some(items) => items.iter().try_for_each(|i| conforms(i, rule)).map(|()| true)?,
                None => true,
            },
            "minItems" => value.as_array().is_none_or(|v| v.len() as u64 >= rule.as_u64().unwrap_or(0)),
            "minimum" => value.as_u64().is_none_or(|v| v >= rule.as_u64().unwrap_or(0)),
            "maximum" => value.as_u64().is_none_or(|v| v <= rule.as_u64().unwrap_or(u64::MAX)),
            "required" => names().all(|name| value.get(name).is_some()),
            "dependentRequired" => rule.as_object().into_iter().flatten().all(|(name, others)| {
                let mut others = others.as_array().into_iter().flatten().filter_map(Value::as_str);
                value.get(name).is_none() || others.all(|o| value.get(o).is_some())
            }),
            "properties" => {
                for (name, rule) in rule.as_object().into_iter().flatten() {
                    if let Some((name, field)) = value.as_object().and_then(|o| o.get_key_value(name)) {
                        known.push(name);
                        conforms(field, rule)?;
                    }
                }
                true
            }
            _ => true,
        };
        if !good {
            return Err(format!("{keyword} {rule} does not hold for {value}"));
        }
    }
    Ok(())
}

/// Returns the error of the alternative that has the value's type.
fn closest(results: Vec<Result<(), String>>, schemas: &Value, value: &Value) -> String {
    let alternatives = schemas.as_array().into_iter().flatten().zip(results);
    let name = |s: &Value| s["$ref"].as_str().and_then(|r| r.rsplit('/').next()).map(str::to_owned);
    let own = value["type"].as_str().map(str::to_owned);
    let mut errors = alternatives.filter(|(s, _)| name(s) == own).filter_map(|(_, r)| r.err());
    errors.next().unwrap_or_else(|| format!("no alternative fits {value}"))
}
