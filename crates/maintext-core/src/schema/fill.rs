//! Finds the values of a schema on a page.
use super::Filled;
use super::convert::{self, OutValue};
use super::parse::{Locator, Property, SchemaNode, SchemaTree, ValueForm};
use crate::page::Page;
use maintext_facts::metadata::text::squeeze;
use maintext_page::dom::{Dom, Edge, NodeId, NodeKind, Tag};
use maintext_page::warnings::Warning;
use maintext_things::things::names::{self, plain};
use maintext_things::things::{Field, FieldForm, Value};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use url::Url;

/// Maximum number of items of a list.
const MAX_ITEMS: usize = 10_000;
/// Maximum number of values and objects that are tried.
const MAX_VALUES: usize = 100_000;
/// Maximum depth of an object of the output; schemas that refer to themselves end there.
const MAX_DEPTH: usize = 16;
/// Maximum length of a text of an element, in bytes.
const MAX_TEXT: usize = 100_000;
/// Maximum number of steps over nodes and values; elements may lie inside each other.
const MAX_STEPS: usize = 4_000_000;
/// Types that pages declare in addition to their main object.
const ASIDE: [&str; 3] = ["Organization", "LocalBusiness", "Person"];

/// Returns the values of a page.
pub(super) fn fill(tree: &SchemaTree, page: &Page, dom: &Dom<'_>, base: Option<&Url>) -> Filled {
    let matches = tree.selectors.iter().map(|_| OnceCell::new()).collect();
    let filler = Filler {
        tree,
        page,
        dom,
        base,
        matches,
        ranks: OnceCell::new(),
        values: Cell::new(0),
        steps: Cell::new(0),
        left_out: Cell::new(0),
        spent: OnceCell::new(),
    };
    let root = tree.resolve(0);
    let scope = match (&root.locator, root.title.as_deref().and_then(names::kind)) {
        (Locator::Name, Some(kind)) => filler.things_of(kind.name).into_iter().next().map_or(Scope::Nothing, Scope::of),
        (Locator::Name, None) => Scope::Page,
        _ => filler.find(&root, "", &Scope::Page).items().into_iter().next().map_or(Scope::Nothing, Scope::of),
    };
    let (data, missing) = match filler.object_or_choice(&root, &scope, "", 0) {
        NodeResult::Value(data) => (serde_json::to_string(&data).ok(), Vec::new()),
        NodeResult::Incomplete(missing) => (None, missing),
        NodeResult::Absent => (Some("{}".into()), Vec::new()),
    };
    Filled { data, missing, left_out: filler.left_out.get(), spent: filler.spent.into_inner() }
}

/// The result for one node of the schema.
enum NodeResult {
    Value(OutValue),
    Absent,
    /// An object without these required properties.
    Incomplete(Vec<String>),
}

/// The place where the properties of an object are looked up.
#[derive(Clone)]
enum Scope<'a> {
    Page,
    Fields(&'a [(&'static str, Value)], &'static [Field]),
    Element(NodeId),
    /// A text instead of an object: the name of a brand.
    Text(Cow<'a, str>),
    Nothing,
}

/// A value of the page.
#[derive(Clone)]
enum PageValue<'a> {
    Text(Cow<'a, str>),
    Count(u64),
    Number(f64),
    Flag(bool),
    Fields(&'a [(&'static str, Value)], &'static [Field]),
    Element(NodeId, Option<String>),
}

