//! The items that a page declares in JSON-LD, microdata and RDFa, in one form.
use maintext_facts::metadata::sources::facts::{Facts, value_attribute};
use maintext_facts::metadata::sources::jsonld::Graph;
use maintext_facts::metadata::text::{local_name, node_text};
use maintext_html::Attr;
use maintext_page::dom::{Dom, NodeId, NodeKind};
use maintext_page::hash::HashMap;

/// Maximum number of items of a page.
const MAX_ITEMS: usize = 5_000;
/// Maximum number of values of a page.
const MAX_VALUES: usize = 50_000;
/// Maximum number of properties of one object of JSON-LD.
const MAX_MEMBERS: usize = 500;
/// Maximum length of a value, in bytes.
const MAX_BYTES: usize = 50_000;
/// Maximum number of properties of one element, and of types of one item.
const MAX_NAMES: usize = 8;

/// The syntax of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Syntax {
    JsonLd,
    Microdata,
    Rdfa,
}

impl Syntax {
    /// Returns its name in [`Origin::from`](super::Origin::from).
    pub fn name(self) -> &'static str {
        match self {
            Syntax::JsonLd => "json-ld",
            Syntax::Microdata => "microdata",
            Syntax::Rdfa => "rdfa",
        }
    }
}

/// An item: an object with types and properties.
#[derive(Clone, Debug)]
pub(super) struct ItemObject {
    pub syntax: Syntax,
    /// The types without their vocabulary: `Product`.
    pub kinds: Vec<String>,
    /// The property of the item around it, `""` at the top.
    pub under: String,
    properties: Vec<(String, ItemValue)>,
}

/// A value of a property.
#[derive(Clone, Debug)]
pub(super) enum ItemValue {
    /// A text as written, which may hold markup, with the element that states it.
    Text(String, Option<NodeId>),
    /// Another item, by its index.
    Item(usize),
}

/// All items of a page in document order, JSON-LD first.
#[derive(Debug, Default)]
pub(super) struct PageItems {
    items: Vec<ItemObject>,
    values: usize,
    cut: bool,
}

impl PageItems {
    /// Reads the items of a page.
    pub fn read(facts: &Facts<'_>) -> PageItems {
        let mut items = PageItems::default();
        items.read_graph(facts.graph());
        if facts.has_items {
            items.read_markup(facts.dom);
        }
        items
    }

