//! The columns of a table, which are also the keys of a JSON object.
//!
//! A row is written as a line of JSON, with the keys of [`maintext_core::Page`] plus `id` and `error`, or becomes a row of an Arrow table with the
//! same names and contents.
use arrow_array::RecordBatch;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float32Builder, Int32Builder, ListBuilder, StringBuilder, StructBuilder, make_builder,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use maintext_chunks::Chunk;
use maintext_core::{Fields as Parts, Formats, Options, Page};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// A row before it is written.
#[derive(Serialize)]
struct DraftRow<'a> {
    id: Option<&'a str>,
    #[serde(flatten)]
    page: &'a Page,
    error: Option<&'a str>,
}

/// A row of a table before it is written: values by field. [`Columns::table`] takes the values of its columns.
pub type Values = Map<String, Value>;

/// The columns to write, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// `None` means all columns, in the order of [`Page`].
    chosen: Option<Vec<ChosenColumn>>,
    /// Columns that steps add after all columns; empty if columns were selected by name.
    added: Vec<&'static str>,
    rows: Rows,
}

/// What a row holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// A page.
    #[default]
    Pages,
    /// A chunk of a page, with fields of the page.
    Chunks,
}

/// A column that was selected by name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ChosenColumn {
    /// The name in the output.
    name: String,
    /// The field of the page.
    field: String,
}

