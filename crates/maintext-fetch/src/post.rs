//! One request with a body, to a server that the caller trusts.
use std::time::Duration;
use ureq::Agent;

/// Sends JSON and returns the body of the answer, at most `max_size` bytes. `key` is sent as a bearer token. Redirects are not followed.
///
/// # Errors
/// A message, if the server cannot be reached or answers with another status than 200 to 299; with the beginning of the answer.
pub fn post_json(
    url: &str,
    body: &[u8],
    key: Option<&str>,
    timeout: Duration,
    max_size: usize,
) -> Result<Vec<u8>, String> {
    let config = Agent::config_builder().timeout_global(Some(timeout)).http_status_as_error(false).max_redirects(0);
    let mut request = config.build().new_agent().post(url).header("content-type", "application/json");
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    let mut answer = request.send(body).map_err(|e| e.to_string())?;
    let status = answer.status();
    let read = answer.body_mut().with_config().limit(max_size as u64).read_to_vec().map_err(|e| e.to_string())?;
    if status.is_success() {
        return Ok(read);
    }
    let said: String = String::from_utf8_lossy(&read).chars().take(200).collect();
    Err(format!("HTTP status {status}: {}", said.split_whitespace().collect::<Vec<_>>().join(" ")))
}
