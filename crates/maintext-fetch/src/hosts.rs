//! Patterns of host names that may or may not be contacted.
use std::fmt;
use std::str::FromStr;
use url::Host;

/// A host name, or all names below one: `example.org`, `*.example.org`, `192.0.2.1`, `[2001:db8::1]`, `*`.
///
/// ```
/// use maintext_fetch::HostPattern;
///
/// let below: HostPattern = "*.example.org".parse()?;
/// assert!(below.matches("www.example.org") && !below.matches("example.org"));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    /// The name in the form of an address: in lower case, international names in ASCII.
    name: String,
    /// Whether the pattern stands for the names below.
    below: bool,
}

impl HostPattern {
    /// Whether the pattern matches a host as an address contains it: in lower case, international names in ASCII.
    #[must_use]
    pub fn matches(&self, host: &str) -> bool {
        let host = host.strip_suffix('.').unwrap_or(host);
        if self.below {
            self.name.is_empty() || host.strip_suffix(&self.name).is_some_and(|rest| rest.ends_with('.'))
        } else {
            host == self.name
        }
    }
}

impl FromStr for HostPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not a host; expected example.org, *.example.org, an address or *");
        if text == "*" {
            return Ok(Self { name: String::new(), below: true });
        }
        let (name, below) = text.strip_prefix("*.").map_or((text, false), |name| (name, true));
        let host = Host::parse(name.strip_suffix('.').unwrap_or(name)).map_err(|_| wrong())?;
        // Names with a star elsewhere, ports and paths are not hosts; the parser accepts the star.
        let plain = !name.contains('*') && (!below || matches!(host, Host::Domain(_)));
        plain.then(|| Self { name: host.to_string(), below }).ok_or_else(wrong)
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.below, self.name.as_str()) {
            (true, "") => f.write_str("*"),
            (true, name) => write!(f, "*.{name}"),
            (false, name) => f.write_str(name),
        }
    }
}

/// Whether a host has a name or is below it.
pub(super) fn belongs_to(host: &str, name: &str) -> bool {
    host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Whether a name exists only inside a network, not in the public name system (RFC 6761, 6762, 8375 and usual practice).
pub(super) fn is_inside(host: &str) -> bool {
    const INSIDE: [&str; 9] =
        ["localhost", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa", "localdomain"];
    let host = host.strip_suffix('.').unwrap_or(host);
    !host.contains('.') || INSIDE.iter().any(|name| belongs_to(host, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names_as_addresses_contain_them() {
        let matches = |pattern: &str, host: &str| pattern.parse::<HostPattern>().unwrap().matches(host);
        assert!(matches("Example.ORG", "example.org") && matches("example.org", "example.org."));
        assert!(!matches("example.org", "www.example.org") && !matches("example.org", "notexample.org"));
        assert!(matches("*.example.org", "a.b.example.org") && !matches("*.example.org", "notexample.org"));
        assert!(matches("bücher.example", "xn--bcher-kva.example") && matches("*", "anything"));
        assert!(matches("192.0.2.1", "192.0.2.1") && matches("[2001:DB8::1]", "[2001:db8::1]"));
        assert_eq!("*.Example.org".parse::<HostPattern>().unwrap().to_string(), "*.example.org");
        for wrong in
            ["", "*.", "a*b.org", "example.org:80", "https://example.org", "example.org/a", "*.192.0.2.1", "**"]
        {
            assert!(wrong.parse::<HostPattern>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_of_inside_are_known() {
        for host in ["localhost", "db", "a.localhost", "metadata.google.internal", "printer.local", "nas.home.arpa."] {
            assert!(is_inside(host), "{host}");
        }
        assert!(!is_inside("example.org") && !is_inside("thelocal.se") && !is_inside("local.example.org"));
    }
}
