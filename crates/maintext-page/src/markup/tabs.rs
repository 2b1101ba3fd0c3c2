//! Tabs: a row of labels for alternatives, above their panels. Each label belongs before its panel.
use super::{Markup, Role};
use crate::dom::{Dom, Edge, NodeId, NodeKind, Tag};
use crate::lexicon::lexicon;
use maintext_html::Attr;

/// Maximum number of labels of a row.
const MAX_LABELS: usize = 24;
/// Maximum number of bytes of a label.
const MAX_LABEL_BYTES: usize = 60;
/// Maximum number of levels between a row of labels and the element that also holds its panels.
const MAX_LEVELS_TO_PANELS: usize = 4;
/// Maximum number of nodes of a row of labels.
const MAX_ROW_NODES: usize = 400;
/// Maximum number of nodes of a page that are read for tabs, as a multiple of its nodes.
const MAX_READS_PER_NODE: usize = 2;

/// The markup of a set of tabs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Set {
    /// A row of labels; the panels follow.
    Row,
    /// Labels and panels alternate.
    Alternating,
}

/// Returns the kind of set that an element opens, by its role and class.
#[inline]
pub(super) fn set(class: &str, role: &str) -> Option<Set> {
    if role.len() == 7 && role.eq_ignore_ascii_case("tablist") {
        return Some(Set::Row);
    }
    match class.as_bytes().first()? {
        b't' if class.starts_with("tabbed-labels") || class == "tabs" || class.starts_with("theme-code-group__nav") => {
            Some(Set::Row)
        }
        b't' if class.starts_with("tabbed-set") && !class.contains("tabbed-alternate") => Some(Set::Alternating),
        b't' | b'u' | b'r' if class.split_ascii_whitespace().any(is_row_class) => Some(Set::Row),
        b'n' if class.starts_with("nav nav-tabs") || class.starts_with("nav-tabs") => Some(Set::Row),
        b's' if class.starts_with("sd-tab-set") => Some(Set::Alternating),
        _ => None,
    }
}

/// Whether a class belongs to a row of labels, or to a set whose first list is one.
fn is_row_class(class: &str) -> bool {
    lexicon!("tab-rows.txt").contains(&class)
}

/// Gives roles to the labels and the panels of a set if each panel has a label.
pub(super) fn enter(markup: &mut Markup, dom: &Dom<'_>, n: NodeId, set: Set) {
    if dom.ancestors(n).any(|a| {
        matches!(dom.tag(a), Tag::PRE | Tag::CODE | Tag::TABLE | Tag::A | Tag::BUTTON | Tag::LABEL)
            || !matches!(markup.role(a), Role::Plain | Role::Panel(_))
    }) {
        return;
    }
    let pairs = match set {
        Set::Row => row(markup, dom, n),
        Set::Alternating => alternating(dom, n),
    };
    let pairs = pairs.unwrap_or_default();
    if !pairs.iter().all(|&(label, panel)| {
        markup.role(label) == Role::Plain && markup.role(panel) == Role::Plain && is_short(dom, label)
    }) {
        return;
    }
    for (label, panel) in pairs {
        markup.set(label, Role::Label);
        markup.set(panel, Role::Panel(label));
        markup.tabs.push((label, panel));
    }
}

fn has_role(dom: &Dom<'_>, n: NodeId, role: &str) -> bool {
    dom.attribute(n, Attr::ROLE).is_some_and(|r| r.eq_ignore_ascii_case(role))
}

/// Whether an element has the text of a label.
fn is_short(dom: &Dom<'_>, n: NodeId) -> bool {
    let mut len = 0;
    let fits = dom.descendants(n).take(MAX_ROW_NODES).all(|d| {
        len += dom.text(d).trim().len();
        len <= MAX_LABEL_BYTES && !matches!(dom.tag(d), Tag::IMG | Tag::P | Tag::DIV)
    });
    fits && len > 0
}

/// Pairs each label with the panel that follows it.
fn alternating(dom: &Dom<'_>, n: NodeId) -> Option<Vec<(NodeId, NodeId)>> {
    let mut pairs = Vec::new();
    let mut label = None;
    for c in dom.children(n).filter(|&c| dom.kind(c) == NodeKind::Element) {
        if dom.tag(c) == Tag::LABEL {
            label = Some(c);
        } else if dom.tag(c) == Tag::DIV {
            pairs.push((label.take()?, c));
        }
    }
    Some(pairs)
}