/// How a list of texts becomes one text.
#[derive(Clone, Copy)]
enum Join {
    First,
    With(&'static str),
}

/// The values of a property.
enum FoundValues<'a> {
    Items(Vec<PageValue<'a>>, Join),
    /// Nothing has this name.
    Unknown,
}

impl<'a> Scope<'a> {
    fn of(item: PageValue<'a>) -> Scope<'a> {
        match item {
            PageValue::Fields(fields, table) => Scope::Fields(fields, table),
            PageValue::Element(n, _) => Scope::Element(n),
            PageValue::Text(text) => Scope::Text(text),
            PageValue::Count(_) | PageValue::Number(_) | PageValue::Flag(_) => Scope::Nothing,
        }
    }
}

impl<'a> FoundValues<'a> {
    /// Returns items of which the first becomes a text.
    fn of(items: impl IntoIterator<Item = PageValue<'a>>) -> FoundValues<'a> {
        FoundValues::Items(items.into_iter().collect(), Join::First)
    }

    fn items(self) -> Vec<PageValue<'a>> {
        match self {
            FoundValues::Items(items, _) => items,
            FoundValues::Unknown => Vec::new(),
        }
    }
}

/// The work on one page. The recursion follows the schema, at most [`MAX_DEPTH`] levels.
struct Filler<'a> {
    tree: &'a SchemaTree,
    page: &'a Page,
    dom: &'a Dom<'a>,
    base: Option<&'a Url>,
    /// The elements of each selector, with their positions in the document.
    matches: Vec<OnceCell<Vec<(u32, NodeId)>>>,
    /// The position of each node, and the last position inside it.
    ranks: OnceCell<Vec<(u32, u32)>>,
    values: Cell<usize>,
    steps: Cell<usize>,
    /// Number of items beyond the limits.
    left_out: Cell<usize>,
    /// The warning of the selector that spent the page's budget.
    spent: OnceCell<Warning>,
}

impl<'a> Filler<'a> {
    /// Counts a step. Returns whether the output may grow: schemas that refer to themselves would never end.
    fn may_enter(&self, depth: usize) -> bool {
        self.values.set(self.values.get() + 1);
        depth < MAX_DEPTH && self.values.get() < MAX_VALUES
    }

    /// Counts the steps over a list. Returns it empty if they are used up.
    fn within_steps<T>(&self, list: Vec<T>) -> Vec<T> {
        self.steps.set(self.steps.get() + list.len());
        if self.steps.get() <= MAX_STEPS {
            return list;
        }
        self.leave_out(list.len());
        Vec::new()
    }

    fn leave_out(&self, count: usize) {
        self.left_out.set(self.left_out.get() + count);
    }

    /// Returns a text if the page's limit on copies allows another one: many properties may select the same long text.
    fn allowed(&self, text: &str) -> Option<String> {
        self.dom.copies().allows(text.len(), 1).then(|| text.to_owned())
    }

    fn object_or_choice(&self, node: &SchemaNode, scope: &Scope<'a>, at: &str, depth: usize) -> NodeResult {
        if !self.may_enter(depth) {
            return NodeResult::Absent;
        }
        match &node.form {
            ValueForm::Object(properties) => self.object(properties, scope, at, depth),
            ValueForm::OneOf(nodes) => {
                first(nodes.iter().map(|n| self.object_or_choice(&self.tree.resolve(*n), scope, at, depth + 1)))
            }
            _ => NodeResult::Absent,
        }
    }

    fn object(&self, properties: &[Property], scope: &Scope<'a>, at: &str, depth: usize) -> NodeResult {
        let (mut members, mut missing, mut is_empty) = (Vec::new(), Vec::new(), true);
        for property in properties {
            let node = self.tree.resolve(property.node);
            let at = if at.is_empty() { property.name.clone() } else { format!("{at}.{}", property.name) };
            match self.property(&node, &property.name, scope, &at, depth) {
                NodeResult::Value(value) => {
                    is_empty = false;
                    members.push((property.name.clone(), value));
                }
                _ if !property.is_required => {}
                _ if node.is_nullable => members.push((property.name.clone(), OutValue::Null)),
                NodeResult::Incomplete(inner) => {
                    is_empty = false;
                    missing.extend(inner);
                }
                NodeResult::Absent => missing.push(at),
            }
        }
        if is_empty && depth > 0 {
            NodeResult::Absent
        } else if missing.is_empty() {
            NodeResult::Value(OutValue::Object(members))
        } else {
            NodeResult::Incomplete(missing)
        }
    }

    fn property(&self, node: &SchemaNode, name: &str, scope: &Scope<'a>, at: &str, depth: usize) -> NodeResult {
        if !self.may_enter(depth) {
            return NodeResult::Absent;
        }
        let mut found = self.find(node, name, scope);
        let items = match &node.form {
            ValueForm::Array(Some(items)) => Some(self.tree.resolve(*items)),
            _ => None,
        };
        if let (Some(items), Locator::Name) = (&items, &node.locator) {
            // The schema may give a list's locator at its items.
            if items.locator != Locator::Name || matches!(found, FoundValues::Unknown) {
                found = self.find(items, name, scope);
            }
        }
        match found {
            // An object that only groups properties.
            FoundValues::Unknown if matches!(node.form, ValueForm::Object(_) | ValueForm::OneOf(_)) => {
                self.object_or_choice(node, scope, at, depth + 1)
            }
            FoundValues::Unknown => NodeResult::Absent,
            FoundValues::Items(items, join) => self.value(node, &items, join, at, depth),
        }
    }

