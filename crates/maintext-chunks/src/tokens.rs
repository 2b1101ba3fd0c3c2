//! Counts of tokens.
use std::fmt;

/// The names that [`Tokenizer::named`] knows in this build.
pub const TOKENIZERS: &[&str] = &[
    "words",
    "chars",
    #[cfg(feature = "openai")]
    "cl100k_base",
    #[cfg(feature = "openai")]
    "o200k_base",
];

/// Counts the tokens of a text.
///
/// ```
/// use maintext_chunks::Tokenizer;
/// assert_eq!(Tokenizer::named("words").unwrap().count("The ferry leaves at nine."), 5);
/// assert_eq!(Tokenizer::named("cl100k_base").unwrap().count("The ferry leaves at nine."), 6);
/// ```
#[derive(Clone, Debug)]
pub struct Tokenizer(Kind);

#[derive(Clone)]
enum Kind {
    Words,
    Chars,
    #[cfg(feature = "openai")]
    OpenAi(&'static str, &'static bpe_openai::Tokenizer),
    #[cfg(feature = "tokenizer-json")]
    Json(String, std::sync::Arc<tokenizers::Tokenizer>),
}

impl Tokenizer {
    /// Returns a tokenizer by name, one of [`TOKENIZERS`]: `words` (between white space), `chars` (Unicode code points), or an encoding of OpenAI
    /// with the vocabulary and the pattern that the package tiktoken publishes. Text that looks like a special token counts as text.
    ///
    /// # Errors
    /// A message with the names, if the name is unknown.
    pub fn named(name: &str) -> Result<Tokenizer, String> {
        Ok(Tokenizer(match name {
            "words" => Kind::Words,
            "chars" => Kind::Chars,
            #[cfg(feature = "openai")]
            "cl100k_base" => Kind::OpenAi("cl100k_base", bpe_openai::cl100k_base()),
            #[cfg(feature = "openai")]
            "o200k_base" => Kind::OpenAi("o200k_base", bpe_openai::o200k_base()),
            _ => return Err(format!("unknown tokenizer '{name}'; the tokenizers are: {}", TOKENIZERS.join(", "))),
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
        Ok(Tokenizer(Kind::Json(name.to_owned(), std::sync::Arc::new(tokenizer))))
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Words => "words",
            Kind::Chars => "chars",
            #[cfg(feature = "openai")]
            Kind::OpenAi(name, _) => name,
            #[cfg(feature = "tokenizer-json")]
            Kind::Json(name, _) => name,
        }
    }

    /// Returns the number of tokens. A text that a tokenizer of [`Tokenizer::from_json`] cannot encode counts by its bytes.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        match &self.0 {
            Kind::Words => text.split_whitespace().count(),
            Kind::Chars => text.chars().count(),
            #[cfg(feature = "openai")]
            Kind::OpenAi(_, tokenizer) => tokenizer.count(text),
            #[cfg(feature = "tokenizer-json")]
            Kind::Json(_, tokenizer) => tokenizer.encode_fast(text, false).map_or(text.len(), |e| e.len()),
        }
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Words => "words",
            Kind::Chars => "chars",
            #[cfg(feature = "openai")]
            Kind::OpenAi(name, _) => name,
            #[cfg(feature = "tokenizer-json")]
            Kind::Json(name, _) => name,
        })
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
    fn a_file_counts_without_its_special_tokens_and_its_truncation() {
        let json = br#"{"version":"1.0","truncation":{"direction":"Right","max_length":2,"strategy":"LongestFirst","stride":0},
            "padding":null,"added_tokens":[],"normalizer":null,"pre_tokenizer":{"type":"Whitespace"},"post_processor":null,"decoder":null,
            "model":{"type":"WordLevel","vocab":{"[UNK]":0,"ferry":1},"unk_token":"[UNK]"}}"#;
        let tokenizer = Tokenizer::from_json("own", json).unwrap();
        assert_eq!((tokenizer.count("the ferry, late"), tokenizer.name()), (4, "own"));
        assert!(Tokenizer::from_json("own", b"{}").unwrap_err().starts_with("not a tokenizer.json: "));
    }
}