/// Values of columns that a run adds to a page, by name.
pub type Extra = Vec<(&'static str, Value)>;

/// Columns that the run adds to the columns of the page.
const ADDED: &[&str] = &["captured", "file", "dump", "language_score", "script", "languages", "token_count", "chunks"];
/// The fields of a chunk, which are the columns of rows with a chunk each.
const CHUNK: &[&str] = &[
    "index",
    "text",
    "tokens",
    "headings",
    "kinds",
    "links",
    "start",
    "end",
    "overlap",
    "source_start",
    "source_end",
    "oversized",
];
/// The fields of the data set FineWeb, in its order: the schema of corpora that other programs read.
const FINEWEB: &[&str] =
    &["text", "id", "dump", "url", "date=captured", "file_path=file", "language", "language_score", "token_count"];

impl Columns {
    /// All columns.
    #[must_use]
    pub fn all() -> Columns {
        Columns { chosen: None, added: Vec::new(), rows: Rows::Pages }
    }

    /// The columns of rows with a chunk each: the page's id, address and title, the fields of the chunk, and the error of a failed page.
    #[must_use]
    pub fn of_chunks() -> Columns {
        let names = ["id", "url", "title"].iter().chain(CHUNK).chain(&["error"]);
        let chosen = names.map(|name| ChosenColumn { name: name.to_string(), field: name.to_string() }).collect();
        Columns { chosen: Some(chosen), added: Vec::new(), rows: Rows::Chunks }
    }

    /// Selects columns by name. `NAME=FIELD` renames a field, and `fineweb` stands for the fields of that data set.
    ///
    /// ```
    /// use maintext_batch::Columns;
    /// assert_eq!(Columns::new(&["url", "content=markdown"]).unwrap().names(), ["url", "content"]);
    /// assert_eq!(Columns::new(&["fineweb", "title"]).unwrap().names()[..4], ["text", "id", "dump", "url"]);
    /// ```
    ///
    /// # Errors
    /// A message that names the first unknown or repeated column and lists the known ones.
    pub fn new<S: AsRef<str>>(names: &[S]) -> Result<Columns, String> {
        Columns::select(names, Rows::Pages)
    }

    /// Selects columns of such rows by name. Rows of chunks have the fields of a page and of a chunk; `text` is the chunk's.
    ///
    /// # Errors
    /// The same as of [`Columns::new`].
    pub fn select<S: AsRef<str>>(names: &[S], rows: Rows) -> Result<Columns, String> {
        let mut known = Columns::known();
        known.extend(ADDED.iter().filter(|name| rows == Rows::Pages || **name != "chunks").map(ToString::to_string));
        if rows == Rows::Chunks {
            known.extend(CHUNK.iter().filter(|name| **name != "text").map(ToString::to_string));
        }
        let mut chosen: Vec<ChosenColumn> = Vec::new();
        let names = names.iter().map(|n| n.as_ref().trim());
        for part in names.flat_map(|name| if name == "fineweb" { FINEWEB.to_vec() } else { vec![name] }) {
            let (name, field) = part.split_once('=').unwrap_or((part, part));
            if !known.iter().any(|k| k == field) {
                return Err(format!("unknown field '{field}'; the fields are: {}", known.join(", ")));
            }
            if name.is_empty() || name.contains(|c: char| c == '"' || c == '\\' || c.is_control()) {
                return Err(format!("'{part}': a field needs a name without quotes"));
            }
            if chosen.iter().any(|c| c.name == name) {
                return Err(format!("field '{name}' is listed twice"));
            }
            chosen.push(ChosenColumn { name: name.to_owned(), field: field.to_owned() });
        }
        if chosen.is_empty() {
            Err("the list of fields is empty".into())
        } else {
            Ok(Columns { chosen: Some(chosen), added: Vec::new(), rows })
        }
    }

    /// Returns the names of all columns, in order.
    #[must_use]
    pub fn known() -> Vec<String> {
        let line = line(None, &Page::default(), None);
        // Visiting the object keeps the order of its keys; a map would not.
        struct ColumnKeys(Vec<String>);
        impl<'de> serde::de::Visitor<'de> for ColumnKeys {
            type Value = Vec<String>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(mut self, mut map: A) -> Result<Vec<String>, A::Error> {
                while let Some((key, _)) = map.next_entry::<String, serde::de::IgnoredAny>()? {
                    self.0.push(key);
                }
                Ok(self.0)
            }
        }
        let mut reader = serde_json::Deserializer::from_slice(&line);
        serde::Deserializer::deserialize_map(&mut reader, ColumnKeys(Vec::new())).unwrap_or_default()
    }

    /// Returns the names of the selected columns, in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.chosen().into_iter().map(|column| column.name).collect()
    }

    fn chosen(&self) -> Vec<ChosenColumn> {
        let added = self.added.iter().map(ToString::to_string);
        self.chosen.clone().unwrap_or_else(|| {
            Columns::known().into_iter().chain(added).map(|name| ChosenColumn { field: name.clone(), name }).collect()
        })
    }

    /// Whether a column is selected.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.iter().any(|c| c.field == name))
    }

    /// Describes the columns in a few words: two descriptions differ if the columns do.
    pub(crate) fn describe(&self) -> String {
        let chosen = self
            .chosen
            .iter()
            .flatten()
            .map(|c| if c.name == c.field { c.name.clone() } else { format!("{}={}", c.name, c.field) });
        let all = self.chosen.is_none().then(|| "all".to_owned());
        all.into_iter().chain(chosen).chain(self.added.iter().map(ToString::to_string)).collect::<Vec<_>>().join(",")
    }

    /// Whether a column was selected by name.
    #[must_use]
    pub(crate) fn names_field(&self, name: &str) -> bool {
        self.chosen.is_some() && self.has(name)
    }

    /// Whether columns were selected by name that require classifying the page type: `page_type`, `entries`.
    #[must_use]
    pub fn tells_page_type(&self) -> bool {
        self.names_field("page_type") || self.names_field("entries")
    }

    /// Whether `things` was selected by name; among all columns it is empty unless the options request it.
    #[must_use]
    pub fn tells_things(&self) -> bool {
        self.names_field("things")
    }

    /// Returns the formats that the library has to render for these columns. Typed blocks are large, so only their name selects them; among
    /// all columns they are null.
    #[must_use]
    pub fn formats(&self) -> Formats {
        let (markdown, html) = (self.has("markdown"), self.has("html"));
        let text = self.has("text") && self.rows == Rows::Pages;
        Formats { text, markdown, html, blocks: self.names_field("blocks"), xml: false }
    }

    /// Returns what a row holds.
    #[must_use]
    pub fn rows(&self) -> Rows {
        self.rows
    }

    /// Whether chunks are needed: rows hold them, or the field `chunks` was selected.
    #[must_use]
    pub fn tells_chunks(&self) -> bool {
        self.rows == Rows::Chunks || self.names_field("chunks")
    }

    /// Returns the parts of the page that the library has to compute for these columns in addition to the formats.
    #[must_use]
    pub fn parts(&self) -> Parts {
        match &self.chosen {
            None => Parts::ALL,
            Some(chosen) => Parts::of(chosen.iter().map(|c| c.field.as_str())),
        }
    }

    /// Sets the options that follow from these columns: formats and other parts of the page.
    pub fn ask(&self, options: &mut Options) {
        options.formats = self.formats();
        options.fields = self.parts();
        options.page_type |= self.tells_page_type();
        options.things |= self.tells_things();
    }

    /// Returns the columns without the named one.
    #[must_use]
    pub fn without(&self, dropped: &[&str]) -> Columns {
        let chosen = self.chosen().into_iter().filter(|c| !dropped.contains(&c.field.as_str())).collect();
        Columns { chosen: Some(chosen), added: Vec::new(), rows: self.rows }
    }

    /// Returns a row as one line with a JSON object.
    #[must_use]
    pub fn json(&self, id: Option<&str>, page: &Page, error: Option<&str>) -> Vec<u8> {
        self.json_with(id, page, error, &Extra::new())
    }

    /// Returns a row with further values as one line with a JSON object.
    #[must_use]
    pub fn json_with(&self, id: Option<&str>, page: &Page, error: Option<&str>, extra: &Extra) -> Vec<u8> {
        let mut whole = line(id, page, error);
        // The places of failed rows are no columns.
        let missing =
            self.added.iter().filter(|n| !extra.iter().any(|(name, _)| name == *n)).map(|n| (*n, &Value::Null));
        let values = extra
            .iter()
            .filter(|(name, _)| {
                self.chosen.is_some() || self.added.contains(name) || matches!(*name, "line" | "row" | "record")
            })
            .map(|(name, value)| (*name, value));
        for (i, (name, value)) in values.chain(missing).enumerate() {
            if i == 0 {
                whole.truncate(whole.len().saturating_sub(2));
            }
            whole.extend_from_slice(format!(",\"{name}\":{value}").as_bytes());
        }
        if !whole.ends_with(b"}\n") {
            whole.extend_from_slice(b"}\n");
        }
        let Some(chosen) = &self.chosen else { return whole };
        // Cuts the values out of the whole line, so that numbers keep their notation.
        let values: RawValues<'_> = serde_json::from_slice(&whole).unwrap_or_default();
        let mut out = Vec::with_capacity(whole.len());
        write_chosen(chosen, &[&values], &mut out);
        out
    }

    /// Returns the selected values of a row as a line with a JSON object.
    pub(crate) fn line_of(&self, values: &RawValues<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        write_chosen(&self.chosen(), &[values], &mut out);
        out
    }

    /// Returns the rows of a page's chunks, each as a line with a JSON object.
    #[must_use]
    pub fn chunk_rows(&self, id: Option<&str>, page: &Page, extra: &Extra, chunks: &[Chunk]) -> Vec<u8> {
        let Some(chosen) = &self.chosen else { return Vec::new() };
        let all = Columns { chosen: None, added: extra.iter().map(|(name, _)| *name).collect(), rows: Rows::Pages };
        let whole = all.json_with(id, page, None, extra);
        let of_page: RawValues<'_> = serde_json::from_slice(&whole).unwrap_or_default();
        let mut out = Vec::new();
        for chunk in chunks {
            let whole = serde_json::to_vec(chunk).unwrap_or_default();
            let of_chunk: RawValues<'_> = serde_json::from_slice(&whole).unwrap_or_default();
            write_chosen(chosen, &[&of_chunk, &of_page], &mut out);
        }
        out
    }

    /// Returns a row for [`Columns::table`], with further values.
    #[must_use]
    pub fn values(&self, id: Option<&str>, page: &Page, error: Option<&str>, extra: &Extra) -> Values {
        // Writing to memory cannot fail, because a record has string keys only.
        let mut values = object(&DraftRow { id, page, error });
        if let (Some(things), false) = (values.get_mut("things"), page.things.is_empty()) {
            // Their column is text, in which numbers of single precision keep their notation.
            let json = serde_json::to_string(&page.things).unwrap_or_default();
            *things = serde_json::from_str(&json).unwrap_or_default();
        }
        values.extend(extra.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        if let Some(chosen) = &self.chosen {
            values.retain(|name, _| chosen.iter().any(|c| c.field == *name));
        }
        values
    }

    /// Returns the rows of a page's chunks for [`Columns::table`].
    #[must_use]
    pub fn chunk_values(&self, id: Option<&str>, page: &Page, extra: &Extra, chunks: &[Chunk]) -> Vec<Values> {
        let of_page = self.values(id, page, None, extra);
        chunks.iter().map(|chunk| of_page.clone().into_iter().chain(object(chunk)).collect()).collect()
    }

    /// Returns a row with an error instead of a row that is too large. It keeps short values, such as the id and the address.
    pub(crate) fn too_large(mut row: Values, limit: usize) -> Values {
        /// Maximum size of a value that stays, in bytes.
        const SHORT: usize = 1_000;
        let message = format!("the row has {} bytes, more than the {limit} that a table can hold", row_size(&row));
        row.retain(|_, value| value_size(value) <= SHORT);
        row.insert("error".into(), message.into());
        row
    }

    /// Returns the Arrow schema of these columns. Lists are empty instead of null; everything else may be null.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        let fields: Vec<Field> = self.chosen().iter().map(|c| field(&c.field).with_name(&c.name)).collect();
        Arc::new(Schema::new(fields))
    }

    /// Builds a table from rows.
    ///
    /// # Errors
    /// A column has more than 2 GiB of text, which Arrow's offsets do not reach.
    pub fn table(&self, rows: &[Values]) -> Result<RecordBatch, ArrowError> {
        self.table_within(rows, i32::MAX as usize)
    }

    /// Builds a table whose columns have at most this many bytes of text.
    fn table_within(&self, rows: &[Values], limit: usize) -> Result<RecordBatch, ArrowError> {
        let schema = self.schema();
        let mut builders: Vec<_> = schema.fields().iter().map(|f| make_builder(f.data_type(), rows.len())).collect();
        let chosen = self.chosen();
        for row in rows {
            for ((column, field), builder) in chosen.iter().zip(schema.fields()).zip(&mut builders) {
                push(builder, field.data_type(), row.get(&column.field).unwrap_or(&Value::Null), limit)?;
            }
        }
        let arrays = builders.iter_mut().map(|column| column.finish()).collect();
        // A table without columns would lose its number of rows, but there is always at least one column.
        RecordBatch::try_new(schema, arrays)
    }
}

