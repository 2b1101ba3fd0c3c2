//! Error responses as problem details (RFC 9457), and conversions from other errors.
use crate::trace;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maintext_fetch::FetchError;
use serde_json::json;

/// An error response.
///
/// As JSON: `type` (a URN that ends in the code), `title`, `status`, `detail`, `code`, the id of the request, and `upstream_status` if the
/// other site answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The HTTP status.
    pub status: StatusCode,
    /// A stable name for programs.
    pub code: &'static str,
    /// A message for readers.
    pub detail: String,
    /// Seconds to wait before a retry.
    pub retry_after: Option<u64>,
    /// Whether the other site got no request, because it had asked to wait.
    pub is_unsent: bool,
    /// The HTTP status of the other site, if it answered with an error.
    pub upstream_status: Option<u16>,
    /// The price and the address of the licence that the other site states, if it demands payment.
    pub terms: Option<(Option<String>, Option<String>)>,
}

impl Problem {
    /// Creates a problem with this status and code.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Problem {
        let (retry_after, is_unsent, upstream_status, terms) = (None, false, None, None);
        Problem { status, code, detail: detail.into(), retry_after, is_unsent, upstream_status, terms }
    }

    /// The request is malformed.
    pub fn bad_request(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }

    /// The service is at capacity at the moment.
    pub fn busy(detail: impl Into<String>) -> Problem {
        Problem { retry_after: Some(1), ..Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail) }
    }

    /// A bug in the service. The log has the details; the response does not reveal them.
    pub fn internal() -> Problem {
        let detail = "this is a bug in maintext; please report it with the page";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail)
    }

    /// Returns the problem as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        let mut value = json!({
            "type": format!("urn:maintext:problem:{}", self.code),
            "title": self.status.canonical_reason().unwrap_or("Error"),
            "status": self.status.as_u16(),
            "detail": self.detail,
            "code": self.code,
        });
        if let Some(status) = self.upstream_status {
            value["upstream_status"] = status.into();
        }
        if let Some((price, license)) = &self.terms {
            (value["price"], value["license"]) = (price.clone().into(), license.clone().into());
        }
        if let Some(id) = trace::id() {
            value["request_id"] = id.into();
        }
        value
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        // The detail may repeat what the client sent, for instance its path.
        let json = crate::log::escaped(&self.to_json().to_string()).into_owned();
        let mut response = (self.status, json).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            // RFC 6750, section 3.1: a request without a token gets no error code.
            let challenge = if self.code == "unknown_token" { "Bearer error=\"invalid_token\"" } else { "Bearer" };
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        if self.code == "not_acceptable" {
            headers.insert(header::VARY, HeaderValue::from_static("Accept"));
        }
        // For routes with their own form of errors.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<FetchError> for Problem {
    fn from(error: FetchError) -> Problem {
        let (status, code) = match &error {
            FetchError::BadUrl { .. } | FetchError::Scheme { .. } => (StatusCode::BAD_REQUEST, "bad_url"),
            FetchError::Refused { .. } => (StatusCode::FORBIDDEN, "address_refused"),
            FetchError::BadHeader { .. } => (StatusCode::BAD_REQUEST, "bad_request"),
            FetchError::Timeout { .. } => (StatusCode::FAILED_DEPENDENCY, "fetch_timeout"),
            FetchError::ContentType { .. } | FetchError::Binary { .. } => {
                (StatusCode::UNPROCESSABLE_ENTITY, "not_a_page")
            }
            FetchError::Payment { .. } => (StatusCode::FAILED_DEPENDENCY, "payment_required"),
            FetchError::NoRoom { .. } => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            FetchError::TooLarge { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "page_too_large"),
            // Not 502: monitoring counts 5xx as failures of this service, which works.
            _ => (StatusCode::FAILED_DEPENDENCY, "fetch_failed"),
        };
        let problem = Problem::new(status, code, error.to_string());
        match error {
            FetchError::Status { status, retry_after, sent, .. } => {
                // The client gets the wait that the other site asks for, in whole seconds.
                let wait = retry_after.filter(|wait| !wait.is_zero());
                let retry_after = wait.map(|wait| wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
                Problem { upstream_status: Some(status), retry_after, is_unsent: !sent, ..problem }
            }
            FetchError::Payment { price, license, .. } => {
                Problem { upstream_status: Some(402), terms: Some((price, license)), ..problem }
            }
            FetchError::NoRoom { .. } => Problem { retry_after: Some(1), ..problem },
            _ => problem,
        }
    }
}

/// An error of the store while it holds jobs.
impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Problem {
        let detail = format!("the store cannot be used: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "store_failed", detail)
    }
}

impl From<maintext_core::Error> for Problem {
    fn from(error: maintext_core::Error) -> Problem {
        let (status, code) = match &error {
            maintext_core::Error::NotHtml(_) => (StatusCode::UNPROCESSABLE_ENTITY, "not_a_page"),
            maintext_core::Error::BadUrl { .. } => (StatusCode::BAD_REQUEST, "bad_url"),
            _ => (StatusCode::BAD_REQUEST, "bad_options"),
        };
        Problem::new(status, code, error.to_string())
    }
}
