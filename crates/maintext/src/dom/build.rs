//! html5ever behind the seam: the only place that knows which parser fills the arena.
//!
//! html5ever is quadratic in nesting depth and in the attributes of one tag, so the input is guarded:
//! [`Guard`] stands between its tokenizer and its tree builder and drops the tags that would nest too deep,
//! [`cut_attributes`] shortens the tags that carry too many attributes before the tokenizer sees them.
use super::{AttrEntry, Dom, Node, NodeId, NodeKind, Tag};
use html5ever::interface::TokenizerResult;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag as TagToken, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts, states,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, QualName, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Bounds on what a page may cost. What lies beyond is cut and said in [`Dom::truncated`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of decoded text that are parsed.
    pub bytes: usize,
    /// Nodes of the tree.
    pub nodes: u32,
    /// Nesting depth; deeper elements become siblings, as in browsers.
    pub depth: u32,
    /// Attributes of one tag.
    pub attributes: u32,
}

impl Default for Limits {
    /// 64 MiB, 4 million nodes, 512 levels (Chromium's bound), 256 attributes.
    fn default() -> Self {
        Limits { bytes: 64 << 20, nodes: 4_000_000, depth: 512, attributes: 256 }
    }
}

/// Parses a document as the HTML standard says, with scripting off.
pub fn parse(html: &str, limits: &Limits) -> Dom {
    let sink = Sink::new(html, *limits);
    let cut = floor_char_boundary(html, limits.bytes.min(u32::MAX as usize - 1));
    if cut < html.len() {
        sink.note("input bytes");
    }
    let opts = TreeBuilderOpts { scripting_enabled: false, ..Default::default() };
    let guard = Guard { builder: TreeBuilder::new(sink, opts), dropped: RefCell::default(), raw: Cell::new(false) };
    let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
    let queue = BufferQueue::default();
    let whole = StrTendril::from_slice(&html[..cut]);
    let mut at = 0;
    while at < cut {
        let end = memchr::memchr(b'<', &html.as_bytes()[at + 1..cut]).map_or(cut, |i| at + 1 + i);
        let chunk = &html[at..end];
        let state = &tokenizer.sink.builder.sink;
        state.at.set((at as u32, end as u32));
        let guarded = if tokenizer.sink.raw.get() { None } else { cut_attributes(chunk, limits.attributes as usize) };
        if guarded.is_some() {
            state.note("attributes");
        }
        queue.push_back(guarded.unwrap_or_else(|| whole.subtendril(at as u32, (end - at) as u32)));
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
        at = end;
    }
    tokenizer.sink.builder.sink.at.set((cut as u32, cut as u32));
    tokenizer.end();
    tokenizer.sink.builder.sink.finish()
}

fn floor_char_boundary(s: &str, mut i: usize) -> usize {
    if i >= s.len() {
        return s.len();
    }
    while !s.is_char_boundary(i) {
        i -= 1;
    }
    i
}

/// If `chunk` begins with a tag of more than `max` attributes: the chunk without the attributes beyond.
fn cut_attributes(chunk: &str, max: usize) -> Option<StrTendril> {
    let b = chunk.as_bytes();
    if b.len() < 2 * max || !b.get(1)?.is_ascii_alphabetic() {
        return None;
    }
    let (mut i, mut count, mut cut) = (1, 0, None);
    while i < b.len() && !b[i].is_ascii_whitespace() && b[i] != b'>' {
        i += 1;
    }
    while i < b.len() && b[i] != b'>' {
        if b[i].is_ascii_whitespace() || b[i] == b'/' {
            i += 1;
            continue;
        }
        count += 1;
        if count == max + 1 {
            cut = Some(i);
        }
        i += 1;
        while i < b.len() && !b[i].is_ascii_whitespace() && !matches!(b[i], b'=' | b'>' | b'/') {
            i += 1;
        }
        if i + 1 < b.len() && b[i] == b'=' {
            i += 1;
            i = match b[i] {
                q @ (b'"' | b'\'') => memchr::memchr(q, &b[i + 1..]).map_or(b.len(), |n| i + n + 2),
                _ => b[i..].iter().position(|c| c.is_ascii_whitespace() || *c == b'>').map_or(b.len(), |n| i + n),
            };
        }
    }
    let mut short = chunk[..cut?].to_owned();
    short.push_str(&chunk[i.min(b.len())..]);
    Some(StrTendril::from(short))
}

