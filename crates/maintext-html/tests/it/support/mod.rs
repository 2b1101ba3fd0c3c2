//! Parses with html5ever into a simple arena, for comparisons and measurements.
#![allow(dead_code)]

pub mod clock;
pub mod hostile;
pub mod ours;
pub mod soup;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, expanded_name, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::fmt::Write;

pub const NONE: u32 = u32::MAX;

pub enum Data {
    Document,
    Doctype(StrTendril, StrTendril, StrTendril),
    Text(StrTendril),
    Comment(StrTendril),
    Element { name: QualName, attrs: Vec<Attribute>, content: u32, integration: bool },
}

pub struct Node {
    pub parent: u32,
    pub prev: u32,
    pub next: u32,
    pub first: u32,
    pub last: u32,
    pub data: Data,
}

/// A tree sink that stores nodes with links in a vector.
#[derive(Default)]
pub struct ArenaSink {
    pub nodes: RefCell<Vec<Node>>,
    pub quirks: Cell<Option<QuirksMode>>,
}

impl ArenaSink {
    pub fn new(capacity: usize) -> Self {
        let sink = ArenaSink::default();
        sink.nodes.borrow_mut().reserve(capacity);
        sink.add(Data::Document);
        sink
    }

    fn add(&self, data: Data) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node { parent: NONE, prev: NONE, next: NONE, first: NONE, last: NONE, data });
        nodes.len() as u32 - 1
    }

    fn link_last(&self, parent: u32, child: u32) {
        let nodes = &mut *self.nodes.borrow_mut();
        let last = std::mem::replace(&mut nodes[parent as usize].last, child);
        nodes[child as usize].parent = parent;
        nodes[child as usize].prev = last;
        match last {
            NONE => nodes[parent as usize].first = child,
            _ => nodes[last as usize].next = child,
        }
    }

    fn append_text(&self, node: u32, text: &StrTendril) -> bool {
        if node != NONE
            && let Data::Text(before) = &mut self.nodes.borrow_mut()[node as usize].data
        {
            before.push_tendril(text);
            return true;
        }
        false
    }

    fn unlink(&self, id: u32) {
        let nodes = &mut *self.nodes.borrow_mut();
        let Node { parent, prev, next, .. } = nodes[id as usize];
        if parent == NONE {
            return;
        }
        match prev {
            NONE => nodes[parent as usize].first = next,
            _ => nodes[prev as usize].next = next,
        }
        match next {
            NONE => nodes[parent as usize].last = prev,
            _ => nodes[next as usize].prev = prev,
        }
        let node = &mut nodes[id as usize];
        (node.parent, node.prev, node.next) = (NONE, NONE, NONE);
    }
}

impl TreeSink for ArenaSink {
    type Handle = u32;
    type Output = Self;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Ref<'a, QualName> {
        Ref::map(self.nodes.borrow(), |nodes| match &nodes[*target as usize].data {
            Data::Element { name, .. } => name,
            _ => unreachable!("not an element"),
        })
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> u32 {
        let content = if flags.template { self.add(Data::Document) } else { NONE };
        let integration = flags.mathml_annotation_xml_integration_point;
        self.add(Data::Element { name, attrs, content, integration })
    }

    fn create_comment(&self, text: StrTendril) -> u32 {
        self.add(Data::Comment(text))
    }