    /// Returns items as the schema of a node demands.
    fn value(&self, node: &SchemaNode, items: &[PageValue<'a>], join: Join, at: &str, depth: usize) -> NodeResult {
        match &node.form {
            _ if !self.may_enter(depth) => NodeResult::Absent,
            ValueForm::Array(inner) => self.array(*inner, &node.locator, items, at, depth),
            ValueForm::Object(properties) => {
                first(items.iter().map(|i| self.object(properties, &Scope::of(i.clone()), at, depth + 1)))
            }
            ValueForm::OneOf(nodes) => {
                let values = nodes.iter().map(|n| self.value(&self.tree.resolve(*n), items, join, at, depth + 1));
                first(values)
            }
            ValueForm::Flag if matches!(node.locator, Locator::Elements { selector: Some(_), attribute: None }) => {
                chosen(node, Some(OutValue::Flag(!items.is_empty())))
            }
            ValueForm::Flag => chosen(
                node,
                items.iter().find_map(|i| match i {
                    PageValue::Flag(flag) => Some(OutValue::Flag(*flag)),
                    item => convert::flag(&self.text(item, None)?),
                }),
            ),
            ValueForm::Number => chosen(
                node,
                items.iter().find_map(|i| match i {
                    PageValue::Number(n) => serde_json::Number::from_f64(*n).map(OutValue::Number),
                    item => convert::number(&self.text(item, None)?),
                }),
            ),
            ValueForm::Integer => chosen(node, items.iter().find_map(|i| convert::integer(&self.text(i, None)?))),
            ValueForm::Text => {
                let format = node.format.as_deref();
                let mut texts = items.iter().filter_map(|i| convert::text(&self.text(i, format)?, format));
                chosen(
                    node,
                    match join {
                        Join::First => texts.next(),
                        Join::With(mark) => Some(texts.collect::<Vec<_>>().join(mark)).filter(|t| !t.is_empty()),
                    }
                    .map(OutValue::Text),
                )
            }
            ValueForm::Open | ValueForm::Same(_) => chosen(
                node,
                match items {
                    [] => None,
                    [one] => self.open(one),
                    several => Some(OutValue::List(several.iter().filter_map(|i| self.open(i)).collect())),
                },
            ),
        }
    }

    fn array(
        &self,
        inner: Option<usize>,
        locator: &Locator,
        items: &[PageValue<'a>],
        at: &str,
        depth: usize,
    ) -> NodeResult {
        let mut out = Vec::new();
        let inner = inner.map(|i| self.tree.resolve(i));
        self.leave_out(items.len().saturating_sub(MAX_ITEMS));
        for (i, item) in items.iter().take(MAX_ITEMS).enumerate() {
            let Some(node) = &inner else {
                out.extend(self.open(item));
                continue;
            };
            // Items with their own locator are looked up inside the elements of the list.
            let below = match (&node.locator, locator, item) {
                (Locator::Elements { .. }, Locator::Elements { .. }, PageValue::Element(n, None)) => {
                    self.find(node, "", &Scope::Element(*n)).items()
                }
                _ => vec![item.clone()],
            };
            if let NodeResult::Value(value) = self.value(node, &below, Join::First, at, depth + 1) {
                out.push(value);
            }
            if self.values.get() >= MAX_VALUES {
                self.leave_out(items.len().min(MAX_ITEMS) - i - 1);
                break;
            }
        }
        if out.is_empty() { NodeResult::Absent } else { NodeResult::Value(OutValue::List(out)) }
    }

    /// Returns an item as it is.
    fn open(&self, item: &PageValue<'a>) -> Option<OutValue> {
        match item {
            PageValue::Count(n) => Some(OutValue::Number((*n).into())),
            PageValue::Number(n) => serde_json::Number::from_f64(*n).map(OutValue::Number),
            PageValue::Flag(flag) => Some(OutValue::Flag(*flag)),
            PageValue::Fields(fields, _) => {
                Some(OutValue::Object(fields.iter().map(|(k, v)| ((*k).to_owned(), open(v))).collect()))
            }
            item => self.text(item, None).map(OutValue::Text),
        }
    }

    /// Returns an item as text: of an object its name or value.
    fn text(&self, item: &PageValue<'a>, format: Option<&str>) -> Option<String> {
        match item {
            PageValue::Text(text) => self.allowed(text),
            PageValue::Count(n) => Some(n.to_string()),
            PageValue::Number(n) => Some(n.to_string()),
            PageValue::Flag(flag) => Some(flag.to_string()),
            PageValue::Fields(fields, _) => ["name", "value", "text", "price"].iter().find_map(|name| {
                fields.iter().find(|f| f.0 == *name).and_then(|f| match &f.1 {
                    Value::Text(text) => self.allowed(text),
                    _ => None,
                })
            }),
            PageValue::Element(n, attribute) => self.element(*n, attribute.as_deref(), format),
        }
    }

    /// Returns the text or an attribute of an element. Addresses are absolute if the page's address is known.
    fn element(&self, n: NodeId, attribute: Option<&str>, format: Option<&str>) -> Option<String> {
        let dom = self.dom;
        if dom.copies().refuses() {
            return None;
        }
        let own = match (dom.tag(n), format) {
            (Tag::META, _) => Some("content"),
            (Tag::TIME, Some("date" | "date-time")) if dom.attr(n, "datetime").is_some() => Some("datetime"),
            (Tag::A | Tag::LINK | Tag::AREA, Some("uri")) => Some("href"),
            (Tag::IMG | Tag::SOURCE | Tag::VIDEO | Tag::AUDIO | Tag::IFRAME, Some("uri")) => Some("src"),
            _ => None,
        };
        let Some(name) = attribute.or(own) else {
            return self.allowed(&self.element_text(n)).filter(|t| !t.is_empty());
        };
        let value = dom.attr(n, name)?.trim();
        if !matches!(name, "href" | "src" | "poster" | "action") {
            return self.allowed(value);
        }
        match maintext_page::address::parse(dom, value, self.base) {
            Ok(url) if self.base.is_some() => Some(url.to_string()),
            Ok(_) | Err(url::ParseError::RelativeUrlWithoutBase) => Some(value.to_owned()),
            Err(_) => None,
        }
    }

    /// Returns the lines of an element.
    fn element_text(&self, n: NodeId) -> String {
        let (dom, mut lines, mut bytes) = (self.dom, vec![String::new()], 0);
        let mut walk = dom.traverse(n);
        while let Some(edge) = walk.next() {
            self.steps.set(self.steps.get() + 1);
            if bytes > MAX_TEXT || self.steps.get() > MAX_STEPS {
                break;
            }
            match edge {
                Edge::Enter(n) if dom.kind(n) == NodeKind::Text => {
                    bytes += dom.text(n).len();
                    if let Some(line) = lines.last_mut() {
                        line.push_str(dom.text(n));
                    }
                }
                Edge::Enter(n) if matches!(dom.tag(n), Tag::SCRIPT | Tag::STYLE | Tag::TEMPLATE | Tag::NOSCRIPT) => {
                    walk.skip_children()
                }
                Edge::Enter(n) | Edge::Leave(n) if dom.tag(n) == Tag::BR || dom.tag(n).is_block() => {
                    lines.push(String::new())
                }
                _ => {}
            }
        }
        let lines: Vec<String> = lines.iter().map(|l| squeeze(l)).filter(|l| !l.is_empty()).collect();
        lines.join("\n")
    }

    /// Returns the values that a node's locator finds; `name` is the name of the property.
    fn find(&self, node: &SchemaNode, name: &str, scope: &Scope<'a>) -> FoundValues<'a> {
        match &node.locator {
            Locator::Path(path) => self.at_path(path, scope),
            Locator::Elements { selector: Some(i), attribute } => {
                let within = match scope {
                    Scope::Element(n) => Some(*n),
                    _ => None,
                };
                let elements = self.elements(*i, within).into_iter();
                FoundValues::of(elements.map(|n| PageValue::Element(n, attribute.clone())))
            }
            Locator::Elements { selector: None, attribute } => match scope {
                Scope::Element(n) => FoundValues::of([PageValue::Element(*n, attribute.clone())]),
                _ => FoundValues::Unknown,
            },
            Locator::Name => match self.by_name(name, scope) {
                FoundValues::Unknown => match (scope, node.title.as_deref().and_then(names::kind)) {
                    (Scope::Page, Some(kind)) => FoundValues::of(self.things_of(kind.name)),
                    _ => FoundValues::Unknown,
                },
                found => found,
            },
        }
    }

    fn by_name(&self, name: &str, scope: &Scope<'a>) -> FoundValues<'a> {
        match scope {
            Scope::Page => self.of_page(name),
            Scope::Fields(fields, table) => match names::path(table, name) {
                Some(path) => self.walk(vec![PageValue::Fields(fields, table)], &path),
                None => FoundValues::Unknown,
            },
            Scope::Element(n) if plain(name) == "text" => FoundValues::of([PageValue::Element(*n, None)]),
            Scope::Text(text) if matches!(name, "name" | "value" | "text" | "title") => {
                FoundValues::of([PageValue::Text(text.clone())])
            }
            Scope::Element(_) | Scope::Text(_) | Scope::Nothing => FoundValues::Unknown,
        }
    }

    /// Returns the values at a path: of a type, of the object around, or of the page.
    fn at_path(&self, path: &[String], scope: &Scope<'a>) -> FoundValues<'a> {
        let [first, rest @ ..] = path else { return FoundValues::Unknown };
        let mut found = match (names::kind(first), scope) {
            (Some(kind), _) => FoundValues::of(self.things_of(kind.name)),
            (None, Scope::Fields(..)) => match self.by_name(first, scope) {
                FoundValues::Unknown => self.of_page(first),
                found => found,
            },
            _ => self.of_page(first),
        };
        for name in rest {
            let items = found.items();
            let Some(PageValue::Fields(_, table)) = items.first() else { return FoundValues::of([]) };
            let Some(path) = names::path(table, name) else { return FoundValues::of([]) };
            found = self.walk(items, &path);
        }
        found
    }

    /// Returns the things of a type.
    fn things_of(&self, kind: &str) -> Vec<PageValue<'a>> {
        let things = self.page.things.iter().filter(|t| t.kind == kind);
        let table = names::kind(kind).map_or(&[][..], |k| k.fields);
        things.map(|t| PageValue::Fields(&t.fields, table)).collect()
    }

    /// Returns the values of a name on the whole page: things of a type, a field of the page, or a field of its first thing that has it.
    fn of_page(&self, name: &str) -> FoundValues<'a> {
        if let Some(kind) = names::kind(name) {
            return FoundValues::of(self.things_of(kind.name));
        }
        if let Some(found) = self.field(&plain(name)) {
            return found;
        }
        let (aside, main): (Vec<_>, Vec<_>) = self.page.things.iter().partition(|t| ASIDE.contains(&&t.kind[..]));
        for thing in main.into_iter().chain(aside) {
            let Some(kind) = names::kind(&thing.kind) else { continue };
            let Some(path) = names::path(kind.fields, name) else { continue };
            match self.walk(vec![PageValue::Fields(&thing.fields, kind.fields)], &path) {
                FoundValues::Items(items, _) if items.is_empty() => {}
                found => return found,
            }
        }
        let is_known = maintext_things::things::KINDS.iter().any(|k| names::path(k.fields, name).is_some());
        if is_known { FoundValues::of([]) } else { FoundValues::Unknown }
    }

    /// Returns a field of the page.
    fn field(&self, name: &str) -> Option<FoundValues<'a>> {
        let (page, m) = (self.page, &self.page.metadata);
        Some(match name {
            "title" | "headline" => one_text(&m.title),
            "author" | "authors" => many_texts(&m.authors),
            "date" | "datepublished" | "published" | "publishedat" | "publicationdate" => one_text(&m.date),
            "datemodified" | "modified" | "updatedat" | "lastmodified" => one_text(&m.date_modified),
            "description" | "summary" => one_text(&m.description),
            "url" | "link" => one_text(&m.url),
            "hostname" | "domain" => one_text(&m.hostname),
            "sitename" => one_text(&m.sitename),
            "language" | "inlanguage" => one_text(&m.language),
            "image" => one_text(&m.image),
            "images" => FoundValues::of(page.images.iter().map(|i| PageValue::Text(i.src.as_str().into()))),
            "videos" => many_texts(&m.videos),
            "tags" | "keywords" => many_texts(&m.tags),
            "categories" | "category" => many_texts(&m.categories),
            "breadcrumb" | "breadcrumbs" => many_texts(&m.breadcrumb),
            "license" => one_text(&m.license),
            "wordcount" | "words" => FoundValues::of([PageValue::Count(m.words.into())]),
            "pagetype" => one_text(&page.page_type),
            "text" | "content" | "articlebody" | "body" => one_text(&page.text),
            "markdown" => one_text(&page.markdown),
            "html" => one_text(&page.html),
            "confidence" => FoundValues::of(page.confidence.iter().map(|c| PageValue::Number(f64::from(*c)))),
            _ => return None,
        })
    }

    /// Returns the values at the end of a path of fields.
    fn walk(&self, mut items: Vec<PageValue<'a>>, path: &[&'static Field]) -> FoundValues<'a> {
        let mut join = Join::First;
        for field in path {
            join = match field.read {
                FieldForm::Ingredients | FieldForm::Steps => Join::With("\n"),
                FieldForm::Texts | FieldForm::Names => Join::With(", "),
                _ => Join::First,
            };
            let mut below = Vec::new();
            for item in items {
                let PageValue::Fields(fields, _) = item else { continue };
                let value = fields.iter().find(|f| f.0 == field.name).map(|f| &f.1);
                match value {
                    Some(Value::List(values)) => below.extend(values.iter().map(|v| item_of(v, field))),
                    Some(value) => below.push(item_of(value, field)),
                    None => {}
                }
            }
            items = self.within_steps(below);
        }
        FoundValues::Items(items, join)
    }

