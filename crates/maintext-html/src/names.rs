//! Tag and attribute names as small integers.
//!
//! The names of HTML, SVG and MathML are known at compile time and found by a hash of their first 16 bytes. Other names are interned in
//! the table of the parsed document.

mod known;

/// A pattern for some tags, as the standard lists them.
macro_rules! any_tag {
    ($($name:ident)+) => { $($crate::names::Tag::$name)|+ };
}

/// A pattern for the tags that belong into the head.
macro_rules! head_tags {
    () => { any_tag![BASE BASEFONT BGSOUND LINK META NOFRAMES SCRIPT STYLE TEMPLATE TITLE] };
}

/// A slice of tags.
macro_rules! tag_list {
    ($($name:ident)+) => { &[$($crate::names::Tag::$name),+] };
}

pub(crate) use {any_tag, head_tags, tag_list};

use known::{ATTRS, TAGS};
pub(crate) use known::{KNOWN_ATTRS, KNOWN_TAGS};
use std::collections::BTreeMap;

/// A tag name: a constant of this type for each element of HTML, SVG and MathML and the pictures of AMP HTML, a larger number for other names.
///
/// Names are in lower case, except for the SVG elements whose case the standard restores ([`Tag::FOREIGN_OBJECT`] is
/// `foreignObject`). A name does not imply a namespace: `title` is the same tag in HTML and in SVG.
///
/// ```
/// use maintext_html::{Document, ParseOptions, Tag};
///
/// let doc = Document::parse("<p>one<x-y>two", &ParseOptions::default());
/// let p = doc.descendants(doc.root()).find(|&n| doc.tag(n) == Some(Tag::P));
/// assert!(p.is_some());
/// let own = doc.descendants(doc.root()).find(|&n| doc.tag_name(n) == "x-y");
/// assert!(!doc.tag(own.unwrap()).unwrap().is_known());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Tag(pub(crate) u32);

/// An attribute name, numbered like [`Tag`].
///
/// Attributes with a namespace in the standard (`xlink:href` on an SVG element) have separate numbers
/// ([`Attr::XLINK_HREF`] and [`Attr::XLINK_HREF_PLAIN`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Attr(pub(crate) u32);

impl Tag {
    /// Whether the name is known at compile time.
    pub const fn is_known(self) -> bool {
        (self.0 as usize) < KNOWN_TAGS
    }

    /// The name of a known tag, or `None` for a name that is only defined in a document.
    pub fn known_name(self) -> Option<&'static str> {
        TAGS.names.get(self.0 as usize).copied()
    }

    /// The number of the name: below [`Tag::known_count`] for known names; other names follow in order of first appearance.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Number of names known at compile time.
    pub const fn known_count() -> usize {
        KNOWN_TAGS
    }

    /// Returns the known tag of a name, written in the case of the tree.
    pub fn from_name(name: &str) -> Option<Tag> {
        TAGS.find(name).map(Tag)
    }

    /// Returns the known tag of a packed lower-case name of at most 16 bytes.
    #[inline]
    pub(crate) fn from_packed(lo: u64, hi: u64) -> Option<Tag> {
        TAGS.find_packed(lo, hi).map(Tag)
    }

    /// Returns the tag with the case that the standard restores in SVG.
    pub(crate) fn in_svg(self) -> Tag {
        Tag(next_if(&TAGS.names, self.0, str::eq_ignore_ascii_case))
    }
}

impl Attr {
    /// Whether HTML, SVG or MathML defines the name.
    pub const fn is_known(self) -> bool {
        (self.0 as usize) < KNOWN_ATTRS
    }

