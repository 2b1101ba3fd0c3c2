//! Writes definition lists as TEI's glossaries: pairs of `<label>` and `<item>`.
//!
//! Several terms share a label, and several definitions an item, since TEI allows only pairs. A label holds no paragraphs and lists: a
//! glossary with a term of several blocks is a plain list, whose terms are items with `rend="term"`.
use super::super::tree::BlockKind;
use super::TeiWriter;

/// An open definition list.
pub(super) struct OpenGlossary {
    /// Whether it is written in pairs.
    pairs: bool,
    /// The kind of the last part.
    last: Option<BlockKind>,
    /// Whether the open definition shares its item with another one.
    joined: bool,
}

impl TeiWriter<'_> {
    /// Opens a definition list or one of its parts; whether it has done so.
    pub(super) fn start_in_glossary(&mut self, i: usize) -> bool {
        let kind = self.tree.blocks[i].kind;
        if kind == BlockKind::Glossary {
            let pairs = self.has_plain_terms(i);
            self.glossaries.push(OpenGlossary { pairs, last: None, joined: false });
            if pairs {
                self.out.push_str("<list type=\"gloss\"");
                self.block_language(i);
                self.out.push_str(">\n");
            }
            return pairs;
        }
        if !matches!(kind, BlockKind::Term | BlockKind::Definition) {
            return false;
        }
        let next = self.next_part(i);
        let Some(glossary) = self.glossaries.last_mut().filter(|g| g.pairs) else { return false };
        let last = glossary.last.replace(kind);
        glossary.joined = last == Some(kind) || next == Some(kind);
        match (kind, last) {
            (BlockKind::Term, Some(BlockKind::Term)) => self.out.push_str("<lb/>"),
            (BlockKind::Definition, Some(BlockKind::Definition)) => {}
            (_, last) => {
                if kind == BlockKind::Definition && last.is_none() {
                    self.out.push_str("<label/>\n");
                }
                self.out.push_str(if kind == BlockKind::Term { "<label" } else { "<item" });
                self.block_language(i);
                self.out.push('>');
            }
        }
        true
    }

    /// Ends a definition list or one of its parts; whether it has done so.
    pub(super) fn end_in_glossary(&mut self, i: usize) -> bool {
        let kind = self.tree.blocks[i].kind;
        if kind == BlockKind::Glossary {
            let Some(glossary) = self.glossaries.pop().filter(|g| g.pairs) else { return false };
            if glossary.last == Some(BlockKind::Term) {
                self.out.push_str("<item/>\n");
            }
            self.out.push_str("</list>\n");
            return true;
        }
        if !matches!(kind, BlockKind::Term | BlockKind::Definition) || !self.glossaries.last().is_some_and(|g| g.pairs)
        {
            return false;
        }
        if self.next_part(i) != Some(kind) {
            self.out.push_str(if kind == BlockKind::Term { "</label>\n" } else { "</item>\n" });
        }
        true
    }

    /// Whether a definition shares its item with another one, so that both are paragraphs.
    pub(super) fn is_joined_definition(&self, i: usize) -> bool {
        self.tree.blocks[i].kind == BlockKind::Definition && self.glossaries.last().is_some_and(|g| g.pairs && g.joined)
    }

    /// Returns the kind of the part after a part, if it is not the last one.
    fn next_part(&self, i: usize) -> Option<BlockKind> {
        let glossary = self.parents.iter().rev().find(|&&p| p != i && self.tree.blocks[p].kind == BlockKind::Glossary);
        let next = self.tree.blocks[i].end as usize;
        glossary.filter(|&&g| next < self.tree.blocks[g].end as usize).map(|_| self.tree.blocks[next].kind)
    }

    /// Whether each term is one paragraph at most.
    fn has_plain_terms(&self, glossary: usize) -> bool {
        let blocks = &self.tree.blocks;
        let mut terms = self.tree.children(glossary).filter(|&t| blocks[t].kind == BlockKind::Term);
        terms.all(|t| {
            let mut children = self.tree.children(t);
            children.next().is_none_or(|c| blocks[c].kind == BlockKind::Paragraph) && children.next().is_none()
        })
    }
}
