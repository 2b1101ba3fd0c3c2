//! The pieces of a leaf, and the places where leaves are written.
use maintext_page::hash::HashMap;
use std::borrow::Cow;

/// The kind of place where a leaf is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LeafContext {
    Block,
    /// One line, and `#` at its end is markup.
    Heading,
    /// One line that begins a block, so that signs at its beginning are markup.
    Line,
    /// One line, and `|` is markup.
    Cell,
}

/// The line on which a leaf is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineState {
    pub(super) context: LeafContext,
    /// Whether other leaves are on the same line, so that a sign may find its partner there.
    pub(super) crowded: bool,
}

/// A piece of a leaf, in the order of writing.
pub(super) enum LeafToken<'t> {
    Text(Cow<'t, str>),
    Code(Cow<'t, str>),
    Open(u32),
    Close(u32),
    Break,
    Image {
        address: &'t str,
        alt: &'t str,
        title: &'t str,
    },
    /// A video, audio or another embedded part.
    Media {
        address: &'t str,
        title: &'t str,
    },
    Math {
        tex: &'t str,
        display: bool,
    },
    /// A reference to a footnote.
    Note {
        link: Option<u32>,
        label: &'t str,
    },
}

/// The addresses of links, numbered from 1 in the order of the text.
#[derive(Default)]
pub(super) struct References {
    numbers: HashMap<String, usize>,
    pub(super) addresses: Vec<String>,
}

impl References {
    /// Returns the number of an address.
    pub(super) fn number(&mut self, address: &str) -> usize {
        if let Some(&number) = self.numbers.get(address) {
            return number;
        }
        self.addresses.push(address.to_owned());
        self.numbers.insert(address.to_owned(), self.addresses.len());
        self.addresses.len()
    }
}
