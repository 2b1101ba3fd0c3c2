//! The schemas of structured content.
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Returns the output schema of a tool. It names the fields that a program reads; others, such as a warning or a hint, are strings.
pub fn output(tool: &str) -> JsonObject {
    let schema = match tool {
        "extract" => {
            let more =
                json!({"title": text_schema(), "author": text_schema(), "date": text_schema(), "url": text_schema()});
            part("content", text_schema(), "characters", more)
        }
        "list" => items("entries"),
        "links" => items("links"),
        "inspect" => items("blocks"),
        "find" => items("passages"),
        "changes" => items("changes"),
        "map" => items("addresses"),
        "crawl" => part("pages", json!({"type": "array", "items": {"type": "object"}}), "pages", json!({})),
        "classify" => classification(),
        _ => json!({"type": "object"}),
    };
    schema.as_object().cloned().unwrap_or_default()
}

fn text_schema() -> Value {
    json!({"type": "string"})
}

/// Returns the schema of a list: lines, or objects with format=json.
fn items(name: &str) -> Value {
    part(name, json!({"type": "array", "items": {"type": ["string", "object"]}}), name, json!({}))
}

/// Returns the schema of a part of an answer.
fn part(name: &str, body: Value, unit: &str, more: Value) -> Value {
    let total = format!("total_{unit}");
    let mut properties = more.as_object().cloned().unwrap_or_default();
    properties.insert(name.to_owned(), body);
    properties.insert(total.clone(), json!({"type": "integer"}));
    properties.insert("next_offset".into(), json!({"type": ["integer", "null"]}));
    json!({
        "type": "object",
        "properties": properties,
        "required": [name, total, "next_offset"],
    })
}

fn classification() -> Value {
    json!({
        "type": "object",
        "properties": {
            "page_type": optional_text_schema(),
            "barrier": optional_text_schema(),
            "probabilities": {"type": "object"},
            "language": optional_text_schema(),
            "confidence": {"type": ["number", "null"]},
        },
        "required": ["page_type"],
    })
}

fn optional_text_schema() -> Value {
    json!({"type": ["string", "null"]})
}