    /// Returns the elements of a selector, inside an element if there is one.
    fn elements(&self, selector: usize, within: Option<NodeId>) -> Vec<NodeId> {
        let ranks = self.ranks.get_or_init(|| ranks(self.dom));
        let all = self.matches[selector].get_or_init(|| {
            let (found, warning) = self.tree.selectors[selector].find(self.dom);
            if let Some(warning) = warning {
                self.spent.get_or_init(|| warning);
            }
            found.into_iter().map(|n| (ranks[n.index()].0, n)).collect()
        });
        let (from, to) = within.map_or((0, u32::MAX), |n| (ranks[n.index()].0 + 1, ranks[n.index()].1));
        let start = all.partition_point(|m| m.0 < from);
        let end = start + all[start..].partition_point(|m| m.0 <= to);
        self.within_steps(all[start..end].iter().map(|m| m.1).collect())
    }
}

fn chosen(node: &SchemaNode, value: Option<OutValue>) -> NodeResult {
    match value.and_then(|v| convert::choose(v, &node.choices)) {
        Some(value) => NodeResult::Value(value),
        None => NodeResult::Absent,
    }
}

fn one_text(value: &Option<String>) -> FoundValues<'_> {
    FoundValues::of(value.iter().map(|v| PageValue::Text(v.as_str().into())))
}