/// Returns the fields of a value that is an object.
fn object(value: &impl Serialize) -> Values {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Values::new(),
    }
}

/// Returns about the bytes that a row has as JSON.
pub(crate) fn row_size(row: &Values) -> usize {
    row.iter().map(|(name, value)| name.len() + 4 + value_size(value)).sum::<usize>() + 2
}

/// Returns about the bytes that a value has as JSON.
fn value_size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        Value::String(text) => text.len() + 2,
        // Recursion is safe: rows have a fixed depth.
        Value::Array(items) => items.iter().map(|item| value_size(item) + 1).sum::<usize>() + 2,
        Value::Object(fields) => row_size(fields),
    }
}

/// Returns the whole row as a line of JSON.
fn line(id: Option<&str>, page: &Page, error: Option<&str>) -> Vec<u8> {
    // Writing to memory cannot fail, because a record has string keys only.
    let mut line = serde_json::to_vec(&DraftRow { id, page, error }).unwrap_or_default();
    line.push(b'\n');
    line
}

/// The values of a row by their keys, as they are written.
pub(crate) type RawValues<'a> = HashMap<String, &'a RawValue>;

/// Writes the chosen values as a line, from the first of the rows that has them.
fn write_chosen(chosen: &[ChosenColumn], rows: &[&RawValues<'_>], out: &mut Vec<u8>) {
    for (i, ChosenColumn { name, field }) in chosen.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b"{\"" } else { b",\"" });
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        let value = rows.iter().find_map(|row| row.get(field));
        out.extend_from_slice(value.map_or("null", |v| v.get()).as_bytes());
    }
    out.extend_from_slice(b"}\n");
}