    fn create_pi(&self, _: StrTendril, data: StrTendril) -> u32 {
        self.add(Data::Comment(data))
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        match child {
            NodeOrText::AppendNode(node) => {
                self.unlink(node);
                self.link_last(*parent, node);
            }
            NodeOrText::AppendText(text) => {
                let last = self.nodes.borrow()[*parent as usize].last;
                if !self.append_text(last, &text) {
                    let node = self.add(Data::Text(text));
                    self.link_last(*parent, node);
                }
            }
        }
    }

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let node = match child {
            NodeOrText::AppendNode(node) => {
                self.unlink(node);
                node
            }
            NodeOrText::AppendText(text) => {
                let prev = self.nodes.borrow()[*sibling as usize].prev;
                if self.append_text(prev, &text) {
                    return;
                }
                self.add(Data::Text(text))
            }
        };
        let nodes = &mut *self.nodes.borrow_mut();
        let Node { parent, prev, .. } = nodes[*sibling as usize];
        let new = &mut nodes[node as usize];
        (new.parent, new.prev, new.next) = (parent, prev, *sibling);
        nodes[*sibling as usize].prev = node;
        match prev {
            NONE => nodes[parent as usize].first = node,
            _ => nodes[prev as usize].next = node,
        }
    }

    fn append_based_on_parent_node(&self, element: &u32, prev: &u32, child: NodeOrText<u32>) {
        if self.nodes.borrow()[*element as usize].parent != NONE {
            self.append_before_sibling(element, child);
        } else {
            self.append(prev, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let node = self.add(Data::Doctype(name, public, system));
        self.link_last(0, node);
    }

    fn get_template_contents(&self, target: &u32) -> u32 {
        match &self.nodes.borrow()[*target as usize].data {
            Data::Element { content, .. } => *content,
            _ => NONE,
        }
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.quirks.set(Some(mode));
    }

    fn add_attrs_if_missing(&self, target: &u32, new: Vec<Attribute>) {
        if let Data::Element { attrs, .. } = &mut self.nodes.borrow_mut()[*target as usize].data {
            for attr in new {
                if !attrs.iter().any(|a| a.name == attr.name) {
                    attrs.push(attr);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &u32) {
        self.unlink(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        loop {
            let child = self.nodes.borrow()[*node as usize].first;
            if child == NONE {
                return;
            }
            self.unlink(child);
            self.link_last(*new_parent, child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &u32) -> bool {
        matches!(self.nodes.borrow()[*handle as usize].data, Data::Element { integration: true, .. })
    }
}

/// Parses a document with html5ever, scripting off.
///
/// html5ever drops a byte-order mark not only at the start of the input but also after each `</script>`, where its tokenizer
/// returns to the driver and is fed again. The standard drops only the first one, during decoding.
pub fn html5ever_parse(input: &str) -> ArenaSink {
    let input = input.strip_prefix('\u{FEFF}').unwrap_or(input);
    let mut opts = ParseOpts::default();
    opts.tokenizer.discard_bom = false;
    opts.tree_builder.scripting_enabled = false;
    let parser = html5ever::parse_document(ArenaSink::new(input.len() / 24 + 16), opts);
    parser.one(StrTendril::from(input))
}

/// Parses a fragment with html5ever, scripting off; the fragment's nodes are the children of the sink's first `html` element.
pub fn html5ever_fragment(input: &str, context: &str) -> ArenaSink {
    let mut opts = ParseOpts::default();
    opts.tokenizer.discard_bom = false;
    opts.tree_builder.scripting_enabled = false;
    let name = QualName::new(None, ns!(html), context.into());
    let parser = html5ever::parse_fragment(ArenaSink::new(input.len() / 24 + 16), opts, name, vec![], false);
    parser.one(StrTendril::from(input))
}

/// Returns the tree in the format of `ours::outline`.
pub fn outline(sink: &ArenaSink, fragment: bool) -> String {
    let nodes = sink.nodes.borrow();
    let mut out = String::new();
    let mut root = nodes[0].first;
    if fragment && root != NONE {
        root = nodes[root as usize].first;
    }
    let mut todo = vec![(root, 0usize)];
    while let Some((id, depth)) = todo.pop() {
        if id == NONE {
            continue;
        }
        let node = &nodes[id as usize];
        todo.push((node.next, depth));
        let pad = "  ".repeat(depth);
        match &node.data {
            Data::Document => {}
            Data::Doctype(name, public, system) if public.is_empty() && system.is_empty() => {
                let _ = writeln!(out, "| {pad}<!DOCTYPE {name}>");
            }
            Data::Doctype(name, public, system) => {
                let _ = writeln!(out, "| {pad}<!DOCTYPE {name} \"{public}\" \"{system}\">");
            }
            Data::Text(text) => {
                let _ = writeln!(out, "| {pad}\"{text}\"");
            }
            Data::Comment(text) => {
                let _ = writeln!(out, "| {pad}<!-- {text} -->");
            }
            Data::Element { name, attrs, content, .. } => {
                let prefix = match name.ns {
                    ns!(svg) => "svg ",
                    ns!(mathml) => "math ",
                    _ => "",
                };
                let _ = writeln!(out, "| {pad}<{prefix}{}>", name.local);
                let mut attrs: Vec<(String, &str)> = attrs
                    .iter()
                    .map(|a| {
                        let prefix = match a.name.ns {
                            ns!(xlink) => "xlink ",
                            ns!(xml) => "xml ",
                            ns!(xmlns) => "xmlns ",
                            _ => "",
                        };
                        (format!("{prefix}{}", a.name.local), &*a.value)
                    })
                    .collect();
                attrs.sort_by(|x, y| x.0.encode_utf16().cmp(y.0.encode_utf16()));
                for (name, value) in attrs {
                    let _ = writeln!(out, "| {pad}  {name}=\"{value}\"");
                }
                let is_template = name.expanded() == (ExpandedName { ns: &ns!(html), local: &local_name!("template") });
                debug_assert_eq!(is_template, name.expanded() == expanded_name!(html "template"));
                todo.push((node.first, depth + 1));
                if *content != NONE {
                    let _ = writeln!(out, "| {pad}  content");
                    todo.push((nodes[*content as usize].first, depth + 2));
                }
            }
        }
    }
    out
}

/// Returns the first line in which two outlines differ, with some lines before it.
pub fn first_difference(ours: &str, theirs: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (ours.lines().collect(), theirs.lines().collect());
    let at = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let clip = |s: &str| s.chars().take(160).collect::<String>();
    let from = at.saturating_sub(6);
    let mut out = String::new();
    for line in &a[from..at] {
        let _ = writeln!(out, "    {}", clip(line));
    }
    for line in a[at..].iter().take(4) {
        let _ = writeln!(out, "  - {}", clip(line));
    }
    for line in b[at..].iter().take(4) {
        let _ = writeln!(out, "  + {}", clip(line));
    }
    out
}
