//! Formulas in blocks: elements with a TeX source, and TeX between delimiters in the text.
use super::build::Builder;
use super::{Blocks, count_words};
use crate::dom::NodeId;
use crate::markup::math::delimiters;

impl Builder<'_> {
    /// Adds a formula's source. It is hidden only if the block around it is: pages hide the `<math>` itself to show a drawing.
    pub(super) fn formula(&mut self, n: NodeId, number: u32) {
        let begins = self.open.is_none();
        let markup = std::mem::take(&mut self.out.markup);
        let (tex, display) = (markup.formula(number).tex.as_str(), markup.formula(number).display);
        // Two adjacent formulas are two words, and a displayed one stands alone.
        self.space |= self.after_formula || display;
        self.text(n, tex);
        self.space |= display;
        self.after_formula = !tex.is_empty();
        if let Some(b) = self.open.as_mut() {
            b.formula_chars += tex.chars().count() as u32;
        }
        let container = self.containers.last().map_or(0, |&c| c as usize);
        let hidden = self.out.elements[container].hidden;
        if begins && let Some(b) = self.open.as_mut() {
            b.hidden = hidden;
        }
        self.out.markup = markup;
    }

    /// Finds the formulas that the page writes as TeX in its text.
    pub(super) fn find_delimited(&mut self) {
        if !delimiters::may_hold(&self.out.text) {
            return;
        }
        let mut search = delimiters::Search::new(self.dom, self.out.markup.scripts());
        let mut changes = self.search(&mut search);
        if search.again() {
            changes = self.search(&mut search);
        }
        let found = search.found;
        if !changes.is_empty() {
            self.out.replace_texts(&changes);
            // Definitions of commands show nothing.
            if changes.iter().any(|c| c.1.is_empty()) {
                self.out.remove_empty();
            }
            self.out.markup.set_delimited(found);
        }
    }

    /// Returns the blocks with formulas between delimiters: each with its new text and the number of characters of the formulas.
    fn search(&self, search: &mut delimiters::Search<'_>) -> Vec<(usize, String, u32)> {
        let mut changes = Vec::new();
        for (i, b) in self.out.blocks.iter().enumerate() {
            let text = &self.out.text[b.text.start as usize..b.text.end as usize];
            if b.code_chars < b.chars && delimiters::may_hold(text) {
                let leaves = self.out.leaves_of(b);
                changes.extend(search.block(leaves, text, b.code_chars > 0).map(|(text, chars)| (i, text, chars)));
            }
        }
        changes
    }
}

impl Blocks {
    /// Replaces the texts of some blocks, given in order, each with the number of characters of formulas that it gains.
    fn replace_texts(&mut self, changes: &[(usize, String, u32)]) {
        let mut text = String::with_capacity(self.text.len());
        let mut changes = changes.iter().peekable();
        for (i, b) in self.blocks.iter_mut().enumerate() {
            let start = text.len() as u32;
            match changes.next_if(|c| c.0 == i) {
                Some((_, changed, formulas)) => {
                    text.push_str(changed);
                    b.formula_chars += formulas;
                    b.chars = changed.chars().count() as u32;
                    b.words = count_words(changed);
                    for part in [&mut b.link_chars, &mut b.emphasis_chars, &mut b.code_chars, &mut b.formula_chars] {
                        *part = (*part).min(b.chars);
                    }
                }
                None => text.push_str(&self.text[b.text.start as usize..b.text.end as usize]),
            }
            b.text = start..text.len() as u32;
        }
        self.text = text;
    }

    /// Removes the blocks without text.
    fn remove_empty(&mut self) {
        // For each block, and for the end, the number of blocks that stay before it.
        let mut stay = vec![0];
        let (mut leaves, mut blocks) = (Vec::with_capacity(self.leaves.len()), Vec::with_capacity(self.blocks.len()));
        for mut b in std::mem::take(&mut self.blocks) {
            if !b.text.is_empty() {
                let start = leaves.len() as u32;
                leaves.extend_from_slice(self.leaves_of(&b));
                b.leaves = start..leaves.len() as u32;
                blocks.push(b);
            }
            stay.push(blocks.len() as u32);
        }
        for e in &mut self.elements {
            e.blocks = stay[e.blocks.start as usize]..stay[e.blocks.end as usize];
        }
        for m in &mut self.media {
            m.position = stay[m.position as usize];
        }
        (self.leaves, self.blocks) = (leaves, blocks);
    }
}
