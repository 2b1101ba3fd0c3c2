//! The form of an answer that a client accepts (RFC 9110, section 12.5.1).
use crate::problem::Problem;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;

/// Maximum number of media ranges that are read.
const MAX_RANGES: usize = 100;

/// Returns the offer that the client prefers; without `Accept`, the first one. Among equal weights, the range that the client names first
/// decides, then the order of the offers.
///
/// # Errors
/// None of the offers is acceptable; the problem lists them.
pub fn best<T: Copy>(headers: &HeaderMap, offers: &[(&'static str, T)]) -> Result<T, Problem> {
    let lines: Vec<&str> = headers.get_all(header::ACCEPT).iter().filter_map(|v| v.to_str().ok()).collect();
    let accept = lines.join(",");
    let ranges: Vec<Range<'_>> = accept.split(',').filter_map(Range::parse).take(MAX_RANGES).collect();
    if ranges.is_empty() {
        return offers.first().map(|offer| offer.1).ok_or_else(Problem::internal);
    }
    let mut found: Option<(f32, usize, T)> = None;
    for (kind, offer) in offers {
        // The most specific range gives the weight.
        let matching =
            ranges.iter().enumerate().filter_map(|(at, range)| Some((range.specificity(kind)?, at, range.weight)));
        let Some((_, at, weight)) = matching.max_by_key(|(specificity, at, _)| (*specificity, std::cmp::Reverse(*at)))
        else {
            continue;
        };
        let is_better = found.is_none_or(|(w, a, _)| weight > w || weight == w && at < a);
        if weight > 0.0 && is_better {
            found = Some((weight, at, *offer));
        }
    }
    found.map(|(_, _, offer)| offer).ok_or_else(|| {
        let kinds: Vec<&str> = offers.iter().map(|offer| offer.0).collect();
        let accept: String = accept.chars().take(200).collect();
        let detail = format!("nothing fits 'Accept: {accept}'; this route offers {}", kinds.join(", "));
        Problem::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", detail)
    })
}

/// Marks an answer whose form depends on `Accept`.
pub fn varies(mut response: Response) -> Response {
    response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
    response
}

/// A media range with its weight.
struct Range<'a> {
    kind: &'a str,
    weight: f32,
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Range<'a>> {
        let mut parts = text.split(';').map(str::trim);
        let kind = parts.next().filter(|kind| !kind.is_empty())?;
        let weight = parts.find_map(|p| p.strip_prefix("q=").or(p.strip_prefix("Q=")));
        // A malformed weight is ignored.
        let weight =
            weight.and_then(|w| w.trim().parse::<f32>().ok()).filter(|w| (0.0..=1.0).contains(w)).unwrap_or(1.0);
        Some(Range { kind, weight })
    }

    /// Returns how closely the range names a type; `None` if it does not.
    fn specificity(&self, kind: &str) -> Option<u8> {
        let (class, any) = (kind.split('/').next().unwrap_or(""), self.kind.strip_suffix("/*"));
        match any {
            _ if self.kind.eq_ignore_ascii_case(kind) => Some(2),
            Some("*") => Some(0),
            Some(any) => any.eq_ignore_ascii_case(class).then_some(1),
            // Some clients send it.
            None => (self.kind == "*").then_some(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFERS: [(&str, char); 4] =
        [("application/json", 'j'), ("text/markdown", 'm'), ("text/plain", 't'), ("text/html", 'h')];

    fn of(accept: &str) -> Result<char, Problem> {
        let mut headers = HeaderMap::new();
        for line in accept.split('\n') {
            headers.append(header::ACCEPT, line.parse().unwrap());
        }
        best(&headers, &OFFERS)
    }

    #[test]
    fn the_weights_decide_then_the_order() {
        assert_eq!(best(&HeaderMap::new(), &OFFERS).unwrap(), 'j');
        for (accept, expected) in [
            ("", 'j'),
            ("*/*", 'j'),
            ("text/markdown", 'm'),
            ("Text/Markdown; charset=utf-8", 'm'),
            ("text/html;q=0.5, text/plain;q=0.9", 't'),
            ("text/markdown;q=0.1, */*;q=0.2", 'j'),
            ("image/png, text/plain;q=0.9, */*;q=0.1", 't'),
            ("image/png, text/plain;q=0.9, */*", 'j'),
            ("text/markdown, */*", 'm'),
            ("application/json, text/plain, */*", 'j'),
            ("text/*", 'm'),
            ("text/*;q=0.5, text/markdown;q=0", 't'),
            ("text/*, text/markdown;q=0.2", 't'),
            ("application/*;q=0.1, text/html", 'h'),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 'h'),
            ("text/html;q=0.2\ntext/markdown;q=0.4", 'm'),
            ("text/plain;q=nonsense", 't'),
            ("text/plain;q=7, text/html", 't'),
            ("*", 'j'),
        ] {
            assert_eq!(of(accept).unwrap(), expected, "{accept}");
        }
    }

    #[test]
    fn nothing_else_is_an_error_that_lists_the_offers() {
        for accept in ["image/png", "text/markdown;q=0", "*/*;q=0", "application/*;q=0, image/*", "text"] {
            let problem = of(accept).unwrap_err();
            assert_eq!((problem.status.as_u16(), problem.code), (406, "not_acceptable"), "{accept}");
            assert!(problem.detail.contains("offers application/json, text/markdown, text/plain, text/html"));
        }
        assert!(of(&"a/b,".repeat(10_000)).is_err());
    }
}
