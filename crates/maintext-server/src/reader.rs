//! `GET /https://...`: the page at that address as Markdown, for tools that can only fetch an address.
use crate::accept;
use crate::api::{FORMS, answered};
use crate::app::App;
use crate::ask::{Choices, Fetch, PageJob};
use crate::problem::Problem;
use axum::extract::{OriginalUri, State};
use axum::http::HeaderMap;
use axum::response::Response;
use std::sync::Arc;
use std::time::Duration;

/// `GET /https://...` and `GET /http://...`. The query belongs to the address.
pub async fn read(
    State(app): State<Arc<App>>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    // Markdown or plain text: `*/*` gets the first, as in a browser or curl.
    let format = accept::best(&headers, &FORMS[1..3])?;
    let max_age = headers.contains_key("x-no-cache").then_some(Duration::ZERO);
    let url = address(uri.path_and_query().map_or("", |path| path.as_str()));
    let job = PageJob::at(&url, Fetch { max_age, ..Fetch::default() }, Choices::default());
    answered(&app, job, format).await
}

/// Returns the address in a path. Proxies that clean paths merge its two slashes.
fn address(path: &str) -> String {
    let path = path.trim_start_matches('/');
    match path.split_once(":/") {
        Some((scheme, rest)) => format!("{scheme}://{}", rest.trim_start_matches('/')),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_and_the_query_are_the_address() {
        assert_eq!(address("/https://e.org/a?b=c&d"), "https://e.org/a?b=c&d");
        assert_eq!(address("/https:/e.org/a//b?u=http://x/"), "https://e.org/a//b?u=http://x/");
    }
}