    /// The name of a known attribute, or `None` for a name that is only defined in a document.
    pub fn known_name(self) -> Option<&'static str> {
        ATTRS.names.get(self.0 as usize).copied()
    }

    /// The number of the name, assigned like [`Tag::index`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Number of names known at compile time.
    pub const fn known_count() -> usize {
        KNOWN_ATTRS
    }

    /// Returns the known attribute of a name; without a namespace, if it exists both with and without.
    pub fn from_name(name: &str) -> Option<Attr> {
        ATTRS.find(name).map(Attr)
    }

    /// Returns the known attribute of a packed lower-case name of at most 16 bytes.
    #[inline]
    pub(crate) fn from_packed(lo: u64, hi: u64) -> Option<Attr> {
        ATTRS.find_packed(lo, hi).map(Attr)
    }

    /// Returns the attribute with the case that the standard restores in SVG.
    pub(crate) fn in_svg(self) -> Attr {
        Attr(next_if(&ATTRS.names, self.0, str::eq_ignore_ascii_case))
    }

    /// Returns the attribute in the namespace that the standard gives it on SVG and MathML elements.
    pub(crate) fn in_namespace(self) -> Attr {
        Attr(next_if(&ATTRS.names, self.0, str::eq))
    }

    /// The prefix of the attribute's namespace (`xlink`, `xml` or `xmlns`), if it has one.
    pub fn prefix(self) -> Option<&'static str> {
        let plain = Attr(self.0.checked_sub(1)?);
        (plain.in_namespace() == self).then(|| self.known_name()?.split(':').next()).flatten()
    }
}

/// Returns the next id if its name is a form of the same name.
fn next_if(names: &[&str], id: u32, same: fn(&str, &str) -> bool) -> u32 {
    let next = id as usize + 1;
    if next < names.len() && same(names[next - 1], names[next]) { id + 1 } else { id }
}

const K1: u64 = 0x9E37_79B9_7F4A_7C15;
const K2: u64 = 0xC2B2_AE3D_27D4_EB4F;

/// Hashes a packed name.
#[inline]
pub(crate) const fn mix(lo: u64, hi: u64) -> u64 {
    (lo.wrapping_mul(K1) ^ hi.wrapping_mul(K2)).wrapping_mul(K1)
}

/// Maximum number of probes before a lookup falls back to the ordered map, so that colliding names cost logarithmic time.
const MAX_PROBES: usize = 12;

/// The names in a document that are not known at compile time. Tags and attributes share the table: name `i` is tag
/// `KNOWN_TAGS + i` and attribute `KNOWN_ATTRS + i`.
#[derive(Default, Debug, Clone)]
pub(crate) struct Interner {
    text: String,
    /// Offset and length in `text`, by id.
    spans: Vec<(u32, u32)>,
    /// id + 1, or 0; the size is a power of two.
    slots: Vec<u32>,
    /// Names that found no slot within `MAX_PROBES`.
    crowded: BTreeMap<Box<str>, u32>,
}

impl Interner {
    pub(crate) fn clear(&mut self) {
        if !self.spans.is_empty() {
            self.text.clear();
            self.spans.clear();
            self.slots.fill(0);
            self.crowded.clear();
        }
    }

    fn get(&self, id: usize) -> &str {
        match self.spans.get(id) {
            Some(&(start, len)) => self.text.get(start as usize..(start + len) as usize).unwrap_or(""),
            None => "",
        }
    }

    /// Returns the name of a tag, known or in the table.
    pub(crate) fn tag_name(&self, tag: Tag) -> &str {
        tag.known_name().unwrap_or_else(|| self.get(tag.index() - KNOWN_TAGS))
    }

    /// Returns the name of an attribute, known or in the table.
    pub(crate) fn attr_name(&self, attr: Attr) -> &str {
        attr.known_name().unwrap_or_else(|| self.get(attr.index() - KNOWN_ATTRS))
    }

    /// Returns the tag of a name and adds the name if it is new.
    pub(crate) fn tag(&mut self, name: &str) -> Tag {
        Tag::from_name(name).unwrap_or_else(|| Tag(KNOWN_TAGS as u32 + self.intern(name)))
    }

    /// Returns the attribute of a name and adds the name if it is new.
    pub(crate) fn attr(&mut self, name: &str) -> Attr {
        Attr::from_name(name).unwrap_or_else(|| Attr(KNOWN_ATTRS as u32 + self.intern(name)))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.capacity() + self.spans.capacity() * 8 + self.slots.capacity() * 4
    }

