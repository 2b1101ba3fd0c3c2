//! The tokenizer without the tree builder, for tests. Not part of the public interface.

use crate::names::{Interner, Tag};
use crate::tokenizer::{Core, DoctypeToken, HtmlTokenizer, Next, Sink, StartTag, TextRun, TokenizerState};

/// A complete token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// Name, attributes sorted by name, self-closing flag.
    StartTag(String, Vec<(String, String)>, bool),
    /// Name.
    EndTag(String),
    /// Characters, joined.
    Text(String),
    /// Comment data.
    Comment(String),
    /// Name, public and system identifier, force-quirks flag.
    Doctype(Option<String>, Option<String>, Option<String>, bool),
}

/// Tokenizes from a state given by its name in the standard (`"Data state"` and so on).
pub fn tokenize(input: &str, state: &str, last_start_tag: Option<&str>) -> Vec<Token> {
    let core = Core {
        input,
        side: String::new(),
        attrs: Vec::new(),
        names: Interner::default(),
        token: (0, 0),
        max_attrs: u32::MAX,
        attrs_dropped: 0,
        full: false,
    };
    let mut tokenizer = HtmlTokenizer::new(core, Collect::default());
    tokenizer.state = match state {
        "PLAINTEXT state" => TokenizerState::Plaintext,
        "RCDATA state" => TokenizerState::Rcdata,
        "RAWTEXT state" => TokenizerState::Rawtext,
        "Script data state" => TokenizerState::Script,
        "CDATA section state" => TokenizerState::Cdata,
        _ => TokenizerState::Data,
    };
    tokenizer.raw_tag = last_start_tag.and_then(Tag::from_name);
    tokenizer.run();
    tokenizer.sink.tokens
}

#[derive(Default)]
struct Collect {
    tokens: Vec<Token>,
}

impl Collect {
    fn push_text(&mut self, text: &str) {
        match self.tokens.last_mut() {
            Some(Token::Text(before)) => before.push_str(text),
            _ => self.tokens.push(Token::Text(text.to_string())),
        }
    }
}

impl Sink for Collect {
    fn start_tag(&mut self, core: &mut Core<'_>, tag: StartTag) -> Next {
        let mut attrs: Vec<(String, String)> = core.attrs[tag.attrs as usize..]
            .iter()
            .map(|a| (core.names.attr_name(a.name).to_string(), core.str(a.value).to_string()))
            .collect();
        attrs.sort();
        self.tokens.push(Token::StartTag(core.names.tag_name(tag.tag).to_string(), attrs, tag.self_closing));
        Next::Continue
    }

    fn end_tag(&mut self, core: &mut Core<'_>, tag: Tag) {
        self.tokens.push(Token::EndTag(core.names.tag_name(tag).to_string()));
    }

    fn text(&mut self, core: &mut Core<'_>, run: TextRun) {
        self.push_text(core.str(run));
    }

    fn nul(&mut self, _core: &mut Core<'_>) {
        self.push_text("\0");
    }

    fn comment(&mut self, core: &mut Core<'_>, run: TextRun) {
        self.tokens.push(Token::Comment(core.str(run).to_string()));
    }

    fn doctype(&mut self, _core: &mut Core<'_>, d: DoctypeToken) {
        self.tokens.push(Token::Doctype(d.name, d.public, d.system, d.force_quirks));
    }

    fn end(&mut self, _core: &mut Core<'_>) {}

    fn in_foreign(&self) -> bool {
        false
    }
}
