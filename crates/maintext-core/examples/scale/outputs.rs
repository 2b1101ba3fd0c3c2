//! The outputs to request: all together, and each alone.
use crate::hostile::KeepsAll;
use maintext_core::select::Selector;
use maintext_core::{Error, Extractor, Fields, Formats, Options, rules::Rules};

/// The outputs with which each kind is examined: all outputs for the shipped model's choice, and all outputs for a page that is kept whole,
/// so that its content does not change with the size.
pub const SCREENS: [&str; 2] = ["all", "kept"];

/// The outputs that a failure is ascribed to.
pub const OUTPUTS: [&str; 11] =
    ["text", "markdown", "html", "xml", "blocks", "pictures", "metadata", "comments", "entries", "things", "rules"];

/// Returns an extractor for an output.
pub fn extractor(output: &str) -> Result<Extractor, Error> {
    let url = Some("https://example.org/news/".to_owned());
    let everything =
        Options { url: url.clone(), formats: Formats::ALL, page_type: true, things: true, ..Options::default() };
    let mut o = Options { url, fields: Fields::NONE, metadata: false, comments: false, ..Options::default() };
    match output {
        "all" => return Extractor::new(everything),
        "kept" => return Ok(Extractor::with_method(everything, Box::new(KeepsAll))),
        "pictures" => o.fields = Fields::IMAGES | Fields::LINKS,
        "metadata" => (o.metadata, o.fields) = (true, Fields::METADATA | Fields::BARRIER),
        "comments" => (o.comments, o.fields) = (true, Fields::COMMENTS),
        "entries" => o.page_type = true,
        "things" => o.things = true,
        "rules" => {
            let selector = |text| Selector::parse(text).expect("a selector");
            o.rules = Rules {
                content: Some(selector("body")),
                drop: vec![selector("q ~ p, p:has(~ q)")],
                ..Rules::default()
            };
        }
        format => o.formats = Formats::named([format]).expect("the name of a format"),
    }
    Extractor::new(o)
}