/// Keys of the posts in a thread and of comments.
const POST: &[&str] = &["author", "author_url", "date", "date_text", "text", "url", "depth"];
/// Keys of the objects in a list.
const OBJECTS: &[(&str, &[&str])] = &[
    ("posts", POST),
    ("comments", POST),
    ("images", &["src", "alt", "caption"]),
    (
        "entries",
        &[
            "title", "url", "href", "summary", "date", "author", "image", "price", "rating", "place", "replies",
            "category", "links", "position", "group",
        ],
    ),
    ("warnings", &["code", "message"]),
    ("alternates", &["language", "url"]),
    ("hidden", &["reason", "element", "words", "text"]),
    ("links", &["text", "href"]),
    ("chunks", CHUNK),
    ("languages", &["language", "script", "share"]),
];
/// Columns and keys of those objects with whole numbers.
const COUNTS: &[&str] = &[
    "status",
    "hidden_words",
    "position",
    "group",
    "replies",
    "depth",
    "words",
    "reading_minutes",
    "token_count",
    "index",
    "tokens",
    "start",
    "end",
    "overlap",
    "source_start",
    "source_end",
];
/// Columns and keys that are lists of strings.
const LISTS: &[&str] = &["authors", "categories", "tags", "breadcrumb", "feeds", "videos", "headings", "kinds"];

