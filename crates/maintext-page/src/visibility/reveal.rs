//! Evidence that a visitor gets to see a part that is hidden while the page loads.
use super::names::Signs;
use super::{Reason, names};
use crate::budget::Share;
use crate::dom::names::{Class, Memo, Name, Names};
use crate::dom::{self, Dom, NodeId, NodeKind, Tag};
use crate::hash::HashSet;
use maintext_html::Attr;
use memchr::memmem;
use std::cell::OnceCell;

/// Maximum number of nodes of a row that are read to count its cells.
const MAX_CELL_NODES: usize = 100;
/// Number of neighbours that are looked at on each side.
const MAX_NEIGHBOURS: usize = 40;
/// Number of like elements that make a design.
const MIN_LIKE_ELEMENTS: u32 = 3;
/// Units of work for searching names in scripts: per byte of the page, plus a fixed number. None of the data sets' 1,371 pages took more
/// than 0.26 per byte.
const WORK_PER_BYTE: u64 = 4;
const FREE_WORK: u64 = 10_000;
/// Bytes of scripts that are searched for a name in one unit of work.
const BYTES_PER_UNIT: usize = 64;
/// Number of ancestors whose names are looked at.
const MAX_NAMED_LEVELS: usize = 3;
/// Number of words of a class that are looked for in scripts, and the least length of one.
const MAX_SEARCHED_WORDS: usize = 4;
const MIN_SEARCHED_BYTES: usize = 4;

/// The evidence of the page's controls, scripts and names about its elements. Each is read on first use, and each name once.
pub(super) struct Controls<'a> {
    dom: &'a Dom<'a>,
    names: &'a Names,
    ids: OnceCell<HashSet<&'a str>>,
    /// The number of elements of each class.
    counts: OnceCell<Vec<u32>>,
    scripts: OnceCell<Vec<&'a str>>,
    work: Share<'a>,
    /// Whether a class, a name as an id, or a name in a script says that an element is opened or moved into view.
    revealed_classes: Memo,
    revealed_ids: Memo,
    in_scripts: Memo,
    /// Whether a class belongs to a control.
    controls: Memo,
    /// Whether the markup of an element hides it.
    hidden: Memo,
}

/// Returns the number of cells of a row.
fn cells(dom: &Dom<'_>, row: NodeId) -> usize {
    dom.children(row).take(MAX_CELL_NODES).filter(|n| matches!(dom.tag(*n), Tag::TD | Tag::TH)).count()
}

