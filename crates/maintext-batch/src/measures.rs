//! The columns that measure the final text of a page: language, script, tokens.
use crate::columns::Columns;
use crate::columns::Extra;
use maintext_chunks::Tokenizer;
use maintext_core::Page;
use serde_json::json;

/// Enough of a text to be sure of its language, in bytes.
const SAMPLE: usize = 4096;
/// The columns that [`measure`] fills.
const MEASURES: [&str; 4] = ["language_score", "script", "languages", "token_count"];

/// Whether [`measure`] fills one of the columns, for which it needs the text.
#[must_use]
pub fn measures(columns: &Columns) -> bool {
    MEASURES.iter().any(|name| columns.names_field(name))
}

/// Adds the columns that measure the final text, or replaces them: its language, script and tokens. Fills only columns that were selected by
/// name; without a tokenizer, `token_count` stays null.
pub fn measure(columns: &Columns, tokenizer: Option<&Tokenizer>, page: &Page, extra: &mut Extra) {
    extra.retain(|(name, _)| !MEASURES.contains(name));
    if columns.names_field("language_score") || columns.names_field("script") {
        let text = page.text();
        let found = maintext_language::detect(&text[..text.floor_char_boundary(SAMPLE)]);
        extra.push(("language_score", json!(found.map(|d| d.score))));
        extra.push(("script", json!(found.map(|d| d.script))));
    }
    if columns.names_field("languages") {
        let shares = maintext_language::shares(page.text());
        extra.push((
            "languages",
            shares.iter().map(|s| json!({"language": s.language, "script": s.script, "share": s.share})).collect(),
        ));
    }
    if let (true, Some(tokenizer)) = (columns.names_field("token_count"), tokenizer) {
        extra.push(("token_count", json!(tokenizer.count(page.text()))));
    }
}
