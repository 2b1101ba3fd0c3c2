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
        // The parser names its options when it refuses an unknown one.
        let refused =
            serde_json::from_value::<crate::ask::Choices>(serde_json::json!({"": 0})).unwrap_err().to_string();
        let (_, names) = refused.split_once("expected one of ").unwrap();
        let mut parsed: Vec<&str> = names.split('`').skip(1).step_by(2).collect();
        parsed.sort_unstable();
        let mut listed: Vec<&str> = options.as_object().unwrap().keys().map(String::as_str).collect();
        listed.sort_unstable();
        assert_eq!(listed, parsed);
        let defaults: serde_json::Map<_, _> = options
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, schema)| (name.clone(), schema.get("default").cloned().unwrap_or(Value::Null)))
            .collect();
        serde_json::from_value::<crate::ask::Choices>(Value::Object(defaults)).unwrap();
    }

    #[test]
    fn numbers_of_labelled_blocks_have_no_leading_zeros() {
        // The parser refuses "03" as a number, and so must the schema.
        let document: Value = serde_json::from_str(super::DOCUMENT).unwrap();
        let body = &document["paths"]["/v1/teach/labels"]["post"]["requestBody"]["content"]["application/json"];
        let names = &body["schema"]["properties"]["labels"]["propertyNames"]["pattern"];
        assert_eq!(names, "^(0|[1-9][0-9]{0,5})$");
        let parsed = serde_json::from_str::<std::collections::BTreeMap<usize, bool>>;
        assert!(parsed(r#"{"03": true}"#).is_err() && parsed(r#"{"30": true, "0": true}"#).is_ok());
    }

    #[test]
    fn the_document_lists_all_options_of_the_reader() {
        let document: Value = serde_json::from_str(super::DOCUMENT).unwrap();
        for (path, method) in [("/r", "post"), ("/r/{url}", "get"), ("/r/{url}", "post")] {
            let parameters = document["paths"][path][method]["parameters"].as_array().unwrap();
            let headers = parameters.iter().filter(|p| p["in"] == "header").filter_map(|p| p["name"].as_str());
            let mut listed: Vec<_> = headers.map(str::to_ascii_lowercase).collect();
            listed.sort();
            let mut honoured = crate::compat::jina::OPTIONS;
            honoured.sort();
            assert_eq!(listed, honoured, "{method} {path}");
        }
    }
}