/// Pairs the labels of a row with the panels after it: by ids, or by their order if there are as many.
fn row(markup: &mut Markup, dom: &Dom<'_>, n: NodeId) -> Option<Vec<(NodeId, NodeId)>> {
    // A set may begin with its row of labels.
    let first = dom.children(n).find(|&c| dom.kind(c) == NodeKind::Element);
    let list = first.filter(|&f| dom.tag(n) != Tag::UL && dom.tag(f) == Tag::UL && dom.next_sibling(f).is_some());
    let n = list.unwrap_or(n);
    let labels = labels(dom, n)?;
    let targets: Vec<&str> = labels.iter().filter_map(|&l| fragment(dom, l)).collect();
    let mut at = n;
    for _ in 0..MAX_LEVELS_TO_PANELS {
        let panels = panels(markup, dom, at, &targets)?;
        if !panels.is_empty() {
            return pair(dom, &labels, &panels);
        }
        at = dom.parent(at)?;
        // What else the element holds has nothing to do with the row.
        if matches!(dom.tag(at), Tag::BODY | Tag::MAIN | Tag::ARTICLE) {
            return None;
        }
    }
    None
}

fn labels(dom: &Dom<'_>, n: NodeId) -> Option<Vec<NodeId>> {
    let (mut tabs, mut others, mut links) = (Vec::new(), Vec::new(), Vec::new());
    for (count, d) in dom.descendants(n).skip(1).enumerate() {
        if count > MAX_ROW_NODES {
            return None;
        }
        if fragment(dom, d).is_some() && dom.tag(d) == Tag::A {
            links.push(d);
        }
        match dom.tag(d) {
            _ if dom.kind(d) != NodeKind::Element => {}
            _ if has_role(dom, d, "tab") => tabs.push(d),
            Tag::LABEL | Tag::BUTTON => others.push(d),
            Tag::A if dom.attribute(d, Attr::HREF).is_some_and(|h| h.starts_with('#')) => others.push(d),
            _ => {}
        }
    }
    // Some rows state the role of the open tab only.
    let some_links = tabs.len() < links.len() && tabs.iter().all(|t| links.contains(t));
    let labels = if tabs.is_empty() {
        others
    } else if some_links {
        links
    } else {
        tabs
    };
    (!labels.is_empty() && labels.len() <= MAX_LABELS).then_some(labels)
}

/// Returns the panels among the siblings after an element, outermost ones only; `None` if the page has used up the budget for this.
fn panels(markup: &mut Markup, dom: &Dom<'_>, n: NodeId, targets: &[&str]) -> Option<Vec<NodeId>> {
    let mut panels = Vec::new();
    let mut next = dom.next_sibling(n);
    while let Some(sibling) = next {
        next = dom.next_sibling(sibling);
        let mut walk = dom.traverse(sibling);
        while let Some(edge) = walk.next() {
            let Edge::Enter(d) = edge else { continue };
            markup.searched += 1;
            if markup.searched > MAX_READS_PER_NODE * dom.len() {
                return None;
            }
            if dom.kind(d) == NodeKind::Element && is_panel(dom, d, targets) {
                panels.push(d);
                walk.skip_children();
            } else if has_role(dom, d, "tablist") {
                // Another set begins.
                return Some(panels);
            }
        }
    }
    Some(panels)
}

/// Returns the id of the element to which a label leads as a link.
fn fragment<'a>(dom: &'a Dom<'_>, label: NodeId) -> Option<&'a str> {
    dom.attribute(label, Attr::HREF).and_then(|h| h.strip_prefix('#')).filter(|t| !t.is_empty())
}

fn is_panel(dom: &Dom<'_>, n: NodeId, targets: &[&str]) -> bool {
    if !matches!(dom.tag(n), Tag::DIV | Tag::SECTION) {
        return false;
    }
    if !targets.is_empty() && dom.attribute(n, Attr::ID).is_some_and(|id| targets.contains(&id)) {
        return true;
    }
    let class = dom.class(n);
    has_role(dom, n, "tabpanel")
        || class.split_ascii_whitespace().any(|w| matches!(w, "tab-pane" | "tabbed-block" | "theme-code-block" | "tab-panel"))
        // The blocks of VitePress have the class of their language.
        || class.starts_with("language-") && dom.parent(n).is_some_and(|p| dom.class(p) == "blocks")
}

fn pair(dom: &Dom<'_>, labels: &[NodeId], panels: &[NodeId]) -> Option<Vec<(NodeId, NodeId)>> {
    let by_id: Vec<(NodeId, NodeId)> =
        panels.iter().filter_map(|&panel| Some((label_of(dom, panel, labels)?, panel))).collect();
    if !by_id.is_empty() && by_id.iter().enumerate().all(|(i, a)| by_id[..i].iter().all(|b| b.0 != a.0)) {
        return Some(by_id);
    }
    (labels.len() == panels.len()).then(|| labels.iter().copied().zip(panels.iter().copied()).collect())
}

