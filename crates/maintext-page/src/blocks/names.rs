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
        let mut classes = Classes { known: vec![None; dom.names().class_count()], tokens: Vec::new() };
        for (i, e) in blocks.elements.iter().enumerate() {
            if !e.blocks.is_empty() && dom.kind(e.node) == NodeKind::Element {
                out.read(dom, e.node, i, &mut classes);
            }
        }
        out
    }

    fn read(&mut self, dom: &Dom, node: NodeId, element: usize, classes: &mut Classes) {
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
        if n == 0 {
            return;
        }
        // Most classes occur many times, and most elements have no other name.
        let (own, tokens) = classes.get(dom, node, class.unwrap_or(""));
        self.classes[element] = if class.is_some() { own.hash } else { 0 };
        let is_alone = n == 1 && class.is_some();
        if is_alone && own.list != 0 {
            self.of[element] = own.list;
            return;
        }
        let from = self.hashes.len();
        for value in &values[..n] {
            if class == Some(*value) {
                let left = from + MAX_TOKENS - self.hashes.len();
                self.hashes.extend_from_slice(&tokens[..tokens.len().min(left)]);
            } else {
                push_tokens(value, from + MAX_TOKENS, &mut self.hashes);
            }
        }
        self.of[element] = self.close_list(from);
        if is_alone {
            own.list = self.of[element];
        }
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

/// The classes of a page, each read once.
struct Classes {
    known: Vec<Option<KnownClass>>,
    tokens: Vec<u32>,
}

/// A class of a page.
#[derive(Clone)]
struct KnownClass {
    /// Its tokens, in [`Classes::tokens`].
    tokens: Range<usize>,
    /// The list of elements that have no other name; 0 before the first one.
    list: u32,
    /// Its [`class_hash`].
    hash: u32,
}

impl Classes {
    /// Returns the class of an element, whose text is given, and its tokens.
    fn get(&mut self, dom: &Dom, node: NodeId, class: &str) -> (&mut KnownClass, &[u32]) {
        let Classes { known, tokens } = self;
        let known = known[dom.names().class_of(node).index()].get_or_insert_with(|| {
            let from = tokens.len();
            push_tokens(class, from + MAX_TOKENS, tokens);
            KnownClass { tokens: from..tokens.len(), list: 0, hash: class_hash(class) }
        });
        let own = known.tokens.clone();
        (known, &tokens[own])
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
