//! Reads a JSON Schema into a table of nodes.
use super::SchemaError;
use crate::json::Json as Ordered;
use maintext_facts::rules::check_number;
use maintext_page::hash::HashMap;
use maintext_page::select::Selector;
use maintext_things::things::{KINDS, names};
use serde_json::Value;

/// Maximum size of a schema, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Maximum number of nodes of a schema.
const MAX_NODES: usize = 2_000;
/// Maximum depth of a node of a schema; a reference starts at zero again.
const MAX_DEPTH: usize = 64;

/// A schema: nodes that refer to each other by index.
#[derive(Debug, Default)]
pub(super) struct SchemaTree {
    nodes: Vec<SchemaNode>,
    pub selectors: Vec<Selector>,
}

/// A value that the schema describes.
#[derive(Clone, Debug)]
pub(super) struct SchemaNode {
    pub form: ValueForm,
    pub is_nullable: bool,
    /// The allowed values; all if empty.
    pub choices: Vec<Value>,
    pub format: Option<String>,
    pub locator: Locator,
    pub title: Option<String>,
}

/// The type of a value.
#[derive(Clone, Debug)]
pub(super) enum ValueForm {
    Object(Vec<Property>),
    Array(Option<usize>),
    Text,
    Number,
    Integer,
    Flag,
    /// Any type.
    Open,
    /// The first alternative that the page has.
    OneOf(Vec<usize>),
    /// As another node says.
    Same(usize),
}

/// A property of an object.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub name: String,
    pub node: usize,
    pub is_required: bool,
}

/// How to find a value on the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Locator {
    /// Where the property's name says.
    Name,
    /// A path of names.
    Path(Vec<String>),
    /// Elements; without a selector, the elements of the enclosing object.
    Elements { selector: Option<usize>, attribute: Option<String> },
}

impl SchemaTree {
    pub fn parse(json: &str) -> Result<SchemaTree, SchemaError> {
        if json.len() > MAX_BYTES {
            return Err(wrong("", format!("a schema of more than {MAX_BYTES} bytes")));
        }
        let value: Value = serde_json::from_str(json).map_err(|e| wrong("", format!("invalid JSON: {e}")))?;
        let order: Ordered<'_> = serde_json::from_str(json).map_err(|e| wrong("", format!("invalid JSON: {e}")))?;
        let mut parser =
            SchemaParser { root: &value, order: &order, tree: SchemaTree::default(), known: HashMap::default() };
        let root = parser.node(&value, Some(&order), "", 0)?;
        let tree = parser.tree;
        match tree.resolve(root).form {
            ValueForm::Object(_) | ValueForm::OneOf(_) => Ok(tree),
            _ => Err(wrong(
                "",
                "the schema does not describe an object: expected \"type\": \"object\" and \"properties\"".into(),
            )),
        }
    }

    /// Returns a node with the form of the node that it refers to; its own annotations take precedence.
    pub fn resolve(&self, node: usize) -> SchemaNode {
        let mut found = self.nodes[node].clone();
        for _ in 0..MAX_DEPTH {
            let ValueForm::Same(next) = found.form else { return found };
            let next = &self.nodes[next];
            found.form = next.form.clone();
            found.is_nullable |= next.is_nullable;
            found.choices = if found.choices.is_empty() { next.choices.clone() } else { found.choices };
            found.format = found.format.or_else(|| next.format.clone());
            found.title = next.title.clone().or(found.title);
            if found.locator == Locator::Name {
                found.locator = next.locator.clone();
            }
        }
        found.form = ValueForm::Open;
        found
    }
}

fn wrong(at: &str, message: String) -> SchemaError {
    SchemaError { at: at.to_owned(), message }
}

/// A schema that is being read.
struct SchemaParser<'a> {
    root: &'a Value,
    order: &'a Ordered<'a>,
    tree: SchemaTree,
    /// The nodes of references that were read.
    known: HashMap<&'a str, usize>,
}