/// Returns the name and type of a column or of a key. One that is not listed here is text; values other than strings are written as JSON.
fn field(name: &str) -> Field {
    let kind = match name {
        "confidence" | "language_score" | "share" => DataType::Float32,
        "accessible_for_free" | "oversized" => DataType::Boolean,
        _ if COUNTS.contains(&name) => DataType::Int32,
        _ if LISTS.contains(&name) => list(DataType::Utf8),
        _ => match OBJECTS.iter().find(|(n, _)| *n == name) {
            Some((_, keys)) => list(DataType::Struct(keys.iter().map(|key| field(key)).collect())),
            None => DataType::Utf8,
        },
    };
    Field::new(name, kind, true)
}

fn list(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

/// Adds a value to an array of such a type, whose texts together have at most `limit` bytes.
fn push(builder: &mut dyn ArrayBuilder, kind: &DataType, value: &Value, limit: usize) -> Result<(), ArrowError> {
    let any = builder.as_any_mut();
    if let Some(texts) = any.downcast_mut::<StringBuilder>() {
        let text = match value {
            Value::Null => None,
            Value::String(text) => Some(Cow::Borrowed(text.as_str())),
            other => Some(other.to_string().into()),
        };
        let bytes = texts.values_slice().len() + text.as_ref().map_or(0, |text| text.len());
        if bytes > limit {
            return Err(ArrowError::OffsetOverflowError(bytes));
        }
        texts.append_option(text);
    } else if let Some(counts) = any.downcast_mut::<Int32Builder>() {
        counts.append_option(value.as_u64().and_then(|v| i32::try_from(v).ok()));
    } else if let Some(numbers) = any.downcast_mut::<Float32Builder>() {
        numbers.append_option(value.as_f64().map(|v| v as f32));
    } else if let Some(flags) = any.downcast_mut::<BooleanBuilder>() {
        flags.append_option(value.as_bool());
    } else if let (Some(lists), DataType::List(item)) = (any.downcast_mut::<ListBuilder<Box<dyn ArrayBuilder>>>(), kind)
    {
        for value in value.as_array().into_iter().flatten() {
            push(lists.values(), item.data_type(), value, limit)?;
        }
        lists.append(true);
    } else if let (Some(objects), DataType::Struct(fields)) =
        (builder.as_any_mut().downcast_mut::<StructBuilder>(), kind)
    {
        for (field, column) in fields.iter().zip(objects.field_builders_mut()) {
            push(column, field.data_type(), &value[field.name()], limit)?;
        }
        objects.append(true);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float32Type;
    use maintext_core::Input;

    fn page() -> Page {
        let html = "<html lang=en><title>On rivers</title><article><p>The river rose in the night, and the meadows lay under \
                    water until noon.</p><p>Nobody had expected it, and the ferry was late <img src=/a.png alt=ferry> again.</p>";
        let options = maintext_core::Options { url: Some("http://e.org/a".into()), ..Default::default() };
        maintext_core::extract(html, &options).unwrap()
    }

    #[test]
    fn selected_columns_keep_the_order_of_the_selection() {
        let columns = Columns::new(&["title", "id", "confidence"]).unwrap();
        let whole: Value = serde_json::from_slice(&Columns::all().json(Some("7"), &page(), None)).unwrap();
        let line = String::from_utf8(columns.json(Some("7"), &page(), None)).unwrap();
        let confidence = serde_json::to_string(&page().confidence).unwrap();
        assert_eq!(line, format!("{{\"title\":{},\"id\":\"7\",\"confidence\":{confidence}}}\n", whole["title"]));
        assert!(!columns.formats().text && Columns::all().formats().html);
        assert!(Columns::new(&["blocks"]).unwrap().formats().blocks && !Columns::all().formats().blocks);
    }

    #[test]
    fn columns_ask_for_their_parts_alone() {
        let asked = |names: &[&str]| {
            let mut options = Options::default();
            Columns::new(names).unwrap().ask(&mut options);
            options
        };
        let few = asked(&["id", "content=text"]);
        assert_eq!((few.fields, few.formats), (Parts::NONE, Formats { text: true, ..Formats::NONE }));
        let more = asked(&["when=date", "entries", "markdown"]);
        assert_eq!(
            (more.fields, more.formats.text, more.formats.markdown, more.page_type),
            (Parts::DATE, false, true, true)
        );
        assert_eq!(Columns::all().parts(), Parts::ALL);
    }

    #[test]
    fn unknown_and_repeated_columns_are_refused() {
        assert!(
            Columns::new(&["id", "titel"]).unwrap_err().starts_with("unknown field 'titel'; the fields are: id, url, ")
        );
        assert!(Columns::new(&["id", "id"]).is_err());
        assert!(Columns::new::<&str>(&[]).is_err());
    }

    #[test]
    fn a_table_has_the_same_contents_as_the_lines() {
        let columns = Columns::all();
        let extra = Extra::new();
        let failed = columns.values(None, &Page::default(), Some("broken"), &extra);
        let table = columns.table(&[columns.values(Some("a"), &page(), None, &extra), failed]).unwrap();
        assert_eq!((table.num_rows(), table.num_columns()), (2, Columns::known().len()));
        let text = |name: &str| table.column_by_name(name).unwrap().as_string::<i32>().clone();
        assert_eq!(text("text").value(0), page().text());
        assert!(text("id").is_null(1) && text("text").is_null(1));
        assert_eq!(text("error").value(1), "broken");
        let confidence = table.column_by_name("confidence").unwrap().as_primitive::<Float32Type>();
        assert_eq!(Some(confidence.value(0)), page().confidence);
        let images = table.column_by_name("images").unwrap().as_list::<i32>();
        assert_eq!((images.value(0).len(), images.value(1).len(), images.null_count()), (page().images.len(), 0, 0));
    }

    #[test]
    fn typed_blocks_are_an_array_in_lines_and_text_in_tables() {
        let mut page = Page::default();
        page.blocks = Some(r#"[{"type":"rule"}]"#.into());
        let columns = Columns::new(&["blocks"]).unwrap();
        let line = columns.json(None, &page, None);
        assert_eq!(String::from_utf8_lossy(&line), "{\"blocks\":[{\"type\":\"rule\"}]}\n");
        let table = columns.table(&[columns.values(None, &page, None, &Extra::new())]).unwrap();
        let blocks = table.column_by_name("blocks").unwrap().as_string::<i32>().clone();
        assert_eq!(blocks.value(0), r#"[{"type":"rule"}]"#);
    }

    #[test]
    fn things_are_an_array_in_lines_and_text_in_tables() {
        let html = r#"<script type="application/ld+json">{"@type": "Book", "name": "On \"rivers\"", "numberOfPages": 96}</script>"#;
        let options = maintext_core::Options { things: true, ..Default::default() };
        let page = maintext_core::extract(html, &options).unwrap();
        let columns = Columns::new(&["things"]).unwrap();
        assert!(columns.tells_things() && !Columns::all().tells_things());
        let line = columns.json(None, &page, None);
        let book = &serde_json::from_slice::<Value>(&line).unwrap()["things"][0];
        assert_eq!((&book["name"], &book["pages"]), (&"On \"rivers\"".into(), &96.into()));
        let failed = columns.values(None, &Page::default(), Some("broken"), &Extra::new());
        let table = columns.table(&[columns.values(None, &page, None, &Extra::new()), failed]).unwrap();
        let things = table.column_by_name("things").unwrap().as_string::<i32>().clone();
        assert_eq!(serde_json::from_str::<Value>(things.value(0)).unwrap()[0], *book);
        assert_eq!(things.value(1), "[]");
    }

    #[test]
    fn posts_and_comments_are_written_to_lines_and_tables() {
        let post = |depth| {
            let mut post = maintext_core::Comment::default();
            (post.author, post.text, post.depth) = (Some("Ada".into()), format!("Post {depth}"), depth);
            post
        };
        let mut page = Page::default();
        (page.posts, page.comments) = (vec![post(0), post(1)], vec![post(2)]);
        let columns = Columns::new(&["posts", "comments"]).unwrap();
        let line = columns.json(None, &page, None);
        let value: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!((&value["posts"][1]["text"], &value["comments"][0]["author"]), (&"Post 1".into(), &"Ada".into()));
        let table = columns.table(&[columns.values(None, &page, None, &Extra::new())]).unwrap();
        let posts = table.column_by_name("posts").unwrap().as_list::<i32>().value(0);
        let field = |name: &str| posts.as_struct().column_by_name(name).unwrap().clone();
        assert_eq!(
            (field("text").as_string::<i32>().value(1), field("author").as_string::<i32>().value(0)),
            ("Post 1", "Ada")
        );
        assert_eq!(field("depth").as_primitive::<arrow_array::types::Int32Type>().values(), &[0, 1]);
    }

    #[test]
    fn a_column_beyond_the_offsets_is_an_error() {
        let columns = Columns::new(&["id", "text", "tags"]).unwrap();
        let row = object(&serde_json::json!({"id": "a", "text": "0123456789", "tags": ["0123", "4567"]}));
        assert_eq!(columns.table_within(&[row.clone(), row.clone()], 20).unwrap().num_rows(), 2);
        let error = columns.table_within(&[row.clone(), row.clone(), row.clone()], 20).unwrap_err();
        assert!(matches!(error, ArrowError::OffsetOverflowError(30)), "{error}");
        let error = columns.table_within(&[row], 9).unwrap_err().to_string();
        assert!(error.contains("10"), "{error}");
    }

    #[test]
    fn lists_and_numbers_have_columns_of_their_type() {
        let row: Value = serde_json::from_slice(&line(None, &page(), None)).unwrap();
        for name in Columns::known() {
            let kind = field(&name);
            let kind = kind.data_type();
            match &row[&name] {
                // Objects of many types: JSON in a column of text.
                Value::Array(_) if name == "things" => assert_eq!(kind, &DataType::Utf8),
                Value::Array(_) => assert!(matches!(kind, DataType::List(_)), "{name}: add it to LISTS or OBJECTS"),
                Value::Number(_) => assert!(matches!(kind, DataType::Float32 | DataType::Int32), "{name} is {kind}"),
                Value::Bool(_) => assert_eq!(kind, &DataType::Boolean, "{name}"),
                _ => {}
            }
        }
    }

    #[test]
    fn objects_have_a_field_for_each_of_their_keys() {
        let mut page = Page::default();
        page.posts.push(Default::default());
        page.comments.push(Default::default());
        page.images.push(Default::default());
        page.entries.push(Default::default());
        page.metadata.alternates.push(Default::default());
        page.warnings.push(maintext_core::Warning::new(maintext_core::WarningCode::NoContent, ""));
        let html = include_str!("../../../examples/news-en.html");
        page.hidden = maintext_core::extract(html, &Default::default()).unwrap().hidden;
        let row: Value = serde_json::from_slice(&line(None, &page, None)).unwrap();
        for (name, keys) in OBJECTS.iter().filter(|o| o.0 != "links" && !ADDED.contains(&o.0)) {
            let mut found: Vec<&String> = row[name][0].as_object().unwrap().keys().collect();
            let mut keys: Vec<&str> = keys.to_vec();
            found.sort();
            keys.sort_unstable();
            assert_eq!(found, keys, "keys of {name}: add new keys to OBJECTS");
        }
    }

    fn chunked(html: &str) -> (Page, Vec<Chunk>) {
        let form = maintext_chunks::PieceForm::Markdown;
        let options = maintext_core::Options { pieces: Some(form), ..Default::default() };
        let page = maintext_core::Extractor::new(options)
            .unwrap()
            .extract(Input { whole: true, ..Input::at(html, Some("http://e.org/"), None) })
            .unwrap();
        let tokenizer = maintext_chunks::Tokenizer::named("words").unwrap();
        let chunks = maintext_chunks::chunks(&page, &maintext_chunks::Settings::new(tokenizer, 8));
        (page, chunks)
    }

    const FERRY: &str = "<h1>Ferry</h1><p>It leaves at nine with <a href=/dogs>dogs</a> on board.</p><h2>Return</h2><p>It returns at six.</p>";

    #[test]
    fn chunks_are_a_column_of_structs() {
        let (page, chunks) = chunked(FERRY);
        let columns = Columns::new(&["id", "chunks"]).unwrap();
        assert!(columns.tells_chunks() && !Columns::all().tells_chunks());
        let row = columns.values(Some("a"), &page, None, &vec![("chunks", serde_json::json!(chunks))]);
        let mut keys: Vec<&str> = row["chunks"][0].as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = CHUNK.to_vec();
        keys.sort_unstable();
        expected.sort_unstable();
        assert_eq!(keys, expected, "keys of a chunk: add new keys to CHUNK");
        let failed = columns.values(Some("b"), &Page::default(), Some("broken"), &Extra::new());
        let table = columns.table(&[row, failed]).unwrap();
        let column = table.column_by_name("chunks").unwrap().as_list::<i32>();
        assert_eq!((column.value(0).len(), column.value(1).len()), (chunks.len(), 0));
        let all = column.value(0);
        let last = chunks.len() - 1;
        let of = |name: &str| all.as_struct().column_by_name(name).unwrap().clone();
        assert_eq!(of("text").as_string::<i32>().value(last), "## Return\n\nIt returns at six.");
        assert_eq!(of("headings").as_list::<i32>().value(last).as_string::<i32>().value(1), "Return");
        assert_eq!(
            of("start").as_primitive::<arrow_array::types::Int32Type>().value(last) as usize,
            chunks[last].start
        );
        assert!(!of("oversized").as_boolean().value(last));
        let link = chunks.iter().position(|c| !c.links.is_empty()).unwrap();
        let links = of("links").as_list::<i32>().value(link);
        let address = links.as_struct().column_by_name("href").unwrap().as_string::<i32>().value(0).to_owned();
        assert_eq!(address, "http://e.org/dogs");
    }

    #[test]
    fn rows_of_chunks_have_fields_of_the_page_beside_them() {
        let (page, chunks) = chunked(FERRY);
        let columns = Columns::select(&["id", "url", "part=index", "text", "words", "dump"], Rows::Chunks).unwrap();
        let extra = vec![("dump", "D".into())];
        let rows = columns.chunk_rows(Some("a"), &page, &extra, &chunks);
        let first: Value = serde_json::from_slice(rows.split(|b| *b == b'\n').next().unwrap()).unwrap();
        assert_eq!(
            (&first["part"], &first["text"], &first["dump"]),
            (&0.into(), &chunks[0].text.as_str().into(), &"D".into())
        );
        let mut rows = columns.chunk_values(Some("a"), &page, &extra, &chunks);
        rows.push(columns.values(Some("b"), &Page::default(), Some("broken"), &Extra::new()));
        let table = columns.table(&rows).unwrap();
        assert_eq!(table.num_rows(), chunks.len() + 1);
        let text = table.column_by_name("text").unwrap().as_string::<i32>().clone();
        assert_eq!(text.value(chunks.len() - 1), chunks.last().unwrap().text);
        assert!(text.is_null(chunks.len()));
        assert!(Columns::select(&["chunks"], Rows::Chunks).is_err() && Columns::new(&["index"]).is_err());
        assert_eq!(Columns::of_chunks().schema().fields().len(), CHUNK.len() + 4);
    }
}