    /// Returns the id of a name and adds the name if it is new.
    fn intern(&mut self, name: &str) -> u32 {
        if self.spans.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let hash = hash_name(name.as_bytes());
        let mut slot = (hash >> 32) as usize & mask;
        for _ in 0..MAX_PROBES {
            let id = self.slots[slot];
            if id == 0 {
                let new = self.add(name);
                self.slots[slot] = new + 1;
                return new;
            }
            if self.get(id as usize - 1) == name {
                return id - 1;
            }
            slot = (slot + 1) & mask;
        }
        if let Some(&id) = self.crowded.get(name) {
            return id;
        }
        let new = self.add(name);
        self.crowded.insert(name.into(), new);
        new
    }

    fn add(&mut self, name: &str) -> u32 {
        let id = self.spans.len() as u32;
        self.spans.push((self.text.len() as u32, name.len() as u32));
        self.text.push_str(name);
        id
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots.clear();
        self.slots.resize(size, 0);
        self.crowded.clear();
        for id in 0..self.spans.len() {
            let mut slot = (hash_name(self.get(id).as_bytes()) >> 32) as usize & (size - 1);
            let mut probes = 0;
            while self.slots[slot] != 0 && probes < MAX_PROBES {
                slot = (slot + 1) & (size - 1);
                probes += 1;
            }
            if probes < MAX_PROBES {
                self.slots[slot] = id as u32 + 1;
            } else {
                let name = self.get(id).into();
                self.crowded.insert(name, id as u32);
            }
        }
    }
}

fn hash_name(name: &[u8]) -> u64 {
    let mut hash = name.len() as u64;
    let (chunks, rest) = name.as_chunks::<8>();
    for chunk in chunks {
        hash = mix(hash.rotate_left(23) ^ u64::from_le_bytes(*chunk), 0);
    }
    let mut padded = [0u8; 8];
    padded[..rest.len()].copy_from_slice(rest);
    mix(hash.rotate_left(23) ^ u64::from_le_bytes(padded), hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_name_is_found_by_its_name() {
        for (i, name) in TAGS.names.iter().enumerate() {
            assert_eq!(Tag::from_name(name), Some(Tag(i as u32)), "{name}");
        }
        for (i, name) in ATTRS.names.iter().enumerate() {
            let attr = Attr(i as u32);
            let found = Attr::from_name(name).unwrap();
            assert_eq!(if attr.prefix().is_some() { found.in_namespace() } else { found }, attr, "{name}");
        }
    }

    #[test]
    fn foreign_elements_have_names_with_case_and_namespace() {
        let cased = |names: &'static [&str]| names.iter().filter(|n| n.contains(|c: char| c.is_ascii_uppercase()));
        for name in cased(&TAGS.names) {
            let lower = Tag::from_name(&name.to_ascii_lowercase()).unwrap();
            assert_eq!(Some(lower.in_svg()), Tag::from_name(name), "{name}");
        }
        for name in cased(&ATTRS.names).filter(|n| **n != "definitionURL") {
            let lower = Attr::from_name(&name.to_ascii_lowercase()).unwrap();
            assert_eq!(Some(lower.in_svg()), Attr::from_name(name), "{name}");
        }
        assert_eq!([Tag::A.in_svg(), Tag::SEMANTICS.in_svg()], [Tag::A, Tag::SEMANTICS]);
        assert_eq!([Attr::XLINK_HREF_PLAIN, Attr::XMLNS].map(Attr::in_namespace), [Attr::XLINK_HREF, Attr::XMLNS_NS]);
        assert_eq!([Attr::XLINK_HREF, Attr::XMLNS_NS].map(Attr::prefix), [Some("xlink"), Some("xmlns")]);
        assert_eq!([Attr::HREF, Attr::XLINK_HREF_PLAIN, Attr(u32::MAX)].map(Attr::prefix), [None; 3]);
    }

    #[test]
    fn unknown_names_keep_their_ids_when_the_table_grows() {
        let mut names = Interner::default();
        let ids: Vec<u32> = (0..5000).map(|i| names.intern(&format!("x-{i}"))).collect();
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(names.intern(&format!("x-{i}")), *id);
            assert_eq!(names.get(*id as usize), format!("x-{i}"));
        }
        assert_eq!(names.spans.len(), 5000);
    }
}
