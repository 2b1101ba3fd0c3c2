//! The playground's files, built by npm from `playground/` and embedded.
use crate::problem::Problem;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header;
use axum::response::{IntoResponse, Response};

/// What the playground and the page of the API may do: run and load what this service serves, nothing else.
const PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; frame-src 'self'; \
                    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// What the frame may do that shows a foreign page: run its own script, in an origin of its own.
const FRAME: &str = "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; \
                     frame-ancestors 'self'; sandbox allow-scripts";

/// Name, type, policy, content.
type Asset = (&'static str, &'static str, &'static str, &'static str);

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

const ASSETS: &[Asset] = &[
    ("index.html", HTML, PAGE, include_str!("../assets/index.html")),
    ("docs.html", HTML, PAGE, include_str!("../assets/docs.html")),
    ("frame.html", HTML, FRAME, include_str!("../assets/frame.html")),
    ("app.js", SCRIPT, PAGE, include_str!("../assets/app.js")),
    ("docs.js", SCRIPT, PAGE, include_str!("../assets/docs.js")),
    ("frame.js", SCRIPT, PAGE, include_str!("../assets/frame.js")),
    ("style.css", STYLE, PAGE, include_str!("../assets/style.css")),
    ("frame.css", STYLE, PAGE, include_str!("../assets/frame.css")),
];

/// `GET /`: the playground.
pub async fn playground() -> Result<Response, Problem> {
    asset(Path("index.html".into())).await
}

/// `GET /docs`: the API, to try it.
pub async fn docs() -> Result<Response, Problem> {
    asset(Path("docs.html".into())).await
}

/// `GET /assets/<name>`.
pub async fn asset(Path(name): Path<String>) -> Result<Response, Problem> {
    let Some((_, kind, policy, content)) = ASSETS.iter().find(|a| a.0 == name) else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "not_found", "there is no such file"));
    };
    let headers = [
        (header::CONTENT_TYPE, *kind),
        (header::CONTENT_SECURITY_POLICY, *policy),
        // A new version of the binary has new files under the same names.
        (header::CACHE_CONTROL, "no-cache"),
    ];
    Ok((headers, *content).into_response())
}
