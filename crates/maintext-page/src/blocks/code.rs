//! Code whose lines are not in the order of the page.
use super::build::Builder;
use crate::dom::NodeId;

impl Builder<'_> {
    /// Adds code whose lines are not in the order of the page.
    pub(super) fn sorted_code(&mut self, n: NodeId, number: u32) {
        let markup = std::mem::take(&mut self.out.markup);
        self.space |= self.code.is_some();
        self.inside.code += 1;
        self.text(n, markup.code(number).text.as_deref().unwrap_or_default());
        self.inside.code -= 1;
        self.out.markup = markup;
        if self.code.is_none() {
            self.flush();
        } else {
            self.space = true;
        }
    }
}
