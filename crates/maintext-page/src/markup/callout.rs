//! Recognises callouts, the boxes in which documentation writes notes and warnings, by the classes of the tools that make them: Sphinx,
//! MkDocs, Docusaurus, VitePress, GitHub, Obsidian, Starlight, DocBook, Bootstrap, Hugo and others.
use crate::dom::{Dom, NodeId, Tag};
use crate::lexicon::lexicon;
use maintext_html::Attr;

/// The kind of a callout: an index of `KINDS`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Callout(u8);

/// The names of kinds, and the kind of GitHub's alerts that is closest. The first one is the default if the page names none.
const KINDS: &[&str] = lexicon!("callout-kinds.txt");

/// Number of kinds, from the first, whose names alone make a division a callout: the names of DocBook.
const BARE: u8 = 5;

/// Classes of boxes. The kind is another class, or follows after hyphens.
const BOXES: &[&str] = lexicon!("callout-boxes.txt");

impl Callout {
    /// The name of the kind.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// The name of the kind among GitHub's alerts.
    pub fn alert(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        KINDS.get(usize::from(self.0)).and_then(|kind| kind.split_once(' ')).unwrap_or(("note", "NOTE"))
    }

    /// Returns the callout of a name in any case.
    pub fn named(name: &str) -> Option<Callout> {
        let kind = KINDS.iter().position(|kind| {
            // A name ends at the space of its entry.
            kind.as_bytes().get(name.len()) == Some(&b' ') && kind[..name.len()].eq_ignore_ascii_case(name)
        });
        kind.map(|i| Callout(i as u8))
    }

    /// Returns the kind of the callout that a block-level element is.
    pub fn of(dom: &Dom<'_>, n: NodeId, tag: Tag) -> Option<Callout> {
        let (mut class, mut note, mut given) = ("", false, None);
        for (name, attr, value) in dom.attributes_named(n) {
            match name {
                Attr::CLASS => class = value,
                Attr::ROLE => note = value.eq_ignore_ascii_case("note"),
                _ if matches!(attr, "data-callout" | "data-callout-type") => given = Some(value),
                _ => {}
            }
        }
        if let Some(given) = given {
            let quotes = ["quote", "cite"].iter().any(|q| given.eq_ignore_ascii_case(q));
            return (!quotes).then(|| Callout::named(given).unwrap_or(Callout(0)));
        }
        let (mut is_box, mut kind, mut bare, mut classes) = (false, None, None, 0);
        for token in class.split_ascii_whitespace() {
            classes += 1;
            let ends = token.rsplit_once('-').map(|(head, tail)| (head.trim_end_matches('-'), tail));
            if BOXES.contains(&token) {
                is_box = true;
            } else if let Some(named) =
                ends.filter(|(head, _)| BOXES.contains(head)).and_then(|(_, tail)| Callout::named(tail))
            {
                is_box = true;
                kind = kind.or(Some(named));
            } else {
                bare = bare.or_else(|| Callout::named(token));
            }
            // Wikipedia's notes above an article lead to other articles.
            note &= !token.eq_ignore_ascii_case("hatnote");
        }
        // Many sites call any part of a page a custom block.
        let is_named = kind.is_some() || bare.is_some();
        if is_box && (is_named || !class.split_ascii_whitespace().any(|token| token == "custom-block")) {
            kind.or(bare).or(Some(Callout(0)))
        } else {
            bare.filter(|k| matches!(tag, Tag::ASIDE | Tag::DETAILS) || tag == Tag::DIV && classes == 1 && k.0 < BARE)
        }
        .or(note.then_some(Callout(0)))
    }
}

/// Whether an element is a quotation that a notebook writes as a callout.
pub fn is_quotation(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.attribute(n, Attr::CLASS).is_some_and(|c| c.starts_with("callout"))
        && dom.attr(n, "data-callout").is_some_and(|kind| matches!(kind, "quote" | "cite"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(html: &str) -> Option<&'static str> {
        let dom = crate::dom::parse(html, &Default::default());
        let body = dom.find(NodeId::ROOT, Tag::BODY).unwrap();
        let n = dom.first_child(body).unwrap();
        Callout::of(&dom, n, dom.tag(n)).map(Callout::name)
    }

    #[test]
    fn callouts_of_many_tools_are_recognised() {
        for (html, want) in [
            ("<div class='admonition note'>", "note"),
            ("<div class='admonition-todo admonition'>", "todo"),
            ("<details class='admonition warning'>", "warning"),
            ("<div class='theme-admonition theme-admonition-danger admonition_xJq3 alert alert--danger'>", "danger"),
            ("<div class='markdown-alert markdown-alert-tip'>", "tip"),
            ("<div data-callout=bug class=callout>", "bug"),
            ("<div class='alert alert-warning' role=alert>", "warning"),
            ("<div class='tip custom-block'>", "tip"),
            ("<blockquote class='book-hint info'>", "info"),
            ("<aside class='starlight-aside starlight-aside--caution'>", "caution"),
            ("<aside class='box tip'>", "tip"),
            ("<details class=warning>", "warning"),
            ("<div class=IMPORTANT>", "important"),
            ("<div role=note>", "note"),
            ("<div class='confluence-information-macro confluence-information-macro-information'>", "information"),
        ] {
            assert_eq!(kind(html), Some(want), "{html}");
        }
    }

    #[test]
    fn other_boxes_are_not_callouts() {
        for html in [
            "<div class='note-list note'>",
            "<div class='alert-link'>",
            "<div class='row custom-block container'>",
            "<aside class=sidebar>",
            "<div class='info'>",
            "<div class=hatnote role=note>",
            "<div data-callout=quote class=callout>",
            "<div class='summary'>",
        ] {
            assert_eq!(kind(html), None, "{html}");
        }
    }
}
