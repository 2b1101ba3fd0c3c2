//! Firecrawl's routes below `/v2`, so that its clients work unchanged.
//!
//! An option is honoured, or accepted because it cannot change the answer, or refused by an error that names it.
pub mod crawl;
pub mod document;
mod extras;
pub mod fields;
pub mod jobs;
mod requests;
pub mod scrape;
mod waiting;

use crate::problem::Problem;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::json;

/// Whether a path belongs to Firecrawl's routes, known or not: their errors have its form.
pub fn is_firecrawl(path: &str) -> bool {
    path.strip_prefix("/v2").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Rewrites an error to Firecrawl's form: `{"success": false, "error": ..., "code": ...}`.
pub fn shaped(response: &mut Response) {
    let Some(problem) = response.extensions().get::<Problem>() else { return };
    let (status, code) = firecrawl_code(problem);
    let mut value = json!({"success": false, "error": problem.detail, "code": code});
    if let Some(status) = problem.upstream_status {
        value["upstream_status"] = status.into();
    }
    *response.status_mut() = status;
    *response.body_mut() = crate::log::escaped(&value.to_string()).into_owned().into();
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
}

/// Returns the status and the code by which Firecrawl's clients distinguish errors; other errors keep theirs, in upper case.
fn firecrawl_code(problem: &Problem) -> (StatusCode, String) {
    let status = problem.status;
    let (status, code) = match problem.code {
        "fetch_timeout" | "request_timeout" => (StatusCode::REQUEST_TIMEOUT, "SCRAPE_TIMEOUT"),
        "fetch_failed" if ["no such host", "lookup address"].iter().any(|said| problem.detail.contains(said)) => {
            (status, "SCRAPE_DNS_RESOLUTION_ERROR")
        }
        "fetch_failed" | "render_failed" => (status, "SCRAPE_SITE_ERROR"),
        "not_a_page" => (status, "SCRAPE_UNSUPPORTED_FILE_ERROR"),
        "bad_request" | "bad_options" | "bad_url" => (status, "BAD_REQUEST"),
        other => (status, other),
    };
    (status, code.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse as _;

    #[test]
    fn firecrawl_routes_are_known_by_their_paths() {
        for path in ["/v2", "/v2/any/thing"] {
            assert!(is_firecrawl(path), "{path}");
        }
        for path in ["/v1/batch", "/v1/extract", "/v22", "/"] {
            assert!(!is_firecrawl(path), "{path}");
        }
    }

    #[test]
    fn only_problems_are_reshaped() {
        let mut response = Problem::new(StatusCode::FAILED_DEPENDENCY, "fetch_timeout", "too slow").into_response();
        shaped(&mut response);
        assert_eq!(
            (response.status(), &response.headers()["content-type"]),
            (StatusCode::REQUEST_TIMEOUT, &"application/json".parse().unwrap())
        );
        let mut response = "fine".into_response();
        shaped(&mut response);
        assert_eq!(response.status(), StatusCode::OK);
    }
}
