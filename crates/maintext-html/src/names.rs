//! Tag and attribute names as small integers.
//!
//! The names of HTML, SVG and MathML are known at compile time and found by a hash of their first 16 bytes. Other names are interned in
//! the table of the parsed document.

pub(crate) mod known;
mod table;

use known::{ATTR_NAMES, ATTRS, KNOWN_ATTRS, KNOWN_TAGS, TAG_NAMES, TAGS};
use std::collections::BTreeMap;
pub(crate) use table::mix;

/// A tag name: a constant of this type for each element of HTML, SVG and MathML, a larger number for other names.
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
    /// Whether HTML, SVG or MathML defines the name.
    pub const fn is_known(self) -> bool {
        (self.0 as usize) < KNOWN_TAGS
    }

    /// The name of a known tag, or `None` for a name that is only defined in a document.
    pub fn known_name(self) -> Option<&'static str> {
        TAG_NAMES.get(self.0 as usize).copied()
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
        TAGS.find_name(name).map(Tag)
    }
}

impl Attr {
    /// Whether HTML, SVG or MathML defines the name.
    pub const fn is_known(self) -> bool {
        (self.0 as usize) < KNOWN_ATTRS
    }

    /// The name of a known attribute, or `None` for a name that is only defined in a document.
    pub fn known_name(self) -> Option<&'static str> {
        ATTR_NAMES.get(self.0 as usize).copied()
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
        ATTRS.find_name(name).map(Attr)
    }

    /// The prefix of the attribute's namespace (`xlink`, `xml` or `xmlns`), if it has one.
    pub fn prefix(self) -> Option<&'static str> {
        match self {
            Attr::XLINK_ACTUATE
            | Attr::XLINK_ARCROLE
            | Attr::XLINK_HREF
            | Attr::XLINK_ROLE
            | Attr::XLINK_SHOW
            | Attr::XLINK_TITLE
            | Attr::XLINK_TYPE => Some("xlink"),
            Attr::XML_LANG | Attr::XML_SPACE => Some("xml"),
            Attr::XMLNS_XLINK | Attr::XMLNS_NS => Some("xmlns"),
            _ => None,
        }
    }
}

/// Largest number of probes before a lookup falls back to the ordered map, so that colliding names cost logarithmic time.
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

    pub(crate) fn get(&self, id: usize) -> &str {
        match self.spans.get(id) {
            Some(&(start, len)) => self.text.get(start as usize..(start + len) as usize).unwrap_or(""),
            None => "",
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.capacity() + self.spans.capacity() * 8 + self.slots.capacity() * 4
    }

    /// Returns the id of a name and adds the name if it is new.
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
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
    use super::known::{foreign_attr, svg_attr, svg_tag};
    use super::*;

    #[test]
    fn every_known_name_is_found_by_its_name() {
        for (i, name) in TAG_NAMES.iter().enumerate() {
            assert_eq!(Tag::from_name(name), Some(Tag(i as u32)), "{name}");
        }
        for (i, name) in ATTR_NAMES.iter().enumerate() {
            let attr = Attr(i as u32);
            let found = Attr::from_name(name).unwrap();
            assert!(found == attr || attr.prefix().is_some() && foreign_attr(found) == attr, "{name}");
        }
    }

    #[test]
    fn the_case_of_svg_names_is_restored() {
        assert_eq!(svg_tag(Tag::FOREIGNOBJECT), Tag::FOREIGN_OBJECT);
        assert_eq!([svg_tag(Tag::P), svg_tag(Tag(9999))], [Tag::P, Tag(9999)]);
        assert_eq!(svg_attr(Attr::KEYTIMES), Attr::KEY_TIMES);
        assert_eq!(svg_attr(Attr::DEFINITIONURL), Attr::DEFINITIONURL);
        for name in TAG_NAMES.iter().filter(|name| name.bytes().any(|b| b.is_ascii_uppercase())) {
            let lower = Tag::from_name(&name.to_ascii_lowercase()).unwrap();
            assert_eq!(svg_tag(lower).known_name(), Some(*name));
        }
    }

    #[test]
    fn unknown_names_keep_their_ids_when_the_table_grows() {
        let mut names = Interner::default();
        let ids: Vec<u32> = (0..5000).map(|i| names.intern(&format!("x-{i}"))).collect();
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(names.intern(&format!("x-{i}")), *id);
            assert_eq!(names.get(*id as usize), format!("x-{i}"));
        }
        assert_eq!(names.len(), 5000);
    }
}
