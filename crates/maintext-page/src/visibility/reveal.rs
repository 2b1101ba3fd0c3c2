//! Evidence that a visitor gets to see a part that is hidden while the page loads.
use super::{Reason, names};
use crate::dom::{self, Dom, NodeId, NodeKind, Tag};
use crate::hash::{HashMap, HashSet};
use maintext_html::Attr;
use memchr::memmem;
use std::cell::{Cell, OnceCell};

/// Number of neighbours that are looked at on each side.
const MAX_NEIGHBOURS: usize = 40;
/// Number of like elements that make a design.
const MIN_LIKE_ELEMENTS: u32 = 3;
/// Bytes of scripts that are searched for names, each as often as it is searched.
const MAX_SEARCHED: usize = 128 << 20;
/// Number of ancestors whose names are looked at.
const MAX_NAMED_LEVELS: usize = 3;

/// The parts of a page that its controls and scripts name. Each is read on first use.
pub(super) struct Controls<'a> {
    dom: &'a Dom<'a>,
    ids: OnceCell<HashSet<&'a str>>,
    /// The number of elements for each value of the attribute `class`.
    classes: OnceCell<HashMap<&'a str, u32>>,
    scripts: OnceCell<Vec<&'a str>>,
    /// Bytes of scripts that were searched for names.
    searched: Cell<usize>,
}

impl<'a> Controls<'a> {
    pub(super) fn new(dom: &'a Dom<'a>) -> Controls<'a> {
        let (ids, classes, scripts) = Default::default();
        Controls { dom, ids, classes, scripts, searched: Cell::new(0) }
    }

    fn elements(&self) -> impl Iterator<Item = NodeId> + 'a {
        let dom = self.dom;
        dom.descendants(NodeId::ROOT).filter(|&n| dom.kind(n) == NodeKind::Element)
    }

    /// Returns the names that controls refer to.
    fn ids(&self) -> HashSet<&'a str> {
        let mut ids = HashSet::default();
        for (_, name, value) in self.elements().flat_map(|n| self.dom.attributes_named(n)) {
            match name {
                "aria-controls" | "aria-owns" | "aria-describedby" | "for" | "popovertarget" | "commandfor"
                | "data-controls" => ids.extend(value.split_ascii_whitespace()),
                "href" | "data-target" | "data-bs-target" | "data-href" | "data-toggle" | "data-tab" | "data-id"
                | "data-src" | "rel" => {
                    ids.insert(value.strip_prefix('#').or_else(|| value.strip_prefix('.')).unwrap_or(value));
                }
                _ => {}
            }
        }
        ids
    }

    fn classes(&self) -> HashMap<&'a str, u32> {
        let mut classes: HashMap<&str, u32> = HashMap::default();
        let values = self.elements().filter_map(|n| self.dom.attribute(n, Attr::CLASS));
        values.for_each(|class| *classes.entry(class).or_default() += 1);
        classes
    }

    fn scripts(&self) -> Vec<&'a str> {
        let scripts = self.elements().filter(|&n| self.dom.tag(n) == Tag::SCRIPT);
        scripts.flat_map(|n| self.dom.children(n)).map(|t| self.dom.text(t)).collect()
    }

    /// Whether the page has several elements like this one: a design moves all of them into view.
    pub(super) fn repeats(&self, n: NodeId) -> bool {
        let classes = || self.classes.get_or_init(|| self.classes());
        let class = self.dom.attribute(n, Attr::CLASS);
        class.is_some_and(|class| classes().get(class).is_some_and(|count| *count >= MIN_LIKE_ELEMENTS))
    }

    /// Whether a control or a script of the page names an element.
    fn names(&self, n: NodeId) -> bool {
        let id = self.dom.attribute(n, Attr::ID).unwrap_or("");
        if !id.is_empty() && (self.ids.get_or_init(|| self.ids()).contains(id) || self.is_in_scripts(id)) {
            return true;
        }
        let classes = self.dom.class(n).split_ascii_whitespace();
        classes.filter(|c| c.len() > 3).take(4).any(|class| self.is_in_scripts(class))
    }

    fn is_in_scripts(&self, name: &str) -> bool {
        let scripts = self.scripts.get_or_init(|| self.scripts());
        // Most pages search for some names, each in all scripts.
        let finder = memmem::Finder::new(name);
        scripts.iter().any(|script| {
            self.searched.set(self.searched.get() + script.len());
            self.searched.get() <= MAX_SEARCHED && finder.find(script.as_bytes()).is_some()
        })
    }
}

