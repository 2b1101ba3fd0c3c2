//! JSON-LD: the objects that a page describes, as a flat list.
use crate::metadata::sources::json::{Arena, Id, Value};
use crate::metadata::text::local_name;
use maintext_page::budget::CopyMeter;
use maintext_page::dom::{Dom, NodeId};
use maintext_page::hash::{HashMap, HashSet};
use maintext_page::lexicon::lexicon;

/// Maximum number of bytes of JSON-LD that are read on one page.
const MAX_BYTES: usize = 4 << 20;
/// Maximum number of values of one property that are read; the limit bounds the cost of many references to one large object.
const MAX_ITEMS: usize = 1000;
/// Maximum number of types of one object.
const MAX_KINDS: usize = 8;
/// Longest property name, in bytes; no vocabulary has longer ones.
const MAX_PROPERTY: usize = 64;

/// Endings of the types of written works.
const WORKS: &[&str] = lexicon!("works.txt");

/// An object with a type or a name.
#[derive(Clone, Debug)]
pub struct Thing {
    /// Its value in the arena.
    pub id: Id,
    /// Its `@type` without the vocabulary's address: the first of several, `""` if none.
    pub kind: String,
    /// The property that holds it; `""` at the top level and in a `@graph`.
    pub under: String,
    /// Number of objects around it.
    pub depth: u8,
}

/// All objects of a page.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    arena: Arena,
    /// The objects in document order.
    pub things: Vec<Thing>,
    by_id: HashMap<String, Id>,
    bytes: usize,
}

impl Graph {
    /// Reads the script element `node`.
    pub fn read(&mut self, dom: &Dom, node: NodeId) {
        for n in dom.children(node) {
            let text = dom.text(n);
            self.bytes += text.len();
            if self.bytes <= MAX_BYTES {
                self.read_text(text);
            }
        }
    }

    /// Reads the text of one script.
    pub fn read_text(&mut self, text: &str) {
        let mut stack: Vec<(Id, String, u8)> = Vec::new();
        let escaped = text.contains("&quot;").then(|| crate::metadata::text::plain(text));
        for top in self.arena.read(escaped.as_deref().unwrap_or(text)) {
            stack.push((top, String::new(), 0));
        }
        stack.reverse();
        // The arena is a tree, so each value is visited once.
        while let Some((id, under, depth)) = stack.pop() {
            match &self.arena.values[id as usize] {
                Value::Array(items) => stack.extend(items.iter().rev().map(|&i| (i, under.clone(), depth))),
                Value::Object(members) => {
                    for (k, v) in members.iter().rev() {
                        if matches!(self.arena.values[*v as usize], Value::Array(_) | Value::Object(_)) {
                            let graph = k == "@graph";
                            // Each value of an array gets a copy of the key, so the length of keys must be bounded.
                            let known = !graph && k.len() <= MAX_PROPERTY;
                            let under = if known { k.clone() } else { String::new() };
                            stack.push((*v, under, depth.saturating_add(!graph as u8)));
                        }
                    }
                    let kind = self.kind(id);
                    if let Some(name) = self.arena.get(id, "@id").and_then(|i| self.arena.text(i)) {
                        // An object with only an `@id` refers to another and defines nothing.
                        if members.len() > 1 {
                            self.by_id.entry(name.to_owned()).or_insert(id);
                        }
                    }
                    self.things.push(Thing { id, kind, under, depth });
                }
                _ => {}
            }
        }
    }

    /// Returns whether input beyond the limits was ignored.
    pub fn is_cut(&self) -> bool {
        self.bytes > MAX_BYTES || self.arena.is_full()
    }

    /// Returns the types of an object without their vocabulary.
    pub fn kinds(&self, id: Id) -> Vec<String> {
        let Some(t) = self.arena.get(id, "@type") else { return Vec::new() };
        let names = self.arena.items(t).into_iter().take(MAX_KINDS);
        names.filter_map(|t| Some(local_name(self.arena.text(t)?).to_owned())).collect()
    }

    /// Returns the first `@type` of a value without its vocabulary, `""` if it has none.
    pub fn kind(&self, id: Id) -> String {
        let kinds = self.arena.get(id, "@type").map(|t| self.arena.items(t)).unwrap_or_default();
        local_name(kinds.first().and_then(|t| self.arena.text(*t)).unwrap_or("")).to_owned()
    }

    /// Returns the values of a property, with arrays flattened and references followed.
    pub fn values(&self, of: Id, property: &str) -> Vec<Id> {
        self.arena.get(of, property).map_or_else(Vec::new, |value| self.flat(value))
    }

    /// Returns a value itself, or the values of an array, with references followed. An object that is referred to several times appears
    /// once.
    pub fn flat(&self, value: Id) -> Vec<Id> {
        self.flat_within(value, MAX_ITEMS)
    }