/// Drops tags that would nest deeper than the limit, and all tags once there are too many nodes.
struct Guard<'a> {
    builder: TreeBuilder<Handle, Sink<'a>>,
    /// Start tags dropped and not yet closed, by name: their end tags are dropped too.
    dropped: RefCell<HashMap<LocalName, u32>>,
    raw: Cell<bool>,
}

impl Guard<'_> {
    fn drops(&self, tag: &TagToken) -> bool {
        let sink = &self.builder.sink;
        match tag.kind {
            TagKind::StartTag => {
                if sink.nodes.borrow().len() as u32 >= sink.limits.nodes {
                    sink.note("nodes");
                    return true;
                }
                if sink.depths.borrow()[sink.current.get().index()] + 1 < sink.limits.depth
                    || Tag::from_name(&tag.name) == Tag::BR
                {
                    return false;
                }
                // Text-like elements switch the tokenizer; they hold no elements, so they can stay.
                if matches!(
                    &*tag.name,
                    "script" | "style" | "title" | "textarea" | "xmp" | "iframe" | "noframes" | "img"
                ) {
                    return false;
                }
                sink.note("depth");
                *self.dropped.borrow_mut().entry(tag.name.clone()).or_default() += 1;
                true
            }
            TagKind::EndTag => match self.dropped.borrow_mut().get_mut(&tag.name) {
                Some(n) if *n > 0 => {
                    *n -= 1;
                    true
                }
                _ => false,
            },
        }
    }
}

impl TokenSink for Guard<'_> {
    type Handle = Handle;
    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        if let Token::TagToken(tag) = &token {
            let sink = &self.builder.sink;
            let (start, end) = sink.at.get();
            // The tag ends at the first `>` of its chunk, but for one inside an attribute value.
            let bytes = &sink.html.as_bytes()[start as usize..end as usize];
            let close = memchr::memchr(b'>', bytes).map_or(end, |i| start + i as u32 + 1);
            sink.tag_end.set(close);
            sink.end_text(start);
            if self.drops(tag) {
                return TokenSinkResult::Continue;
            }
            if tag.kind == TagKind::EndTag {
                sink.end_element(&tag.name, close);
            }
        }
        let result = self.builder.process_token(token, line);
        match &result {
            TokenSinkResult::RawData(states::RawKind::Rcdata) | TokenSinkResult::RawData(_) => self.raw.set(true),
            TokenSinkResult::Plaintext => self.raw.set(true),
            _ => {}
        }
        result
    }
    fn end(&self) {
        self.builder.end();
    }
    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

#[derive(Clone)]
struct Handle {
    id: NodeId,
    name: Option<Rc<QualName>>,
}

struct Sink<'a> {
    html: &'a str,
    limits: Limits,
    nodes: RefCell<Vec<Node>>,
    attrs: RefCell<Vec<AttrEntry>>,
    text: RefCell<String>,
    other_names: RefCell<Vec<(u32, Box<str>)>>,
    templates: RefCell<HashMap<u32, Handle>>,
    truncated: RefCell<Vec<&'static str>>,
    /// The chunk being tokenized.
    at: Cell<(u32, u32)>,
    tag_end: Cell<u32>,
    open_text: Cell<Option<NodeId>>,
    /// The element opened last and, as far as end tags tell, still open.
    current: Cell<NodeId>,
    depths: RefCell<Vec<u32>>,
}

impl<'a> Sink<'a> {
    fn new(html: &'a str, limits: Limits) -> Self {
        let sink = Sink {
            html,
            limits,
            nodes: RefCell::default(),
            attrs: RefCell::default(),
            text: RefCell::new(String::with_capacity(html.len() / 2)),
            other_names: RefCell::default(),
            templates: RefCell::default(),
            truncated: RefCell::default(),
            at: Cell::new((0, 0)),
            tag_end: Cell::new(0),
            open_text: Cell::new(None),
            current: Cell::new(NodeId::ROOT),
            depths: RefCell::default(),
        };
        sink.push(NodeKind::Document, Tag::OTHER, (0, 0));
        sink
    }

    fn note(&self, what: &'static str) {
        let mut t = self.truncated.borrow_mut();
        if !t.contains(&what) {
            t.push(what);
        }
    }

    fn push(&self, kind: NodeKind, tag: Tag, (from, to): (u32, u32)) -> NodeId {
        let mut nodes = self.nodes.borrow_mut();
        let start = self.at.get().0;
        let none = NodeId::NONE;
        nodes.push(Node {
            parent: none,
            prev: none,
            next: none,
            first: none,
            last: none,
            from,
            to,
            span: (start, 0),
            kind,
            tag,
        });
        self.depths.borrow_mut().push(0);
        NodeId(nodes.len() as u32 - 1)
    }