impl<'a> SchemaParser<'a> {
    /// Reads a node. The recursion ends at [`MAX_DEPTH`].
    fn node(
        &mut self,
        value: &'a Value,
        order: Option<&'a Ordered<'a>>,
        at: &str,
        depth: usize,
    ) -> Result<usize, SchemaError> {
        if depth > MAX_DEPTH || self.tree.nodes.len() >= MAX_NODES {
            let message = format!("the schema has more than {MAX_NODES} parts or {MAX_DEPTH} levels");
            return Err(wrong(at, message));
        }
        let (id, locator) = (self.tree.nodes.len(), self.locator(value, at)?);
        let choices = match (value.get("enum").and_then(Value::as_array), value.get("const")) {
            (Some(all), _) => all.clone(),
            (None, Some(one)) => vec![one.clone()],
            (None, None) => Vec::new(),
        };
        self.tree.nodes.push(SchemaNode {
            form: ValueForm::Open,
            is_nullable: choices.contains(&Value::Null),
            choices: choices.into_iter().filter(|c| !c.is_null()).collect(),
            format: text_of(value, "format").map(str::to_owned),
            locator,
            title: text_of(value, "title").map(str::to_owned),
        });
        let types: Vec<&str> = match value.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let is_null = types.contains(&"null");
        self.tree.nodes[id].is_nullable |= is_null;
        if let Some(reference) = text_of(value, "$ref") {
            let target = self.reference(reference, at, depth)?;
            self.tree.nodes[id].form = ValueForm::Same(target);
            return Ok(id);
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            let Some(parts) = value.get(key).and_then(Value::as_array) else { continue };
            if key == "allOf" && parts.len() != 1 {
                let message = "'allOf' of several schemas is not supported; write their properties into one";
                return Err(wrong(at, message.into()));
            }
            let order = order.and_then(|o| o.get(key)).and_then(Ordered::array);
            let mut nodes = Vec::new();
            for (i, part) in parts.iter().enumerate() {
                if part.get("type").and_then(Value::as_str) == Some("null") {
                    self.tree.nodes[id].is_nullable = true;
                    continue;
                }
                nodes.push(self.node(part, order.and_then(|o| o.get(i)), &path_below(at, key, i), depth + 1)?);
            }
            self.tree.nodes[id].form = match nodes[..] {
                [] => ValueForm::Open,
                [one] => ValueForm::Same(one),
                _ => ValueForm::OneOf(nodes),
            };
            return Ok(id);
        }
        let named = types.into_iter().find(|t| *t != "null");
        let named =
            named.or_else(|| value.get("properties").map(|_| "object")).or_else(|| value.get("items").map(|_| "array"));
        self.tree.nodes[id].form = match named {
            Some("object") => self.object(value, order, at, depth)?,
            Some("array") => ValueForm::Array(match value.get("items") {
                Some(items @ Value::Object(_)) => {
                    let order = order.and_then(|o| o.get("items"));
                    Some(self.node(items, order, &inside(at, "items"), depth + 1)?)
                }
                _ => None,
            }),
            Some("string") => ValueForm::Text,
            Some("number") => ValueForm::Number,
            Some("integer") => ValueForm::Integer,
            Some("boolean") => ValueForm::Flag,
            Some(other) => return Err(wrong(at, format!("unknown type '{other}'"))),
            None => ValueForm::Open,
        };
        Ok(id)
    }

    fn object(
        &mut self,
        value: &'a Value,
        order: Option<&'a Ordered<'a>>,
        at: &str,
        depth: usize,
    ) -> Result<ValueForm, SchemaError> {
        let required: Vec<&str> =
            value.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let known = value.get("properties").and_then(Value::as_object);
        let order = order.and_then(|o| o.get("properties"));
        let mut properties = Vec::new();
        if let (Some(known), Some(Ordered::Object(members))) = (known, order) {
            for (name, order) in members {
                let Some(value) = known.get(&**name) else { continue };
                if properties.iter().any(|p: &Property| p.name == *name) {
                    continue;
                }
                let at = inside(at, &format!("properties.{name}"));
                let node = self.node(value, Some(order), &at, depth + 1)?;
                properties.push(Property { name: name.to_string(), node, is_required: required.contains(&&**name) });
            }
        }
        if let Some(unknown) = required.iter().find(|r| !properties.iter().any(|p| p.name == **r)) {
            let message = format!("the required property '{unknown}' is not among the properties");
            return Err(SchemaError { at: at.to_owned(), message });
        }
        Ok(ValueForm::Object(properties))
    }

