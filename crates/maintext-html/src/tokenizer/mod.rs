//! The tokenizer: finds runs of bytes in bulk and passes them to a sink without building tokens.

mod charref;
mod comment;
mod doctype;
mod raw;
mod tag;
mod text;

use crate::names::{Attr, Interner, Tag};
use crate::scan::find_special;

/// An attribute of an element: its name and the range of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AttrRec {
    pub name: Attr,
    pub value: TextRun,
}

/// The bit in a run's start that marks text in the side buffer.
pub(crate) const SIDE: u32 = 1 << 31;

/// A piece of text: in the input, or (with [`SIDE`] set in `start`) in the side buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRun {
    pub start: u32,
    pub len: u32,
}

impl TextRun {
    pub(crate) const EMPTY: TextRun = TextRun { start: 0, len: 0 };

    pub(crate) fn is_side(self) -> bool {
        self.start & SIDE != 0
    }

    /// Returns the run without its first `n` bytes.
    pub(crate) fn skip(self, n: usize) -> TextRun {
        TextRun { start: self.start + n as u32, len: self.len - n as u32 }
    }

    /// Returns the first `n` bytes of the run.
    pub(crate) fn take(self, n: usize) -> TextRun {
        TextRun { start: self.start, len: n as u32 }
    }
}

/// A doctype token.
#[derive(Debug, Default, Clone)]
pub(crate) struct DoctypeToken {
    pub name: Option<String>,
    pub public: Option<String>,
    pub system: Option<String>,
    pub force_quirks: bool,
}

/// A start tag; its attributes are the entries of `Core::attrs` from `attrs` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StartTag {
    pub tag: Tag,
    pub self_closing: bool,
    pub attrs: u32,
}

/// The tokenizer's states between tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenizerState {
    Data,
    Rcdata,
    Rawtext,
    Script,
    Plaintext,
    Cdata,
}

/// How the tokenizer continues after a start tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    Continue,
    /// Switch to a state in which text ends at this tag's end tag.
    Switch(TokenizerState),
}

/// The state to which both the tokenizer and the sink write.
pub(crate) struct Core<'a> {
    pub input: &'a str,
    /// Text that differs from the input: with character references, NULs or newlines replaced.
    pub side: String,
    pub attrs: Vec<AttrRec>,
    pub names: Interner,
    /// Source range of the current token.
    pub token: (u32, u32),
    /// Attributes beyond this number on one tag are dropped.
    pub max_attrs: u32,
    pub attrs_dropped: u32,
    /// Whether the sink has reached its node limit, so that the rest of the input is not read.
    pub full: bool,
}

impl Core<'_> {
    pub(crate) fn str(&self, run: TextRun) -> &str {
        let start = (run.start & !SIDE) as usize;
        let range = start..start + run.len as usize;
        if run.is_side() { self.side.get(range) } else { self.input.get(range) }.unwrap_or("")
    }
}