/// Returns the label that names a panel, or that the panel names.
fn label_of(dom: &Dom<'_>, panel: NodeId, labels: &[NodeId]) -> Option<NodeId> {
    let mut labels = labels.iter().copied();
    let own = id_of(dom, panel);
    let naming = labels.clone().find(|&label| own.is_some() && target_of(dom, label) == own);
    naming.or_else(|| {
        let named = dom.attr(panel, "aria-labelledby")?;
        labels.find(|&label| id_of(dom, label) == Some(named))
    })
}

fn id_of<'d>(dom: &'d Dom<'_>, n: NodeId) -> Option<&'d str> {
    dom.attribute(n, Attr::ID).filter(|id| !id.is_empty())
}

fn target_of<'d>(dom: &'d Dom<'_>, label: NodeId) -> Option<&'d str> {
    dom.attr(label, "aria-controls")
        .or_else(|| dom.attr(label, "data-bs-target")?.strip_prefix('#'))
        .or_else(|| fragment(dom, label))
}

#[cfg(test)]
mod tests {
    use crate::blocks::Blocks;

    fn texts(html: &str) -> Vec<String> {
        let dom = crate::dom::parse(html, &Default::default());
        let b = Blocks::new(&dom);
        (0..b.len()).map(|i| b.text(i).to_owned()).collect()
    }

    #[test]
    fn labels_go_before_their_panels() {
        for html in [
            "<div><ul role=tablist><li role=tab>A<li role=tab>B</ul><div><div role=tabpanel>a</div><div role=tabpanel>b</div></div></div>",
            "<div><div role=tablist><button role=tab aria-controls=x>A</button><button role=tab aria-controls=y>B</button></div>\
             <div role=tabpanel id=x>a</div><div role=tabpanel id=y>b</div></div>",
            "<div class=sd-tab-set><input><label>A</label><div class=sd-tab-content>a</div><input><label>B</label><div>b</div></div>",
            "<div class='tabbed-set tabbed-alternate'><input><div class=tabbed-labels><label>A</label><label>B</label></div>\
             <div class=tabbed-content><div class=tabbed-block>a</div><div class=tabbed-block>b</div></div></div>",
            "<div><ul class='nav nav-tabs'><li><a href=#x>A</a><li><a href=#y>B</a></ul><div class=tab-content>\
             <div class=tab-pane id=x>a</div><div class=tab-pane id=y>b</div></div></div>",
            "<div class=vp-code-group><div class=tabs><input><label>A</label><label>B</label></div><div class=blocks>\
             <div class='language-sh active'>a</div><div class=language-js>b</div></div></div>",
            "<div><ul role=tablist><li><a role=tab href=#x>A</a><li><a role=tab href=#y>B</a></ul></div>\
             <div role=tabpanel id=x>a</div><div role=tabpanel id=y>b</div>",
            "<div><ul class='tabs clearfix'><li><a href=#x>A</a><li><a href=#y>B</a></ul><div id=x>a</div><div id=y>b</div></div>",
            "<div class=tabs><ul><li><a href=#x>A</a><li><a href=#y>B</a></ul><div><div id=x>a</div><div id=y>b</div></div></div>",
            "<div class='ui-tabs ui-widget'><ul class=ui-tabs-nav><li><a href=#x>A</a><li><a href=#y>B</a></ul>\
             <section id=x>a</section><section id=y>b</section></div>",
        ] {
            assert_eq!(texts(html), ["A", "a", "B", "b"], "{html}");
        }
    }

    #[test]
    fn labels_without_panels_stay() {
        for html in [
            "<div><div role=tablist><button role=tab>A</button><p><button role=tab>B</button></div><div role=tabpanel>a</div></div>",
            "<ul class='nav nav-tabs'><li><a href=/x>A</a><li><a href=/y>B</a></ul><div class=tab-pane>a</div>",
            "<div role=tablist><button role=tab>A</button></div><p>B</p><p>a</p>",
            "<div class=toc><ul><li><a href=#x>A</a><li><a href=#y>B</a></ul><div id=x>b</div><div id=y>a</div></div>",
            "<div class=tabs><ul><li><a href=/x>A</a><li><a href=/y>B</a></ul><div id=x>b</div><div id=y>a</div></div>",
        ] {
            let texts = texts(html);
            assert!(texts[0].starts_with('A') && texts.last().unwrap() == "a", "{html}: {texts:?}");
        }
    }

    #[test]
    fn sets_nest() {
        let inner = "<div><div role=tablist><b role=tab>C</b></div><div role=tabpanel>c</div></div>";
        let html = format!(
            "<div><div role=tablist><b role=tab>A</b><b role=tab>B</b></div><div role=tabpanel>{inner}</div><div role=tabpanel>b</div></div>"
        );
        assert_eq!(texts(&html), ["A", "C", "c", "B", "b"]);
    }
}
