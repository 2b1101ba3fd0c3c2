//! Bearer tokens with names.
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessToken {
    /// The name of its holder, for the log.
    pub name: Arc<str>,
    secret: String,
}

impl AccessToken {
    /// Parses a line of the token file: `[NAME] TOKEN`.
    fn parse(line: &str, number: usize) -> Result<AccessToken, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, secret) = match words[..] {
            [secret] => (format!("token-{number}"), secret.to_owned()),
            [name, secret] => (name.to_owned(), secret.to_owned()),
            // The line holds a secret, so the message does not repeat it.
            _ => return Err(format!("line {number}: expected a name and a token, and nothing else")),
        };
        // RFC 6750 has no such token. Taken for one, "rate=2" would be a password, and the token before it a name in the log.
        if secret.trim_end_matches('=').contains('=') {
            return Err(format!(
                "line {number}: a token has '=' only at its end, and a line has no settings such as rate="
            ));
        }
        if !name.chars().all(|c| c.is_alphanumeric() || "-_.@".contains(c)) {
            return Err(format!("line {number}: a name has only letters, digits and - _ . @"));
        }
        Ok(AccessToken { name: name.into(), secret })
    }
}

/// Parses a token file. Empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// A line is malformed, two have the same name or token, or the file has no token.
pub fn parse(text: &str) -> Result<Vec<AccessToken>, String> {
    let mut tokens = Vec::new();
    let (mut names, mut secrets) = (HashSet::new(), HashSet::new());
    for (i, line) in text.lines().enumerate().map(|(i, line)| (i, line.trim())) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let token = AccessToken::parse(line, i + 1)?;
        if !names.insert(token.name.clone()) || !secrets.insert(token.secret.clone()) {
            return Err(format!("line {}: another line has the same name or token", i + 1));
        }
        tokens.push(token);
    }
    if tokens.is_empty() { Err("no tokens found; the service would be open to everyone".into()) } else { Ok(tokens) }
}

/// The tokens that are valid.
#[derive(Debug)]
pub struct Tokens(Vec<AccessToken>);

impl Tokens {
    /// Reads the tokens of a file, or takes the `given` lines if `file` is `None`.
    ///
    /// # Errors
    /// The file cannot be read, or a line is malformed.
    pub fn new(file: Option<&Path>, given: &[String]) -> Result<Tokens, String> {
        Ok(Tokens(match file {
            Some(path) => read(path)?,
            None if given.is_empty() => Vec::new(),
            None => parse(&given.join("\n"))?,
        }))
    }

    /// Whether requests need a token.
    pub fn are_needed(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns the token with this text.
    pub fn find(&self, given: &str) -> Option<&AccessToken> {
        // Every token is compared, so that timing does not reveal which one is similar.
        self.0.iter().fold(None, |found, token| if same(given, &token.secret) { Some(token) } else { found })
    }
}

fn read(path: &Path) -> Result<Vec<AccessToken>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    parse(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Compares in constant time, so that timing does not reveal a part of a token.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |d, (x, y)| d | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_tokens() {
        let text = "# ours\n\nplain==\nnews s3cret\nlab  other\n";
        let tokens = parse(text).unwrap();
        let names: Vec<&str> = tokens.iter().map(|t| &*t.name).collect();
        assert_eq!(names, ["token-3", "news", "lab"]);
        for (wrong, says) in [
            ("", "no tokens found"),
            ("a b c", "expected a name"),
            ("a b\na c", "line 2: another line"),
            ("a b\nc b", "line 2: another line"),
            ("a\"b c", "a name has only"),
            ("# ours\nsecret rate=2/s", "line 2: a token has '=' only at its end"),
            ("news secret burst=3", "nothing else"),
        ] {
            let error = parse(wrong).unwrap_err();
            assert!(error.contains(says), "{wrong}: {error}");
        }
    }

    #[test]
    fn only_complete_tokens_match() {
        let tokens = Tokens::new(None, &["first".into(), "lab second".into()]).unwrap();
        assert_eq!(tokens.find("second").unwrap().name, "lab".into());
        assert!(tokens.find("first").is_some() && tokens.are_needed());
        assert!(tokens.find("fir").is_none() && tokens.find("").is_none() && tokens.find("lab").is_none());
        assert!(!Tokens::new(None, &[]).unwrap().are_needed());
    }
}
