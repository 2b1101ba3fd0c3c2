//! The facts that a page states, collected in one walk over it before anything is decided.
use crate::metadata::ranking::rank::{Evidence, Features, Source, hash};
use crate::metadata::sources::jsonld::Graph;
use crate::metadata::text::dates::Hit;
use crate::metadata::text::{local_name, node_text, plain, squeeze, tokens};
use crate::metadata::{Rankers, Settings, Stamp};
use maintext_html::Attr;
use maintext_page::address::host_of;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};
use maintext_page::hash::HashMap;
use maintext_reading::method::View;
use std::cell::OnceCell;
use std::ops::Range;
use url::Url;

/// The regions around an element, as bits.
pub mod region {
    /// Inside `<nav>`.
    pub const NAV: u16 = 1;
    /// Inside `<header>`.
    pub const HEADER: u16 = 2;
    /// Inside `<footer>`.
    pub const FOOTER: u16 = 4;
    /// Inside `<aside>`.
    pub const ASIDE: u16 = 8;
    /// Inside `<main>`.
    pub const MAIN: u16 = 16;
    /// Inside `<article>`.
    pub const ARTICLE: u16 = 32;
    /// Inside a link.
    pub const LINK: u16 = 64;
    /// Inside a list.
    pub const LIST: u16 = 128;
    /// Inside a table.
    pub const TABLE: u16 = 256;
    /// Inside a figure.
    pub const FIGURE: u16 = 512;
    /// Inside a form.
    pub const FORM: u16 = 1024;
    /// In a part that is hidden.
    pub const HIDDEN: u16 = 2048;
    /// The name of each bit.
    pub const NAMES: [&str; 12] =
        ["nav", "header", "footer", "aside", "main", "article", "link", "list", "table", "figure", "form", "hidden"];
}

/// A `<meta>` element.
#[derive(Clone, Debug)]
pub struct Meta {
    /// `name`, `property`, `itemprop` or `http-equiv`, in lower case.
    pub key: String,
    /// `content` as written.
    pub content: String,
    /// The element.
    pub node: NodeId,
}

/// A microdata or RDFa property.
#[derive(Clone, Debug)]
pub struct Prop {
    /// The name without its vocabulary.
    pub name: String,
    /// The element.
    pub node: NodeId,
    /// The type of the item that it belongs to, without its vocabulary.
    pub kind: String,
}

/// Facts from attributes, scripts, the head and visible text. No decision changes them; those that cost much are computed on first use.
pub struct Facts<'a> {
    /// The page.
    pub view: &'a View<'a>,
    /// Its tree.
    pub dom: &'a Dom<'a>,
    /// Its text blocks.
    pub blocks: &'a Blocks,
    /// The address against which relative addresses are resolved.
    pub base: Option<&'a Url>,
    /// The page's own address.
    pub url: Option<Url>,
    /// Time of the visit, for relative dates.
    pub now: Option<Stamp>,
    /// Rankers of title, author and date.
    pub rankers: &'a Rankers,
    /// `<meta>` elements in order, those that state something.
    pub metas: Vec<Meta>,
    /// `<link>` elements in order.
    pub links: Vec<NodeId>,
    /// Elements with the attribute `rel`, in document order.
    pub with_rel: Vec<NodeId>,
    /// Scripts other than JSON-LD.
    pub scripts: Vec<NodeId>,
    /// Text of `<title>`.
    pub title: Option<String>,
    /// Scripts of JSON-LD.
    statements: Vec<NodeId>,
    graph: OnceCell<Graph>,
    /// Microdata and RDFa properties in order.
    pub props: Vec<Prop>,
    /// Whether the page has an item of microdata or RDFa.
    pub has_items: bool,
    /// Elements with an attribute that may hold a date, in document order.
    pub dated: Vec<NodeId>,
    /// For each node, its index in the blocks' elements.
    element_of: Vec<u32>,
    /// For each element of the blocks, a hash of its markup.
    pub(super) own_kinds: Vec<OnceCell<u64>>,
    /// For each element of the blocks, a hash of the markup of it and its parents.
    pub(super) kinds: Vec<OnceCell<u64>>,
    /// For each element of the blocks, whether its names mention comments.
    pub(in crate::metadata) named_for_comments: Vec<OnceCell<bool>>,
    /// For each element of the blocks, the regions around it.
    pub regions: Vec<u16>,
    /// Declared language as written; `""` if none.
    pub declared: String,
    /// Dates in the text, by block.
    pub(super) hits: OnceCell<Vec<(u32, Vec<Hit>)>>,
    /// Dates without a year and relative dates, in short lines.
    pub(super) vague: OnceCell<Vec<DateInLine>>,
    /// Whether classes and names of the page are of signatures.
    pub(in crate::metadata) signatures: OnceCell<(Vec<bool>, Vec<bool>)>,
}

