//! The calls of an extractor: each reads a page and writes JSON.
use crate::CallFailure;
use crate::options::{CallSettings, settings};
use maintext_core::model::roles::{Role, Shares};
use maintext_core::{Analysis, Extractor, Html, Input, Page, page_url};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

/// What to do with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageCall {
    /// The page's content and metadata: the JSON of `maintext extract -f json`.
    Extract,
    /// The entries of a list page: the JSON of `maintext list -f json`.
    List,
    /// The kind of the page: the JSON of `maintext classify`.
    Classify,
    /// The blocks of the page with the method's decisions, and the candidates for title, authors and date.
    Inspect,
    /// The reasons for the score of one block.
    Explain,
}

impl PageCall {
    /// Returns the call with this number.
    pub fn numbered(number: u32) -> Option<PageCall> {
        [PageCall::Extract, PageCall::List, PageCall::Classify, PageCall::Inspect, PageCall::Explain]
            .into_iter()
            .nth(number as usize)
    }
}

/// The parameters of a call about its page.
#[derive(Debug, Default, Deserialize)]
pub struct Head {
    /// The page's address.
    pub url: Option<String>,
    /// The charset of its HTTP header.
    pub charset: Option<String>,
    /// The number of the block to explain.
    #[serde(default)]
    pub block: usize,
}

/// An extractor with its options.
pub struct CallReader {
    extractor: Extractor,
    whole: bool,
}

impl CallReader {
    /// Reads the options; see [`settings`].
    pub fn new(json: &[u8], model: &[u8]) -> Result<CallReader, CallFailure> {
        let CallSettings { options, whole } = settings(json, model)?;
        Ok(CallReader { extractor: Extractor::new(options)?, whole })
    }

    /// Runs a call and returns its JSON.
    pub fn call(&mut self, call: PageCall, head: &Head, page: Html<'_>) -> Result<Vec<u8>, CallFailure> {
        let options = self.extractor.options();
        let url = head.url.clone().or_else(|| options.url.clone());
        let charset = head.charset.clone().or_else(|| options.charset.clone());
        let (url, charset) = (url.as_deref(), charset.as_deref());
        match call {
            PageCall::Extract => self.extract(page, url, charset),
            PageCall::Inspect => {
                self.analyzed(page, url, charset, |reader, analysis, url| reader.inspected(analysis, url))
            }
            PageCall::Explain => {
                self.analyzed(page, url, charset, |reader, analysis, _| reader.explained(analysis, head.block))
            }
            #[cfg(feature = "full")]
            PageCall::List => self.analyzed(page, url, charset, |_, analysis, url| listed(analysis, url)),
            #[cfg(feature = "full")]
            PageCall::Classify => self.analyzed(page, url, charset, classified),
            #[cfg(not(feature = "full"))]
            PageCall::List | PageCall::Classify => {
                Err(CallFailure::option("maintext/lite neither lists nor classifies".to_owned()))
            }
        }
    }

    fn extract(&mut self, page: Html<'_>, url: Option<&str>, charset: Option<&str>) -> Result<Vec<u8>, CallFailure> {
        let page: Page = self.extractor.extract(Input { whole: self.whole, ..Input::at(page, url, charset) })?;
        let mut out = json_of(&page);
        if let Some(xml) = &page.xml {
            out.pop();
            out.extend_from_slice(b",\"xml\":");
            out.extend(json_of(xml));
            out.push(b'}');
        }
        Ok(out)
    }

