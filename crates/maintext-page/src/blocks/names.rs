//! The names that authors gave to elements: tokens of `class`, `id`, `role` and similar attributes.
use super::Blocks;
use crate::dom::{Dom, NodeId, NodeKind};
use crate::hash::{FNV, fnv};
use maintext_html::Attr;
use std::ops::Range;

/// The attributes whose words name the purpose of an element.
const NAMING: [Attr; 6] = [Attr::CLASS, Attr::ID, Attr::ROLE, Attr::ITEMPROP, Attr::DATA_TESTID, Attr::ARIA_LABEL];

fn is_naming(name: Attr) -> bool {
    NAMING.contains(&name)
}

/// Maximum number of tokens of one element; longer lists are generated and add no meaning.
const MAX_TOKENS: usize = 24;

/// Hashes of the tokens of each element of a page, in the order of [`Blocks::elements`]. Elements with the same names share one list.
#[derive(Clone, Debug, Default)]
pub struct ElementTokens {
    /// For each element, the index of its list in `spans`.
    of: Vec<u32>,
    /// The ranges of the lists in `hashes`; the first is empty.
    spans: Vec<Range<u32>>,
    hashes: Vec<u32>,
    classes: Vec<u32>,
}

impl ElementTokens {
    /// Reads the tokens of all elements around text.
    pub fn new(dom: &Dom, blocks: &Blocks) -> ElementTokens {
        let n = blocks.elements.len();
        let mut out = ElementTokens { of: vec![0; n], spans: vec![0..0; 1], hashes: Vec::new(), classes: vec![0; n] };
        let mut seen = Seen::default();
        for (i, e) in blocks.elements.iter().enumerate() {
            if !e.blocks.is_empty() && dom.kind(e.node) == NodeKind::Element {
                out.read(dom, e.node, i, &mut seen);
            }
        }
        out
    }

    fn read<'a>(&mut self, dom: &'a Dom, node: NodeId, element: usize, seen: &mut Seen<'a>) {
        let mut values = [""; NAMING.len()];
        let (mut n, mut class) = (0, None);
        for (name, value) in dom.attributes(node).filter(|a| is_naming(a.0)) {
            if name == Attr::CLASS && class.is_none() {
                class = Some(value);
            }
            if let Some(slot) = values.get_mut(n) {
                *slot = value;
                n += 1;
            }
        }
        if n == 1 {
            // Most elements have only a class, and most classes occur many times.
            let (list, class_hash) = seen.get(values[0]).unwrap_or_else(|| {
                let list = self.list(values[0]);
                seen.put(values[0], list)
            });
            self.of[element] = list;
            self.classes[element] = if class.is_some() { class_hash } else { 0 };
        } else if n > 1 {
            let limit = self.hashes.len() + MAX_TOKENS;
            for value in &values[..n] {
                // An id differs from element to element, a class does not.
                if class == Some(*value) {
                    let (tokens, class_hash) = seen.class(value);
                    let left = limit - self.hashes.len();
                    self.hashes.extend_from_slice(&tokens[..tokens.len().min(left)]);
                    self.classes[element] = class_hash;
                } else {
                    push_tokens(value, limit, &mut self.hashes);
                }
            }
            self.of[element] = self.close_list(limit - MAX_TOKENS);
        }
    }

    /// Adds a new list with the tokens of an attribute.
    fn list(&mut self, value: &str) -> u32 {
        let from = self.hashes.len();
        push_tokens(value, from + MAX_TOKENS, &mut self.hashes);
        self.close_list(from)
    }

    /// Makes a list of the tokens from a place to the end, and returns its index.
    fn close_list(&mut self, from: usize) -> u32 {
        self.spans.push(from as u32..self.hashes.len() as u32);
        self.spans.len() as u32 - 1
    }

    /// Returns the elements whose list of tokens satisfies `wanted`. Each distinct list is tested once.
    pub fn named(&self, wanted: impl Fn(&[u32]) -> bool) -> Named<'_> {
        Named { of: &self.of, lists: self.lists().map(wanted).collect() }
    }

    /// Returns the distinct lists of tokens; elements refer to them by index.
    pub fn lists(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.spans.iter().map(|r| &self.hashes[r.start as usize..r.end as usize])
    }

    /// Returns the places of the lists in [`ElementTokens::hashes`].
    pub fn spans(&self) -> &[Range<u32>] {
        &self.spans
    }

    /// Returns for each element the index of its list.
    pub fn list_of(&self) -> &[u32] {
        &self.of
    }

    /// Returns the tokens of all lists, in order.
    pub fn hashes(&self) -> &[u32] {
        &self.hashes
    }

    /// Returns the distinct token hashes of the page, sorted.
    pub fn distinct(&self) -> Vec<u32> {
        let mut all = self.hashes.clone();
        all.sort_unstable();
        all.dedup();
        all
    }
    /// Returns the token hashes of element `e`.
    pub fn of(&self, e: usize) -> &[u32] {
        let r = &self.spans[self.of[e] as usize];
        &self.hashes[r.start as usize..r.end as usize]
    }
    /// Returns for each element a hash of its first two classes without digits; 0 if it has no class or no text.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }
}

