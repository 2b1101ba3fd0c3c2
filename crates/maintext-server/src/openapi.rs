//! The OpenAPI description of the API.
use axum::http::header;
use axum::response::{IntoResponse, Response};

/// The OpenAPI document. A test compares it with the routes.
pub const DOCUMENT: &str = include_str!("openapi.json");

/// `GET /openapi.json`.
pub async fn document() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT).into_response()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    #[test]
    fn the_document_lists_all_methods_and_options() {
        let document: Value = serde_json::from_str(super::DOCUMENT).unwrap();
        let options = &document["components"]["schemas"]["Options"]["properties"];
        assert_eq!(options["method"]["enum"], serde_json::json!(maintext_core::method::NAMES));
        // The document and the parser have the same options.
        let mut ask = serde_json::Map::new();
        for (name, schema) in options.as_object().unwrap() {
            ask.insert(name.clone(), schema.get("default").cloned().unwrap_or(Value::Null));
        }
        let count = ask.len();
        serde_json::from_value::<crate::ask::Choices>(Value::Object(ask)).unwrap();
        // Two fields are not options: the names of those that were given, and the bounds on the page's cost.
        let budget = format!("{:?}", maintext_core::Budget::default());
        let fields = format!("{:?}", crate::ask::Choices::default()).replace(&budget, "").matches(": ").count() - 2;
        assert_eq!(count, fields);
    }
}