fn many_texts(values: &[String]) -> FoundValues<'_> {
    FoundValues::Items(values.iter().map(|v| PageValue::Text(v.as_str().into())).collect(), Join::With(", "))
}

/// Returns the first value, or the first reason why there is none.
fn first(all: impl Iterator<Item = NodeResult>) -> NodeResult {
    let mut best = NodeResult::Absent;
    for got in all {
        match (got, &best) {
            (NodeResult::Value(value), _) => return NodeResult::Value(value),
            (NodeResult::Incomplete(missing), NodeResult::Absent) => best = NodeResult::Incomplete(missing),
            _ => {}
        }
    }
    best
}

fn item_of<'a>(value: &'a Value, field: &'static Field) -> PageValue<'a> {
    match value {
        Value::Text(text) => PageValue::Text(text.as_str().into()),
        Value::Count(n) => PageValue::Count(*n),
        Value::Flag(flag) => PageValue::Flag(*flag),
        Value::Object(object) => PageValue::Fields(&object.0, field.inner()),
        Value::List(_) => PageValue::Fields(&[], &[]),
    }
}

/// Returns a value as it is. Things have few levels.
fn open(value: &Value) -> OutValue {
    match value {
        Value::Text(text) => OutValue::Text(text.clone()),
        Value::Count(n) => OutValue::Number((*n).into()),
        Value::Flag(flag) => OutValue::Flag(*flag),
        Value::List(values) => OutValue::List(values.iter().map(open).collect()),
        Value::Object(object) => OutValue::Object(object.0.iter().map(|(k, v)| ((*k).to_owned(), open(v))).collect()),
    }
}

/// Returns the position of each node in the document, and the last position inside it.
fn ranks(dom: &Dom<'_>) -> Vec<(u32, u32)> {
    let (mut ranks, mut next) = (vec![(0, 0); dom.len()], 0);
    for edge in dom.traverse(NodeId::ROOT) {
        match edge {
            Edge::Enter(n) => {
                next += 1;
                ranks[n.index()] = (next, next);
            }
            Edge::Leave(n) => ranks[n.index()].1 = next,
        }
    }
    ranks
}
