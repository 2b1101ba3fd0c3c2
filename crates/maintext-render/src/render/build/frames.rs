//! The open containers: which may contain which, and containers that content implies.
use super::super::lists;
use super::super::tree::{BlockKind, NOWHERE, TreeBlock};
use super::RenderTreeBuilder;
use maintext_page::dom::NodeId;

/// Lists, quotes and other containers that nest deeper are written flat: indenting every line would make the output
/// larger than linear in the size of the page.
pub(super) const MAX_NESTING: usize = 16;

/// An open container. It has no owner if its content implied it.
pub(super) struct ContainerFrame {
    pub(super) block: u32,
    pub(super) owner: Option<NodeId>,
    /// The last item of a list.
    last_item: Option<u32>,
    /// Whether it has content.
    pub(super) filled: bool,
}

impl RenderTreeBuilder<'_> {
    pub(super) fn top_kind(&self) -> Option<BlockKind> {
        self.frames.last().map(|f| self.tree.blocks[f.block as usize].kind)
    }

    pub(super) fn frame_filled(&self) -> bool {
        match self.frames.last() {
            Some(f) => f.filled,
            None => !self.tree.blocks.is_empty(),
        }
    }

    /// Opens a container and the frames that it implies. A container that is not allowed here is left out; its content is written without it.
    pub(super) fn open(&mut self, kind: BlockKind, n: NodeId) {
        self.open_for(kind, n, n);
    }

    /// Like [`RenderTreeBuilder::open`], for a container that ends with another element.
    pub(super) fn open_for(&mut self, kind: BlockKind, n: NodeId, owner: NodeId) {
        self.close_implied(kind);
        let top = self.top_kind();
        let fits = match kind {
            BlockKind::Row => top == Some(BlockKind::Table),
            BlockKind::Cell { .. } => top == Some(BlockKind::Row),
            BlockKind::Term | BlockKind::Definition => top == Some(BlockKind::Glossary),
            BlockKind::Caption => matches!(top, Some(BlockKind::Figure | BlockKind::Table)),
            BlockKind::Summary => top == Some(BlockKind::Details),
            _ => true,
        };
        if !fits || self.frames.len() >= MAX_NESTING {
            return;
        }
        if kind == BlockKind::Item && !matches!(top, Some(BlockKind::List { .. })) {
            let list = BlockKind::List { ordered: false, start: 1 };
            self.imply_parent(list, n);
            self.push_frame(list, n, None);
        } else {
            self.imply_parent(kind, n);
        }
        self.push_frame(kind, n, Some(owner));
        if kind == BlockKind::Item
            && let Some(done) = lists::stated_task(self.dom, n)
            && let Some(f) = self.frames.last()
        {
            self.set_task(f.block, done);
        }
    }

    /// Ends the implied frames that cannot hold `kind`.
    pub(super) fn close_implied(&mut self, kind: BlockKind) {
        while let Some(f) = self.frames.last().filter(|f| f.owner.is_none()) {
            let stays = match self.tree.blocks[f.block as usize].kind {
                BlockKind::List { .. } => kind == BlockKind::Item,
                BlockKind::Item => kind != BlockKind::Item,
                BlockKind::Definition => !matches!(kind, BlockKind::Term | BlockKind::Definition),
                _ => true,
            };
            if stays {
                return;
            }
            self.close_top();
        }
    }

    /// Opens the item that content of a list needs: a nested list joins the previous item, everything else gets a new one.
    pub(super) fn imply_parent(&mut self, kind: BlockKind, n: NodeId) {
        match self.top_kind() {
            Some(BlockKind::List { .. }) if kind != BlockKind::Item => {
                let last = self.frames.last().and_then(|f| f.last_item);
                match (kind, last) {
                    (BlockKind::List { .. }, Some(item)) => {
                        self.frames.push(ContainerFrame { block: item, owner: None, last_item: None, filled: true });
                    }
                    _ => self.push_frame(BlockKind::Item, n, None),
                }
            }
            Some(BlockKind::Glossary) if !matches!(kind, BlockKind::Term | BlockKind::Definition) => {
                self.push_frame(BlockKind::Definition, n, None);
            }
            _ => {}
        }
    }

    pub(super) fn push_frame(&mut self, kind: BlockKind, n: NodeId, owner: Option<NodeId>) {
        self.write_rule();
        let block = self.push_block(kind, n);
        if let Some(f) = self.frames.last_mut() {
            f.filled = true;
            if kind == BlockKind::Item {
                f.last_item = Some(block);
            }
        }
        self.frames.push(ContainerFrame { block, owner, last_item: None, filled: false });
    }

    pub(super) fn push_block(&mut self, kind: BlockKind, node: NodeId) -> u32 {
        let at = self.tree.blocks.len() as u32;
        let runs = self.tree.runs.len() as u32;
        self.tree.blocks.push(TreeBlock { kind, node, end: at + 1, runs: runs..runs, source: NOWHERE });
        at
    }

    /// Ends the innermost container and removes it if it is empty, unless it is a cell.
    pub(super) fn close_top(&mut self) -> bool {
        let Some(f) = self.frames.pop() else { return false };
        let len = self.tree.blocks.len() as u32;
        let is_cell = matches!(self.tree.blocks[f.block as usize].kind, BlockKind::Cell { .. });
        if f.block + 1 == len && !is_cell {
            self.tree.blocks.truncate(f.block as usize);
            if let Some(parent) = self.frames.last_mut().filter(|p| p.last_item == Some(f.block)) {
                parent.last_item = None;
            }
        } else {
            self.tree.blocks[f.block as usize].end = len;
        }
        true
    }

    /// Writes the pending rule if it still separates two parts of the same frame.
    pub(super) fn write_rule(&mut self) {
        let Some((depth, n)) = self.rule.take() else { return };
        let divides = !matches!(
            self.top_kind(),
            Some(
                BlockKind::List { .. }
                    | BlockKind::Table
                    | BlockKind::Row
                    | BlockKind::Cell { .. }
                    | BlockKind::Glossary
                    | BlockKind::Caption
            )
        );
        // Below the title, a rule divides nothing.
        let is_below_title = matches!(self.tree.blocks.last().map(|b| &b.kind), Some(BlockKind::Heading(1)));
        if depth == self.frames.len() && divides && self.frame_filled() && !is_below_title {
            self.push_block(BlockKind::Rule, n);
        }
    }
}
