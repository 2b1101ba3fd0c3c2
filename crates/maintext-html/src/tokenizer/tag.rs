//! Start and end tags with their attributes.

use super::AttrRec;
use super::{HtmlTokenizer, Next, Sink, StartTag, TextRun, TokenizerState};
use crate::names::{Attr, KNOWN_ATTRS, Tag};
use crate::scan::{ATTR_BYTE, TAG_BYTE, find2, is_space};

/// Maximum number of attributes on a tag that are compared one by one to find duplicates.
const MAX_COMPARED_ATTRS: usize = 8;

/// A name as read: packed if it is short, with its end.
struct ReadName {
    lo: u64,
    hi: u64,
    end: usize,
    /// Whether it has at most 16 bytes and no NUL.
    packed: bool,
}

/// Reads a name. Bytes that map to zero end it; after a NUL, the name must be read again by the slow path.
#[inline(always)]
fn read_name(bytes: &[u8], start: usize, table: &[u8; 256]) -> ReadName {
    let (mut lo, mut hi) = (0u64, 0u64);
    let mut shift = 0u32;
    let rest = &bytes[start..];
    for (i, &byte) in rest.iter().enumerate() {
        let lower = table[byte as usize];
        // An attribute name may begin with `=`.
        let lower = if i == 0 && byte == b'=' { byte } else { lower };
        if lower == 0 {
            return ReadName { lo, hi, end: start + i, packed: byte != 0 && i <= 16 };
        }
        if i < 8 {
            lo |= u64::from(lower) << shift;
        } else {
            hi |= u64::from(lower) << (shift & 63);
        }
        shift += 8;
        if i == 16 {
            break;
        }
    }
    let mut end = start + shift as usize / 8;
    while end < bytes.len() && table[bytes[end] as usize] != 0 {
        end += 1;
    }
    ReadName { lo, hi, end, packed: bytes.get(end) != Some(&0) && end - start <= 16 }
}

