//! A page in the form of Firecrawl's documents, and the links and images of a page.
use super::extras::{RequestFacts, WantedExtras};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use maintext_core::Page;
use maintext_core::dom::{Dom, NodeId, Tag};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use url::Url;

/// What a client wants of a page.
#[derive(Clone, Debug, Default)]
pub struct WantedFormats {
    /// Markdown.
    pub markdown: bool,
    /// Clean HTML.
    pub html: bool,
    /// The page's own HTML.
    pub raw_html: bool,
    /// All links of the page.
    pub links: bool,
    /// All images of the page.
    pub images: bool,
    /// Values in the form of a JSON Schema.
    pub json: bool,
    /// A picture: of the whole page if true, else of the window.
    pub picture: Option<bool>,
    /// The extra fields that the client asked for.
    pub extras: WantedExtras,
}

/// The addresses of a page's links and images, each once.
#[derive(Clone, Debug, Default)]
pub struct PageLinks {
    links: Vec<String>,
    images: Vec<String>,
}

impl PageLinks {
    /// Returns those that are wanted.
    pub fn of(formats: &WantedFormats, dom: &Dom<'_>, base: Option<&Url>) -> PageLinks {
        PageLinks {
            links: if formats.links { addresses(dom, base, Tag::A, "href") } else { Vec::new() },
            images: if formats.images { addresses(dom, base, Tag::IMG, "src") } else { Vec::new() },
        }
    }
}

/// A page to be written as a document.
pub struct ScrapedPage<'a> {
    /// What the document contains.
    pub formats: &'a WantedFormats,
    /// The extracted page.
    pub page: &'a Page,
    /// Its HTML, if it is wanted.
    pub html: Option<String>,
    /// Its links and images, if they are wanted.
    pub links: PageLinks,
    /// Its request.
    pub seen: RequestFacts<'a>,
    /// The extra fields of the answer.
    pub extras: Map<String, Value>,
}

impl ScrapedPage<'_> {
    /// Returns the document.
    pub fn value(&self) -> Value {
        let ScrapedPage { formats, page, html, links, seen, extras } = self;
        let mut out = extras.clone();
        let mut add = |name: &str, on: bool, value: Value| {
            if on {
                out.insert(name.into(), value);
            }
        };
        add("markdown", formats.markdown, json!(page.markdown));
        add("html", formats.html, json!(page.html));
        add("rawHtml", formats.raw_html, json!(html));
        add("links", formats.links, json!(links.links));
        add("images", formats.images, json!(links.images));
        let data = || page.data.as_deref().and_then(|d| serde_json::from_str(d).ok()).unwrap_or(Value::Null);
        add("json", formats.json, if formats.json { data() } else { Value::Null });
        if let Some(picture) = seen.picture {
            let coded = format!("data:image/png;base64,{}", BASE64.encode(picture));
            add("screenshot", formats.picture.is_some(), json!(coded));
        }
        add("metadata", true, self.metadata());
        let warnings: Vec<&str> = page.warnings.iter().map(|w| w.message.as_ref()).collect();
        add("warning", !warnings.is_empty(), json!(warnings.join("; ")));
        Value::Object(out)
    }

    fn metadata(&self) -> Value {
        let ScrapedPage { page, seen, .. } = self;
        let m = &page.metadata;
        let mut value = json!({
            "title": m.title, "description": m.description, "language": m.language, "author": m.author,
            "publishedTime": m.date, "modifiedTime": m.date_modified, "ogImage": m.image, "ogSiteName": m.sitename,
            "keywords": (!m.tags.is_empty()).then(|| m.tags.join(", ")),
            "sourceURL": seen.asked, "url": seen.url, "statusCode": seen.status, "contentType": seen.content_type,
        });
        if let Some(status) = seen.status.filter(|s| *s >= 400) {
            let name = axum::http::StatusCode::from_u16(status).ok().and_then(|s| s.canonical_reason());
            value["error"] = json!(name.unwrap_or("error"));
        }
        if let Value::Object(fields) = &mut value {
            fields.retain(|_, v| !v.is_null());
        }
        value
    }
}

/// Returns the absolute addresses in an attribute that lead to the web, each once, in document order.
fn addresses(dom: &Dom<'_>, base: Option<&Url>, tag: Tag, attribute: &str) -> Vec<String> {
    let base = maintext_core::address::base_url(dom, base);
    let elements = dom.descendants(NodeId::ROOT).filter(|&n| dom.tag(n) == tag);
    let mut seen = HashSet::new();
    let found = elements.filter_map(|n| {
        let address = Url::options().base_url(base.as_ref()).parse(dom.attr(n, attribute)?.trim()).ok()?;
        let is_new = matches!(address.scheme(), "http" | "https") && seen.insert(address.clone());
        is_new.then(|| address.into())
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_core::dom::parse;

    #[test]
    fn links_are_absolute() {
        let html = "<a href=b> one\n<b>two</b></a><a href=/c#d>2</a><a href=b>3</a><a href='mailto:x@e.org'>4</a><a href='javascript:1'>5</a>\
            <img src=p.png alt='A heron'><img src='data:image/png;base64,AA=='>";
        let dom = parse(html, &Default::default());
        let base = Url::parse("https://e.org/a/").unwrap();
        let formats = WantedFormats { links: true, images: true, ..WantedFormats::default() };
        let found = PageLinks::of(&formats, &dom, Some(&base));
        assert_eq!(found.links, ["https://e.org/a/b", "https://e.org/c#d"]);
        assert_eq!(found.images, ["https://e.org/a/p.png"]);
    }
}