impl<'a> Controls<'a> {
    pub(super) fn new(dom: &'a Dom<'a>) -> Controls<'a> {
        Controls {
            dom,
            names: dom.names(),
            ids: OnceCell::new(),
            counts: OnceCell::new(),
            scripts: OnceCell::new(),
            work: dom.share(WORK_PER_BYTE, FREE_WORK),
            revealed_classes: Memo::default(),
            revealed_ids: Memo::default(),
            in_scripts: Memo::default(),
            controls: Memo::default(),
            hidden: Memo::default(),
        }
    }

    /// Whether the scripts were too large to be searched for all names.
    pub(super) fn is_cut(&self) -> bool {
        self.work.is_spent()
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

    fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.names.class_count()];
        self.elements().for_each(|n| counts[self.names.class_of(n).index()] += 1);
        counts
    }

    fn scripts(&self) -> Vec<&'a str> {
        let scripts = self.elements().filter(|&n| self.dom.tag(n) == Tag::SCRIPT);
        scripts.flat_map(|n| self.dom.children(n)).map(|t| self.dom.text(t)).collect()
    }

    /// Whether the page has several elements like this one: a design moves all of them into view.
    pub(super) fn repeats(&self, n: NodeId) -> bool {
        let class = self.names.class_of(n);
        class != Class::NONE && self.counts.get_or_init(|| self.counts())[class.index()] >= MIN_LIKE_ELEMENTS
    }

    /// Whether a control or a script of the page names an element.
    fn names(&mut self, n: NodeId) -> bool {
        let names = self.names;
        if let Some(id) = names.id_of(n)
            && (self.ids.get_or_init(|| self.ids()).contains(names.text(id)) || self.is_in_scripts(id))
        {
            return true;
        }
        let words = names.words(names.class_of(n)).iter().filter(|word| names.text(**word).len() >= MIN_SEARCHED_BYTES);
        words.take(MAX_SEARCHED_WORDS).any(|word| self.is_in_scripts(*word))
    }

    fn is_in_scripts(&mut self, name: Name) -> bool {
        let scripts = self.scripts.get_or_init(|| self.scripts());
        self.in_scripts.get(name.index(), || {
            // Most pages search for some names, each in all scripts.
            let finder = memmem::Finder::new(self.names.text(name));
            scripts.iter().any(|script| {
                self.work.charge((script.len() / BYTES_PER_UNIT) as u64) && finder.find(script.as_bytes()).is_some()
            })
        })
    }

    /// Whether the class or the id of an element is one of parts that are opened or moved into view.
    fn has_revealed_name(&mut self, n: NodeId) -> bool {
        let (names, dom) = (self.names, self.dom);
        let class = names.class_of(n);
        names.id_of(n).is_some_and(|id| self.revealed_ids.get(id.index(), || names::is_revealed(names.text(id))))
            || class != Class::NONE && self.revealed_classes.get(class.index(), || names::is_revealed(dom.class(n)))
    }

    fn is_control(&mut self, n: NodeId) -> bool {
        let (names, dom) = (self.names, self.dom);
        let class = names.class_of(n);
        is_control_but_for_class(dom, n)
            || class != Class::NONE
                && dom.tag(n) != Tag::A
                && self.controls.get(class.index(), || names::is_of_control(dom.class(n)))
    }

    fn is_hidden(&mut self, n: NodeId) -> bool {
        self.hidden.get(n.index(), || dom::is_hidden(self.dom, n))
    }

    /// Whether there is evidence that a visitor can open a hidden element, or that a script shows it. `signs` has the classes that hide
    /// elements.
    pub(super) fn is_revealed(&mut self, n: NodeId, reason: Reason, signs: &[Signs]) -> bool {
        let dom = self.dom;
        let role = dom.attr(n, "role").unwrap_or("");
        matches!(role, "tabpanel" | "region" | "dialog")
            || matches!(dom.tag(n), Tag::HTML | Tag::BODY | Tag::MAIN | Tag::ARTICLE)
            || dom.attributes_named(n).any(|(_, name, _)| names_animation(name))
            || dom.attribute(n, Attr::STYLE).is_some_and(begins_animation)
            || names::is_content_of_other(dom.class(n))
            || dom.attribute(n, Attr::ID).is_some_and(names::is_content_of_other)
            || std::iter::once(n).chain(dom.ancestors(n)).take(MAX_NAMED_LEVELS).any(|n| self.has_revealed_name(n))
            // What a control shows is folded away rather than moved out of the window.
            || reason != Reason::Moved && self.is_beside_control(n)
            || self.is_one_of_several(n, signs)
            || self.names(n)
    }

    /// Whether the element before it, or after it, opens it.
    fn is_beside_control(&mut self, n: NodeId) -> bool {
        let dom = self.dom;
        let is_element = |n: &NodeId| {
            dom.kind(*n) == NodeKind::Element
                && !matches!(dom.tag(*n), Tag::STYLE | Tag::SCRIPT | Tag::LINK | Tag::TEMPLATE)
        };
        let before = dom.prev_siblings(n).take(MAX_NEIGHBOURS).find(is_element);
        let after = dom.next_siblings(n).take(MAX_NEIGHBOURS).find(is_element);
        // A heading alone opens a container, not the one paragraph below it.
        let is_container = matches!(
            dom.tag(n),
            Tag::DIV | Tag::SECTION | Tag::UL | Tag::OL | Tag::DL | Tag::DD | Tag::TABLE | Tag::TR
        );
        before.is_some_and(|b| {
            is_container
                // The title of the page opens nothing.
                && (dom.tag(b).heading_level().is_some_and(|level| level > 1)
                    || dom.tag(b) == Tag::DT
                    // The details of a row fill one cell, unlike a template, which is a row like the others.
                    || dom.tag(b) == Tag::TR && cells(dom, b) != cells(dom, n))
        } || self.is_control(b) || self.holds_control(b))
            || after.is_some_and(|a| self.is_control(a))
    }

    fn holds_control(&mut self, n: NodeId) -> bool {
        let dom = self.dom;
        let mut inside = dom.descendants(n).take(12).filter(|&n| dom.kind(n) == NodeKind::Element);
        inside.any(|n| self.is_control(n))
    }

    /// Whether it is one of several like elements of which a visitor sees one after the other: all but one are hidden, or several are.
    fn is_one_of_several(&mut self, n: NodeId, signs: &[Signs]) -> bool {
        let (dom, names) = (self.dom, self.names);
        let tag = dom.tag(n);
        if matches!(tag, Tag::P | Tag::SPAN | Tag::A | Tag::OTHER) || tag.heading_level().is_some() {
            return false;
        }
        let first_word = |n: NodeId| names.words(names.class_of(n)).first();
        let own = first_word(n);
        let before = dom.prev_siblings(n).take(MAX_NEIGHBOURS);
        let after = dom.next_siblings(n).take(MAX_NEIGHBOURS);
        let mut shown = 0;
        for other in before.chain(after) {
            if dom.kind(other) == NodeKind::Element && dom.tag(other) == tag && first_word(other) == own {
                if self.is_hidden(other) || signs[names.class_of(other).index()].hides.is_some() {
                    return true;
                }
                shown += 1;
            }
        }
        shown == 1 && own.is_some()
    }
}

/// Whether a `style` looks like the first step of an animation: transparent and transformed.
fn begins_animation(style: &str) -> bool {
    style.contains("opacity") && style.contains("transform")
}

fn names_animation(attribute: &str) -> bool {
    ["data-aos", "data-anim", "data-wow", "data-scroll", "data-sal", "data-reveal", "data-framer", "data-w-id"]
        .iter()
        .any(|prefix| attribute.starts_with(prefix))
        || matches!(attribute, "x-show" | "v-show" | "ng-show" | "x-cloak" | "v-cloak" | "ng-cloak" | "wire:loading")
}

/// Whether an element is there to be pressed.
pub fn is_control(dom: &Dom<'_>, n: NodeId) -> bool {
    is_control_but_for_class(dom, n) || dom.tag(n) != Tag::A && names::is_of_control(dom.class(n))
}

/// Whether the tag or an attribute other than the class makes an element one that is there to be pressed.
fn is_control_but_for_class(dom: &Dom<'_>, n: NodeId) -> bool {
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
        _ => false,
    })
}
