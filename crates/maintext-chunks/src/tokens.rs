//! Counts of tokens.
use maintext_core::blocks::is_cjk;
use std::fmt;
use std::sync::Arc;

/// The names that [`Tokenizer::named`] knows in this build.
pub const TOKENIZERS: &[&str] = &[
    "words",
    "chars",
    #[cfg(feature = "openai")]
    "cl100k_base",
    #[cfg(feature = "openai")]
    "o200k_base",
];

/// What the error for an unknown name adds where the vocabularies of OpenAI are left out.
const MORE_TOKENIZERS: &str = if cfg!(feature = "openai") {
    ""
} else {
    " (and cl100k_base and o200k_base in builds with OpenAI's vocabularies)"
};

/// Counts the tokens of a text.
///
/// ```
/// use maintext_chunks::Tokenizer;
/// assert_eq!(Tokenizer::named("words").unwrap().count("The ferry leaves at nine."), 5);
/// assert_eq!(Tokenizer::named("cl100k_base").unwrap().count("The ferry leaves at nine."), 6);
/// ```
#[derive(Clone)]
pub struct Tokenizer(TokenizerKind);

#[derive(Clone)]
enum TokenizerKind {
    Words,
    Chars,
    #[cfg(feature = "openai")]
    OpenAi(&'static str, &'static bpe_openai::Tokenizer),
    #[cfg(feature = "tokenizer-json")]
    Json(String, Arc<tokenizers::Tokenizer>),
    Custom(String, Arc<Count>),
}

/// A function that counts tokens.
type Count = dyn Fn(&str) -> usize + Send + Sync;

impl Tokenizer {
    /// Returns a tokenizer by name, one of [`TOKENIZERS`]: `words` (between white space; each character of a script without spaces, such as
    /// Chinese or Thai), `chars` (Unicode code points), or an encoding of OpenAI with the vocabulary and the pattern that the package tiktoken
    /// publishes. Text that looks like a special token counts as text.
    ///
    /// # Errors
    /// A message with the names, if the name is unknown.
    pub fn named(name: &str) -> Result<Tokenizer, String> {
        Ok(Tokenizer(match name {
            "words" => TokenizerKind::Words,
            "chars" => TokenizerKind::Chars,
            #[cfg(feature = "openai")]
            "cl100k_base" => TokenizerKind::OpenAi("cl100k_base", bpe_openai::cl100k_base()),
            #[cfg(feature = "openai")]
            "o200k_base" => TokenizerKind::OpenAi("o200k_base", bpe_openai::o200k_base()),
            _ => {
                return Err(format!(
                    "unknown tokenizer '{name}'; the tokenizers are: {}{MORE_TOKENIZERS}",
                    TOKENIZERS.join(", ")
                ));
            }
        }))
    }

    /// Reads a `tokenizer.json`, the format of the package tokenizers. Special tokens that it adds to each input are not counted, and neither its
    /// truncation nor its padding is applied. `name` is the tokenizer's name in tables.
    ///
    /// # Errors
    /// A message, if it is not such a file.
    #[cfg(feature = "tokenizer-json")]
    pub fn from_json(name: &str, json: &[u8]) -> Result<Tokenizer, String> {
        let mut tokenizer =
            tokenizers::Tokenizer::from_bytes(json).map_err(|e| format!("not a tokenizer.json: {e}"))?;
        tokenizer.with_truncation(None).map_err(|e| e.to_string())?;
        tokenizer.with_padding(None);
        Ok(Tokenizer(TokenizerKind::Json(name.to_owned(), Arc::new(tokenizer))))
    }

    /// Returns a tokenizer that counts with a function. No part of a text may have more tokens than bytes.
    ///
    /// ```
    /// let lines = maintext_chunks::Tokenizer::custom("lines", |text| text.lines().count());
    /// assert_eq!(lines.count("The ferry\nleaves."), 2);
    /// ```
    #[must_use]
    pub fn custom(name: &str, count: impl Fn(&str) -> usize + Send + Sync + 'static) -> Tokenizer {
        Tokenizer(TokenizerKind::Custom(name.to_owned(), Arc::new(count)))
    }

    /// Returns the usual limit of a chunk: 512 tokens, which common embedding models accept, or about as much text in `words` or `chars`.
    #[must_use]
    pub fn usual_limit(&self) -> usize {
        match self.0 {
            TokenizerKind::Words => 350,
            TokenizerKind::Chars => 2000,
            _ => 512,
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.0 {
            TokenizerKind::Words => "words",
            TokenizerKind::Chars => "chars",
            #[cfg(feature = "openai")]
            TokenizerKind::OpenAi(name, _) => name,
            #[cfg(feature = "tokenizer-json")]
            TokenizerKind::Json(name, _) => name,
            TokenizerKind::Custom(name, _) => name,
        }
    }

    /// Returns the number of tokens. A text that a tokenizer of [`Tokenizer::from_json`] cannot encode counts by its bytes.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        match &self.0 {
            TokenizerKind::Words => words(text),
            TokenizerKind::Chars => text.chars().count(),
            #[cfg(feature = "openai")]
            TokenizerKind::OpenAi(_, tokenizer) => tokenizer.count(text),
            #[cfg(feature = "tokenizer-json")]
            TokenizerKind::Json(_, tokenizer) => tokenizer.encode_fast(text, false).map_or(text.len(), |e| e.len()),
            TokenizerKind::Custom(_, count) => count(text),
        }
    }
}

/// Counts words between white space. Each character of a script without spaces is a word; adjacent punctuation is not.
fn words(text: &str) -> usize {
    let (mut words, mut inside, mut alone) = (0, false, false);
    for c in text.chars() {
        if is_cjk(c) || matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}') {
            words += 1;
            (inside, alone) = (false, true);
        } else if c.is_whitespace() {
            (inside, alone) = (false, false);
        } else if !inside && (!alone || c.is_alphanumeric()) {
            words += 1;
            (inside, alone) = (true, false);
        }
    }
    words
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokenizer({})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_refused_with_the_known_ones() {
        let message = Tokenizer::named("gpt-9").unwrap_err();
        assert!(message.starts_with("unknown tokenizer 'gpt-9'; the tokenizers are: words, chars"), "{message}");
        assert!(TOKENIZERS.iter().all(|n| Tokenizer::named(n).unwrap().name() == *n));
    }

    #[test]
    fn words_are_between_spaces_and_characters_where_there_are_none() {
        let words = Tokenizer::named("words").unwrap();
        let counts =
            ["The ferry, at 9 -- late.", "渡船九点开。", "第2章Rust入门", "เรือ", " \n"].map(|t| words.count(t));
        assert_eq!(counts, [6, 5, 6, 4, 0]);
    }

    #[test]
    fn a_file_counts_without_its_special_tokens_and_its_truncation() {
        let json = br#"{"version":"1.0","truncation":{"direction":"Right","max_length":2,"strategy":"LongestFirst","stride":0},
            "padding":null,"added_tokens":[],"normalizer":null,"pre_tokenizer":{"type":"Whitespace"},"post_processor":null,"decoder":null,
            "model":{"type":"WordLevel","vocab":{"[UNK]":0,"ferry":1},"unk_token":"[UNK]"}}"#;
        let tokenizer = Tokenizer::from_json("own", json).unwrap();
        assert_eq!((tokenizer.count("the ferry, late"), tokenizer.name()), (4, "own"));
        assert!(Tokenizer::from_json("own", b"{}").unwrap_err().starts_with("not a tokenizer.json: "));
    }
}