/// A date in the text: its block, its value if it is complete, and its bytes in the block.
pub type DateInLine = (u32, Option<Stamp>, Range<usize>);

impl<'a> Facts<'a> {
    /// Walks the page once.
    pub fn new(view: &'a View<'a>, settings: &Settings<'a>) -> Self {
        let (dom, blocks) = (view.dom, view.blocks);
        let mut element_of = vec![u32::MAX; dom.len()];
        for (i, e) in blocks.elements.iter().enumerate() {
            element_of[e.node.index()] = i as u32;
        }
        let mut facts = Facts {
            view,
            dom,
            blocks,
            base: settings.base,
            url: view.url.and_then(|u| Url::parse(u).ok()),
            now: settings.now,
            rankers: settings.rankers.unwrap_or_else(|| Rankers::shipped()),
            metas: Vec::new(),
            links: Vec::new(),
            with_rel: Vec::new(),
            scripts: Vec::new(),
            title: None,
            statements: Vec::new(),
            graph: OnceCell::new(),
            props: Vec::new(),
            has_items: false,
            dated: Vec::new(),
            element_of,
            own_kinds: vec![OnceCell::new(); blocks.elements.len()],
            kinds: vec![OnceCell::new(); blocks.elements.len()],
            named_for_comments: vec![OnceCell::new(); blocks.elements.len()],
            regions: regions(blocks),
            declared: String::new(),
            hits: OnceCell::new(),
            vague: OnceCell::new(),
            signatures: OnceCell::new(),
        };
        facts.walk();
        facts
    }