    fn store(&self, s: &str) -> (u32, u32) {
        let mut text = self.text.borrow_mut();
        let from = text.len() as u32;
        text.push_str(s);
        (from, text.len() as u32)
    }

    fn store_attrs(&self, list: Vec<Attribute>) -> (u32, u32) {
        let from = self.attrs.borrow().len() as u32;
        for a in list {
            let entry = AttrEntry { name: self.store(&a.name.local), value: self.store(&a.value) };
            self.attrs.borrow_mut().push(entry);
        }
        (from, self.attrs.borrow().len() as u32)
    }

    fn end_text(&self, at: u32) {
        if let Some(id) = self.open_text.take() {
            self.nodes.borrow_mut()[id.index()].span.1 = at;
        }
    }

    /// Notes where the nearest open element of that name ends. At most as many steps as the tree is deep.
    fn end_element(&self, name: &LocalName, at: u32) {
        let tag = Tag::from_name(name);
        let mut nodes = self.nodes.borrow_mut();
        let mut n = self.current.get().0;
        while n != NodeId::NONE {
            let node = &mut nodes[n as usize];
            if node.tag == tag && node.kind == NodeKind::Element && node.span.1 == 0 {
                node.span.1 = at;
                self.current.set(NodeId::some(node.parent).unwrap_or(NodeId::ROOT));
                return;
            }
            n = node.parent;
        }
    }

    fn detach(&self, id: NodeId) {
        let mut nodes = self.nodes.borrow_mut();
        let Node { parent, prev, next, .. } = nodes[id.index()];
        if parent == NodeId::NONE {
            return;
        }
        match prev {
            NodeId::NONE => nodes[parent as usize].first = next,
            p => nodes[p as usize].next = next,
        }
        match next {
            NodeId::NONE => nodes[parent as usize].last = prev,
            n => nodes[n as usize].prev = prev,
        }
        let n = &mut nodes[id.index()];
        (n.parent, n.prev, n.next) = (NodeId::NONE, NodeId::NONE, NodeId::NONE);
    }

    /// Inserts `id` under `parent` before `before` (at the end if none).
    fn insert(&self, parent: NodeId, id: NodeId, before: Option<NodeId>) {
        self.detach(id);
        let mut nodes = self.nodes.borrow_mut();
        let prev = match before {
            Some(b) => nodes[b.index()].prev,
            None => nodes[parent.index()].last,
        };
        let next = before.map_or(NodeId::NONE, |b| b.0);
        match prev {
            NodeId::NONE => nodes[parent.index()].first = id.0,
            p => nodes[p as usize].next = id.0,
        }
        match next {
            NodeId::NONE => nodes[parent.index()].last = id.0,
            n => nodes[n as usize].prev = id.0,
        }
        let n = &mut nodes[id.index()];
        (n.parent, n.prev, n.next) = (parent.0, prev, next);
        let element = n.kind == NodeKind::Element;
        let mut depths = self.depths.borrow_mut();
        depths[id.index()] = depths[parent.index()] + 1;
        if element {
            self.current.set(id);
        }
    }

    fn insert_text(&self, parent: NodeId, s: &str, before: Option<NodeId>) {
        let sibling = match before {
            Some(b) => self.nodes.borrow()[b.index()].prev,
            None => self.nodes.borrow()[parent.index()].last,
        };
        if sibling != NodeId::NONE && self.nodes.borrow()[sibling as usize].kind == NodeKind::Text {
            let (from, to) = {
                let n = &self.nodes.borrow()[sibling as usize];
                (n.from, n.to)
            };
            let range = if to as usize == self.text.borrow().len() {
                (from, self.store(s).1)
            } else {
                let whole = format!("{}{s}", &self.text.borrow()[from as usize..to as usize]);
                self.store(&whole)
            };
            let n = &mut self.nodes.borrow_mut()[sibling as usize];
            (n.from, n.to) = range;
            return;
        }
        let range = self.store(s);
        let id = self.push(NodeKind::Text, Tag::OTHER, range);
        self.nodes.borrow_mut()[id.index()].span.0 = self.tag_end.get().max(self.at.get().0).min(self.at.get().1);
        self.open_text.set(Some(id));
        self.insert(parent, id, before);
    }

    fn place(&self, parent: NodeId, child: NodeOrText<Handle>, before: Option<NodeId>) {
        match child {
            NodeOrText::AppendNode(h) => self.insert(parent, h.id, before),
            NodeOrText::AppendText(t) => self.insert_text(parent, &t, before),
        }
    }
}

