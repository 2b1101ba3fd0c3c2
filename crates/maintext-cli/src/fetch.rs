//! The flags for fetching and for the largest page.
use crate::input::{CommandInput, FileBytes};
use maintext_fetch::{FetchOptions, Fetcher};
use std::time::Duration;

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Fetching")]
pub struct FetchArgs {
    /// Value of the User-Agent header
    #[arg(long, value_name = "TEXT", default_value_t = FetchOptions::default().user_agent)]
    user_agent: String,

    /// Time limit for one page in seconds, from the name lookup to the last byte
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    timeout: Duration,

    /// Maximum size of a page, in bytes or with K, M or G; also applies to files and standard input
    ///
    /// The limit applies after decompression, so that a small body cannot expand to a huge one.
    #[arg(long, value_name = "SIZE", default_value = "20M", value_parser = size)]
    pub max_size: usize,

    /// Maximum number of redirects to follow
    #[arg(long, value_name = "N", default_value_t = FetchOptions::default().max_redirects)]
    max_redirects: usize,

    /// HTTP header to send, as "Name: value"; can be repeated
    ///
    /// After a redirect to another site, only headers without secrets are sent, such as Accept-Language, but not Authorization or Cookie.
    #[arg(long, value_name = "HEADER", value_parser = header)]
    header: Vec<(String, String)>,
}

impl FetchArgs {
    pub fn options(&self) -> FetchOptions {
        FetchOptions {
            user_agent: self.user_agent.clone(),
            timeout: self.timeout,
            max_size: self.max_size,
            max_redirects: self.max_redirects,
            headers: self.header.clone(),
            ..FetchOptions::default()
        }
    }

    /// The options for inputs whose format is recognised by content.
    pub fn for_documents(&self) -> FetchOptions {
        FetchOptions { documents: true, ..self.options() }
    }

    /// Reads one input, over the network if it is an address.
    pub fn read(&self, input: &CommandInput) -> Result<FileBytes, String> {
        let fetcher = match input {
            CommandInput::Url(_) => Some(Fetcher::new(self.for_documents()).map_err(|e| e.to_string())?),
            _ => None,
        };
        input.read(fetcher.as_ref(), self.max_size)
    }
}

/// A positive number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    let duration = number.and_then(|n| Duration::try_from_secs_f64(n).ok()).filter(|d| !d.is_zero());
    duration.ok_or_else(|| "expected seconds, such as 30 or 2.5".into())
}

/// A number of seconds, or zero.
#[cfg(any(feature = "batch", feature = "crawl"))]
pub fn seconds_or_zero(text: &str) -> Result<Duration, String> {
    if matches!(text, "0" | "0s") { Ok(Duration::ZERO) } else { seconds(text) }
}

pub fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        _ => return Err("expected a number of bytes, or a number with K, M or G".into()),
    };
    let bytes = digits.parse::<usize>().ok().and_then(|n| n.checked_mul(1 << shift));
    bytes.ok_or_else(|| "expected a number of bytes, or a number with K, M or G".into())
}

fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err("expected \"Name: value\"".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("1000"), Ok(1000));
        assert_eq!(size("20M"), Ok(20 << 20));
        assert_eq!(size("1GiB"), Ok(1 << 30));
        for wrong in ["", "M", "1.5M", "-1", "1X", "99999999999999999999", "99999999999999G"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_positive_seconds() {
        assert_eq!(seconds("2.5"), Ok(Duration::from_millis(2500)));
        for wrong in ["", "0", "-1", "NaN", "inf", "1h"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn headers_have_a_name() {
        assert_eq!(header("Accept: a:b"), Ok(("Accept".into(), "a:b".into())));
        assert!(header("Accept").is_err() && header(": x").is_err());
    }
}
