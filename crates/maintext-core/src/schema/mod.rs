//! Objects in the caller's own schema: a JSON Schema whose properties name things, fields or CSS selectors.
//!
//! `parse` reads the schema, `fill` finds the values of a page, and `convert` gives them the types that the schema wants. A value
//! that cannot be converted is absent.
mod convert;
mod fill;
mod parse;

use crate::page::Page;
use maintext_page::dom::Dom;
use maintext_page::warnings::Warning;
use parse::SchemaTree;
use std::fmt;
use std::sync::Arc;
use url::Url;

/// A JSON Schema that also gives the sources of its values.
///
/// A property is found by its name: a type of [`things`](maintext_things::things) (`product`), a field of one (`price`, `priceCurrency`), or
/// a field of the page (`title`, `date`, `text`). Three keywords select a value instead of its name: `x-maintext` by a path
/// (`Product.offers.price`), `x-selector` by elements, and `x-attribute` by an attribute of these. Below a property with a selector,
/// selectors apply to each of its elements.
///
/// ```
/// use maintext_core::{Options, extract, schema::Schema};
/// let schema = Schema::parse(r#"{"type": "object", "required": ["price"], "properties": {
///     "price": {"type": "number"}, "colours": {"type": "array", "items": {"type": "string"}, "x-selector": ".colours li"}}}"#)?;
/// let html = r#"<script type="application/ld+json">{"@type": "Product", "name": "Kettle", "offers": {"price": "19.90"}}</script>
///     <ul class=colours><li>red<li>green</ul>"#;
/// let page = extract(html, &Options { schema: Some(schema), ..Options::default() })?;
/// assert_eq!(page.data.as_deref(), Some(r#"{"price":19.9,"colours":["red","green"]}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Schema {
    tree: Arc<SchemaTree>,
}

/// The reason for refusing a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// The position in the schema: `properties.price`; empty for the whole.
    pub at: String,
    /// The reason in words.
    pub message: String,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at.as_str() {
            "" => f.write_str(&self.message),
            at => write!(f, "{at}: {}", self.message),
        }
    }
}

impl std::error::Error for SchemaError {}

/// The values of a page for a schema.
pub(crate) struct Filled {
    /// The object as JSON; `None` if a required property has no value.
    pub data: Option<String>,
    /// The required properties without a value: `offers.price`.
    pub missing: Vec<String>,
    /// Number of values beyond the limits.
    pub left_out: usize,
    /// The warning of the selector that spent the page's budget.
    pub spent: Option<Warning>,
}

impl Schema {
    /// Reads a schema, at most 1 MB of JSON with 500 selectors. `$ref` may refer to places inside it.
    ///
    /// # Errors
    /// The text is not a JSON Schema of an object, or names a selector or a path that does not exist.
    pub fn parse(json: &str) -> Result<Schema, SchemaError> {
        Ok(Schema { tree: Arc::new(SchemaTree::parse(json)?) })
    }

    /// Returns the values of a page. `page` has its things.
    pub(crate) fn fill(&self, page: &Page, dom: &Dom<'_>, base: Option<&Url>) -> Filled {
        fill::fill(&self.tree, page, dom, base)
    }
}
