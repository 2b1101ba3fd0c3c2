//! The columns that measure the final text of a page: language, script, tokens.
use crate::columns::Columns;
use crate::steps::Extra;
use maintext_chunks::Tokenizer;
use maintext_core::Page;
use maintext_language::Share;
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
    let named = |name: &str| columns.names_field(name);
    extra.retain(|(name, _)| !MEASURES.contains(name));
    if named("language_score") || named("script") {
        let text = page.text();
        let found = maintext_language::detect(&text[..text.floor_char_boundary(SAMPLE)]);
        extra.push(("language_score", json!(found.map(|d| d.score))));
        extra.push(("script", json!(found.map(|d| d.script))));
    }
    if named("languages") {
        let shares = maintext_language::shares(page.text());
        let object = |s: &Share| json!({"language": s.language, "script": s.script, "share": s.share});
        extra.push(("languages", shares.iter().map(object).collect()));
    }
    if let (true, Some(tokenizer)) = (named("token_count"), tokenizer) {
        extra.push(("token_count", json!(tokenizer.count(page.text()))));
    }
}
