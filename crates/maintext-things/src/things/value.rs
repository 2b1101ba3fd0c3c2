//! Typed objects and the values of their fields.
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// An object that a page describes: a product, a recipe, an event.
///
/// Serialises to an object of `type`, the fields in order, and `sources`. Fields are absent if the page does not state them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Thing {
    /// The type, after schema.org: `Product`, `Recipe`, `Event`.
    pub kind: String,
    /// The fields in a fixed order.
    pub fields: Vec<(&'static str, Value)>,
    /// The origin of each field.
    pub sources: BTreeMap<&'static str, Origin>,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A text without markup; prices and other decimals are texts, which no computer rounds.
    Text(String),
    /// A count.
    Count(u64),
    /// A yes or no.
    Flag(bool),
    /// Several values.
    List(Vec<Value>),
    /// An object inside the thing: an offer, a step.
    Object(Object),
}

/// The fields of an object inside a thing, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(pub Vec<(&'static str, Value)>);

/// The place on the page that a value came from, and its reliability.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Origin {
    /// `json-ld`, `microdata`, `rdfa`, `open-graph`, `data` (the data of a script) or `text` (the visible page).
    pub from: &'static str,
    /// Probability that the value is right.
    pub probability: f32,
}

impl Thing {
    pub(super) fn new(kind: &str) -> Thing {
        Thing { kind: kind.to_owned(), ..Thing::default() }
    }

    /// Sets a field, or replaces it with its origin.
    pub(super) fn set(&mut self, name: &'static str, value: Value, origin: Origin) {
        match self.fields.iter_mut().find(|f| f.0 == name) {
            Some(field) => field.1 = value,
            None => self.fields.push((name, value)),
        }
        self.sources.insert(name, origin);
    }

    /// Removes a field with its origin, and returns its value.
    pub(super) fn remove(&mut self, name: &str) -> Option<Value> {
        self.sources.remove(name);
        self.fields.iter().position(|f| f.0 == name).map(|i| self.fields.remove(i).1)
    }

    /// Adds the fields of another declaration that this one lacks, with their origins.
    pub(super) fn fill(&mut self, other: Thing) {
        let Thing { fields, mut sources, .. } = other;
        for (name, value) in fields {
            if self.get(name).is_none() {
                self.fields.push((name, value));
                self.sources.extend(sources.remove_entry(name));
            }
        }
    }

    /// Returns a field, or a field of a field: `offers.price`. Of a list the first element counts.
    pub fn get(&self, path: &str) -> Option<&Value> {
        let mut names = path.split('.');
        let first = names.next()?;
        let mut value = find(&self.fields, first)?;
        for name in names {
            value = value.first()?.field(name)?;
        }
        Some(value)
    }

    /// Returns the text of a field; see [`Thing::get`].
    pub fn text(&self, path: &str) -> Option<&str> {
        self.get(path)?.first()?.text()
    }
}

/// Returns the value of a field.
pub(super) fn find<'a>(fields: &'a [(&'static str, Value)], name: &str) -> Option<&'a Value> {
    fields.iter().find(|f| f.0 == name).map(|f| &f.1)
}

impl Value {
    pub(super) fn object(fields: Vec<(&'static str, Value)>) -> Value {
        Value::Object(Object(fields))
    }

    /// Returns a list; `None` if it is empty.
    pub(super) fn list(values: impl IntoIterator<Item = Value>) -> Option<Value> {
        let values: Vec<Value> = values.into_iter().collect();
        (!values.is_empty()).then_some(Value::List(values))
    }

    /// Returns a list of texts; `None` if it is empty.
    pub(super) fn texts(texts: impl IntoIterator<Item = String>) -> Option<Value> {
        Value::list(texts.into_iter().map(Value::Text))
    }

    /// Returns the values of a list, or the value alone.
    pub(super) fn into_values(self) -> Vec<Value> {
        match self {
            Value::List(values) => values,
            value => vec![value],
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a field of an object.
    pub(super) fn field(&self, name: &str) -> Option<&Value> {
        find(&self.as_object()?.0, name)
    }

    /// Returns the first element of a list, or the value itself.
    fn first(&self) -> Option<&Value> {
        match self {
            Value::List(values) => values.first(),
            value => Some(value),
        }
    }

    fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for Thing {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.fields.len() + 2))?;
        map.serialize_entry("type", &self.kind)?;
        for (name, value) in &self.fields {
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry("sources", &self.sources)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_declaration_fills_only_gaps() {
        let of = |from| Origin { from, probability: 0.9 };
        let text = |t: &str| Value::Text(t.to_owned());
        let (mut first, mut second) = (Thing::new("Book"), Thing::new("Book"));
        first.set("publisher", text("Moss"), of("json-ld"));
        second.set("publisher", text("Fern"), of("rdfa"));
        second.set("name", text("Tides"), of("rdfa"));
        first.fill(second);
        assert_eq!(first.fields, [("publisher", text("Moss")), ("name", text("Tides"))]);
        assert_eq!((first.sources["name"].from, first.sources["publisher"].from), ("rdfa", "json-ld"));
        assert_eq!((first.remove("name"), first.remove("name")), (Some(text("Tides")), None));
    }
}
