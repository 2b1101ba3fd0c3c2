//! The playground's files, built by npm from `playground/` and embedded.
use crate::problem::Problem;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header;
use axum::response::{IntoResponse, Response};

/// Content security policy of the playground and the API page: they may load only files of this service.
const PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; frame-src 'self'; \
                    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Content security policy of the frame that shows a foreign page: it may run only its own script, in a separate origin.
const FRAME: &str = "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; \
                     frame-ancestors 'self'; sandbox allow-scripts";

/// Content security policy of the frame that shows the article: like [`FRAME`], but it may load pictures, which its script does only if the
/// reader wishes, and its links open outside of the frame.
const ARTICLE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: http: https:; base-uri 'none'; \
                       form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox";

/// File name, content type, content security policy and content.
type Asset = (&'static str, &'static str, &'static str, &'static str);

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

const ASSETS: &[Asset] = &[
    ("index.html", HTML, PAGE, include_str!("../assets/index.html")),
    ("docs.html", HTML, PAGE, include_str!("../assets/docs.html")),
    ("frame.html", HTML, FRAME, include_str!("../assets/frame.html")),
    ("article.html", HTML, ARTICLE, include_str!("../assets/article.html")),
    ("app.js", SCRIPT, PAGE, include_str!("../assets/app.js")),
    ("docs.js", SCRIPT, PAGE, include_str!("../assets/docs.js")),
    ("frame.js", SCRIPT, PAGE, include_str!("../assets/frame.js")),
    ("article.js", SCRIPT, PAGE, include_str!("../assets/article.js")),
    ("style.css", STYLE, PAGE, include_str!("../assets/style.css")),
    ("frame.css", STYLE, PAGE, include_str!("../assets/frame.css")),
    ("article.css", STYLE, PAGE, include_str!("../assets/article.css")),
];

/// `GET /`: the playground.
pub async fn playground() -> Result<Response, Problem> {
    asset(Path("index.html".into())).await
}

/// `GET /docs`: the interactive API page.
pub async fn docs() -> Result<Response, Problem> {
    asset(Path("docs.html".into())).await
}

/// `GET /assets/<name>`.
pub async fn asset(Path(name): Path<String>) -> Result<Response, Problem> {
    let Some((_, kind, policy, content)) = ASSETS.iter().find(|a| a.0 == name) else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "not_found", "no such file"));
    };
    let headers = [
        (header::CONTENT_TYPE, *kind),
        (header::CONTENT_SECURITY_POLICY, *policy),
        // A new version of the binary serves new files under the same names.
        (header::CACHE_CONTROL, "no-cache"),
    ];
    Ok((headers, *content).into_response())
}
