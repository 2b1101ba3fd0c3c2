//! Items of lists that are tasks.
use super::super::lists;
use super::super::tree::BlockKind;
use super::RenderTreeBuilder;
use maintext_page::dom::NodeId;

impl RenderTreeBuilder<'_> {
    /// Makes the open item a task if the checkbox is its box: nothing is written before it.
    pub(super) fn checkbox(&mut self, n: NodeId) {
        let Some(f) = self.frames.last().filter(|f| !f.filled) else { return };
        if self.top_kind() == Some(BlockKind::Item)
            && let Some(done) = lists::checkbox(self.dom, n)
        {
            self.set_task(f.block, done);
        }
    }

    pub(super) fn set_task(&mut self, item: u32, done: bool) {
        while self.tree.tasks.last().is_some_and(|t| t.0 >= item) {
            self.tree.tasks.pop();
        }
        self.tree.tasks.push((item, done));
    }
}