impl<S: Sink> HtmlTokenizer<'_, S> {
    /// Handles the start tag at the current position.
    pub(super) fn start_tag(&mut self) {
        let start = self.pos;
        let (tag, after) = self.tag_name(start + 1);
        let attrs = self.core.attrs.len();
        let Some((end, self_closing)) = self.attributes(after, attrs) else {
            self.core.attrs.truncate(attrs);
            return self.eof_in_tag();
        };
        self.pos = end;
        self.set_token(start, end);
        let next = self.sink.start_tag(&mut self.core, StartTag { tag, self_closing, attrs: attrs as u32 });
        if let Next::Switch(state) = next {
            self.state = state;
            self.raw_tag = Some(tag);
        }
    }

    /// Handles the end tag at the current position.
    pub(super) fn end_tag(&mut self) {
        let start = self.pos;
        let (tag, after) = self.tag_name(start + 2);
        let mut end = after + 1;
        if self.byte(after) != Some(b'>') {
            let attrs = self.core.attrs.len();
            let found = self.attributes(after, attrs);
            self.core.attrs.truncate(attrs);
            let Some((tag_end, _)) = found else {
                return self.eof_in_tag();
            };
            end = tag_end;
        }
        self.pos = end;
        self.set_token(start, end);
        self.sink.end_tag(&mut self.core, tag);
    }

    #[cold]
    fn eof_in_tag(&mut self) {
        self.pos = self.bytes.len();
        self.state = TokenizerState::Data;
    }

    /// Returns the tag name at `start` and its end.
    #[inline]
    fn tag_name(&mut self, start: usize) -> (Tag, usize) {
        let name = read_name(self.bytes, start, &TAG_BYTE);
        if name.packed
            && let Some(tag) = Tag::from_packed(name.lo, name.hi)
        {
            return (tag, name.end);
        }
        self.rare_tag_name(start, name.end)
    }

    #[inline(never)]
    fn rare_tag_name(&mut self, start: usize, end: usize) -> (Tag, usize) {
        let end = self.spell(start, end, &TAG_BYTE);
        (self.core.names.tag(&self.scratch), end)
    }

    /// Returns the attribute name at `start` and its end.
    #[inline]
    fn attr_name(&mut self, start: usize) -> (Attr, usize) {
        let name = read_name(self.bytes, start, &ATTR_BYTE);
        if name.packed
            && let Some(attr) = Attr::from_packed(name.lo, name.hi)
        {
            return (attr, name.end);
        }
        self.rare_attr_name(start, name.end)
    }

    #[inline(never)]
    fn rare_attr_name(&mut self, start: usize, end: usize) -> (Attr, usize) {
        let end = self.spell(start, end, &ATTR_BYTE);
        (self.core.names.attr(&self.scratch), end)
    }

    /// Writes a name in lower case into `scratch`, with U+FFFD for each NUL. `end` is where the fast path stopped, perhaps at a NUL.
    fn spell(&mut self, start: usize, end: usize, table: &[u8; 256]) -> usize {
        self.scratch.clear();
        let (mut from, mut at) = (start, end);
        loop {
            self.scratch.push_str(&self.core.input[from..at]);
            if self.byte(at) != Some(0) {
                break;
            }
            self.scratch.push('\u{FFFD}');
            from = at + 1;
            at = from;
            while at < self.bytes.len() && table[self.bytes[at] as usize] != 0 {
                at += 1;
            }
        }
        self.scratch.make_ascii_lowercase();
        at
    }

    /// Reads attributes from `at` to the end of the tag and appends them to `core.attrs`; entries from `first` on belong to this tag.
    /// Returns the position after the `>` and whether the tag closes itself, or `None` at the end of the input.
    #[inline]
    fn attributes(&mut self, at: usize, first: usize) -> Option<(usize, bool)> {
        let mut at = at;
        loop {
            match self.byte(at)? {
                b'>' => return Some((at + 1, false)),
                b if is_space(b) => at += 1,
                b'/' => {
                    at += 1;
                    if self.byte(at)? == b'>' {
                        return Some((at + 1, true));
                    }
                }
                _ => at = self.attribute(at, first)?,
            }
        }
    }

    /// Reads the attribute at `start`. Returns the position after it.
    #[inline]
    fn attribute(&mut self, start: usize, first: usize) -> Option<usize> {
        let (name, end) = self.attr_name(start);
        let mut at = end;
        while is_space(self.byte(at)?) {
            at += 1;
        }
        let mut value = TextRun { start: end as u32, len: 0 };
        if self.bytes[at] == b'=' {
            at += 1;
            while is_space(self.byte(at)?) {
                at += 1;
            }
            match self.bytes[at] {
                quote @ (b'"' | b'\'') => {
                    (value, at) = self.quoted_value(at + 1, quote)?;
                }
                b'>' => {}
                _ => (value, at) = self.unquoted_value(at)?,
            }
        }
        self.keep_attribute(name, value, first);
        Some(at)
    }

    /// Appends an attribute, unless the tag already has it or has too many.
    #[inline]
    fn keep_attribute(&mut self, name: Attr, value: TextRun, first: usize) {
        let count = self.core.attrs.len() - first;
        if count < MAX_COMPARED_ATTRS {
            if self.core.attrs[first..].iter().any(|a| a.name == name) {
                return;
            }
        } else {
            if count == MAX_COMPARED_ATTRS {
                self.mark_first_attrs(first);
            }
            if !self.mark(name) {
                return;
            }
            if count as u32 >= self.core.max_attrs {
                self.core.attrs_dropped = self.core.attrs_dropped.saturating_add(1);
                return;
            }
        }
        self.core.attrs.push(AttrRec { name, value });
    }

    #[cold]
    fn mark_first_attrs(&mut self, first: usize) {
        self.serial += 1;
        for i in first..self.core.attrs.len() {
            let name = self.core.attrs[i].name;
            self.mark(name);
        }
    }

    /// Marks the attribute as present on the current tag. Returns `false` if it already was.
    fn mark(&mut self, name: Attr) -> bool {
        let index = name.index();
        if index >= self.seen.len() {
            self.seen.resize((index + 1).next_power_of_two().max(KNOWN_ATTRS), 0);
        }
        std::mem::replace(&mut self.seen[index], self.serial) != self.serial
    }

    /// Reads the value from `start` to `quote`. Returns it with the position after the quote.
    #[inline]
    fn quoted_value(&mut self, start: usize, quote: u8) -> Option<(TextRun, usize)> {
        let stop = find2(self.bytes, start, quote, b'&');
        if self.byte(stop)? == quote && self.special_from(start) >= stop {
            return Some((TextRun { start: start as u32, len: (stop - start) as u32 }, stop + 1));
        }
        self.mixed_value(start, stop, quote)
    }

    /// Like `quoted_value`, for values with character references, carriage returns or NULs. `stop` is the first quote or `&`.
    #[inline(never)]
    fn mixed_value(&mut self, start: usize, mut stop: usize, quote: u8) -> Option<(TextRun, usize)> {
        let mut copied = None;
        let (mut from, mut at) = (start, start);
        loop {
            if stop < at {
                stop = find2(self.bytes, at, quote, b'&');
            }
            let special = self.special_from(at);
            if special < stop {
                self.copy(&mut copied, from, special);
                at = self.replace_special(special);
                from = at;
                continue;
            }
            if self.byte(stop)? == quote {
                break;
            }
            match self.char_ref(stop, true) {
                Some((end, text)) => {
                    self.copy(&mut copied, from, stop);
                    self.push_expansion(text);
                    from = end;
                    at = end;
                }
                None => at = stop + 1,
            }
        }
        Some((self.finish_run(copied, from, stop), stop + 1))
    }

    /// Reads the unquoted value at `start`. Returns it with the position after it.
    fn unquoted_value(&mut self, start: usize) -> Option<(TextRun, usize)> {
        let mut copied = None;
        let (mut from, mut at) = (start, start);
        loop {
            match self.byte(at)? {
                b'>' => break,
                b if is_space(b) => break,
                b'&' => match self.char_ref(at, true) {
                    Some((end, text)) => {
                        self.copy(&mut copied, from, at);
                        self.push_expansion(text);
                        from = end;
                        at = end;
                    }
                    None => at += 1,
                },
                0 => {
                    self.copy(&mut copied, from, at);
                    at = self.replace_special(at);
                    from = at;
                }
                _ => at += 1,
            }
        }
        Some((self.finish_run(copied, from, at), at))
    }
}
