//! The JSON Schema of things, written from the tables of fields.
use super::fields::{Field, FieldForm, KINDS};
use std::fmt::Write as _;

/// Returns the JSON Schema of `Page::things`: an array of objects, with the fields of each type.
/// `docs/things.schema.json` is this text.
///
/// ```
/// let schema: serde_json::Value = serde_json::from_str(&maintext_things::things::schema())?;
/// assert_eq!(schema["$defs"]["Product"]["properties"]["type"]["const"], "Product");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn schema() -> String {
    let kinds: Vec<String> = KINDS.iter().map(|k| format!("{{ \"$ref\": \"#/$defs/{}\" }}", k.name)).collect();
    let mut out = format!("{HEAD}{}{MIDDLE}", kinds.join(",\n      "));
    for kind in KINDS.iter() {
        let _ = write!(
            out,
            ",\n    \"{0}\": {{\n      \"type\": \"object\",\n      \"required\": [\"type\", \"sources\"],\n      \
             \"additionalProperties\": false,\n      \"properties\": {{\n        \"type\": {{ \"const\": \"{0}\" }}",
            kind.name
        );
        for field in kind.fields {
            let _ = write!(out, ",\n        \"{}\": {}", field.name, form(field.read));
        }
        out.push_str(",\n        \"sources\": { \"$ref\": \"#/$defs/sources\" }\n      }\n    }");
    }
    out.push_str("\n  }\n}\n");
    out
}

const HEAD: &str = r#"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "maintext's things",
  "description": "The objects that a page describes: the key \"things\" of -f json --things. Types and most names follow schema.org. A field that the page does not state is absent. No text holds markup.",
  "type": "array",
  "items": {
    "anyOf": [
      "#;

const MIDDLE: &str = r##"
    ]
  },
  "$defs": {
    "text": { "type": "string", "minLength": 1 },
    "link": { "type": "string", "minLength": 1, "description": "An address, absolute if the page's address is known." },
    "date": { "type": "string", "pattern": "^[0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9:.]+([+-][0-9]{2}:[0-9]{2}|Z)?)?)?)?$", "description": "A date in ISO 8601, with time and zone if the page states them." },
    "duration": { "type": "string", "pattern": "^P[0-9A-Z.]+$", "description": "A duration in ISO 8601." },
    "number": { "type": "string", "pattern": "^-?[0-9]+(\\.[0-9]+)?$", "description": "A decimal number, as text that no program rounds." },
    "currency": { "type": "string", "pattern": "^[A-Z]{3}$", "description": "A code of ISO 4217." },
    "word": { "type": "string", "pattern": "^\\w+$", "description": "A word of an enumeration of schema.org: InStock." },
    "count": { "type": "integer", "minimum": 0 },
    "sources": {
      "type": "object",
      "description": "The origin of each field, and the probability that its value is right.",
      "additionalProperties": {
        "type": "object",
        "required": ["from", "probability"],
        "additionalProperties": false,
        "properties": {
          "from": { "enum": ["json-ld", "microdata", "rdfa", "open-graph", "data", "text"] },
          "probability": { "type": "number", "minimum": 0, "maximum": 1 }
        }
      }
    }"##;

/// Returns the schema of a field, on one line.
fn form(read: FieldForm) -> String {
    match read {
        FieldForm::Text | FieldForm::Name => one("text"),
        FieldForm::Texts | FieldForm::Names | FieldForm::Ingredients | FieldForm::Steps => many(&one("text")),
        FieldForm::IngredientGroups => many(&part("ingredients")),
        FieldForm::Sections => many(&part("steps")),
        FieldForm::Link => one("link"),
        FieldForm::Links => many(&one("link")),
        FieldForm::Date => one("date"),
        FieldForm::Duration => one("duration"),
        FieldForm::Number => one("number"),
        FieldForm::Currency => one("currency"),
        FieldForm::Remote => "{ \"type\": \"boolean\" }".into(),
        FieldForm::Count => one("count"),
        FieldForm::Word => one("word"),
        FieldForm::One(fields) => object(fields),
        FieldForm::All(fields) => many(&object(fields)),
    }
}

fn one(name: &str) -> String {
    format!("{{ \"$ref\": \"#/$defs/{name}\" }}")
}

fn many(item: &str) -> String {
    format!("{{ \"type\": \"array\", \"minItems\": 1, \"items\": {item} }}")
}

/// Returns the schema of lines under a name.
fn part(lines: &str) -> String {
    format!(
        "{{ \"type\": \"object\", \"required\": [\"{lines}\"], \"additionalProperties\": false, \"properties\": {{ \
         \"name\": {{ \"$ref\": \"#/$defs/text\" }}, \
         \"{lines}\": {{ \"type\": \"array\", \"minItems\": 1, \"items\": {{ \"$ref\": \"#/$defs/text\" }} }} }} }}"
    )
}

/// Returns the schema of an object inside a thing. The tables are finite, so the recursion ends.
fn object(fields: &[Field]) -> String {
    let fields: Vec<String> = fields.iter().map(|f| format!("\"{}\": {}", f.name, form(f.read))).collect();
    let fields = fields.join(", ");
    format!(
        "{{ \"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": false, \"properties\": {{ {fields} }} }}"
    )
}

#[cfg(test)]
mod tests {
    /// `MAINTEXT_BLESS=1 cargo test -p maintext-things things::schema` writes the file.
    #[test]
    fn the_document_is_current() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/things.schema.json");
        if std::env::var_os("MAINTEXT_BLESS").is_some() {
            std::fs::write(&path, super::schema()).unwrap();
        }
        let document = std::fs::read_to_string(path).unwrap();
        assert!(document == super::schema(), "docs/things.schema.json is not current; see the comment of this test");
        serde_json::from_str::<serde_json::Value>(&document).unwrap();
    }
}
