//! Writes the posts of a thread as containers with a byline: author and date.
//!
//! Elements around several posts, such as list items or table rows, are layout and produce no block.
use super::super::tree::{BlockKind, InlineMark, RunKind};
use super::super::{Content, Post};
use super::RenderTreeBuilder;
use maintext_page::dom::{NodeId, Tag};

/// The position of a node relative to the posts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// Without text: it belongs to whatever surrounds it.
    Empty,
    /// Outside all posts.
    Outside,
    /// Around a post and other content.
    Around,
    /// Inside a post.
    In(u32),
    /// Around exactly one whole post.
    Whole(u32),
}

/// Returns the position of each node, or nothing without posts.
pub(super) fn relations(content: &Content<'_>) -> Vec<Relation> {
    let posts = content.posts;
    if posts.is_empty() {
        return Vec::new();
    }
    let mut out = vec![Relation::Empty; content.dom.len()];
    // Posts are sorted and do not overlap.
    for e in content.blocks.elements.iter().filter(|e| !e.blocks.is_empty()) {
        let i = posts.partition_point(|p| p.blocks.end <= e.blocks.start);
        out[e.node.index()] = match posts.get(i) {
            Some(p) if p.blocks == e.blocks => Relation::Whole(i as u32),
            Some(p) if p.blocks.start <= e.blocks.start && e.blocks.end <= p.blocks.end => Relation::In(i as u32),
            Some(p) if e.blocks.end > p.blocks.start => Relation::Around,
            _ => Relation::Outside,
        };
    }
    for (b, block) in content.blocks.blocks.iter().enumerate() {
        let i = posts.partition_point(|p| p.blocks.end <= (b as u32));
        let inside = posts.get(i).is_some_and(|p| p.blocks.contains(&(b as u32)));
        let leaves = content.blocks.leaves_of(block);
        let relation = if inside { Relation::In(i as u32) } else { Relation::Outside };
        leaves.iter().for_each(|n| out[n.index()] = relation);
    }
    out
}

impl RenderTreeBuilder<'_> {
    /// Opens the post of a node unless it is open already.
    pub(super) fn enter_post(&mut self, n: NodeId) {
        let relation = self.relations.get(n.index()).copied().unwrap_or(Relation::Empty);
        match relation {
            _ if !self.below[n.index()] => {}
            Relation::In(i) | Relation::Whole(i) if self.post != Some(i) => {
                self.end_post();
                self.begin_post(i);
            }
            Relation::Outside if self.post.is_some() => self.end_post(),
            _ => {}
        }
    }

    /// Whether an element is only layout of a thread: it holds a post, and its own tag carries no meaning.
    pub(super) fn is_layout(&self, n: NodeId, tag: Tag) -> bool {
        match self.relations.get(n.index()) {
            Some(Relation::Around) => true,
            Some(Relation::Whole(_)) => {
                matches!(
                    tag,
                    Tag::TABLE | Tag::TR | Tag::TD | Tag::TH | Tag::LI | Tag::DL | Tag::DT | Tag::DD | Tag::BLOCKQUOTE
                )
            }
            _ => false,
        }
    }

    fn end_post(&mut self) {
        self.flush();
        self.rule = None;
        while self.close_top() {}
        self.post = None;
    }

    fn begin_post(&mut self, i: u32) {
        self.end_post();
        self.post = Some(i);
        let Some(post) = self.tree.content.posts.get(i as usize) else { return };
        self.push_frame(BlockKind::Post(i), NodeId::ROOT, None);
        if !post.has_byline() {
            return;
        }
        if let Some(f) = self.frames.last_mut() {
            f.filled = true;
        }
        self.leaf = Some(self.push_block(BlockKind::Byline, NodeId::ROOT));
        self.byline(post);
        self.flush();
    }

    fn byline(&mut self, post: &Post) {
        let nothing = (NodeId::ROOT, 0..0);
        if !post.author.is_empty() {
            let strong = self.tree.push_inline(0, InlineMark::Strong, nothing, false).unwrap_or(0);
            self.push_run_in(RunKind::Text, &post.author, strong);
        }
        if !post.author.is_empty() && !post.date.is_empty() {
            self.push_run_in(RunKind::Text, " · ", 0);
        }
        if !post.date.is_empty() {
            let when = self.push_str(&post.when);
            let time = self.tree.push_inline(0, InlineMark::Other(Tag::TIME), (NodeId::ROOT, when), false);
            self.push_run_in(RunKind::Text, &post.date, time.unwrap_or(0));
        }
    }
}