    /// Returns the items in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &ItemObject)> {
        self.items.iter().enumerate()
    }

    /// Returns whether statements beyond the limits were ignored.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Returns an item.
    pub fn get(&self, item: usize) -> &ItemObject {
        &self.items[item]
    }

    /// Returns the values of a property in order.
    pub fn values<'a>(&'a self, item: usize, property: &'a str) -> impl Iterator<Item = &'a ItemValue> {
        self.items[item].properties.iter().filter(move |p| p.0 == property).map(|p| &p.1)
    }

    /// Returns the number of values of an item that are beyond a number for each property.
    pub fn beyond(&self, item: usize, most: usize) -> usize {
        let properties = &self.items[item].properties;
        if properties.len() <= most {
            return 0;
        }
        let mut counts: HashMap<&str, usize> = HashMap::default();
        properties.iter().for_each(|p| *counts.entry(&p.0).or_default() += 1);
        counts.values().map(|n| n.saturating_sub(most)).sum()
    }

    /// Returns the items that are values of a property.
    pub fn objects<'a>(&'a self, item: usize, property: &'a str) -> impl Iterator<Item = usize> {
        self.values(item, property).filter_map(|v| match v {
            ItemValue::Item(i) => Some(*i),
            ItemValue::Text(..) => None,
        })
    }

    /// Returns the texts of a property: of an item its name, text or address.
    pub fn texts<'a>(&'a self, item: usize, property: &'a str) -> impl Iterator<Item = &'a str> {
        self.values(item, property).filter_map(|v| self.text_of(v))
    }

    /// Returns the first text of the first property that has one.
    pub fn text<'a>(&'a self, item: usize, properties: &[&'a str]) -> Option<&'a str> {
        properties.iter().find_map(|p| self.texts(item, p).next())
    }

    /// Returns the text of a value: of an item its name, text or address.
    pub fn text_of<'a>(&'a self, value: &'a ItemValue) -> Option<&'a str> {
        match value {
            ItemValue::Text(text, _) => Some(text),
            ItemValue::Item(i) => ["name", "text", "@value", "url", "contentUrl", "@id"].iter().find_map(|p| {
                self.values(*i, p).find_map(|v| match v {
                    ItemValue::Text(text, _) => Some(&text[..]),
                    ItemValue::Item(_) => None,
                })
            }),
        }
    }

    fn add(&mut self, item: ItemObject) -> Option<usize> {
        self.cut |= self.items.len() >= MAX_ITEMS;
        (self.items.len() < MAX_ITEMS).then(|| {
            self.items.push(item);
            self.items.len() - 1
        })
    }

    fn set(&mut self, item: usize, property: &str, value: ItemValue) {
        let long = matches!(&value, ItemValue::Text(t, _) if t.len() > MAX_BYTES);
        let empty = matches!(&value, ItemValue::Text(t, _) if t.is_empty());
        self.cut |= self.values >= MAX_VALUES || long;
        if self.values < MAX_VALUES && !long && !empty {
            self.values += 1;
            self.items[item].properties.push((property.to_owned(), value));
        }
    }

    /// Copies the objects of the JSON-LD. References to other objects become their items; readers of items bound the depth, since
    /// references may form a loop.
    fn read_graph(&mut self, graph: &Graph) {
        let mut index: HashMap<u32, usize> = HashMap::default();
        for thing in &graph.things {
            let kinds = graph.kinds(thing.id);
            let item = ItemObject {
                syntax: Syntax::JsonLd,
                kinds: kinds.into_iter().take(MAX_NAMES).collect(),
                under: thing.under.clone(),
                properties: Vec::new(),
            };
            let Some(i) = self.add(item) else { break };
            index.insert(thing.id, i);
        }
        for thing in &graph.things {
            let Some(&i) = index.get(&thing.id) else { break };
            for (name, value) in graph.members(thing.id).iter().take(MAX_MEMBERS) {
                if self.values >= MAX_VALUES {
                    self.cut = true;
                    return;
                }
                for value in graph.flat_within(*value, MAX_VALUES) {
                    // An object that states a language may hold the text.
                    let value = match graph.string(value).or_else(|| {
                        graph.members(value).iter().find(|m| m.0 == "@value").and_then(|m| graph.string(m.1))
                    }) {
                        Some(text) => ItemValue::Text(text.trim().to_owned(), None),
                        None => match index.get(&value) {
                            Some(&object) => ItemValue::Item(object),
                            None => continue,
                        },
                    };
                    self.set(i, local_name(name), value);
                }
            }
        }
    }

    /// Reads microdata and RDFa in one walk.
    fn read_markup(&mut self, dom: &Dom<'_>) {
        // The open items: the node after each item, and its index.
        let mut open: Vec<(Option<NodeId>, usize)> = Vec::new();
        for n in dom.descendants(NodeId::ROOT) {
            while open.last().is_some_and(|s| s.0 == Some(n)) {
                open.pop();
            }
            if dom.kind(n) != NodeKind::Element {
                continue;
            }
            let (mut microdata, mut rdfa, mut is_item, mut kind) = (None, None, None, "");
            for (name, value) in dom.attributes(n) {
                match name {
                    Attr::ITEMPROP => microdata = Some(value),
                    Attr::PROPERTY => rdfa = Some(value),
                    Attr::ITEMSCOPE => is_item = Some(Syntax::Microdata),
                    Attr::ITEMTYPE => kind = value,
                    Attr::TYPEOF => (is_item, kind) = (Some(is_item.unwrap_or(Syntax::Rdfa)), value),
                    _ => {}
                }
            }
            let around = open.last().map(|s| s.1);
            let properties = match around.map(|i| self.items[i].syntax) {
                Some(Syntax::Rdfa) => rdfa,
                Some(_) => microdata,
                None => None,
            };
            let names = properties.unwrap_or("").split_ascii_whitespace().take(MAX_NAMES);
            match (is_item, around) {
                (Some(syntax), _) => {
                    let item = ItemObject {
                        syntax,
                        kinds: kind
                            .split_ascii_whitespace()
                            .take(MAX_NAMES)
                            .map(|k| local_name(k).to_owned())
                            .collect(),
                        under: names.clone().next().map(local_name).unwrap_or_default().to_owned(),
                        properties: Vec::new(),
                    };
                    let Some(i) = self.add(item) else { return };
                    for name in names {
                        self.set(around.unwrap_or(i), local_name(name), ItemValue::Item(i));
                    }
                    if dom.first_child(n).is_some() {
                        let next = std::iter::once(n).chain(dom.ancestors(n)).find_map(|a| dom.next_sibling(a));
                        open.push((next, i));
                    }
                }
                (None, Some(i)) => {
                    for name in names {
                        self.set(i, local_name(name), ItemValue::Text(value(dom, n), Some(n)));
                    }
                }
                (None, None) => {}
            }
        }
    }
}

/// Returns the value of a property by the rules of the HTML standard; a `content` attribute, which pages use on all elements, comes first.
fn value(dom: &Dom<'_>, n: NodeId) -> String {
    match dom.attribute(n, Attr::CONTENT).or_else(|| dom.attr(n, value_attribute(dom.tag(n)))) {
        Some(text) => text.trim().to_owned(),
        None => node_text(dom, n, MAX_BYTES),
    }
}
