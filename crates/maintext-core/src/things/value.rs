//! Typed objects and the values of their fields.
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// An object that a page describes: a product, a recipe, an event.
///
/// Serialises to an object of `type`, the fields in order, and `sources`. Fields are absent if the page does not state them.
///
/// ```
/// use maintext_core::{Extractor, Options};
/// let html = r#"<script type="application/ld+json">{"@type": "Product", "name": "Kettle", "offers": {"price": "19.90", "priceCurrency": "EUR"}}</script>"#;
/// let page = Extractor::new(Options { things: true, ..Options::default() })?.extract(html)?;
/// let kettle = &page.things[0];
/// assert_eq!(kettle.kind, "Product");
/// assert_eq!(kettle.text("offers.price"), Some("19.90"));
/// # Ok::<(), maintext_core::Error>(())
/// ```
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
    /// Returns a field, or a field of a field: `offers.price`. Of a list the first element counts.
    pub fn get(&self, path: &str) -> Option<&Value> {
        let mut names = path.split('.');
        let first = names.next()?;
        let mut value = find(&self.fields, first)?;
        for name in names {
            value = find(&value.first()?.object()?.0, name)?;
        }
        Some(value)
    }

    /// Returns the text of a field; see [`Thing::get`].
    pub fn text(&self, path: &str) -> Option<&str> {
        match self.get(path)?.first()? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

fn find<'a>(fields: &'a [(&'static str, Value)], name: &str) -> Option<&'a Value> {
    fields.iter().find(|f| f.0 == name).map(|f| &f.1)
}

impl Value {
    /// Returns the first element of a list, or the value itself.
    fn first(&self) -> Option<&Value> {
        match self {
            Value::List(values) => values.first(),
            value => Some(value),
        }
    }

    fn object(&self) -> Option<&Object> {
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
