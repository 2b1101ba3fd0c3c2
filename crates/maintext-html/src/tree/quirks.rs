//! Determines the quirks mode from a doctype ("the initial insertion mode").

use crate::options::QuirksMode;
use crate::tokenizer::DoctypeToken;

/// Prefixes of public identifiers that select quirks mode.
static QUIRKS_PREFIXES: [&str; 54] = [
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
];

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
    let begins = |prefixes: &[&str]| prefixes.iter().any(|p| public.starts_with(p));
    let system = doctype.system.as_deref();
    if QUIRKS_PUBLIC.contains(&public.as_str())
        || system.is_some_and(|s| s.eq_ignore_ascii_case(QUIRKS_SYSTEM))
        || begins(&QUIRKS_PREFIXES)
        || (system.is_none() && begins(&HTML4_PREFIXES))
    {
        return QuirksMode::Quirks;
    }
    if begins(&LIMITED_PREFIXES) || begins(&HTML4_PREFIXES) {
        return QuirksMode::LimitedQuirks;
    }
    QuirksMode::NoQuirks
}

/// Whether the doctype is valid, that is, not a parse error.
pub(super) fn conforms(doctype: &DoctypeToken) -> bool {
    doctype.name.as_deref() == Some("html")
        && doctype.public.is_none()
        && doctype.system.as_deref().is_none_or(|s| s == "about:legacy-compat")
}