/// A cache of recent attribute values, keyed by a few of their bytes.
struct Seen<'a> {
    /// Values that are the only one of an element: for each the index of its list and its [`class_hash`].
    slots: Vec<(&'a str, u32, u32)>,
    /// Classes with other values: for each its tokens in `tokens` and its [`class_hash`].
    classes: Vec<(&'a str, (u32, u32), u32)>,
    tokens: Vec<u32>,
}

impl Default for Seen<'_> {
    fn default() -> Self {
        Seen { slots: vec![("", 0, 0); 256], classes: vec![("", (0, 0), FNV); 256], tokens: Vec::new() }
    }
}

impl<'a> Seen<'a> {
    fn slot(value: &str) -> usize {
        let b = value.as_bytes();
        let at = |i: usize| b.get(i).copied().unwrap_or(0) as u32;
        let n = b.len();
        let mixed = [n, n / 2, n / 4].into_iter().fold(n as u32, |h, i| fnv(h, at(i.wrapping_sub(1))));
        (fnv(mixed, at(0)) >> 8) as usize & 255
    }
    fn get(&self, value: &str) -> Option<(u32, u32)> {
        let (seen, list, hash) = self.slots[Seen::slot(value)];
        (list != 0 && seen == value).then_some((list, hash))
    }
    /// Returns the tokens of a class and its [`class_hash`].
    fn class(&mut self, class: &'a str) -> (&[u32], u32) {
        let slot = &mut self.classes[Seen::slot(class)];
        if slot.0 != class {
            let from = self.tokens.len();
            push_tokens(class, from + MAX_TOKENS, &mut self.tokens);
            *slot = (class, (from as u32, self.tokens.len() as u32), class_hash(class));
        }
        let (_, (from, to), hash) = *slot;
        (&self.tokens[from as usize..to as usize], hash)
    }
    fn put(&mut self, value: &'a str, list: u32) -> (u32, u32) {
        let hash = class_hash(value);
        self.slots[Seen::slot(value)] = (value, list, hash);
        (list, hash)
    }
}

/// Returns a hash of the first two classes without digits, which differ between similar siblings.
fn class_hash(class: &str) -> u32 {
    let bytes = class.split_ascii_whitespace().take(2).flat_map(str::bytes);
    bytes.filter(|b| !b.is_ascii_digit()).fold(FNV, |h, b| fnv(h, b as u32))
}

/// A set of elements selected by their tokens.
pub struct Named<'a> {
    of: &'a [u32],
    lists: Vec<bool>,
}

impl Named<'_> {
    /// Whether an element is in the set.
    pub fn has(&self, element: usize) -> bool {
        self.lists[self.of[element] as usize]
    }
    /// Whether the set may be non-empty.
    pub fn any(&self) -> bool {
        self.lists.contains(&true)
    }
}

/// Splits `mainContent-2 nav_item` into `main`, `content`, `nav`, `item`; single letters and digits carry no meaning.
fn push_tokens(value: &str, limit: usize, out: &mut Vec<u32>) {
    let (mut hash, mut len, mut was_lower) = (FNV, 0, false);
    for b in value.bytes().chain(std::iter::once(b' ')) {
        let letter = LETTERS[b as usize];
        let upper = letter != b && letter != 0;
        if (letter == 0 || was_lower && upper) && len > 0 {
            if len > 1 {
                if out.len() >= limit {
                    return;
                }
                out.push(hash);
            }
            (hash, len) = (FNV, 0);
        }
        if letter != 0 {
            hash = fnv(hash, letter as u32);
            len += 1;
        }
        was_lower = letter != 0 && !upper;
    }
}

/// ASCII letters in lower case; all other bytes are 0.
const LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let mut b = 0;
    while b < 256 {
        if (b as u8).is_ascii_alphabetic() {
            letters[b] = (b as u8).to_ascii_lowercase();
        }
        b += 1;
    }
    letters
};

/// Returns the hash of one token as [`ElementTokens`] stores it.
pub fn token_hash(token: &str) -> u32 {
    token.bytes().fold(FNV, |h, b| fnv(h, b.to_ascii_lowercase() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_split_at_case_and_punctuation() {
        let mut out = Vec::new();
        push_tokens("mainContent-2 nav_item x", 10, &mut out);
        assert_eq!(out, ["main", "content", "nav", "item"].map(token_hash));
    }
}