    /// Returns the objects of the page's JSON-LD.
    pub fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| {
            let mut graph = Graph::default();
            self.statements.iter().for_each(|&script| graph.read(self.dom, script));
            graph
        })
    }

    fn walk(&mut self) {
        let dom = self.dom;
        // The types of the open items: the node after each item, and its type.
        let mut scopes: Vec<(Option<NodeId>, String)> = Vec::new();
        for n in dom.descendants(NodeId::ROOT) {
            while scopes.last().is_some_and(|s| s.0 == Some(n)) {
                scopes.pop();
            }
            if dom.kind(n) != NodeKind::Element {
                continue;
            }
            self.head_element(n);
            let (mut prop, mut kind, mut dated) = (None, None, false);
            for (name, value) in dom.attributes(n) {
                dated |= may_hold_date(name, value);
                match name {
                    Attr::ITEMPROP => prop = Some(value),
                    Attr::PROPERTY if dom.tag(n) != Tag::META || !value.contains("og:") => prop = prop.or(Some(value)),
                    Attr::ITEMTYPE | Attr::TYPEOF => kind = Some(value),
                    Attr::ITEMSCOPE => kind = kind.or(Some("")),
                    // Tags, categories, licences and authors would each ask all elements.
                    Attr::REL => self.with_rel.push(n),
                    _ => {}
                }
            }
            if dated {
                self.dated.push(n);
            }
            if let Some(p) = prop {
                for name in p.split_whitespace().take(4) {
                    let name = local_name(name).to_owned();
                    let kind = scopes.last().map_or_else(String::new, |s| s.1.clone());
                    self.props.push(Prop { name, node: n, kind });
                }
            }
            self.has_items |= kind.is_some();
            if let Some(k) = kind
                && dom.first_child(n).is_some()
                && scopes.len() < 64
            {
                let k = local_name(k.split_whitespace().next().unwrap_or(""));
                let next = std::iter::once(n).chain(dom.ancestors(n)).find_map(|a| dom.next_sibling(a));
                scopes.push((next, k.to_owned()));
            }
        }
    }

    fn head_element(&mut self, n: NodeId) {
        let dom = self.dom;
        match dom.tag(n) {
            Tag::META => {
                let names = [Attr::PROPERTY, Attr::NAME, Attr::ITEMPROP, Attr::HTTP_EQUIV];
                let key = names.iter().find_map(|a| dom.attribute(n, *a));
                let content = dom.attribute(n, Attr::CONTENT).or_else(|| dom.attribute(n, Attr::VALUE));
                if let (Some(key), Some(content)) = (key, content)
                    && !content.trim().is_empty()
                {
                    let key = key.trim().to_lowercase();
                    self.metas.push(Meta { key, content: content.to_owned(), node: n });
                }
            }
            Tag::LINK => self.links.push(n),
            Tag::SCRIPT => {
                let kind = dom.attr(n, "type").unwrap_or("");
                if kind.to_ascii_lowercase().contains("ld+json") {
                    self.statements.push(n);
                } else {
                    self.scripts.push(n);
                }
            }
            // A `<title>` inside a drawing does not title the page.
            Tag::TITLE if self.title.is_none() && !dom.ancestors(n).any(|a| dom.tag(a) == Tag::SVG) => {
                self.title = Some(plain(&dom.text_content(n))).filter(|t| !t.is_empty());
            }
            Tag::HTML if self.declared.is_empty() => {
                let lang = dom.attr(n, "lang").or_else(|| dom.attr(n, "xml:lang"));
                self.declared = lang.unwrap_or("").trim().to_owned();
            }
            _ => {}
        }
    }

    /// Returns whether the `rel` of a link has a word.
    pub fn has_rel(&self, n: NodeId, rel: &str) -> bool {
        self.dom.attribute(n, Attr::REL).is_some_and(|r| r.split_whitespace().any(|w| w.eq_ignore_ascii_case(rel)))
    }

    /// Returns the address as written in the first `<link>` whose `rel` has a word.
    pub fn link(&self, rel: &str) -> Option<&'a str> {
        self.links.iter().find(|&&n| self.has_rel(n, rel)).and_then(|&n| self.dom.attr(n, "href"))
    }

    /// Returns the contents of the `<meta>` elements with a key, in order.
    pub fn metas<'b>(&'b self, key: &'b str) -> impl Iterator<Item = &'b str> + 'b {
        self.metas.iter().filter(move |m| m.key == key).map(|m| m.content.as_str())
    }

    /// Returns the content of the first `<meta>` with one of these keys, as it would be printed.
    pub fn meta(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|k| self.metas(k).map(plain).find(|c| !c.is_empty()))
    }

    /// Returns the element's index in the blocks, if it may hold text of the page.
    pub fn element(&self, n: NodeId) -> Option<usize> {
        Some(self.element_of[n.index()] as usize).filter(|&e| e < self.blocks.elements.len())
    }

    /// Returns the block that contains the node, or the one after it.
    pub fn block_of(&self, n: NodeId) -> Option<u32> {
        self.place_of(n).map(|place| place.0)
    }

    /// Returns the block that contains the node, or the one after it, and the innermost element around the node that may hold text.
    pub fn place_of(&self, n: NodeId) -> Option<(u32, usize)> {
        let e = self.element(n).or_else(|| self.dom.ancestors(n).find_map(|a| self.element(a)))?;
        Some((self.blocks.elements[e].blocks.start, e))
    }

    /// Builds the evidence for a statement, which an element may hold.
    pub fn evidence(&self, source: Source, key: &str, node: Option<NodeId>) -> Evidence {
        let span = node.map(|n| self.dom.span(n)).map(|span| span.start as u32..span.end as u32);
        Evidence { source, key: key.to_owned(), block: node.and_then(|n| self.block_of(n)), span }
    }

    /// Returns the names of the regions around an element.
    pub fn region_names(&self, element: usize) -> impl Iterator<Item = &'static str> {
        let regions = self.regions[element];
        region::NAMES.into_iter().enumerate().filter(move |(bit, _)| regions & (1 << bit) != 0).map(|(_, name)| name)
    }

    /// Returns the value of a microdata or RDFa property by the rules of the HTML standard, or its text.
    pub fn prop_value(&self, n: NodeId) -> String {
        let dom = self.dom;
        match dom.attr(n, value_attribute(dom.tag(n))).or_else(|| dom.attr(n, "content")) {
            Some(v) if dom.tag(n) != Tag::A => plain(v),
            _ => node_text(dom, n, 400),
        }
    }

    /// Returns an http(s) address in absolute form, if it is one or can be resolved to one.
    pub fn address(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.is_empty() || href.starts_with("data:") || href.starts_with("javascript:") {
            return None;
        }
        let url = maintext_page::address::parse(self.dom, href, self.base).ok()?;
        (url.scheme().starts_with("http") && url.has_host()).then(|| url.to_string())
    }

    /// Whether a link leads to the front page of a site. Without the page's address, the path of a relative link decides.
    pub fn leads_home(&self, href: &str) -> bool {
        if href.trim().is_empty() {
            return false;
        }
        let url = self.address(href);
        let href = url.as_deref().unwrap_or(href.trim());
        let path = href.split_once("://").map_or(href, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
        matches!(path.trim_start_matches('.').trim_matches('/'), "" | "index.html" | "index.php")
    }

    /// Returns whether the page is its site's front page.
    pub fn is_root(&self) -> bool {
        self.url.as_ref().is_some_and(|u| u.path().len() <= 1)
    }

    /// Returns the host of the page's address without `www.`.
    pub fn host(&self) -> Option<&str> {
        self.url.as_ref().or(self.base).and_then(host_of)
    }
}

/// Returns the attribute that states the value of a microdata property on an element, by the HTML standard.
pub fn value_attribute(tag: Tag) -> &'static str {
    match tag {
        Tag::TIME => "datetime",
        Tag::A | Tag::LINK | Tag::AREA => "href",
        Tag::IMG | Tag::AUDIO | Tag::VIDEO | Tag::SOURCE | Tag::IFRAME | Tag::EMBED => "src",
        Tag::DATA | Tag::METER => "value",
        _ => "content",
    }
}