    /// Like [`Graph::flat`], with a maximum number of values.
    pub fn flat_within(&self, value: Id, most: usize) -> Vec<Id> {
        let (mut out, mut referred) = (Vec::new(), HashSet::default());
        let mut stack: Vec<Id> = vec![value];
        while let Some(id) = stack.pop() {
            match &self.arena.values[id as usize] {
                Value::Array(items) => stack.extend(items.iter().take(most).rev()),
                Value::Literal(_) => {}
                Value::Object(members) => {
                    let target = match members.as_slice() {
                        [(k, v)] if k == "@list" || k == "@set" => {
                            stack.push(*v);
                            continue;
                        }
                        [(k, v)] if k == "@id" => self.arena.text(*v).and_then(|name| self.by_id.get(name)),
                        _ => None,
                    };
                    match target {
                        Some(target) if !referred.insert(*target) => {}
                        Some(target) => out.push(*target),
                        None => out.push(id),
                    }
                }
                _ => out.push(id),
            }
            if out.len() > most {
                break;
            }
        }
        out
    }

    /// Returns the texts of a property: strings, `@value`s, and the names of objects.
    pub fn texts(&self, of: Id, property: &str, copies: &CopyMeter) -> Vec<String> {
        self.values(of, property).into_iter().filter_map(|v| self.name(v, copies)).collect()
    }

    /// Returns the text of a value: a string, its `@value`, or the object's name. Many values may refer to one object with a long name.
    pub fn name(&self, id: Id, copies: &CopyMeter) -> Option<String> {
        if let Some(s) = self.arena.text(id) {
            return copy_if_allowed(s, copies);
        }
        let own = self.first_text(id, "@value").or_else(|| self.first_text(id, "name"));
        let name = own.filter(|n| !n.trim().is_empty()).and_then(|name| copy_if_allowed(name, copies));
        let name = name.or_else(|| copy_if_allowed(&self.parts_of_name(id)?, copies));
        name.or_else(|| {
            let address = self.first_text(id, "url").or_else(|| self.first_text(id, "contentUrl"))?;
            copy_if_allowed(address, copies)
        })
    }

    /// Returns the first value of a property, if it is a text.
    fn first_text(&self, id: Id, property: &str) -> Option<&str> {
        self.arena.text(*self.values(id, property).first()?)
    }

    /// Returns a person's name that is given in parts.
    fn parts_of_name(&self, id: Id) -> Option<String> {
        const PARTS: [[&str; 3]; 2] =
            [["givenName", "additionalName", "familyName"], ["firstName", "middleName", "lastName"]];
        PARTS.iter().find_map(|parts| {
            let found: Vec<&str> = parts.iter().filter_map(|p| self.text(id, p)).map(str::trim).collect();
            let name = found.iter().filter(|p| !p.is_empty()).copied().collect::<Vec<_>>().join(" ");
            (!name.is_empty()).then_some(name)
        })
    }

    /// Returns the text of the property's first string or number.
    pub fn text(&self, of: Id, property: &str) -> Option<&str> {
        self.values(of, property).into_iter().find_map(|v| self.arena.text(v))
    }

    /// Returns the address that a value is or has.
    pub fn address(&self, id: Id) -> Option<&str> {
        self.string(id).or_else(|| self.text(id, "url")).or_else(|| self.text(id, "contentUrl"))
    }

    /// Returns a boolean, also one written as text.
    pub fn boolean(&self, of: Id, property: &str) -> Option<bool> {
        let v = self.arena.get(of, property)?;
        let word = match &self.arena.values[v as usize] {
            Value::Literal(w) => w,
            Value::String(s) => s.as_str(),
            _ => return None,
        };
        let word = word.rsplit('/').next().unwrap_or(word).to_ascii_lowercase();
        (word == "true" || word == "false").then(|| word == "true")
    }

    /// Returns the members of an object: names and values.
    pub fn members(&self, of: Id) -> &[(String, Id)] {
        match &self.arena.values[of as usize] {
            Value::Object(m) => m,
            _ => &[],
        }
    }

    /// Returns the text of a string or number.
    pub fn string(&self, id: Id) -> Option<&str> {
        self.arena.text(id)
    }

    /// Returns whether a type is a written work: an article, a posting, a recipe, a page.
    pub fn is_work(kind: &str) -> bool {
        WORKS.iter().any(|k| kind.ends_with(k))
    }
}

/// Returns a copy of a text while the page's budget for copies lasts.
fn copy_if_allowed(text: &str, copies: &CopyMeter) -> Option<String> {
    copies.allows(text.len(), 1).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_graphs_are_followed() {
        let mut g = Graph::default();
        g.read_text(
            r##"{"@graph":[{"@type":["NewsArticle"],"headline":"H","author":[{"@id":"#a"},{"@type":"Person","name":"B"},{"@id":"#a"}]},
            {"@id":"#a","@type":"Person","name":"A","knows":{"@id":"#a"}}]}"##,
        );
        let article = g.things.iter().find(|t| t.kind == "NewsArticle").unwrap();
        assert_eq!(article.under, "");
        assert_eq!(g.texts(article.id, "author", &CopyMeter::new(0)), ["A", "B"]);
        assert_eq!(g.text(article.id, "headline"), Some("H"));
    }

    #[test]
    fn escaped_scripts_are_read() {
        let mut g = Graph::default();
        g.read_text("{&quot;@type&quot;:&quot;https://schema.org/Article&quot;,&quot;name&quot;:&quot;N&quot;}");
        assert_eq!(g.things[0].kind, "Article");
        assert_eq!(g.text(g.things[0].id, "name"), Some("N"));
    }
}