    /// Returns the node of a reference. References may form a circle; the depth of the output is limited.
    fn reference(&mut self, reference: &'a str, at: &str, depth: usize) -> Result<usize, SchemaError> {
        if let Some(&known) = self.known.get(reference) {
            return Ok(known);
        }
        let (root, order) = (self.root, self.order);
        let pointer = reference.strip_prefix('#');
        let Some(value) = pointer.and_then(|p| root.pointer(p)) else {
            let message = format!("'$ref' to '{reference}': expected a place in this schema, such as #/$defs/offer");
            return Err(wrong(at, message));
        };
        let names = pointer.unwrap_or("").split('/').skip(1);
        let order = names.map(|n| n.replace("~1", "/").replace("~0", "~")).try_fold(order, |o, n| match o.array() {
            Some(items) => items.get(n.parse::<usize>().ok()?),
            None => o.get(&n),
        });
        // The index is known before the node is read, so that a reference inside it ends here.
        self.known.insert(reference, self.tree.nodes.len());
        self.node(value, order, pointer.unwrap_or("").replace('/', ".").trim_start_matches('.'), depth + 1)
    }

    fn locator(&mut self, value: &Value, at: &str) -> Result<Locator, SchemaError> {
        let (path, selector, attribute) = (
            own_text(value, at, "x-maintext")?,
            own_text(value, at, "x-selector")?,
            own_text(value, at, "x-attribute")?,
        );
        if let Some(path) = path {
            if selector.is_some() || attribute.is_some() {
                return Err(wrong(at, "'x-maintext' excludes 'x-selector' and 'x-attribute'".into()));
            }
            check_path(path).map_err(|message| wrong(at, message))?;
            return Ok(Locator::Path(path.split('.').map(str::to_owned).collect()));
        }
        if selector.is_none() && attribute.is_none() {
            return Ok(Locator::Name);
        }
        let selector = match selector {
            Some(text) => {
                check_number(self.tree.selectors.len() + 1).map_err(|message| wrong(at, message))?;
                self.tree.selectors.push(Selector::parse(text).map_err(|e| wrong(at, e.to_string()))?);
                Some(self.tree.selectors.len() - 1)
            }
            None => None,
        };
        Ok(Locator::Elements { selector, attribute: attribute.map(str::to_ascii_lowercase) })
    }
}

fn own_text<'v>(value: &'v Value, at: &str, key: &str) -> Result<Option<&'v str>, SchemaError> {
    match value.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(wrong(at, format!("'{key}' is not a string"))),
    }
}

fn path_below(at: &str, key: &str, i: usize) -> String {
    format!("{at}{}{key}.{i}", if at.is_empty() { "" } else { "." })
}

fn text_of<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

fn inside(at: &str, key: &str) -> String {
    if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") }
}

/// Checks a path that begins with a type.
fn check_path(path: &str) -> Result<(), String> {
    let mut names = path.split('.');
    let first = names.next().unwrap_or_default();
    let Some(kind) = names::kind(first) else {
        // Fields begin with a small letter.
        if !first.starts_with(char::is_uppercase) {
            return Ok(());
        }
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        return Err(format!("'x-maintext': no type '{first}'; the types are: {}", known.join(", ")));
    };
    let mut fields = kind.fields;
    for name in names {
        let found = names::path(fields, name).ok_or_else(|| {
            let known: Vec<&str> = fields.iter().map(|f| f.name).collect();
            format!("'x-maintext': no field '{name}' in '{path}'; the fields there are: {}", known.join(", "))
        })?;
        fields = found.last().map_or(&[], |f| f.inner());
    }
    Ok(())
}