/// Whether an element is a microdata item whose type ends so, such as `/Answer`.
pub fn is_item(dom: &Dom<'_>, n: NodeId, kind: &str) -> bool {
    dom.attribute(n, Attr::ITEMTYPE).is_some_and(|own| own.ends_with(kind))
}

/// Whether an element is one of these properties of a microdata item.
pub fn is_property(dom: &Dom<'_>, n: NodeId, names: &[&str]) -> bool {
    dom.attribute(n, Attr::ITEMPROP).is_some_and(|p| p.split_ascii_whitespace().any(|p| names.contains(&p)))
}

/// Returns whether an attribute may hold a date. Its name rules out most attributes, its length or lack of digits most others.
pub fn may_hold_date(name: Attr, value: &str) -> bool {
    (!name.is_known() || matches!(name, Attr::DATETIME | Attr::TITLE | Attr::CONTENT))
        && (8..=60).contains(&value.len())
        && value.bytes().any(|b| b.is_ascii_digit())
}

fn regions(blocks: &Blocks) -> Vec<u16> {
    let mut out: Vec<u16> = Vec::with_capacity(blocks.elements.len());
    for (i, e) in blocks.elements.iter().enumerate() {
        let up = if i == 0 { 0 } else { out[e.parent as usize] };
        let own = match e.tag {
            Tag::NAV | Tag::MENU => region::NAV,
            Tag::HEADER => region::HEADER,
            Tag::FOOTER => region::FOOTER,
            Tag::ASIDE => region::ASIDE,
            Tag::MAIN => region::MAIN,
            Tag::ARTICLE => region::ARTICLE,
            Tag::A => region::LINK,
            Tag::LI => region::LIST,
            Tag::TD | Tag::TH => region::TABLE,
            Tag::FIGURE | Tag::FIGCAPTION => region::FIGURE,
            Tag::FORM | Tag::BUTTON | Tag::LABEL => region::FORM,
            _ => 0,
        };
        out.push(up | own | if e.hidden { region::HIDDEN } else { 0 });
    }
    out
}

/// Returns a hash of a node's markup: names and classes of the node and its parent.
pub fn signature(facts: &Facts<'_>, node: NodeId) -> u64 {
    let dom = facts.dom;
    let mut h = hash(0, dom.tag_name(node));
    for n in std::iter::once(node).chain(dom.parent(node)) {
        for attr in [Attr::CLASS, Attr::ITEMPROP, Attr::REL] {
            h = hash(h, dom.attribute(n, attr).unwrap_or("-"));
        }
    }
    h
}

/// Adds features of the attribute words of a node and of the two elements above it; `rel` includes the words of the attribute `rel`.
pub fn markup(facts: &Facts<'_>, node: NodeId, rel: bool, f: &mut Features) {
    let dom = facts.dom;
    let chain = std::iter::once(node).chain(dom.ancestors(node).take(2));
    for (n, prefix) in chain.zip(["c:", "p:", "g:"]) {
        naming_words(dom, n, rel, |t| f.set(&[prefix, t], 1.0));
    }
}

/// Calls `each` with the words of the attributes that name an element's purpose; `rel` includes the words of the attribute `rel`.
pub fn naming_words(dom: &Dom<'_>, node: NodeId, rel: bool, mut each: impl FnMut(&str)) {
    for (name, text, value) in dom.attributes_named(node) {
        let asked = match name {
            Attr::CLASS | Attr::ID | Attr::ITEMPROP => true,
            Attr::REL => rel,
            _ => text == "data-testid",
        };
        if asked {
            tokens(value, &mut each);
        }
    }
}

/// Returns for each value the number of other values in markup of the same kind: dates and names of a list, of reviews, of replies.
pub fn alike(seen: &[(u64, String)]) -> HashMap<String, usize> {
    let mut kinds: HashMap<u64, Vec<&str>> = HashMap::default();
    for (kind, value) in seen {
        kinds.entry(*kind).or_default().push(value);
    }
    for values in kinds.values_mut() {
        values.sort_unstable();
        values.dedup();
    }
    let mut out: HashMap<String, usize> = HashMap::default();
    for (kind, value) in seen {
        let n = kinds.get(kind).map_or(0, |v| v.len() - 1);
        let least = out.entry(value.clone()).or_insert(n);
        *least = n.min(*least);
    }
    out
}

/// Splits the list in a `<meta>` at semicolons, bars or commas.
pub fn list(content: &str) -> Vec<String> {
    let mark = [';', '|', '、', '，', ','].into_iter().find(|m| content.contains(*m)).unwrap_or(',');
    content.split(mark).map(squeeze).filter(|s| !s.is_empty()).collect()
}