    fn analyzed<T: Serialize>(
        &mut self,
        page: Html<'_>,
        url: Option<&str>,
        charset: Option<&str>,
        see: impl FnOnce(&CallReader, &Analysis<'_>, Option<&Url>) -> Result<T, CallFailure>,
    ) -> Result<Vec<u8>, CallFailure> {
        let url = url.map(page_url).transpose()?;
        let source = self.extractor.decode(page, charset)?;
        let mut analysis = self.extractor.analyze_source(&source, url.as_ref(), false);
        analysis.warnings = source.warnings.clone();
        analysis.warnings.extend(maintext_core::page_warnings(&analysis.dom, &analysis.blocks));
        see(self, &analysis, url.as_ref()).map(|answer| json_of(&answer))
    }

    fn inspected(&self, analysis: &Analysis<'_>, url: Option<&Url>) -> Result<Value, CallFailure> {
        use maintext_core::metadata::{Settings, candidates};
        let view = analysis.view(url);
        let now = self.extractor.options().now;
        let found = candidates(&view, &analysis.choice, &Settings { base: url, now, ..Default::default() });
        Ok(json!({
            "url": url.map(Url::as_str), "method": self.extractor.options().method, "confidence": analysis.choice.confidence,
            "blocks": blocks(analysis, &self.extractor.roles(analysis, url)), "candidates": found, "warnings": analysis.warnings,
        }))
    }

    fn explained(&self, analysis: &Analysis<'_>, block: usize) -> Result<Value, CallFailure> {
        use maintext_core::model::Learned;
        let model = match &self.extractor.options().parameters.weights {
            Some(weights) => weights.learned(),
            None => Learned::shipped().map_err(maintext_core::Error::from)?,
        };
        let explained = model.explain(&analysis.dom, &analysis.blocks, block).map(|e| {
            json!({"probability": e.probability, "forest": stage_json(&e.forest), "network": stage_json(&e.network), "kin": e.kin, "settled": e.smoothed})
        });
        explained.ok_or_else(|| CallFailure::option(format!("block: the page has no block {block}")))
    }
}

fn part_json(p: &maintext_core::model::Part) -> Value {
    json!({"feature": p.feature, "value": p.value, "median": p.median, "weight": p.weight})
}

fn stage_json(s: &maintext_core::model::Stage) -> Value {
    json!({"score": s.score, "average": s.average, "parts": s.parts.iter().map(part_json).collect::<Vec<_>>()})
}

#[cfg(feature = "full")]
fn listed(analysis: &Analysis<'_>, url: Option<&Url>) -> Result<impl Serialize + use<>, CallFailure> {
    use maintext_core::list::{ListPage, Lists};

    #[derive(Serialize)]
    struct ListCall {
        url: Option<String>,
        #[serde(flatten)]
        list: ListPage,
        warnings: Vec<maintext_core::Warning>,
    }
    let list = Lists::named("learned")?.page(&analysis.view(url));
    Ok(ListCall { url: url.map(|u| u.as_str().to_owned()), list, warnings: analysis.warnings.clone() })
}

#[cfg(feature = "full")]
fn classified(
    reader: &CallReader,
    analysis: &Analysis<'_>,
    url: Option<&Url>,
) -> Result<impl Serialize + use<>, CallFailure> {
    #[derive(Serialize)]
    struct Classified {
        #[serde(flatten)]
        kind: maintext_core::page_type::PageType,
        warnings: Vec<maintext_core::Warning>,
    }
    let kind = reader.extractor.page_type(analysis, url).map_err(maintext_core::Error::from)?;
    Ok(Classified { kind, warnings: analysis.warnings.clone() })
}

/// Returns the blocks in document order with the choice of the output and its reasons. `span` holds bytes of the decoded page.
fn blocks(analysis: &Analysis<'_>, roles: &[Shares]) -> Vec<Value> {
    let blocks = &analysis.blocks;
    let choice = &analysis.choice;
    let why = choice.why();
    (0..choice.len()).map(|i| {
        let (b, role) = (&blocks.blocks[i], roles.get(i).map(Role::best));
        json!({
            "role": role.map(|r| r.0), "role_probability": role.map(|r| r.1),
            "text": blocks.text(i), "tag": analysis.dom.tag_name(blocks.elements[b.container as usize].node), "words": b.words,
            "chars": b.chars, "link_chars": b.link_chars, "hidden": b.hidden, "score": choice.scores()[i],
            "probability": choice.probability(i), "keep": choice.keeps(i), "why": why[i], "span": [b.span.start, b.span.end],
        })
    }).collect()
}

/// Returns a value as JSON. Its keys are strings, so this cannot fail.
fn json_of<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_else(|e| json!({"error": e.to_string()}).to_string().into_bytes())
}
