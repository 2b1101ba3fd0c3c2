//! `Link` headers (RFC 8288).
use url::Url;

/// Maximum number of links that are read, and maximum number of bytes of a header.
const MAX_LINKS: usize = 100;
const MAX_BYTES: usize = 64 * 1024;

/// A link in a header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HeaderLink {
    /// The target, absolute.
    pub url: String,
    /// The relations, in lower case.
    pub relations: String,
    /// The media type of the target.
    pub kind: Option<String>,
}

impl HeaderLink {
    /// Whether the link has a relation.
    pub fn has(&self, relation: &str) -> bool {
        self.relations.split_whitespace().any(|r| r == relation)
    }
}

/// Returns the links in the headers of an answer from `base`.
pub(crate) fn links(base: &str, headers: &[(String, String)]) -> Vec<HeaderLink> {
    let Ok(base) = Url::parse(base) else { return Vec::new() };
    let mut found = Vec::new();
    for (_, value) in headers.iter().filter(|(name, value)| name == "link" && value.len() <= MAX_BYTES) {
        for part in split(value, ',') {
            if found.len() == MAX_LINKS {
                return found;
            }
            found.extend(link(&base, part));
        }
    }
    found
}

fn link(base: &Url, text: &str) -> Option<HeaderLink> {
    let (target, parameters) = text.trim().strip_prefix('<')?.split_once('>')?;
    let url = base.join(target.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let (mut relations, mut kind) = (None, None);
    for parameter in split(parameters, ';') {
        let Some((name, value)) = parameter.split_once('=') else { continue };
        let value = value.trim().trim_matches('"').to_ascii_lowercase();
        // Only the first of each counts.
        match name.trim().to_ascii_lowercase().as_str() {
            "rel" => drop(relations.get_or_insert(value)),
            "type" => drop(kind.get_or_insert(value)),
            _ => {}
        }
    }
    Some(HeaderLink { url: url.into(), relations: relations?, kind })
}

/// Splits at a separator outside of `<...>` and quotes.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut in_target, mut escaped) = (false, false, false);
    text.split(move |c| {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' if !in_target => quoted = !quoted,
            '<' if !quoted => in_target = true,
            '>' if !quoted => in_target = false,
            c => return c == separator && !quoted && !in_target,
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_relations_and_types() {
        let header = |value: &str| vec![("link".to_owned(), value.to_owned())];
        let value = "<a,b;c.md>; rel=\"alternate other\"; type=\"text/markdown\"; title=\"x, \\\"<y>; z\", </l.xml> ;REL=License;rel=next, \
                     <x>, broken, <mailto:a@e.org>; rel=license";
        let found = links("https://e.org/d/p", &header(value));
        let link = |url: &str, relations: &str, kind: Option<&str>| HeaderLink {
            url: url.into(),
            relations: relations.into(),
            kind: kind.map(str::to_owned),
        };
        let expected = [
            link("https://e.org/d/a,b;c.md", "alternate other", Some("text/markdown")),
            link("https://e.org/l.xml", "license", None),
        ];
        assert_eq!(found, expected);
        assert!(found[0].has("other") && !found[0].has("alt"));
        assert_eq!(links("https://e.org/", &header(&"<a>;rel=b,".repeat(5000))).len(), MAX_LINKS);
        assert!(links("https://e.org/", &header(&"\"<".repeat(20_000))).is_empty());
    }
}
