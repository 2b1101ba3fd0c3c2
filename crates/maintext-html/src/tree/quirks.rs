//! Determines the quirks mode from a doctype ("the initial insertion mode").

use crate::options::QuirksMode;
use crate::tokenizer::DoctypeToken;

/// Prefixes of public identifiers that select quirks mode, one per line.
const QUIRKS_PREFIXES: &str = include_str!("quirks.txt");

/// Prefixes of public identifiers that select quirks mode without a system identifier and limited-quirks mode with one.
static HTML4_PREFIXES: [&str; 2] = ["-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"];

/// Prefixes of public identifiers that select limited-quirks mode.
static LIMITED_PREFIXES: [&str; 2] = ["-//w3c//dtd xhtml 1.0 frameset//", "-//w3c//dtd xhtml 1.0 transitional//"];

/// Public identifiers that select quirks mode.
static QUIRKS_PUBLIC: [&str; 3] =
    ["-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"];

/// The system identifier that selects quirks mode.
const QUIRKS_SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/// Returns the mode for a doctype.
pub(super) fn mode(doctype: &DoctypeToken, iframe_srcdoc: bool) -> QuirksMode {
    if iframe_srcdoc {
        return QuirksMode::NoQuirks;
    }
    if doctype.force_quirks || doctype.name.as_deref() != Some("html") {
        return QuirksMode::Quirks;
    }
    let public = doctype.public.as_deref().unwrap_or("").to_ascii_lowercase();
    let system = doctype.system.as_deref();
    if QUIRKS_PUBLIC.contains(&public.as_str())
        || system.is_some_and(|s| s.eq_ignore_ascii_case(QUIRKS_SYSTEM))
        || !public.is_empty() && QUIRKS_PREFIXES.lines().any(|prefix| public.starts_with(prefix))
        || (system.is_none() && begins_with_any(&public, &HTML4_PREFIXES))
    {
        return QuirksMode::Quirks;
    }
    if begins_with_any(&public, &LIMITED_PREFIXES) || begins_with_any(&public, &HTML4_PREFIXES) {
        return QuirksMode::LimitedQuirks;
    }
    QuirksMode::NoQuirks
}

fn begins_with_any(public: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|p| public.starts_with(p))
}
