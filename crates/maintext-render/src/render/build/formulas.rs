//! Writes formulas.
use super::super::tree::RunKind;
use super::{Gap, RenderTreeBuilder};
use maintext_page::dom::{NodeId, Tag};
use maintext_page::markup;

impl RenderTreeBuilder<'_> {
    /// Writes a formula; one that is a block-level element ends the leaf before and behind it.
    pub(super) fn formula_element(&mut self, n: NodeId, tag: Tag, number: u32) {
        if !tag.is_block() {
            return self.formula(n, number);
        }
        if self.is_in_code() {
            return self.formula_in_code(n, number);
        }
        if self.cell.is_some() {
            self.gap = self.gap.max(Gap::Space);
            self.formula(n, number);
            self.gap = self.gap.max(Gap::Space);
            return;
        }
        self.flush();
        self.elements.push(n);
        self.formula(n, number);
        self.elements.pop();
        self.flush();
    }

    pub(super) fn formula(&mut self, n: NodeId, number: u32) {
        let markup::math::Formula { tex, display, math } = self.tree.content.blocks.markup.formula(number);
        if let Some(pre) = &mut self.pre {
            let apart = *display || self.after_formula;
            if apart && self.leaf.is_some() {
                pre.gap.push(' ');
            }
            let tex = if tex.is_empty() { " " } else { tex };
            self.preformatted(tex, self.is_written(n));
            if *display && let Some(pre) = self.pre.as_mut() {
                pre.gap.push(' ');
            }
            return self.after_formula = true;
        }
        if tex.is_empty() || !self.is_written(n) {
            return self.gap = self.gap.max(Gap::Space);
        }
        self.math(tex, *display, *math);
    }

    pub(super) fn math(&mut self, tex: &str, display: bool, math: Option<NodeId>) {
        self.open_leaf();
        // Two adjacent formulas are two words, and a displayed one stands alone.
        let after_formula =
            self.last_run().is_some() && self.tree.runs.last().is_some_and(|r| matches!(r.kind, RunKind::Math { .. }));
        if display || after_formula {
            self.gap = self.gap.max(Gap::Space);
        }
        self.write_gap();
        self.push_run(RunKind::Math { display, math }, tex);
        if display {
            self.gap = Gap::Space;
        }
    }
}
