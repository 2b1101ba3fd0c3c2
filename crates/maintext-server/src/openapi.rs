//! The OpenAPI description of the API.
use crate::ask::{settings, unused};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The description without the settings of an extraction.
const SOURCE: &str = include_str!("openapi.json");

/// The OpenAPI document. A test compares it with the routes.
static DOCUMENT: LazyLock<Value> = LazyLock::new(whole);

/// The document as text, with its routes in the order of the source: readers see the most useful ones first.
static TEXT: LazyLock<String> = LazyLock::new(|| {
    let mut rest = DOCUMENT.clone();
    let paths = rest.as_object_mut().and_then(|all| all.remove("paths")).unwrap_or_default();
    let mut routes: Vec<String> =
        paths.as_object().into_iter().flatten().map(|(k, v)| format!("\"{k}\":{v}")).collect();
    routes.sort_by_key(|route| SOURCE.find(&route[..=route.find(':').unwrap_or(0)]));
    let rest = rest.to_string();
    format!("{},\"paths\":{{{}}}}}", rest.strip_suffix('}').unwrap_or(&rest), routes.join(","))
});

/// Settings whose values are objects, for which a query has no form.
const OBJECTS: [&str; 3] = ["schema", "field", "rules"];

/// `GET /openapi.json`.
pub async fn document() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], TEXT.as_str()).into_response()
}

/// Returns the document with the settings of an extraction: as options in JSON, and as parameters of the routes that take pages as bodies.
fn whole() -> Value {
    let mut document: Value = serde_json::from_str(SOURCE).unwrap_or_default();
    let formats = json!(crate::ask::Choices::default().options.formats.names().collect::<Vec<_>>());
    for setting in settings() {
        let mut schema = setting.schema();
        if setting.name == "formats" {
            schema["default"] = formats.clone();
            // No TEI, which is for corpora.
            schema["items"]["enum"].as_array_mut().into_iter().for_each(|names| names.retain(|name| name != "xml"));
        }
        if OBJECTS.contains(&setting.name) {
            schema["description"] = format!("{} JSON requests only.", setting.about).into();
        }
        for route in ["/v1/extract", "/v1/list", "/v1/classify", "/v1/inspect"] {
            if OBJECTS.contains(&setting.name) || unused(route).split(' ').any(|name| name == setting.name) {
                continue;
            }
            let about = "Same as in the JSON options, for a request whose body is the page.";
            let mut parameter = json!({"name": setting.name, "in": "query", "schema": schema, "description": about});
            if setting.name == "formats" {
                (parameter["style"], parameter["explode"]) = ("form".into(), false.into());
            }
            let parameters = document["paths"][route]["post"]["parameters"].as_array_mut();
            parameters.into_iter().for_each(|all| all.push(parameter.clone()));
        }
        document["components"]["schemas"]["Options"]["properties"][setting.name] = schema;
    }
    document
}

#[cfg(test)]
mod tests {
    use super::{DOCUMENT, TEXT};
    use crate::ask::{Choices, is_option};

    #[test]
    fn options_of_the_document_are_those_of_the_parser() {
        let options = DOCUMENT["components"]["schemas"]["Options"]["properties"].as_object().unwrap();
        let mut choices = Choices::default();
        for (name, schema) in options {
            assert!(is_option(name), "{name}");
            choices.set(name, &schema["default"].to_string());
        }
        choices.check().unwrap();
        assert_eq!(format!("{:?}", choices.options), format!("{:?}", Choices::default().options));
        let parameters = |route: &str| DOCUMENT["paths"][route]["post"]["parameters"].as_array().unwrap().len();
        assert!(parameters("/v1/extract") > parameters("/v1/inspect"));
        assert!(parameters("/v1/inspect") > parameters("/v1/list"));
    }

    #[test]
    fn the_text_has_all_routes_in_the_order_of_the_source() {
        let whole: serde_json::Value = serde_json::from_str(&TEXT).unwrap();
        assert_eq!(whole, *DOCUMENT);
        assert!(TEXT.find("\"/v1/extract\":{").unwrap() < TEXT.find("\"/healthz\":{").unwrap());
    }

    #[test]
    fn numbers_of_labelled_blocks_have_no_leading_zeros() {
        // The parser refuses "03" as a number, and so must the schema.
        let body = &DOCUMENT["paths"]["/v1/teach/labels"]["post"]["requestBody"]["content"]["application/json"];
        let names = &body["schema"]["properties"]["labels"]["propertyNames"]["pattern"];
        assert_eq!(names, "^(0|[1-9][0-9]{0,5})$");
        let parsed = serde_json::from_str::<std::collections::BTreeMap<usize, bool>>;
        assert!(parsed(r#"{"03": true}"#).is_err() && parsed(r#"{"30": true, "0": true}"#).is_ok());
    }
}