/// The consumer of tokens.
pub(crate) trait Sink {
    fn start_tag(&mut self, core: &mut Core<'_>, tag: StartTag) -> Next;
    fn end_tag(&mut self, core: &mut Core<'_>, tag: Tag);
    /// Text without NULs, never empty.
    fn text(&mut self, core: &mut Core<'_>, run: TextRun);
    /// A NUL character in the data state or a CDATA section.
    fn nul(&mut self, core: &mut Core<'_>);
    fn comment(&mut self, core: &mut Core<'_>, run: TextRun);
    fn doctype(&mut self, core: &mut Core<'_>, doctype: DoctypeToken);
    fn end(&mut self, core: &mut Core<'_>);
    /// Whether the adjusted current node is a foreign element, so that CDATA sections are read.
    fn in_foreign(&self) -> bool;
}

/// The tokenizer with its sink.
pub(crate) struct HtmlTokenizer<'a, S> {
    pub core: Core<'a>,
    pub sink: S,
    bytes: &'a [u8],
    pos: usize,
    pub state: TokenizerState,
    /// The tag whose end tag ends the current RCDATA, RAWTEXT or script data.
    pub raw_tag: Option<Tag>,
    /// The first carriage return or NUL at or after some earlier position; see `special_from`.
    special: usize,
    /// Marks that find duplicates among many attributes: the serial number of the last tag with the attribute.
    seen: Vec<u32>,
    serial: u32,
    scratch: String,
}

impl<'a, S: Sink> HtmlTokenizer<'a, S> {
    pub(crate) fn new(core: Core<'a>, sink: S) -> Self {
        let bytes = core.input.as_bytes();
        HtmlTokenizer {
            special: find_special(bytes, 0),
            core,
            sink,
            bytes,
            pos: 0,
            state: TokenizerState::Data,
            raw_tag: None,
            seen: Vec::new(),
            serial: 0,
            scratch: String::new(),
        }
    }

    /// Skips the byte-order mark, which a decoder would have removed.
    pub(crate) fn skip_byte_order_mark(&mut self) {
        if self.core.input.starts_with('\u{FEFF}') {
            self.pos = '\u{FEFF}'.len_utf8();
        }
    }

    /// Tokenizes all input.
    pub(crate) fn run(&mut self) {
        while self.goes_on() {
            match self.state {
                TokenizerState::Data => self.data(),
                TokenizerState::Rcdata => self.rcdata(),
                TokenizerState::Rawtext => self.rawtext(),
                TokenizerState::Script => self.script(),
                TokenizerState::Plaintext => self.plaintext(),
                TokenizerState::Cdata => self.cdata(),
            }
        }
        let end = self.bytes.len() - self.unread();
        self.set_token(end, end);
        self.sink.end(&mut self.core);
    }

    #[inline]
    fn goes_on(&self) -> bool {
        self.pos < self.bytes.len() && !self.core.full
    }

    /// Number of input bytes not read; 0 unless the sink was full.
    pub(crate) fn unread(&self) -> usize {
        self.bytes.len().saturating_sub(self.pos)
    }

    /// Returns the first carriage return or NUL at or after `from`. Searches only if the last result is before `from`, so that all
    /// searches together read the input once.
    #[inline(always)]
    fn special_from(&mut self, from: usize) -> usize {
        if self.special < from {
            self.special = find_special(self.bytes, from);
        }
        self.special
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Whether the bytes at `at` are `word`, given in lower case, in any case.
    fn looking_at(&self, at: usize, word: &[u8]) -> bool {
        self.bytes.get(at..at + word.len()).is_some_and(|b| b.eq_ignore_ascii_case(word))
    }

    #[inline(always)]
    fn set_token(&mut self, start: usize, end: usize) {
        self.core.token = (start as u32, end as u32);
    }

    /// Returns the input between two positions, with newlines normalised and NULs replaced by U+FFFD.
    fn clean(&mut self, from: usize, to: usize) -> TextRun {
        if self.special_from(from) >= to {
            return TextRun { start: from as u32, len: (to - from) as u32 };
        }
        let start = self.core.side.len();
        let mut at = from;
        while at < to {
            let special = self.special_from(at).min(to);
            self.core.side.push_str(&self.core.input[at..special]);
            at = special;
            if at < to {
                at = self.replace_special(at);
            }
        }
        self.side_run(start)
    }

    /// Appends the replacement of the carriage return or NUL at `at`. Returns the position after it.
    fn replace_special(&mut self, at: usize) -> usize {
        if self.bytes[at] == b'\r' {
            self.core.side.push('\n');
            return if self.byte(at + 1) == Some(b'\n') { at + 2 } else { at + 1 };
        }
        self.core.side.push('\u{FFFD}');
        at + 1
    }

    /// Returns the content of the side buffer from `start` on.
    fn side_run(&self, start: usize) -> TextRun {
        TextRun { start: start as u32 | SIDE, len: (self.core.side.len() - start) as u32 }
    }

    /// Returns the run from `from` to `to`: a range of the side buffer if it was copied there (`copied`), otherwise of the input.
    fn finish_run(&mut self, copied: Option<usize>, from: usize, to: usize) -> TextRun {
        match copied {
            None => TextRun { start: from as u32, len: (to - from) as u32 },
            Some(start) => {
                self.core.side.push_str(&self.core.input[from..to]);
                self.side_run(start)
            }
        }
    }

    /// Copies the input from `from` to `to` to the side buffer and records in `copied` where the copy begins, if it is new.
    fn copy(&mut self, copied: &mut Option<usize>, from: usize, to: usize) {
        copied.get_or_insert(self.core.side.len());
        self.core.side.push_str(&self.core.input[from..to]);
    }
}
