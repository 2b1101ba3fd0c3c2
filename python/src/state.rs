//! The pickled form of a `Page`: bytes, which start with the name and the number of the form, and are JSON after that.
use crate::block::Block;
use crate::errors::wrong_value;
use maintext_core::Page;
use pyo3::prelude::*;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

const NAME: &[u8] = b"maintext.Page ";
/// The number of the form. Raise it with every change that older versions cannot read.
const FORM: u32 = 1;

/// The page's JSON is kept as it is: it has all fields but these.
#[derive(Serialize, Deserialize)]
struct State<'a> {
    #[serde(borrow)]
    page: &'a RawValue,
    xml: Option<Cow<'a, str>>,
    blocks: Vec<StoredBlock<'a>>,
    error: Option<Cow<'a, str>>,
}

/// Text, tag, score and probability as bits (JSON has no infinity), whether it is kept, start and end.
#[derive(Serialize, Deserialize)]
struct StoredBlock<'a>(Cow<'a, str>, Cow<'a, str>, u32, Option<u32>, bool, u32, u32);

/// The fields that `Page` returns one by one, and the lists that its JSON must have.
#[derive(Deserialize)]
struct Fields {
    text: Option<String>,
    markdown: Option<String>,
    html: Option<String>,
    blocks: Option<Box<RawValue>>,
    data: Option<Box<RawValue>>,
    page_type: Option<String>,
    confidence: Option<f32>,
    title: Option<String>,
    author: Option<String>,
    authors: Vec<String>,
    description: Option<String>,
    sitename: Option<String>,
    image: Option<String>,
    tags: Vec<String>,
    date: Option<String>,
    language: Option<String>,
    url: Option<String>,
    #[serde(rename = "comments")]
    _comments: Vec<IgnoredAny>,
    #[serde(rename = "posts")]
    _posts: Vec<IgnoredAny>,
    #[serde(rename = "images")]
    _images: Vec<IgnoredAny>,
    #[serde(rename = "entries")]
    _entries: Vec<IgnoredAny>,
    #[serde(rename = "things")]
    _things: Vec<IgnoredAny>,
    #[serde(rename = "hidden")]
    _hidden: Vec<IgnoredAny>,
    #[serde(rename = "hidden_words")]
    _hidden_words: u32,
    #[serde(rename = "warnings")]
    _warnings: Vec<IgnoredAny>,
}

/// A page that was pickled.
pub struct Restored {
    /// The fields of [`Fields`].
    pub page: Page,
    /// All fields, as the command writes them.
    pub json: String,
    pub blocks: Vec<Block>,
    pub error: Option<String>,
}

/// Returns the pickled form of a page.
pub fn bytes(json: &str, xml: Option<&str>, blocks: &[Block], error: Option<&str>) -> Vec<u8> {
    let mut out = NAME.to_vec();
    out.extend_from_slice(format!("{FORM}\n").as_bytes());
    let Ok(page) = serde_json::from_str::<&RawValue>(json) else { return out };
    let blocks = blocks.iter().map(|b| {
        let (score, probability) = (b.score.to_bits(), b.probability.map(f32::to_bits));
        StoredBlock((&*b.text).into(), (&*b.tag).into(), score, probability, b.keep, b.span.0, b.span.1)
    });
    let state = State { page, xml: xml.map(Into::into), blocks: blocks.collect(), error: error.map(Into::into) };
    out.extend(serde_json::to_vec(&state).unwrap_or_default());
    out
}

/// Reads the pickled form of a page.
pub fn read(bytes: &[u8]) -> PyResult<Restored> {
    let rest = bytes.strip_prefix(NAME).ok_or_else(|| wrong_value("not the state of a maintext.Page"))?;
    let (form, rest) = rest.split_at(rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()));
    if form != FORM.to_string().as_bytes() {
        let form = String::from_utf8_lossy(&form[..form.len().min(20)]).into_owned();
        let message = format!("a maintext.Page in form {form:?}; this version of maintext reads form {FORM}");
        return Err(wrong_value(message));
    }
    let damaged = |e: serde_json::Error| wrong_value(format!("the state of a maintext.Page is damaged: {e}"));
    let state: State<'_> = serde_json::from_slice(rest).map_err(damaged)?;
    let json = state.page.get();
    let fields: Fields = serde_json::from_str(json).map_err(damaged)?;
    let blocks = state.blocks.into_iter().map(|StoredBlock(text, tag, score, probability, keep, start, end)| Block {
        text: text.into_owned(),
        tag: tag.into_owned(),
        score: f32::from_bits(score),
        probability: probability.map(f32::from_bits),
        keep,
        why: Vec::new(),
        span: (start, end),
    });
    Ok(Restored {
        json: json.to_owned(),
        blocks: blocks.collect(),
        error: state.error.map(Cow::into_owned),
        page: page(fields, state.xml.map(Cow::into_owned)),
    })
}

fn page(fields: Fields, xml: Option<String>) -> Page {
    let mut page = Page::default();
    page.text = fields.text;
    page.markdown = fields.markdown;
    page.html = fields.html;
    page.xml = xml;
    page.blocks = fields.blocks.map(|json| json.get().to_owned());
    page.data = fields.data.map(|json| json.get().to_owned());
    page.page_type = fields.page_type;
    page.confidence = fields.confidence;
    let metadata = &mut page.metadata;
    metadata.title = fields.title;
    metadata.author = fields.author;
    metadata.authors = fields.authors;
    metadata.description = fields.description;
    metadata.sitename = fields.sitename;
    metadata.image = fields.image;
    metadata.tags = fields.tags;
    metadata.date = fields.date;
    metadata.language = fields.language;
    metadata.url = fields.url;
    page
}
