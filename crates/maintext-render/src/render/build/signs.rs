//! The marks of `<q>` and the parentheses of ruby text, which browsers draw and plain formats must write.
use super::super::tree::RunKind;
use super::RenderTreeBuilder;
use maintext_html::Attr;
use maintext_page::dom::{NodeId, NodeKind, Tag};

/// Languages, their pair of quotation marks, and the pair for a quotation in a quotation; other languages use the English marks.
const QUOTES: [(&str, &str, &str, &str, &str); 10] = [
    ("de cs sk", "„", "“", "‚", "‘"),
    ("fr", "« ", " »", "“", "”"),
    ("ru uk", "«", "»", "„", "“"),
    ("es pt it el", "«", "»", "“", "”"),
    ("no nb", "«", "»", "‘", "’"),
    ("pl ro", "„", "”", "«", "»"),
    ("hu", "„", "”", "»", "«"),
    ("sv fi", "”", "”", "’", "’"),
    ("ja", "「", "」", "『", "』"),
    ("zh", "“", "”", "‘", "’"),
];

/// The signs of the open elements.
#[derive(Default)]
pub(super) struct OpenSigns {
    /// The opening signs that are written before the next text.
    opening: Vec<&'static str>,
    /// The elements whose closing sign is due.
    open: Vec<(NodeId, &'static str)>,
}

impl OpenSigns {
    /// Returns the opening signs that belong before `text`, without the last if the page itself writes it.
    pub(super) fn take_opening(&mut self, text: &str) -> Vec<&'static str> {
        let mut signs = std::mem::take(&mut self.opening);
        if !signs.is_empty() && text.starts_with(['"', '“', '„', '«', '‘', '\'', '「', '(', '(']) {
            self.open.pop();
            signs.pop();
        }
        signs
    }
}

impl RenderTreeBuilder<'_> {
    /// Prepares the signs of an inline element.
    pub(super) fn open_sign(&mut self, n: NodeId, tag: Tag) {
        if self.pre.is_some() || !matches!(tag, Tag::Q | Tag::RT) {
            return;
        }
        let (opening, closing) = match tag {
            // The page has parentheses of its own for browsers without ruby text.
            _ if self.dom.prev_sibling(n).is_some_and(|p| self.dom.tag(p) == Tag::RP) => return,
            Tag::RT => ("(", ")"),
            _ => self.quotes(n),
        };
        self.signs.opening.push(opening);
        self.signs.open.push((n, closing));
    }

    /// Writes the closing sign of an inline element.
    pub(super) fn close_sign(&mut self, n: NodeId) {
        if self.signs.open.last().is_some_and(|o| o.0 == n)
            && let Some((_, closing)) = self.signs.open.pop()
            && self.signs.opening.pop().is_none()
        {
            self.push_run_in(RunKind::Sign, closing, self.inline);
        }
    }

    /// Returns the quotation marks of the element's language.
    fn quotes(&self, n: NodeId) -> (&'static str, &'static str) {
        let with = std::iter::once(n)
            .chain(self.dom.ancestors(n))
            .find(|&a| self.dom.kind(a) == NodeKind::Element && self.dom.attribute(a, Attr::LANG).is_some());
        let language = with.and_then(|a| self.dom.attribute(a, Attr::LANG)).unwrap_or("");
        let language = language.split(['-', '_']).next().unwrap_or("");
        let found = QUOTES.iter().find(|q| q.0.split(' ').any(|of| of.eq_ignore_ascii_case(language)));
        let (_, open, close, inner, end) = *found.unwrap_or(&("en", "“", "”", "‘", "’"));
        if self.signs.open.iter().filter(|o| self.dom.tag(o.0) == Tag::Q).count() % 2 == 1 {
            (inner, end)
        } else {
            (open, close)
        }
    }
}
