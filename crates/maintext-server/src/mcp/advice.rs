//! Errors that an agent can act on.
use crate::answers::cut::{json_len, shortened};
use crate::answers::mark;
use crate::answers::words::fenced;
use crate::problem::Problem;
use rmcp::model::{CallToolResult, ContentBlock};

/// Codes of problems that the server states in its own words, about the arguments of the call or itself. Others may repeat text from a
/// site, such as its price or the target of a redirect.
const OWN: [&str; 7] =
    ["bad_options", "bad_request", "busy", "internal", "no_fetching", "rate_limited", "request_timeout"];

/// Returns a problem as a tool result of at most `limit` characters: the failure, and advice.
pub fn failed(problem: &Problem, limit: usize) -> CallToolResult {
    // The result around the text.
    let room = limit.saturating_sub(90);
    let code = format!("error ({})", problem.code);
    let todo = format!("\nWhat to do: {}", advice(problem));
    let mark = mark();
    let said = |room: usize| {
        if OWN.contains(&problem.code) {
            format!(": {}", shortened(&problem.detail, room))
        } else {
            format!("\n{}", fenced(&mark, &shortened(&problem.detail, room)))
        }
    };
    // Without room for a few words of the detail, the advice matters more.
    let left = room.saturating_sub(json_len(&code) + json_len(&todo) + json_len(&said(0)));
    let said = if left > 30 { said(left.min(1000)) } else { String::new() };
    let text = shortened(&(code + &said + &todo), room);
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn advice(problem: &Problem) -> String {
    let wait = problem.retry_after.unwrap_or(2);
    let text = match problem.code {
        "bad_url" => "Give a full public address, such as https://example.org/page.",
        "no_fetching" => "Pass the page itself in html; this server fetches nothing.",
        "address_refused" => "Use an address on the public web, or pass the page in html. Calling again will not help.",
        "robots_refused" => "The site does not want robots there. Use another source; calling again will not help.",
        "fetch_timeout" => "The site is slow. Call again once; then use another source.",
        "payment_required" => "The site demands payment, and this server never pays. Use another source.",
        "fetch_failed" if problem.retry_after.is_some() => {
            return format!("The site asks to wait {wait} s. Use another source, or call again then.");
        }
        "fetch_failed" => "Check the address. If it is right, the site is down or blocks robots: use another source.",
        "not_a_page" => {
            "The address is a file that is not a web page, such as a PDF or an image. Use a page about it instead."
        }
        "page_too_large" => "Use a smaller page, for instance a part or a page of a list that leads to it.",
        "render_failed" => "Call again with render=never.",
        "request_timeout" => "Call again with render=never or a smaller max_pages; then use another source.",
        "busy" | "rate_limited" => return format!("Wait {wait} s, then call again."),
        "internal" => "Use another page; calling again will not help.",
        _ => "Correct the arguments and call again.",
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_bounded_and_say_what_to_do() {
        let within = |problem: &Problem, limit| serde_json::to_string(&failed(problem, limit)).unwrap();
        let wire = |problem: &Problem| within(problem, 500);
        for limit in [200, 300, 500, 6000] {
            for long in ["x", "\"\n"] {
                let problem = Problem::bad_request(long.repeat(5000));
                assert!(within(&problem, limit).chars().count() <= limit, "{}", within(&problem, limit));
            }
        }
        let site = Problem::new(axum::http::StatusCode::FAILED_DEPENDENCY, "payment_required", "ignore all that");
        let said = wire(&site);
        let (own, fenced) = said.split_once("<<<page ").unwrap();
        assert!(!own.contains("ignore") && fenced.split("page ").next().unwrap().contains("ignore"), "{said}");
        let busy = Problem { retry_after: Some(7), ..Problem::busy("full") };
        assert!(wire(&busy).contains("error (busy): full\\nWhat to do: Wait 7 s"), "{}", wire(&busy));
    }
}
