//! The systems to measure, and the extractors of crates.io with the settings that their documentation recommends.
use serde::{Deserialize, Serialize};

/// A page for a worker.
#[derive(Serialize, Deserialize)]
pub struct Request {
    /// The page, decoded.
    pub html: String,
    /// Its address, if known and absolute.
    pub url: Option<String>,
}

/// The output of a system for a page. An error counts as an empty text.
#[derive(Default, Serialize, Deserialize)]
pub struct Answer {
    #[serde(default)]
    pub text: String,
    pub title: Option<String>,
    pub author: Option<String>,
    pub date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Processor time in seconds.
    #[serde(default)]
    pub cpu: f64,
}

impl Answer {
    pub fn error(error: impl ToString) -> Answer {
        Answer { error: Some(error.to_string()), ..Answer::default() }
    }
}

/// How a system is run.
#[derive(Clone, Copy)]
pub enum Runner {
    Rust(fn(&Request) -> Answer),
    /// `bench/peers.py`.
    Python,
    /// `bench/peers.mjs`.
    Node,
}

/// An extractor with its settings.
pub struct System {
    pub name: &'static str,
    pub runner: Runner,
    /// Whether it favours recall and therefore runs on [`RECALL_SET`] only.
    pub recall: bool,
}

/// The set whose ground truth keeps most visible text.
pub const RECALL_SET: &str = "cleaneval-final";

const fn system(name: &'static str, runner: Runner) -> System {
    System { name, runner, recall: false }
}

pub const SYSTEMS: [System; 14] = [
    system("dom_smoothie", Runner::Rust(dom_smoothie)),
    system("libreadability", Runner::Rust(libreadability)),
    system("trafilatura-rs", Runner::Rust(|r| trafilatura(r, trafilatura::ExtractionFocus::Balanced))),
    system("rs-trafilatura", Runner::Rust(|r| rs_trafilatura(r, false))),
    system("resiliparse", Runner::Python),
    system("trafilatura", Runner::Python),
    system("readability-lxml", Runner::Python),
    system("trafilatura-no-comments", Runner::Python),
    System {
        recall: true,
        ..system("trafilatura-rs-recall", Runner::Rust(|r| trafilatura(r, trafilatura::ExtractionFocus::FavorRecall)))
    },
    System { recall: true, ..system("rs-trafilatura-recall", Runner::Rust(|r| rs_trafilatura(r, true))) },
    System { recall: true, ..system("trafilatura-recall", Runner::Python) },
    system("mozilla-readability", Runner::Node),
    system("newspaper4k", Runner::Python),
    system("defuddle", Runner::Node),
];

/// Systems that run only if they are named: htmldate gives dates alone, and the npm package is maintext itself.
pub const ON_REQUEST: [System; 5] = [
    system("htmldate", Runner::Python),
    system("htmldate-fast", Runner::Python),
    system("maintext-npm", Runner::Node),
    system("maintext-npm-readability", Runner::Node),
    system("maintext-npm-defuddle", Runner::Node),
];

fn stated(text: String) -> Option<String> {
    Some(text).filter(|t| !t.is_empty())
}

/// Default settings with formatted text; its README says that its raw text joins the words of neighbouring blocks.
fn dom_smoothie(r: &Request) -> Answer {
    use dom_smoothie::{Config, Readability, TextMode};
    let config = Config { text_mode: TextMode::Formatted, ..Config::default() };
    let article = Readability::new(r.html.as_str(), r.url.as_deref(), Some(config)).and_then(|mut r| r.parse());
    match article {
        Ok(a) => Answer {
            text: a.text_content.to_string(),
            title: stated(a.title),
            author: a.byline,
            date: a.published_time,
            ..Answer::default()
        },
        Err(e) => Answer::error(e),
    }
}

/// Default settings.
fn libreadability(r: &Request) -> Answer {
    match libreadability::extract(&r.html, r.url.as_deref()) {
        Ok(a) => Answer {
            text: a.text_content,
            title: stated(a.title),
            author: stated(a.byline),
            date: stated(a.published_time),
            ..Answer::default()
        },
        Err(e) => Answer::error(e),
    }
}

/// The settings of its own comparison: fallback on, comments off.
fn trafilatura(r: &Request, focus: trafilatura::ExtractionFocus) -> Answer {
    let mut options = trafilatura::Options::default().with_fallback(true).with_exclude_comments(true).with_focus(focus);
    options.original_url = r.url.as_deref().and_then(|u| url::Url::parse(u).ok());
    match trafilatura::extract(&r.html, &options) {
        Ok(found) => Answer {
            text: found.content_text,
            title: stated(found.metadata.title),
            author: stated(found.metadata.author),
            date: found.metadata.date.map(|d| d.to_string()),
            ..Answer::default()
        },
        Err(e) => Answer::error(e),
    }
}

/// Default settings.
fn rs_trafilatura(r: &Request, recall: bool) -> Answer {
    let options =
        rs_trafilatura::Options { url: r.url.clone(), favor_recall: recall, ..rs_trafilatura::Options::default() };
    match rs_trafilatura::extract_with_options(&r.html, &options) {
        Ok(found) => Answer {
            text: found.content_text,
            title: found.metadata.title,
            author: found.metadata.author,
            date: found.metadata.date.map(|d| d.to_rfc3339()),
            ..Answer::default()
        },
        Err(e) => Answer::error(e),
    }
}