impl TreeSink for Sink<'_> {
    type Handle = Handle;
    type Output = Dom;
    type ElemName<'b>
        = &'b QualName
    where
        Self: 'b;

    fn finish(self) -> Dom {
        self.end_text(self.html.len() as u32);
        let mut nodes = self.nodes.into_inner();
        let end = self.html.len() as u32;
        // Elements that no end tag closed end where what follows them begins. Parents come before children but for
        // adopted ones, so one pass from the front sees a parent's end before it is needed.
        for i in 0..nodes.len() {
            if nodes[i].span.1 == 0 {
                let Node { next, parent, span, .. } = nodes[i];
                let follow = match (next, parent) {
                    (NodeId::NONE, NodeId::NONE) => end,
                    (NodeId::NONE, p) if nodes[p as usize].span.1 == 0 => end,
                    (NodeId::NONE, p) => nodes[p as usize].span.1,
                    (n, _) => nodes[n as usize].span.0,
                };
                nodes[i].span.1 = follow.max(span.0);
            }
        }
        Dom {
            nodes,
            attrs: self.attrs.into_inner(),
            text: self.text.into_inner(),
            other_names: self.other_names.into_inner(),
            truncated: self.truncated.into_inner(),
        }
    }
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn get_document(&self) -> Handle {
        Handle { id: NodeId::ROOT, name: None }
    }
    fn elem_name<'b>(&'b self, target: &'b Handle) -> &'b QualName {
        static NO_NAME: std::sync::OnceLock<QualName> = std::sync::OnceLock::new();
        match &target.name {
            Some(n) => n,
            None => NO_NAME.get_or_init(|| QualName::new(None, ns!(), local_name!(""))),
        }
    }
    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let tag = Tag::from_name(&name.local);
        let attrs = self.store_attrs(attrs);
        let id = self.push(NodeKind::Element, tag, attrs);
        if tag == Tag::OTHER {
            self.other_names.borrow_mut().push((id.0, Box::from(&*name.local)));
        }
        if flags.template {
            let root = self.push(NodeKind::Document, Tag::OTHER, (0, 0));
            // The content hangs below the template: a walk sees it where it stands in the source.
            self.insert(id, root, None);
            self.templates.borrow_mut().insert(id.0, Handle { id: root, name: None });
        }
        Handle { id, name: Some(Rc::new(name)) }
    }
    fn create_comment(&self, _: StrTendril) -> Handle {
        Handle { id: self.push(NodeKind::Other, Tag::OTHER, (0, 0)), name: None }
    }
    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        Handle { id: self.push(NodeKind::Other, Tag::OTHER, (0, 0)), name: None }
    }
    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.place(parent.id, child, None);
    }
    fn append_based_on_parent_node(&self, element: &Handle, prev: &Handle, child: NodeOrText<Handle>) {
        if self.nodes.borrow()[element.id.index()].parent != NodeId::NONE {
            self.append_before_sibling(element, child);
        } else {
            self.append(prev, child);
        }
    }
    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}
    fn get_template_contents(&self, target: &Handle) -> Handle {
        self.templates.borrow().get(&target.id.0).cloned().unwrap_or_else(|| target.clone())
    }
    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let parent = self.nodes.borrow()[sibling.id.index()].parent;
        if let Some(parent) = NodeId::some(parent) {
            self.place(parent, child, Some(sibling.id));
        }
    }
    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        let (from, to) = {
            let n = &self.nodes.borrow()[target.id.index()];
            (n.from as usize, n.to as usize)
        };
        let old: Vec<AttrEntry> = self.attrs.borrow()[from..to].to_vec();
        let missing = |a: &Attribute| {
            let text = self.text.borrow();
            !old.iter().any(|o| text[o.name.0 as usize..o.name.1 as usize] == *a.name.local)
        };
        let new: Vec<Attribute> = attrs.into_iter().filter(missing).take(self.limits.attributes as usize).collect();
        if new.is_empty() || old.len() >= self.limits.attributes as usize {
            return;
        }
        let start = self.attrs.borrow().len() as u32;
        self.attrs.borrow_mut().extend(old);
        let end = self.store_attrs(new).1;
        let n = &mut self.nodes.borrow_mut()[target.id.index()];
        (n.from, n.to) = (start, end);
    }
    fn remove_from_parent(&self, target: &Handle) {
        self.detach(target.id);
    }
    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        loop {
            let first = self.nodes.borrow()[node.id.index()].first;
            let Some(child) = NodeId::some(first) else { break };
            self.insert(new_parent.id, child, None);
        }
    }
}