/// Whether there is evidence that a visitor can open a hidden element, or that a script shows it.
pub(super) fn is_revealed(dom: &Dom<'_>, n: NodeId, reason: Reason, controls: &Controls<'_>) -> bool {
    let role = dom.attr(n, "role").unwrap_or("");
    let own_names = |n: NodeId| [dom.attr(n, "id"), dom.attr(n, "class")].into_iter().flatten().any(names::is_revealed);
    matches!(role, "tabpanel" | "region" | "dialog")
        || matches!(dom.tag(n), Tag::HTML | Tag::BODY | Tag::MAIN | Tag::ARTICLE)
        || dom.attributes_named(n).any(|(_, name, _)| names_animation(name))
        || std::iter::once(n).chain(dom.ancestors(n)).take(MAX_NAMED_LEVELS).any(own_names)
        // What a control shows is folded away rather than moved out of the window.
        || reason != Reason::Moved && is_beside_control(dom, n)
        || is_one_of_several(dom, n)
        || controls.names(n)
}

fn names_animation(attribute: &str) -> bool {
    ["data-aos", "data-anim", "data-wow", "data-scroll", "data-sal", "data-reveal", "data-framer", "data-w-id"]
        .iter()
        .any(|prefix| attribute.starts_with(prefix))
        || matches!(attribute, "x-show" | "v-show" | "ng-show" | "x-cloak" | "v-cloak" | "ng-cloak" | "wire:loading")
}

/// Whether the element before it, or after it, opens it.
fn is_beside_control(dom: &Dom<'_>, n: NodeId) -> bool {
    let is_element = |n: &NodeId| {
        dom.kind(*n) == NodeKind::Element
            && !matches!(dom.tag(*n), Tag::STYLE | Tag::SCRIPT | Tag::LINK | Tag::TEMPLATE)
    };
    let before = dom.prev_siblings(n).take(MAX_NEIGHBOURS).find(is_element);
    let after = dom.next_siblings(n).take(MAX_NEIGHBOURS).find(is_element);
    // A heading alone opens a container, not the one paragraph below it.
    let is_container =
        matches!(dom.tag(n), Tag::DIV | Tag::SECTION | Tag::UL | Tag::OL | Tag::DL | Tag::DD | Tag::TABLE | Tag::TR);
    let heads =
        |n: NodeId| is_container && (dom.tag(n).heading_level().is_some() || matches!(dom.tag(n), Tag::DT | Tag::TR));
    before.is_some_and(|b| heads(b) || is_control(dom, b) || holds_control(dom, b))
        || after.is_some_and(|a| is_control(dom, a))
}

fn holds_control(dom: &Dom<'_>, n: NodeId) -> bool {
    let mut inside = dom.descendants(n).take(12).filter(|&n| dom.kind(n) == NodeKind::Element);
    inside.any(|n| is_control(dom, n))
}

/// Whether an element is there to be pressed.
pub fn is_control(dom: &Dom<'_>, n: NodeId) -> bool {
    match dom.tag(n) {
        Tag::BUTTON | Tag::SUMMARY | Tag::LABEL => return true,
        Tag::A => {
            let href = dom.attr(n, "href").unwrap_or("#");
            return href.is_empty() || href.starts_with('#') || href.starts_with("javascript:");
        }
        _ => {}
    }
    dom.attributes_named(n).any(|(_, name, value)| match name {
        "onclick" | "aria-expanded" | "aria-controls" | "data-toggle" | "data-bs-toggle" => true,
        "role" => matches!(value, "button" | "tab" | "switch"),
        "class" => names::is_of_control(value),
        _ => false,
    })
}

/// Whether it is one of several like elements of which a visitor sees one after the other: all but one are hidden, or several are.
fn is_one_of_several(dom: &Dom<'_>, n: NodeId) -> bool {
    let tag = dom.tag(n);
    if matches!(tag, Tag::P | Tag::SPAN | Tag::A | Tag::OTHER) || tag.heading_level().is_some() {
        return false;
    }
    let class = |n: NodeId| dom.class(n).split_ascii_whitespace().next().unwrap_or("");
    let own = class(n);
    let before = dom.prev_siblings(n).take(MAX_NEIGHBOURS);
    let after = dom.next_siblings(n).take(MAX_NEIGHBOURS);
    let mut shown = 0;
    for other in before.chain(after) {
        if dom.kind(other) == NodeKind::Element && dom.tag(other) == tag && class(other) == own {
            match dom::is_hidden(dom, other) || names::hides(dom.class(other)).is_some() {
                true => return true,
                false => shown += 1,
            }
        }
    }
    shown == 1 && !own.is_empty()
}
