//! A view of a foreign page as a list of steps that build it, so that none of its HTML reaches a browser's parser.
//!
//! A step is one of: `"p"` begins an element of that name; `0` ends it; `[block, text]` is text of that block; `["img", alt]` is an
//! image; `["hidden", text]` is text that no visitor sees. Names come from a short list of inert elements, and attributes are
//! dropped. The client checks the names again and creates elements and text nodes.
use maintext_core::blocks::Blocks;
use maintext_core::dom::{Dom, Edge, NodeId, NodeKind, Tag};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Elements that keep their name. All others become `div` or `span`.
const SHOWN: &str = "address article aside b blockquote br caption cite code dd del dl dt em figcaption figure footer h1 \
    h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q s samp section small strong sub sup \
    table tbody td tfoot th thead tr u ul";

/// Returns the steps. Elements that contain no text and no images are omitted.
pub fn view(dom: &Dom, blocks: &Blocks) -> Vec<Value> {
    let mut block_of = vec![u32::MAX; dom.len()];
    for (i, b) in blocks.blocks.iter().enumerate() {
        for leaf in blocks.leaves_of(b) {
            block_of[leaf.index()] = i as u32;
        }
    }
    let hidden: HashSet<NodeId> = blocks.hidden.iter().map(|part| part.node).collect();
    let mut builder = ViewBuilder { dom, steps: Vec::new(), open: Vec::new() };
    let mut last: Option<(u32, bool)> = None;
    let mut walk = dom.traverse(NodeId::ROOT);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(node) if block_of[node.index()] != u32::MAX => {
                let block = block_of[node.index()];
                let space = if last == Some((block, true)) { " " } else { "" };
                let text = match dom.kind(node) {
                    NodeKind::Element => dom.text_content(node),
                    _ => dom.text(node).to_owned(),
                };
                builder.put(json!([block, format!("{space}{text}")]));
                last = Some((block, false));
                // An element that is a leaf is a formula: it has no further blocks inside.
                if dom.kind(node) == NodeKind::Element {
                    walk.skip_children();
                }
            }
            Edge::Enter(node) if hidden.contains(&node) => {
                let text = dom.text_content(node);
                if !text.trim().is_empty() {
                    builder.put(json!(["hidden", text.trim()]));
                }
                last = None;
                if dom.kind(node) == NodeKind::Element {
                    walk.skip_children();
                    builder.open.push((node, false));
                }
            }
            // White space between two texts of a block is not part of either.
            Edge::Enter(node) if dom.kind(node) == NodeKind::Text => last = last.map(|(block, _)| (block, true)),
            Edge::Enter(node) if dom.kind(node) == NodeKind::Element => builder.enter(node),
            Edge::Leave(node) if dom.kind(node) == NodeKind::Element && block_of[node.index()] == u32::MAX => {
                builder.leave()
            }
            _ => {}
        }
    }
    builder.steps
}

struct ViewBuilder<'a, 'b> {
    dom: &'a Dom<'b>,
    steps: Vec<Value>,
    /// The open elements, and whether their beginning has been written.
    open: Vec<(NodeId, bool)>,
}

impl ViewBuilder<'_, '_> {
    fn enter(&mut self, node: NodeId) {
        let alt = (self.dom.tag(node) == Tag::IMG).then(|| self.dom.attr(node, "alt").unwrap_or("").trim());
        if let Some(alt) = alt.filter(|alt| !alt.is_empty()) {
            self.put(json!(["img", alt]));
        }
        self.open.push((node, false));
        if matches!(self.dom.tag(node), Tag::BR | Tag::HR) {
            self.put(Value::Null);
        }
    }

    /// Writes a step after the beginnings of the open elements.
    fn put(&mut self, step: Value) {
        for (node, written) in self.open.iter_mut().filter(|(_, written)| !written) {
            let name = self.dom.tag_name(*node);
            let other = if self.dom.tag(*node).is_block() { "div" } else { "span" };
            self.steps.push(SHOWN.split(' ').find(|shown| *shown == name).unwrap_or(other).into());
            *written = true;
        }
        if !step.is_null() {
            self.steps.push(step);
        }
    }

    fn leave(&mut self) {
        if let Some((_, true)) = self.open.pop() {
            self.steps.push(0.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(html: &str) -> String {
        let dom = maintext_core::dom::parse(html, &Default::default());
        json!(view(&dom, &Blocks::new(&dom))).to_string()
    }

    #[test]
    fn a_page_becomes_steps() {
        let made = steps(
            "<body class=a><div></div><p onclick=x()>One <b>two</b><br>three</p><img src=x alt='A fox' onerror=y()>",
        );
        let body = r#"["div","div","p",[0,"One "],"b",[0,"two"],0,"br",0,[0,"three"],0,["img","A fox"],0,0]"#;
        assert_eq!(made, body);
    }

    #[test]
    fn what_nobody_sees_is_marked() {
        let made = steps("<p>One <span style=display:none>two</span> three</p><p class=sr-only>four</p>");
        assert!(made.contains(r#""p",[0,"One "],["hidden","two"],[0," three"],0,["hidden","four"]"#), "{made}");
    }

    #[test]
    fn adjacent_links_do_not_run_together() {
        assert!(steps("<div><a>One</a> <a>two</a></div>").contains(r#"[0,"One"],0,"span",[0," two"]"#));
    }

    #[test]
    fn active_content_is_removed() {
        let made = steps(
            "<script>alert(1)</script><style>p{}</style><iframe src=javascript:x>f</iframe><svg onload=x><script>2</script></svg>\
             <a href='javascript:x'>link</a><form action=//evil><input value=v><button>b</button></form><object data=x>o</object>\
             <xss-tag style=x>t</xss-tag><math><mtext><img src=x onerror=x></mtext></math>",
        );
        for bad in [
            "script",
            "iframe",
            "svg",
            "href",
            "javascript",
            "form",
            "input",
            "object",
            "xss",
            "onerror",
            "\"img\",\"\"",
            "style",
        ] {
            assert!(!made.contains(bad), "{bad}: {made}");
        }
        assert!(made.contains("link"), "{made}");
    }

    #[test]
    fn every_element_is_closed() {
        let made: Vec<Value> =
            serde_json::from_str(&steps(&"<div><ul><li>a<p>b<table><tr><td>c<i>d".repeat(50))).unwrap();
        let mut depth = 0i32;
        for step in made {
            depth += i32::from(step.is_string()) - i32::from(step == 0);
            assert!(depth >= 0);
        }
        assert_eq!(depth, 0);
    }
}
